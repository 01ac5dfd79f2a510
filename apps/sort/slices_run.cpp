#include "slices_run.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>

#include "across.hpp"
#include "byte_order.hpp"
#include "json_file.hpp"
#include "key_run.hpp"
#include "process_device.hpp"
#include "program.hpp"
#include "shared_output.hpp"
#include "slices.hpp"
#include "sorting.hpp"
#include "text.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

/// One run of all ranks, from the files to the files.
class slices_run {
 public:
  slices_run(const sort_config& config, const command_line& line, process_ranks& ranks)
      : config_(config), line_(line), ranks_(ranks) {}

  exit_code run() {
    ranks_.together([&] {
      check_goes_by_slices();
      if (ranks_.rank() == 0) report_.emplace(config_.common.report);
    });
    choose_device();
    output_.emplace(ranks_, config_.common.output, line_.origin("/output"));
    for (const std::string& path : config_.payload_outputs) {
      payload_outputs_.emplace_back(ranks_, path, line_.origin("/payload_output"));
    }
    ranks_.together([&] { read(); });
    sort();
    ranks_.together([&] { write(); });
    finish();
    ranks_.together([&] {
      if (report_) report_->write(report());
    });
    say("total    {:.0f} ms", stopwatch(total_).lap());
    return exit_code::ok;
  }

 private:
  void check_goes_by_slices() const {
    const slice_checks checks(line_, ranks_);
    checks.refuse(config_.inputs.size() > 1, "/input");
    checks.refuse(!config_.by.empty(), "/by");
    checks.refuse(config_.whole_lines, "/whole_lines");
    checks.refuse(config_.text, "/text");
    checks.refuse(config_.top.has_value(), "/top");
    checks.refuse(!config_.runs.empty(), "/runs");
    checks.refuse(!config_.gpus.empty(), "/gpus");
    checks.refuse(config_.common.gpu_memory > 0, "/gpu_memory");
    checks.refuse(config_.method != sort_method::default_sort, "/method");
    checks.refuse(config_.common.scan != scan_variant{}, "/scan");
    checks.refuse(config_.common.device.starts_with("cuda:"), "/device");
    if (ranks_.ranks() > most_ranks) {
      fail(exit_code::usage, "got {} processes; expected at most {}", ranks_.ranks(), most_ranks);
    }
    require_path(config_.common.output, "--output", "/output");
    checks.check_is_file(config_.common.input, "/input");
    for (const std::string& path : config_.payloads) checks.check_is_file(path, "/payload");
  }

  /// A GPU for each rank, or for none.
  void choose_device() {
    ranks_.together([&] { gpu_ = gpu_of_process(config_.common.device, ranks_); });
    check_gpus_of_all(gpu_, ranks_);
    device_ = name_of_ranks(gpu_ < 0 ? "sim" : fmt::format("cuda:{}", gpu_), ranks_.ranks());
    say("device   {}", device_);
  }

  void read() {
    input_file file(config_.common.input);
    head_ = read_key_header(file, format_of(config_), config_.type.value_or(scalar_type::i64));
    key_bytes_ = size_of(head_.type);
    check_bits(how_, head_.type, line_);
    how_.are_dates = are_dates(head_.descr);
    keys_ = file.take_mapped(static_cast<std::size_t>(head_.count) * key_bytes_);
    for (const std::string& path : config_.payloads) {
      input_file of_payload(path);
      npy_rows& rows = payloads_.emplace_back(read_npy_rows_header(of_payload));
      check_payload(of_payload.name(), rows, head_.count, file.name());
      rows.data = of_payload.take_mapped(static_cast<std::size_t>(of_payload.remaining()));
    }
    goes_alone_ = key_bytes_ <= sizeof(std::uint32_t) && payloads_.empty() && !config_.argsort;
    if (!goes_alone_ && head_.count > std::numeric_limits<std::uint32_t>::max()) {
      fail(exit_code::bad_input, "{}: {} keys; expected fewer than 2^32, as all but keys of 4 bytes alone go by places",
           file.name(), head_.count);
    }
    mine_ = slice_of_rank(head_.count, ranks_);
    say("read     {}: {} {} keys, {}, in {} slices", file.name(), count_text(), name_of(head_.type),
        bytes_text(keys_.bytes()), ranks_.ranks());
  }

  void sort() {
    const auto sort_codes = [&] {
      gpu_ >= 0 && key_bytes_ <= sizeof(std::uint32_t) ? sort_as<std::uint32_t>() : sort_as<std::uint64_t>();
    };
    // On the sim a rank that has failed is heard by those that wait for it. By NCCL it is not: it ends all of them.
    gpu_ < 0 ? ranks_.together(sort_codes) : sort_codes();
    say("sorted   {} {} keys{}, {}, in {:.3f} ms on the devices of {} processes", count_text(), name_of(head_.type),
        payloads_.empty() ? "" : " with payload", config_.descending ? "descending" : "ascending", times_.device_ms,
        ranks_.ranks());
  }

