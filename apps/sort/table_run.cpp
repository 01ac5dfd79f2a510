#include "table_run.hpp"

#include <algorithm>
#include <optional>

#include "json_file.hpp"
#include "particle_file.hpp"
#include "program.hpp"
#include "row_order.hpp"
#include "sorting.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

class table_run {
 public:
  table_run(const sort_config& config, const command_line& line)
      : config_(config),
        line_(line),
        device_(config.common.device, config.common.gpu_memory),
        output_(config.common.output) {
    check_runs_on(config.common.scan, device_, line);
    say("device   {}", device_.name());
  }

  exit_code run() {
    read();
    const std::vector<row_key> keys = find_keys();
    const std::int64_t n = input_.particles.count, most = runtime::sort_max_keys(method_);
    if (n > std::min(most, most_ordered_rows)) {
      fail(exit_code::usage, "{}: the method {} takes {} rows, but got {}; expected another method",
           line_.origin("/method"), name_of(runtime::method_of(method_)), std::min(most, most_ordered_rows), n);
    }
    double device_ms = 0;
    places_ = sorted_places(device_, method_, keys, n, device_ms);
    count_ = config_.top ? std::min(*config_.top, n) : n;
    say("sorted   {} rows by {}, in {:.3f} ms on {}", with_commas(static_cast<std::uint64_t>(n)), by_text(), device_ms,
        device_.kind());
    if (config_.common.verify && !verify(keys)) return exit_code::not_verified;
    write();
    make_report(device_ms);
    say("total    {:.0f} ms", stopwatch(total_).lap());
    return exit_code::ok;
  }

  const ordered_json& report() const { return report_; }

 private:
  static constexpr const char* of_lines = "field";

  void read() {
    stopwatch watch;
    const std::string& path = config_.common.input;
    if (config_.whole_lines) {
      input_file file(path);
      file.pass_byte_order_mark();
      input_.records = read_lines(file, config_.delimiter, config_.field, of_lines, input_.particles);
      input_.bytes = file.size();
    } else {
      read_options options;
      options.wanted.all = false;
      options.delimiter = config_.delimiter;
      options.types = config_.types;
      options.npy_columns = config_.npy_columns;
      for (const sort_by& by : config_.by) options.wanted.names.insert(by.property);
      std::vector<named_output> outputs;
      if (!config_.argsort) outputs.push_back({config_.common.output, line_.origin("/output")});
      input_ = read_particles(path, options, outputs);
    }
    for (const std::string& notice : input_.notices) say("note     {}", notice);
    read_ms_ = watch.lap();
    say("read     {}: {} rows, {} ({}) in {:.0f} ms", path == "-" ? "standard input" : path,
        with_commas(static_cast<std::uint64_t>(input_.particles.count)), bytes_text(input_.bytes),
        config_.whole_lines ? "lines" : input_.format(), read_ms_);
  }

  /// A column by its name, or one of a two-dimensional .npy file by its number, as column0: so they were once called.
  std::optional<std::size_t> find(const std::string& property) const {
    const std::vector<table_column>& columns = input_.particles.columns;
    std::optional<std::size_t> found = input_.particles.find(property);
    for (std::size_t k = 0; input_.npy && !found && k < columns.size(); ++k) {
      if (property == fmt::format("column{}", k)) found = k;
    }
    return found;
  }

  std::vector<row_key> find_keys() const {
    std::vector<row_key> keys;
    const auto add = [&](const std::string& property, bool descending) {
      const auto found = find(property);
      if (!found) {
        const std::vector<std::string> names = input_.particles.names();
        // A name may have a colon, too.
        const std::size_t colon = property.rfind(':');
        if (colon != property.npos && std::ranges::find(names, property.substr(0, colon)) != names.end()) {
          fail(exit_code::usage, "{}: expected ascending or descending after the colon; got {}", line_.origin("/by"),
               property.substr(colon + 1));
        }
        const std::string nearest = nearest_word(property, names);
        fail(exit_code::bad_input, "{}: no property \"{}\" of numbers, which {} names; it has {}{}",
             config_.common.input, property, line_.origin("/by"), list_text(names),
             nearest.empty() || nearest == property ? "" : "; perhaps " + nearest);
      }
      const table_column& c = input_.particles.columns[*found];
      keys.push_back(
          {c.data.data(),
           c.type,
           {descending ? sort_order::descending : sort_order::ascending, {}, config_.missing, !c.date.empty()}});
    };
    if (config_.whole_lines) add(of_lines, config_.descending);
    for (const sort_by& by : config_.by) add(by.property, by.descending.value_or(config_.descending));
    return keys;
  }

  std::string by_text() const {
    if (config_.whole_lines) {
      const std::string what = config_.field == 0 ? "their number" : fmt::format("field {}", config_.field);
      return config_.descending ? what + ", descending" : what;
    }
    std::vector<std::string> words;
    for (sort_by by : config_.by) {
      if (config_.descending && !by.descending) by.descending = true;
      words.push_back(text_of(by));
    }
    return list_text(words);
  }

  bool verify(const std::vector<row_key>& keys) {
    stopwatch watch;
    const std::string wrong = first_wrong_place(keys, input_.particles.count, places_);
    verified_ = wrong.empty();
    if (wrong.empty()) {
      say("checked  every place agrees with std::stable_sort ({:.0f} ms)", watch.lap());
      return true;
    }
    complain("upsweep-sort: {}: not verified, nothing was written: {}", config_.common.input, wrong);
    make_report(0);
    return false;
  }

  void write() {
    const auto* const places = places_.as<std::uint32_t>();
    if (config_.argsort) {
      write_npy_vector(output_, scalar_type::u32, places, count_);
    } else {
      particle_table sorted;
      sorted.count = count_;
      if (!input_.records && !input_.npz) sorted = take_rows_at(input_.particles, places_, count_);
      // The keys have done their work.
      for (table_column& c : input_.particles.columns) c.data = {};
      const auto origin = [places](std::int64_t i) { return std::uint64_t{places[i]}; };
      for (const std::string& gone : write_particles(output_, input_, sorted, origin)) say("note     {}", gone);
    }
    output_.commit();
    say("wrote    {}: {} rows, {}", output_.name(), with_commas(static_cast<std::uint64_t>(count_)),
        bytes_text(output_.bytes_written()));
  }

  void make_report(double device_ms) {
    ordered_json document = begun_report("upsweep-sort", device_);
    document["method"] = name_of(runtime::method_of(method_));
    document["by"] = by_text();
    document["input"] = {{"file", config_.common.input}, {"bytes", input_.bytes}, {"rows", input_.particles.count}};
    document["output"] = {{"file", config_.common.output}, {"bytes", output_.bytes_written()}, {"rows", count_}};
    document["verified"] = verified_ ? ordered_json(*verified_) : ordered_json(nullptr);
    document["times_ms"] = {{"read", read_ms_}, {"device", device_ms}, {"total", stopwatch(total_).lap()}};
    report_ = document;
  }

  const sort_config& config_;
  const command_line& line_;
  const runtime::sort_method_with_scan method_{config_.common.scan, config_.method};
  stopwatch total_;
  device_session device_;
  ordered_json report_;
  output_file output_;
  particle_file input_;
  byte_array places_;
  std::int64_t count_ = 0;
  std::optional<bool> verified_;
  double read_ms_ = 0;
};

}  // namespace

exit_code sort_records(const sort_config& config, const command_line& line, ordered_json& report) {
  table_run run(config, line);
  const exit_code code = run.run();
  report = run.report();
  return code;
}

}  // namespace upsweep::apps
