#include "key_run.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "across.hpp"
#include "json_file.hpp"
#include "program.hpp"
#include "row_order.hpp"
#include "sorting.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// One run of the program, from the files to the files.
class sort_run {
 public:
  sort_run(const sort_config& config, const command_line& line)
      : config_(config), line_(line), device_(config.common.device, config.common.gpu_memory) {
    check_runs_on(config.common.scan, device_, line);
    if (runtime::method_of(method_) == sort_method::cluster && !device_.has_clusters()) {
      fail(exit_code::usage, "{}: the method cluster needs a GPU of sm_90 or later; expected another method",
           line.origin("/method"));
    }
    output_ = file_to_write(config.common.output);
    runs_output_ = file_to_write(config.runs);
    for (const std::string& file : config.payload_outputs) payload_outputs_.push_back(file_to_write(file));
    if (!config.gpus.empty()) ranks_ = ranks_of(config.gpus, config.common.device);
    say("device   {}", device_name());
  }

  exit_code run() {
    read();
    check_method_takes(input_.keys.count);
    how_.are_dates = are_dates(input_.keys.descr);
    if (ranks_ > 0) {
      sorted_ = sort_across(config_.common.device, ranks_, how_, input_, config_.argsort, times_);
    } else if (how_.missing == nan_order::by_bits) {
      sorted_ = sort_on_device(device_, method_, how_, input_, config_.argsort, times_);
    } else {
      sort_by_places();
    }
    say("sorted   {} {} keys{}, {}, in {:.3f} ms {}", count_text(), name_of(input_.keys.type),
        input_.values.empty() ? "" : " with payload", config_.descending ? "descending" : "ascending", times_.device_ms,
        way_text());
    if (runs_output_) runs_ = runs_of(input_, how_, sorted_);
    if (config_.common.verify && !verify()) return exit_code::not_verified;
    write();
    make_report(config_.common.verify ? ordered_json(true) : ordered_json(nullptr));
    say("total    {:.0f} ms", stopwatch(total_).lap());
    return exit_code::ok;
  }

  const ordered_json& report() const { return report_; }

 private:
  /// The device gets other keys, of which the places are taken.
  void sort_by_places() {
    const row_key key{input_.keys.data.data(), input_.keys.type, how_};
    byte_array places = sorted_places(device_, method_, {&key, 1}, input_.keys.count, times_.device_ms);
    sorted_.keys.type = input_.keys.type;
    sorted_.keys.count = input_.keys.count;
    if (config_.argsort) {
      sorted_.places = std::move(places);
      return;
    }
    sorted_.keys.data = rows_at(input_.keys.data, size_of(input_.keys.type), places);
    for (const value_table& v : input_.values) {
      sorted_.values.push_back({v.row_bytes, rows_at(v.data, v.row_bytes, places)});
    }
  }
  static std::unique_ptr<output_file> file_to_write(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<output_file>(path);
  }
  void check_method_takes(std::int64_t keys) const {
    const sort_method method = runtime::method_of(method_);
    const std::int64_t most = runtime::sort_max_keys(method_);
    if (method == sort_method::upsweep_downsweep) return check_takes(config_.common.scan, most, keys, line_);
    if (keys <= most) return;
    fail(exit_code::usage, "{}: the method {} takes {} keys, but got {}; expected another method",
         line_.origin("/method"), name_of(method), most, keys);
  }
  std::string device_name() const { return ranks_ > 0 ? name_of_ranks(config_.common.device, ranks_) : device_.name(); }
  std::string method_text() const {
    const sort_method method = runtime::method_of(method_);
    if (method != sort_method::upsweep_downsweep) return std::string(name_of(method));
    return fmt::format("{}, scan {}", name_of(method), variant_text(method_.scan));
  }
  /// How they were sorted.
  std::string way_text() const {
    if (times_.by_bytes == 0) return fmt::format("on {}, method {}", device_.kind(), method_text());
    std::uint64_t bytes = input_.keys.data.bytes();
    for (const value_table& v : input_.values) bytes += v.data.bytes();
    return fmt::format("through {} of the device's memory, {}/s", bytes_text(times_.by_bytes),
                       bytes_text(static_cast<std::uint64_t>(static_cast<double>(bytes) / times_.device_ms * 1000)));
  }
  std::string count_text() const { return with_commas(static_cast<std::uint64_t>(input_.keys.count)); }