  /// Sorts the codes of this rank's keys, each with the key itself where that has room, else with its place.
  template <class Code>
  void sort_as() {
    stopwatch watch;
    const auto n = static_cast<std::size_t>(mine_.count);
    std::vector<Code> codes(n);
    values_.resize(n);
    const byte_array mine = slice_of_keys();
    visit_key_type(head_.type, [&]<class Key>(Key) {
      for (std::size_t i = 0; i < n; ++i) {
        Key key;
        std::memcpy(&key, mine.data() + i * sizeof key, sizeof key);
        codes[i] = static_cast<Code>(compared_bits(key, how_));
        values_[i] = static_cast<std::uint32_t>(static_cast<std::size_t>(mine_.begin) + i);
        if (goes_alone_) std::memcpy(&values_[i], &key, std::min(sizeof key, sizeof values_[i]));
      }
    });
    read_ms_ = watch.lap();
    const code_slice<Code> slice{codes.data(), values_.data(), mine_.count};
    const auto on_gpu = [&] {
      const auto bring = [&](void* p, std::size_t bytes) { ranks_.bring_from_first(p, bytes); };
      return sort_slice_on_gpu({ranks_.rank(), ranks_.ranks(), gpu_, bring}, slice, times_);
    };
    status s = status::not_supported;
    if constexpr (sizeof(Code) == sizeof(std::uint64_t)) {
      s = gpu_ < 0 ? sort_slice_on_sim(ranks_, slice, times_) : on_gpu();
    } else {
      s = on_gpu();
    }
    if (s == status::not_supported && gpu_ >= 0) {
      fail(exit_code::device, "this upsweep-sort was built without NCCL; expected --device sim, or one process");
    }
    if (s == status::success) return;
    if (s == status::memory_allocation) {
      fail(exit_code::device,
           "{}: rank {}: out of device memory for {} of {} keys; expected more processes, or one, whose GPU all goes "
           "through in pieces",
           device_, ranks_.rank(), mine_.count, head_.count);
    }
    fail(exit_code::device, "{}: rank {}: sorting failed: {} ({})", device_, ranks_.rank(), status_name(s),
         status_text(s));
  }

  /// As they are in little endian files.
  byte_array slice_of_keys() const {
    const std::size_t bytes = static_cast<std::size_t>(mine_.count) * key_bytes_;
    if (bytes == 0) return {};
    const std::byte* const first = keys_.data() + static_cast<std::size_t>(mine_.begin) * key_bytes_;
    if (!head_.big_endian) return byte_array::of_others(first, bytes);
    byte_array turned(bytes);
    std::memcpy(turned.data(), first, bytes);
    reverse_bytes(turned.data(), key_bytes_, static_cast<std::size_t>(mine_.count));
    return turned;
  }

