// upsweep-sort: reads keys, sorts them with what belongs to them, writes both.
#include <array>
#include <limits>
#include <optional>

#include "program.hpp"
#include "schemas.hpp"
#include "sort_config.hpp"
#include "sorting.hpp"
#include "text.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Sorts the keys of a one-dimensional .npy file (u32, i32, u64 or f32), stably.\n\n"
    "Examples:\n"
    "  upsweep-sort --input keys.npy --output sorted.npy\n"
    "  upsweep-sort --input keys.npy --output order.npy --argsort --descending\n"
    "  upsweep-sort --input depth.npy --output sorted.npy --payload ids.npy --payload-output sorted_ids.npy --verify\n"
    "  upsweep-sort --config configs/sort/default.json --input keys.npy --output sorted.npy --device sim\n\n"
    "Floats: -0.0 equals +0.0; NaNs are ordered by their bits, beyond the infinities of their sign.\n"
    "Exit status: 0 done, 1 not verified, 2 usage or config, 3 bad input, 4 cannot write, 5 GPU, 130 interrupted.\n";

constexpr std::array payload_types = {scalar_type::u32, scalar_type::i32, scalar_type::f32};

/// One run of the program, from the files to the files.
class sort_run {
 public:
  sort_run(const sort_config& config, const command_line& line)
      : config_(config), line_(line), device_(config.common.device), report_(config.common.report) {
    check_runs_on(config.common.scan, device_, line);
    if (!config.common.output.empty()) output_.emplace(config.common.output);
    if (!config.payload_output.empty()) payload_output_.emplace(config.payload_output);
    say("device   {}", device_.name());
  }

  exit_code run() {
    read();
    check_takes(config_.common.scan, runtime::sort_max_keys(policy_), input_.keys.count, line_);
    const sort_order order = config_.descending ? sort_order::descending : sort_order::ascending;
    sorted_ = sort_on_device(device_, policy_, order, input_, times_);
    say("sorted   {} {} keys{}, {}, in {:.3f} ms on the device, method {}", count_text(), name_of(input_.keys.type),
        input_.has_values ? " with payload" : "", config_.descending ? "descending" : "ascending", times_.device_ms,
        method_text());
    if (config_.common.verify && !verify(order)) return exit_code::not_verified;
    write();
    report(config_.common.verify ? ordered_json(true) : ordered_json(nullptr));
    say("total    {:.0f} ms", stopwatch(total_).lap());
    return exit_code::ok;
  }

 private:
  std::string method_text() const {
    const sort_method method = runtime::method_of(policy_);
    if (method != sort_method::upsweep_downsweep) return std::string(name_of(method));
    return fmt::format("{}, scan {}", name_of(method), variant_text(policy_.scan));
  }
  std::string count_text() const { return with_commas(static_cast<std::uint64_t>(input_.keys.count)); }

  void read() {
    stopwatch watch;
    read_keys();
    if (!config_.payload.empty()) read_payload();
    if (config_.argsort) make_permutation();
    read_ms_ = watch.lap();
    say("read     {}: {} {} keys, {} in {:.0f} ms", config_.common.input, count_text(), name_of(input_.keys.type),
        bytes_text(input_.keys.data.bytes()), read_ms_);
  }

  void read_keys() {
    input_file file(config_.common.input);
    const npy_header header = read_npy_header(file);
    check_npy_vector(file, header, runtime::sort_key_types());
    if (config_.argsort && header.shape[0] > std::numeric_limits<std::uint32_t>::max()) {
      fail(exit_code::bad_input, "{}: {} keys; expected fewer than 2^32, as a permutation is of type u32", file.name(),
           header.shape[0]);
    }
    input_.keys = read_npy_vector(file, header);
  }

  void read_payload() {
    input_file file(config_.payload);
    const npy_header header = read_npy_header(file);
    check_npy_vector(file, header, payload_types);
    if (header.shape[0] != static_cast<std::uint64_t>(input_.keys.count)) {
      fail(exit_code::bad_input, "{}: {} values; expected {}, one for each key of {}", file.name(), header.shape[0],
           input_.keys.count, config_.common.input);
    }
    npy_vector payload = read_npy_vector(file, header);
    input_.has_values = true;
    input_.value_type = payload.type;
    input_.values = std::move(payload.data);
  }