  void read() {
    stopwatch watch;
    input_file file(config_.common.input);
    input_.keys = read_keys(file, format_of(config_), config_.type.value_or(scalar_type::i64));
    check_bits(how_, input_.keys.type, line_);
    for (const std::string& payload : config_.payloads) read_payload(payload, file.name());
    check_places(file.name());
    read_ms_ = watch.lap();
    say("read     {}: {} {} keys, {} in {:.0f} ms", file.name(), count_text(), name_of(input_.keys.type),
        bytes_text(input_.keys.data.bytes()), read_ms_);
  }

  void read_payload(const std::string& path, const std::string& keys_name) {
    input_file file(path);
    npy_rows payload = read_npy_rows(file);
    check_payload(file.name(), payload, input_.keys.count, keys_name);
    input_.values.push_back({payload.row_bytes, std::move(payload.data)});
    payloads_.push_back({std::move(payload.descr), std::move(payload.shape), payload.row_bytes, {}});
  }

  bool goes_by_places() const {
    return how_.missing != nan_order::by_bits || apps::goes_by_places(input_, config_.argsort);
  }

  void check_places(const std::string& keys_name) const {
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    if (input_.keys.count <= most || (ranks_ == 0 && !goes_by_places())) return;
    fail(exit_code::bad_input, "{}: {} keys; expected fewer than 2^32, as {} of type u32", keys_name, input_.keys.count,
         ranks_ > 0                           ? "all that --gpus sorts goes by places"
         : config_.argsort                    ? "a permutation is"
         : how_.missing != nan_order::by_bits ? "all of --missing goes by places"
                                              : "payloads other than one of 4 bytes go by places");
  }

  bool verify() {
    stopwatch watch;
    const std::string difference = first_difference(input_, how_, sorted_, runs_output_ ? &runs_ : nullptr);
    verify_ms_ = watch.lap();
    if (difference.empty()) {
      say("checked  every byte agrees with std::stable_sort ({:.0f} ms)", verify_ms_);
      return true;
    }
    complain("upsweep-sort: {}: not verified, nothing was written: {}", config_.common.input, difference);
    make_report(false);
    return false;
  }

