#include "cull_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "json_file.hpp"
#include "named_files.hpp"
#include "row_order.hpp"
#include "text.hpp"
#include "upsweep/compact/runtime.hpp"

namespace upsweep::apps {
namespace {

/// A column that no file has: the index of each particle. It is selected like the others, and so checked with them. It
/// is filled when they are selected, not before.
void add_indices(particle_table& particles) {
  particles.add("its index", particles.count >> 32 == 0 ? scalar_type::u32 : scalar_type::u64);
}

void fill_indices(table_column& indices, std::int64_t count) {
  const auto number = [&]<class Index>(Index* first) { std::iota(first, first + count, Index{0}); };
  if (indices.type == scalar_type::u32) {
    number(indices.data.as<std::uint32_t>());
  } else {
    number(indices.data.as<std::uint64_t>());
  }
}

/// A column without a name, that no file has: the third coordinate of particles that have two.
void add_flat_position(particle_table& particles) {
  byte_array& zeros = particles.add("", scalar_type::i8).data;
  std::fill_n(zeros.data(), zeros.bytes(), std::byte{0});
}

/// The properties that something looks at.
wanted_columns wanted_by(const cull_config& config) {
  wanted_columns wanted{false, {config.sort_by}};
  if (config.needs_position() || config.draws) wanted.names.insert(config.position.begin(), config.position.end());
  // A column of a file may have no name; here none is what no option has named.
  wanted.names.erase("");
  for (const auto& [property, files] : config.export_properties) wanted.names.insert(property);
  if (config.lifetime_above) wanted.names.insert(config.lifetime);
  if (!config.where) return wanted;
  for (const where_node& node : config.where->nodes) {
    if (node.kind != where_kind::property) continue;
    wanted.names.insert(node.name);
    const std::size_t axis = node.name.size() == 1 ? std::string_view("xyz").find(node.name) : std::string_view::npos;
    if (axis < 3 && !config.position[axis].empty()) wanted.names.insert(config.position[axis]);
    if (node.name == "lifetime") wanted.names.insert(config.lifetime);
  }
  return wanted;
}

/// Whether what was selected needs that column of a file.
bool is_selected(const std::string& name, const cull_config& config, bool writes_columns) {
  if (writes_columns || config.export_properties.count(name) > 0) return true;
  if (!config.sort_by.empty() && name == config.sort_by) return true;
  const bool needs_depth = config.sorts_by_depth() || !config.export_depth.empty();
  return needs_depth && std::ranges::find(config.position, name) != config.position.end();
}

/// The column of indices of what was selected, which no file has.
table_column last_of(particle_table& selected) {
  table_column indices = std::move(selected.columns.back());
  selected.columns.pop_back();
  return indices;
}

}  // namespace

std::string count_text(const particle_table& t) {
  return with_commas(static_cast<std::uint64_t>(t.count));
}

cull_run::cull_run(const cull_config& config, const command_line& line, device_session& device)
    : config_(config), line_(line), device_(device) {
  if (!config.common.output.empty()) output_.emplace(config.common.output);
  if (!config.rejected.empty()) rejected_output_.emplace(config.rejected);
  if (!config.image.empty()) image_.emplace(config.image);
  for (const auto& [property, paths] : config.export_properties) {
    for (const std::string& path : paths) exports_.emplace_back(property, true, path);
  }
  if (!config.export_depth.empty()) exports_.emplace_back("depth", false, config.export_depth);
  if (!config.export_indices.empty()) exports_.emplace_back("indices", false, config.export_indices);
  if (!config.export_mask.empty()) exports_.emplace_back("mask", false, config.export_mask);
}

cull_run::cull_run(const cull_config& config, const command_line& line, device_session& device,
                   std::function<particle_file(const wanted_columns&)> read, int output)
    : config_(config), line_(line), device_(device), read_(std::move(read)) {
  output_.emplace(output, config.common.output);
}

exit_code cull_run::run() {
  read();
  check_takes(config_.common.scan, runtime::select_max_items(config_.method), input_.particles.count, line_);
  if (config_.draws) static_cast<void>(position_of(input_.particles, config_, "a picture", config_.common.input));
  const cull_test test(input_.particles, config_, config_.common.input);
  note_what_is_idle();
  has_indices_ = config_.needs_indices() || ((output_ || rejected_output_) && input_.needs_origins());
  if (has_indices_) add_indices(input_.particles);
  select(test);
  if (config_.common.verify && !verify(test)) return exit_code::not_verified;
  if (rejected_output_) {
    drop(test);
    if (verified_ == false) return exit_code::not_verified;
  }
  // Pictures show what was dropped, too.
  if (!config_.draws) {
    for (table_column& c : input_.particles.columns) c.data = {};
  }
  if (has_indices_) {
    input_.particles.columns.pop_back();
    indices_ = last_of(survivors_);
    if (rejected_output_) rejected_indices_ = last_of(rejected_);
  }
  if (!config_.sort_by.empty() && sort() != exit_code::ok) return exit_code::not_verified;
  write();
  say("total    {:.0f} ms", stopwatch(total_).lap());
  return exit_code::ok;
}

std::string cull_run::method_text() const {
  const compact_method_with_scan& c = config_.method;
  if (!has_scan(c.method)) return std::string(name_of(c.method));
  return fmt::format("{}, scan {}", name_of(c.method), variant_text(c.scan));
}

void cull_run::read() {
  stopwatch watch;
  const wanted_columns wanted = wanted_by(config_);
  input_ = read_ ? read_(wanted)
                 : read_particles(config_.common.input,
                                  {config_.npy_columns, config_.keep_others, wanted, config_.delimiter, config_.types},
                                  {{config_.common.output, line_.origin("/output")},
                                   {config_.rejected, line_.origin("/rejected")}});
  read_ms_ = watch.lap();
  for (const std::string& notice : input_.notices) say("note     {}", notice);
  const auto needs = [&](const std::string& property, const char* why) {
    if (input_.particles.find(property)) return;
    fail(exit_code::bad_input, "{}: no property \"{}\", which is to be {}; it has {}", config_.common.input, property,
         why, list_text(input_.particles.names()));
  };
  for (const export_job& job : exports_) {
    if (job.is_property) needs(job.what, "exported");
  }
  if (!config_.sort_by.empty() && !config_.sorts_by_depth()) needs(config_.sort_by, "sorted by");
  const std::size_t properties = input_.particles.columns.size();
  if (config_.is_flat()) add_flat_position(input_.particles);
  // Rows that were kept unchanged are written as they were read.
  const bool writes_columns = (output_ || rejected_output_) && !input_.records && !input_.npz;
  for (table_column& c : input_.particles.columns) c.is_selected = is_selected(c.name, config_, writes_columns);
  say("read     {}: {} particles, {} properties, {} ({}) in {:.0f} ms",
      config_.common.input == "-" ? "standard input" : config_.common.input, count_text(input_.particles), properties,
      bytes_text(input_.bytes), input_.format(), read_ms_);
}

void cull_run::note_what_is_idle() const {
  if (!config_.has_rules()) say("note     no rule is given (--lifetime-above 0 is one): every particle is kept");
  const auto note_idle = [&](const char* column, bool is_used) {
    if (is_used || config_.named_columns.count(column) == 0) return;
    say("note     {}: named, but not used", line_.origin(std::string("/columns/") + column));
  };
  note_idle("lifetime", config_.lifetime_above.has_value() || config_.where);
  note_idle("position", config_.needs_position() || config_.where || config_.draws);
  note_idle("npy", input_.npy.has_value());
}

void cull_run::select(const cull_test& test) {
  particle_table& particles = input_.particles;
  // Verification, pictures and what is rejected look at the columns again.
  const bool looks_again = config_.common.verify || config_.draws || rejected_output_;
  const auto before = [&](bool are_flags_all) {
    for (table_column& c : particles.columns) {
      if (are_flags_all && !looks_again && !c.is_selected) c.data.forget();
    }
    if (has_indices_) fill_indices(particles.columns.back(), particles.count);
  };
  survivors_ = cull_on_device(device_, config_.method, particles, test, times_, before);
  const double share = input_.particles.count == 0 ? 0.0
                                                   : 100.0 * static_cast<double>(survivors_.count) /
                                                         static_cast<double>(input_.particles.count);
  moved_ = bytes_moved(config_.method, input_.particles, test, survivors_.count);
  say("kept     {} of {} particles ({:.1f} %) in {:.3f} ms on {}{}, {}", count_text(survivors_),
      count_text(input_.particles), share, times_.device_ms, device_.kind(),
      times_.pieces == 1 ? "" : fmt::format(" in {} pieces", times_.pieces), method_text());
  const std::string scan = moved_.scan > 0 ? bytes_text(moved_.scan) + " for their scan, " : "";
  say("moved    at least {} for the votes, {}{} of particles", bytes_text(moved_.votes), scan,
      bytes_text(moved_.elements));
}

bool cull_run::agrees(const cull_test& test, const particle_table& selected) {
  stopwatch watch;
  const std::string difference = first_difference(input_.particles, test, selected, is_stable(config_.method.method));
  verify_ms_ += watch.lap();
  verified_ = difference.empty();
  if (difference.empty()) return true;
  complain("upsweep-cull: {}: not verified, nothing was written: {}", config_.common.input, difference);
  return false;
}

bool cull_run::verify(const cull_test& test) {
  if (!agrees(test, survivors_)) return false;
  say("checked  every byte agrees with plain CPU code ({:.0f} ms)", verify_ms_);
  return true;
}

void cull_run::drop(cull_test test) {
  test.inverted = !test.inverted;
  cull_times times;
  rejected_ = cull_on_device(device_, config_.method, input_.particles, test, times);
  times_.device_ms += times.device_ms;
  if (config_.common.verify) static_cast<void>(agrees(test, rejected_));
}

byte_array cull_run::depths_of_survivors() const {
  return depths_of(position_of(survivors_, config_, "depth", config_.common.input), survivors_.count, *config_.frustum);
}

exit_code cull_run::sort() {
  stopwatch watch;
  const std::int64_t n = survivors_.count;
  if (n > most_ordered_rows) {
    fail(exit_code::usage, "{}: {} survivors; expected fewer than 2^32 to sort", line_.origin("/sort/by"), n);
  }
  byte_array depths;
  row_key key;
  key.how.order = config_.descending ? sort_order::descending : sort_order::ascending;
  key.how.missing = config_.missing;
  if (config_.sorts_by_depth()) {
    depths = depths_of_survivors();
    key.data = depths.data();
    key.type = scalar_type::f32;
  } else {
    const std::size_t c = *survivors_.find(config_.sort_by);
    key.data = survivors_.columns[c].data.data();
    key.type = survivors_.columns[c].type;
    key.how.are_dates = !input_.particles.columns[*input_.particles.find(config_.sort_by)].date.empty();
  }
  double device_ms = 0;
  const byte_array places = sorted_places(device_, {}, {&key, 1}, n, device_ms);
  if (config_.common.verify) {
    const std::string wrong = first_wrong_place({&key, 1}, n, places);
    verified_ = wrong.empty();
    if (!wrong.empty()) {
      complain("upsweep-cull: {}: not verified, nothing was written: {}", config_.common.input, wrong);
      return exit_code::not_verified;
    }
  }
  if (has_indices_) survivors_.columns.push_back(std::move(indices_));
  survivors_ = take_rows_at(survivors_, places, n);
  if (has_indices_) indices_ = last_of(survivors_);
  sort_ms_ = watch.lap();
  say("sorted   {} particles by {}, {}, in {:.3f} ms on {}", count_text(survivors_), config_.sort_by,
      config_.descending ? "descending" : "ascending", device_ms, device_.kind());
  return exit_code::ok;
}

}  // namespace upsweep::apps