  void make_permutation() {
    const auto count = static_cast<std::size_t>(input_.keys.count);
    input_.has_values = true;
    input_.values = byte_array(count * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < count; ++i) input_.values.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(i);
  }

  bool verify(sort_order order) {
    stopwatch watch;
    const std::string difference = first_difference(input_, order, sorted_);
    verify_ms_ = watch.lap();
    if (difference.empty()) {
      say("checked  every byte agrees with std::stable_sort ({:.0f} ms)", verify_ms_);
      return true;
    }
    say("upsweep-sort: {}: not verified, nothing was written: {}", config_.common.input, difference);
    report(false);
    return false;
  }

  void write() {
    stopwatch watch;
    const std::int64_t n = input_.keys.count;
    if (output_ && config_.argsort) write_npy_vector(*output_, scalar_type::u32, sorted_.values.data(), n);
    if (output_ && !config_.argsort) write_npy_vector(*output_, sorted_.keys.type, sorted_.keys.data.data(), n);
    if (payload_output_) write_npy_vector(*payload_output_, sorted_.value_type, sorted_.values.data(), n);
    if (output_) output_->finish();
    if (payload_output_) payload_output_->finish();
    for (auto* file : {&output_, &payload_output_}) {
      if (!*file) continue;
      (*file)->commit();
      say("wrote    {}: {}", (*file)->name(), bytes_text((*file)->bytes_written()));
    }
    write_ms_ = watch.lap();
  }

  void report(const ordered_json& verified) {
    ordered_json document;
    document["program"] = "upsweep-sort";
    document["version"] = version_string;
    document["device"] = device_.name();
    document["backend"] = device_.where() == runtime::backend::cuda ? "cuda" : "sim";
    document["method"] = name_of(runtime::method_of(policy_));
    document["scan"] = to_json(config_.common.scan);
    document["order"] = config_.descending ? "descending" : "ascending";
    document["argsort"] = config_.argsort;
    document["input"] = {{"file", config_.common.input},
                         {"type", name_of(input_.keys.type)},
                         {"keys", input_.keys.count},
                         {"bytes", input_.keys.data.bytes()}};
    if (!config_.payload.empty()) {
      document["payload"] = {{"file", config_.payload},
                             {"output", config_.payload_output},
                             {"type", name_of(input_.value_type)},
                             {"bytes", input_.values.bytes()}};
    }
    document["output"] = {{"file", config_.common.output}, {"bytes", output_ ? output_->bytes_written() : 0}};
    document["verified"] = verified;
    document["times_ms"] = {{"read", read_ms_},
                            {"upload", times_.upload_ms},
                            {"device", times_.device_ms},
                            {"download", times_.download_ms},
                            {"verify", verify_ms_},
                            {"write", write_ms_},
                            {"total", stopwatch(total_).lap()}};
    report_.write(document);
  }

  const sort_config& config_;
  const command_line& line_;
  const runtime::sort_policy policy_{config_.common.scan, config_.method};
  stopwatch total_;
  device_session device_;
  report_file report_;
  std::optional<output_file> output_;
  std::optional<output_file> payload_output_;
  key_table input_;
  key_table sorted_;
  sort_times times_;
  double read_ms_ = 0, verify_ms_ = 0, write_ms_ = 0;
};

exit_code sort_main(int argc, const char* const* argv) {
  command_line line("upsweep-sort", about, sort_schema);
  add_sort_options(line);
  if (!line.parse(argc, argv)) return exit_code::ok;
  const sort_config config = sort_config_from(line);
  if (line.print_config()) {
    print_config(to_json(config));
    return exit_code::ok;
  }
  require_path(config.common.input, "--input", "/input");
  if (config.payload_output.empty()) require_path(config.common.output, "--output", "/output");
  if (config.common.input == "-" && config.payload == "-") {
    fail(exit_code::usage, "--payload: came \"-\"; expected a file, as the keys come from standard input");
  }
  check_distinct_outputs({config.common.output, config.payload_output, config.common.report});
  return sort_run(config, line).run();
}

}  // namespace
}  // namespace upsweep::apps

int main(int argc, char** argv) {
  return upsweep::apps::run_program("upsweep-sort", [&] { return upsweep::apps::sort_main(argc, argv); });
}