  /// No file has its name before all are complete.
  void write() {
    stopwatch watch;
    const std::int64_t n = std::min(input_.keys.count, config_.top.value_or(input_.keys.count));
    std::vector<output_file*> files;
    if (output_) {
      if (config_.argsort) {
        write_keys(*output_, format_of(config_), scalar_type::u32, sorted_.places.data(), n);
      } else {
        write_keys(*output_, format_of(config_), sorted_.keys.type, sorted_.keys.data.data(), n, input_.keys.descr);
      }
      files.push_back(output_.get());
    }
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      payloads_[i].shape[0] = static_cast<std::uint64_t>(n);
      write_npy_rows(*payload_outputs_[i], payloads_[i], sorted_.values[i].data.data(),
                     static_cast<std::size_t>(n) * sorted_.values[i].row_bytes);
      files.push_back(payload_outputs_[i].get());
    }
    if (runs_output_) {
      write_npy_header(*runs_output_, "<u8", false, {runs_.size(), 2});
      runs_output_->write(runs_.data(), runs_.size() * sizeof(key_run));
      files.push_back(runs_output_.get());
    }
    commit_all(files);
    for (const output_file* file : files) {
      say("wrote    {}: {}", file->name(), bytes_text(file->bytes_written()));
    }
    write_ms_ = watch.lap();
  }

  void make_report(const ordered_json& verified) {
    ordered_json document = begun_report("upsweep-sort", device_);
    document["device"] = device_name();
    if (ranks_ > 0) document["gpus"] = ranks_;
    if (times_.by_bytes > 0) document["in_pieces_by"] = times_.by_bytes;
    document["method"] = name_of(runtime::method_of(method_));
    document["scan"] = to_json(config_.common.scan);
    document["order"] = config_.descending ? "descending" : "ascending";
    document["bits"] = {how_.bits.begin, how_.bits.end};
    document["argsort"] = config_.argsort;
    document["input"] = {{"file", config_.common.input},
                         {"type", name_of(input_.keys.type)},
                         {"keys", input_.keys.count},
                         {"bytes", input_.keys.data.bytes()}};
    document["payloads"] = ordered_json::array();
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      document["payloads"].push_back({{"file", config_.payloads[i]},
                                      {"output", config_.payload_outputs[i]},
                                      {"type", payloads_[i].descr},
                                      {"shape", payloads_[i].shape},
                                      {"bytes", input_.values[i].data.bytes()}});
    }
    document["output"] = {{"file", config_.common.output}, {"bytes", output_ ? output_->bytes_written() : 0}};
    if (runs_output_) document["runs"] = {{"file", config_.runs}, {"count", runs_.size()}};
    document["verified"] = verified;
    document["times_ms"] = {{"read", read_ms_},
                            {"upload", times_.upload_ms},
                            {"device", times_.device_ms},
                            {"download", times_.download_ms},
                            {"verify", verify_ms_},
                            {"write", write_ms_},
                            {"total", stopwatch(total_).lap()}};
    report_ = document;
  }

  const sort_config& config_;
  const command_line& line_;
  const runtime::sort_method_with_scan method_{config_.common.scan, config_.method};
  key_order how_{config_.descending ? sort_order::descending : sort_order::ascending, config_.bits, config_.missing};
  stopwatch total_;
  device_session device_;
  int ranks_ = 0;  ///< of --gpus; 0 for one device
  ordered_json report_;
  std::unique_ptr<output_file> output_, runs_output_;
  std::vector<std::unique_ptr<output_file>> payload_outputs_;
  std::vector<npy_rows> payloads_;  ///< what their files say; the data is in input_
  key_table input_;
  key_table sorted_;
  std::vector<key_run> runs_;
  sort_times times_;
  double read_ms_ = 0, verify_ms_ = 0, write_ms_ = 0;
};

}  // namespace

void check_bits(key_order& how, scalar_type type, const command_line& line) {
  const int width = static_cast<int>(size_of(type)) * 8;
  if (how.bits.end == bit_range::full_width) how.bits.end = width;
  if (how.bits.end > width) {
    fail(exit_code::usage, "{}: got {}; expected at most {}, the bits of {}", line.origin("/end_bit"), how.bits.end,
         width, name_of(type));
  }
  if (how.bits.begin > how.bits.end) {
    fail(exit_code::usage, "{}: got {}; expected at most {}, where the bits end", line.origin("/begin_bit"),
         how.bits.begin, how.bits.end);
  }
  if (how.bits.begin == how.bits.end) say("note     no bit is compared: the keys stay in their order");
}

void check_payload(const std::string& name, const npy_rows& payload, std::int64_t keys, const std::string& keys_name) {
  const auto count = static_cast<std::uint64_t>(keys);
  if (payload.shape[0] != count) {
    fail(exit_code::bad_input, "{}: {} values; expected {}, one for each key of {}", name, payload.shape[0], count,
         keys_name);
  }
  constexpr std::size_t widest = 65536;
  if (count > 0 && (payload.row_bytes == 0 || payload.row_bytes > widest)) {
    fail(exit_code::bad_input, "{}: values of {} bytes; expected 1 to {}", name, payload.row_bytes, widest);
  }
}

exit_code sort_keys(const sort_config& config, const command_line& line, ordered_json& report) {
  sort_run run(config, line);
  const exit_code code = run.run();
  report = run.report();
  return code;
}

}  // namespace upsweep::apps