  /// This rank's part of the sorted rows.
  byte_array sorted_rows(const byte_array& rows, std::size_t row_bytes) const {
    byte_array part(values_.size() * row_bytes);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::memcpy(part.data() + i * row_bytes, rows.data() + values_[i] * row_bytes, row_bytes);
    }
    return part;
  }
  byte_array sorted_keys() const {
    if (!goes_alone_) {
      byte_array part = sorted_rows(keys_, key_bytes_);
      if (head_.big_endian) reverse_bytes(part.data(), key_bytes_, values_.size());
      return part;
    }
    byte_array part(values_.size() * key_bytes_);
    for (std::size_t i = 0; i < values_.size(); ++i) std::memcpy(part.data() + i * key_bytes_, &values_[i], key_bytes_);
    return part;
  }

  void write() {
    stopwatch watch;
    const auto n = static_cast<std::uint64_t>(head_.count);
    const auto put = [&](shared_output& file, const std::string& head, const void* rows, std::size_t row_bytes) {
      if (ranks_.rank() == 0) file.write_at(0, head.data(), head.size());
      file.write_at(head.size() + static_cast<std::uint64_t>(mine_.begin) * row_bytes, rows,
                    values_.size() * row_bytes);
    };
    const auto head_of = [&](const std::string& descr) {
      return config_.type ? std::string() : npy_header_bytes(descr, false, {n});
    };
    if (config_.argsort) {
      put(*output_, head_of(npy_descr(scalar_type::u32)), values_.data(), sizeof(std::uint32_t));
    } else {
      const bool is_values = goes_alone_ && key_bytes_ == sizeof(std::uint32_t);
      const byte_array part = is_values ? byte_array() : sorted_keys();
      put(*output_, head_of(head_.descr.empty() ? npy_descr(head_.type) : head_.descr),
          is_values ? static_cast<const void*>(values_.data()) : part.data(), key_bytes_);
    }
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      const npy_rows& rows = payloads_[i];
      const byte_array part = sorted_rows(rows.data, rows.row_bytes);
      put(payload_outputs_[i], npy_header_bytes(rows.descr, false, rows.shape), part.data(), rows.row_bytes);
    }
    write_ms_ = watch.lap();
  }

  /// No file has its name before all of them are complete, on all ranks.
  void finish() {
    output_->finish();
    for (shared_output& file : payload_outputs_) file.finish();
    ranks_.together([&] {
      if (config_.common.verify && ranks_.rank() == 0) verify();
    });
    std::vector<shared_output*> others;
    for (shared_output& file : payload_outputs_) others.push_back(&file);
    output_->commit(others);
    others.insert(others.begin(), &*output_);
    for (const shared_output* file : others) say("wrote    {}: in {} slices", file->name(), ranks_.ranks());
  }

  /// Rank 0 sorts all of it again, and reads what the ranks have written.
  void verify() {
    stopwatch watch;
    const scalar_type raw = config_.type.value_or(head_.type);
    const key_format format = format_of(config_);
    input_file file(config_.common.input), out(output_->path());
    key_table input, sorted;
    input.keys = read_keys(file, format, raw);
    npy_vector written = read_keys(out, format, config_.argsort ? scalar_type::u32 : raw);
    if (config_.argsort) sorted.places = std::move(written.data);
    sorted.keys = std::move(written);
    sorted.keys.type = head_.type;
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      input_file moved(payload_outputs_[i].path());
      sorted.values.push_back({payloads_[i].row_bytes, read_npy_rows(moved).data});
      input_file of_payload(config_.payloads[i]);
      input.values.push_back({payloads_[i].row_bytes, read_npy_rows(of_payload).data});
    }
    const std::string difference = first_difference(input, how_, sorted);
    verify_ms_ = watch.lap();
    verified_ = difference.empty();
    if (!difference.empty()) {
      if (report_) report_->write(report());
      fail(exit_code::not_verified, "{}: not verified, nothing was written: {}", config_.common.input, difference);
    }
    say("checked  every byte agrees with std::stable_sort ({:.0f} ms)", verify_ms_);
  }

  std::string count_text() const { return with_commas(static_cast<std::uint64_t>(head_.count)); }

  ordered_json report() const {
    return {{"program", "upsweep-sort"},
            {"version", version_string},
            {"device", device_},
            {"backend", gpu_ < 0 ? "sim" : "cuda"},
            {"processes", ranks_.ranks()},
            {"order", config_.descending ? "descending" : "ascending"},
            {"bits", {how_.bits.begin, how_.bits.end}},
            {"argsort", config_.argsort},
            {"input",
             {{"file", config_.common.input},
              {"type", name_of(head_.type)},
              {"keys", head_.count},
              {"bytes", keys_.bytes()}}},
            {"output", {{"file", config_.common.output}}},
            {"verified", verified_ ? ordered_json(*verified_) : ordered_json(nullptr)},
            {"times_ms",
             {{"read", read_ms_},
              {"upload", times_.upload_ms},
              {"device", times_.device_ms},
              {"download", times_.download_ms},
              {"write", write_ms_},
              {"verify", verify_ms_},
              {"total", stopwatch(total_).lap()}}}};
  }

  const sort_config& config_;
  const command_line& line_;
  process_ranks& ranks_;
  key_order how_{config_.descending ? sort_order::descending : sort_order::ascending, config_.bits, config_.missing};
  stopwatch total_;
  std::optional<report_file> report_;  ///< of rank 0
  int gpu_ = -1;                       ///< of this rank; below 0 for the sim
  std::string device_;
  std::optional<shared_output> output_;
  std::deque<shared_output> payload_outputs_;
  keys_ahead head_;
  std::size_t key_bytes_ = 0;
  byte_array keys_;                    ///< all of them, as the file has them
  std::vector<npy_rows> payloads_;     ///< likewise
  row_slice mine_{};                   ///< of the input and of the sorted keys
  bool goes_alone_ = false;            ///< keys that go with their codes: nothing is fetched by places
  std::vector<std::uint32_t> values_;  ///< of this rank: keys, or places, sorted once they are
  std::optional<bool> verified_;       ///< as rank 0 knows
  sort_times times_;
  double read_ms_ = 0, write_ms_ = 0, verify_ms_ = 0;
};

}  // namespace

exit_code sort_slices(const sort_config& config, const command_line& line, process_ranks& ranks) {
  return slices_run(config, line, ranks).run();
}

}  // namespace upsweep::apps
