#include "cull.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>

#include "failure.hpp"
#include "keep_flags.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::apps {
namespace {

/// A selection moves more arrays by several launches, each of which votes or reads the votes.
constexpr std::uint64_t arrays_at_once = 16;

column column_named(const particle_table& particles, const std::string& name, const std::string& rule,
                    const std::string& file) {
  if (const auto found = particles.find(name)) {
    return {particles.columns[*found].data.data(), particles.columns[*found].type};
  }
  fail(exit_code::bad_input, "{}: no property \"{}\", which {} needs; it has {}", file, name, rule,
       list_text(particles.names()));
}

/// Where the device has the columns of a table on the host.
using device_columns = std::map<const void*, const void*>;

const void* moved_to_device(const void* host, const device_columns& columns) {
  const auto found = columns.find(host);
  return found == columns.end() ? host : found->second;
}

keep_rules moved_to_device(keep_rules rules, const device_columns& columns) {
  for (column* c : {&rules.x, &rules.y, &rules.z, &rules.lifetime}) c->data = moved_to_device(c->data, columns);
  return rules;
}

std::vector<where_step> moved_to_device(std::vector<where_step> steps, const device_columns& columns) {
  for (where_step& step : steps) step.data = moved_to_device(step.data, columns);
  return steps;
}

/// The columns of `particles` that decide on them.
std::set<const void*> looked_at_by(const cull_test& test, const particle_table& particles) {
  std::set<const void*> looked_at;
  if (test.rules.use_lifetime) looked_at.insert(test.rules.lifetime.data);
  if (test.rules.use_places()) {
    for (const column* c : {&test.rules.x, &test.rules.y, &test.rules.z}) looked_at.insert(c->data);
  }
  if (test.where) {
    for (const std::size_t k : test.where->looked_at()) looked_at.insert(particles.columns[k].data.data());
  }
  return looked_at;
}

/// A bound as the values that it bounds: where floats are among them, the float that is meant, so that 0.3 is in a box
/// to 0.3.
double bound_for(std::initializer_list<scalar_type> types, double bound) {
  const auto nearest = static_cast<float>(bound);
  const bool of_floats = std::any_of(types.begin(), types.end(), [](scalar_type t) { return t == scalar_type::f32; });
  return of_floats && std::isfinite(nearest) ? static_cast<double>(nearest) : bound;
}

/// A bound of the box. The rule compares doubles: integers of 64 bits beyond 2^53 round to those, so that they compare
/// as they are only with bounds that are smaller, or greater than all of them.
double box_bound_for(scalar_type type, double bound, const std::string& property) {
  if ((type == scalar_type::i64 || type == scalar_type::u64) && std::abs(bound) >= 0x1p53 &&
      std::abs(bound) <= 0x1p64) {
    fail(exit_code::usage, "box: got {} for \"{}\", which is {}; expected less than 2^53, or more than 2^64", bound,
         property, name_of(type));
  }
  return bound_for({type}, bound);
}

}  // namespace

std::array<column, 3> position_of(const particle_table& particles, const cull_config& config, const std::string& why,
                                  const std::string& file) {
  std::array<column, 3> position;
  for (std::size_t d = 0; d < 3; ++d) position[d] = column_named(particles, config.position[d], why, file);
  return position;
}

keep_rules rules_over(const particle_table& particles, const cull_config& config, const std::string& file) {
  keep_rules rules;
  if (config.needs_position()) {
    const auto position = position_of(particles, config, "a box, sphere or frustum rule", file);
    rules.x = position[0];
    rules.y = position[1];
    rules.z = position[2];
  }
  if (config.lifetime_above) {
    rules.lifetime = column_named(particles, config.lifetime, "the lifetime rule", file);
    rules.use_lifetime = true;
    rules.lifetime_above = bound_for({rules.lifetime.type}, *config.lifetime_above);
  }
  const std::array<scalar_type, 3> types = {rules.x.type, rules.y.type, rules.z.type};
  const auto length_for = [&](double length) { return bound_for({types[0], types[1], types[2]}, length); };
  for (std::size_t d = 0; d < 3; ++d) {
    if (config.box) {
      rules.box_min[d] = box_bound_for(types[d], config.box->min[d], config.position[d]);
      rules.box_max[d] = box_bound_for(types[d], config.box->max[d], config.position[d]);
    }
    if (config.sphere) rules.sphere_center[d] = bound_for({types[d]}, config.sphere->center[d]);
  }
  rules.use_box = config.box.has_value();
  if (config.sphere) {
    rules.use_sphere = true;
    rules.sphere_radius = length_for(config.sphere->radius);
  }
  if (config.frustum) {
    camera seen = *config.frustum;
    seen.near = length_for(seen.near);
    seen.far = length_for(seen.far);
    camera_axes axes;
    axes_of(seen, axes);
    const auto planes = frustum_planes(seen, axes);
    std::copy(planes.begin(), planes.end(), rules.inside);
    rules.half_spaces = static_cast<int>(planes.size());
  }
  return rules;
}

cull_test::cull_test(const particle_table& table, const cull_config& config, const std::string& file)
    : rules(rules_over(table, config, file)), particles(&table), inverted(config.inverted) {
  if (config.where) {
    where = bind_where(*config.where, table, {config.position, config.lifetime}, config.where_origin, file);
  }
}

cull_bytes bytes_moved(const compact_method_with_scan& method, const particle_table& particles, const cull_test& test,
                       std::int64_t kept) {
  const auto n = static_cast<std::uint64_t>(particles.count);
  const std::set<const void*> looked_at = looked_at_by(test, particles);
  std::uint64_t voted = 0, particle = 0, arrays = 0;
  for (const table_column& c : particles.columns) {
    particle += c.is_selected ? size_of(c.type) : 0;
    arrays += c.is_selected ? 1 : 0;
    if (looked_at.count(c.data.data()) > 0) voted += size_of(c.type);
  }
  std::int64_t moved = kept;
  if (method.method == compact_method::hole_filling) {
    for (std::int64_t i = 0; i < kept; ++i) moved -= test(i) ? 1 : 0;
  }
  const std::uint64_t launches = std::max<std::uint64_t>(1, (arrays + arrays_at_once - 1) / arrays_at_once);
  const std::uint64_t passes = method.method == compact_method::fused ? launches : 1;
  // Flags are written once by the previous kernel, and are then what is looked at.
  const std::uint64_t votes = test.goes_by_flags() ? (voted + 1 + passes) * n : voted * n * passes;
  cull_bytes bytes{votes, 0, 2 * particle * static_cast<std::uint64_t>(moved)};
  if (method.method == compact_method::vote_scan_compact && n > 0) {
    const scalar_type place = n >> 32 == 0 ? scalar_type::u32 : scalar_type::u64;
    const std::uint64_t places = (n + 1) * size_of(place);
    const auto scanned = runtime::cost_of(method.scan, place, particles.count + 1).bytes;
    bytes.scan = places + static_cast<std::uint64_t>(scanned) + launches * places;
  }
  return bytes;
}

namespace {

/// Particles of a table from `begin` on.
struct slice {
  std::int64_t begin, count;
};

/// How many particles the device has room for at a time, with what is kept of them.
std::int64_t particles_at_once(device_session& device, const compact_method_with_scan& method,
                               const particle_table& particles, const cull_test& test) {
  // What fills holes works in place, on all of them.
  const bool in_place = method.method == compact_method::hole_filling;
  if (in_place && !device.is_bounded()) return particles.count;
  const std::size_t room = device.room();
  const std::set<const void*> looked_at = looked_at_by(test, particles);
  const auto bytes_of = [&](std::int64_t count) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<soa_array> arrays;
    std::size_t bytes = test.where ? test.where->steps.size() * sizeof(where_step) : 0;
    for (const table_column& c : particles.columns) {
      if (!c.is_selected) {
        bytes += looked_at.count(c.data.data()) * n * size_of(c.type);
        continue;
      }
      arrays.push_back({c.data.data(), nullptr, size_of(c.type)});
      bytes += (in_place ? 1 : 2) * n * size_of(c.type);
    }
    if (test.goes_by_flags()) bytes += n;
    return bytes + sizeof(std::int64_t) + runtime::select_workspace_bytes(arrays, count, method);
  };
  if (in_place) {
    if (bytes_of(particles.count) <= room) return particles.count;
    fail(exit_code::usage,
         "--gpu-memory: got {}; expected at least {} for hole_filling, which needs all particles at once, or another "
         "method, which selects in pieces",
         bytes_text(room), bytes_text(bytes_of(particles.count)));
  }
  std::int64_t fits = 0, too_many = particles.count + 1;
  while (too_many - fits > 1) {
    const std::int64_t middle = fits + (too_many - fits) / 2;
    (bytes_of(middle) <= room ? fits : too_many) = middle;
  }
  if (fits > 0 || particles.count == 0) return fits;
  if (!device.is_bounded()) return particles.count;
  fail(exit_code::usage, "--gpu-memory: got {}; expected at least {}, for one particle at a time", bytes_text(room),
       bytes_text(bytes_of(1)));
}

/// Selects among the particles of the slice.
particle_table cull_slice(device_session& device, const compact_method_with_scan& method,
                          const particle_table& particles, const slice& of, const cull_test& test, cull_times& times,
                          const before_selecting& before) {
  stopwatch watch;
  std::vector<runtime::buffer> memory;
  std::vector<soa_array> arrays;
  device_columns columns;
  particle_table survivors;
  const bool in_place = method.method == compact_method::hole_filling;
  const bool is_whole = of.count == particles.count;
  // The sim's memory is the host's, so that it reads and writes the tables themselves.
  const bool on_host = device.where() == runtime::backend::sim && is_whole;
  // What is copied first is read first.
  const bool flags_first = on_host && !in_place && test.goes_by_flags();
  if (before && !flags_first && of.begin == 0) before(false);
  if (on_host) {
    survivors = particles.of_selected();
    auto to = survivors.columns.begin();
    for (const table_column& c : particles.columns) {
      if (!c.is_selected) continue;
      byte_array& out = to++->data;
      if (in_place && c.data.bytes() > 0) std::memcpy(out.data(), c.data.data(), c.data.bytes());
      arrays.push_back({in_place ? out.data() : c.data.data(), out.data(), size_of(c.type)});
    }
  } else {
    const std::set<const void*> looked_at = looked_at_by(test, particles);
    for (const table_column& c : particles.columns) {
      if (!c.is_selected && looked_at.count(c.data.data()) == 0) continue;
      const std::size_t bytes = static_cast<std::size_t>(of.count) * size_of(c.type);
      void* const in = memory.emplace_back(device.allocate(bytes, "the particles")).data();
      device.copy(in, c.data.data() + static_cast<std::size_t>(of.begin) * size_of(c.type), bytes);
      columns.emplace(c.data.data(), in);
      if (!c.is_selected) continue;
      void* const to = in_place ? in : memory.emplace_back(device.allocate(bytes, "the survivors")).data();
      arrays.push_back({in, to, size_of(c.type)});
    }
  }
  const keep_rules rules = moved_to_device(test.rules, columns);
  const std::vector<where_step> steps =
      test.where ? moved_to_device(test.where->steps, columns) : std::vector<where_step>();
  const runtime::buffer device_steps = device.allocate(steps.size() * sizeof(where_step), "the condition");
  device.copy(device_steps.data(), steps.data(), steps.size() * sizeof(where_step));
  const keep_test on_device{rules, {device_steps.as<where_step>(), static_cast<int>(steps.size())}, test.inverted};
  const std::size_t flag_bytes = test.goes_by_flags() ? static_cast<std::size_t>(of.count) : 0;
  const runtime::buffer flags = device.allocate(flag_bytes, "the flags");
  const std::size_t bytes = runtime::select_workspace_bytes(arrays, of.count, method);
  const runtime::buffer workspace = device.allocate(bytes, "the workspace");
  const runtime::buffer count = device.allocate(sizeof(std::int64_t), "the count");
  times.upload_ms += watch.lap();

  times.device_ms += device.time("selecting", [&] {
    if (test.goes_by_flags()) {
      const status s = keep_flags(device.stream(), on_device, flags.as<std::uint8_t>(), of.count);
      if (s != status::success) return s;
      if (before && flags_first) before(true);
      return runtime::select_flagged(workspace.as_workspace(), arrays, flags.as<std::uint8_t>(),
                                     count.as<std::int64_t>(), of.count, method, device.stream());
    }
    return runtime::select_particles(workspace.as_workspace(), arrays, count.as<std::int64_t>(), of.count, rules,
                                     method, device.stream());
  });
  watch.lap();

  device.copy(&survivors.count, count.data(), sizeof(survivors.count));
  if (survivors.count < 0 || survivors.count > of.count) {
    fail(exit_code::device, "{}: selected {} of {} particles", device.name(), survivors.count, of.count);
  }
  for (table_column& c : survivors.columns) c.data.shrink(static_cast<std::size_t>(survivors.count) * size_of(c.type));
  if (!on_host) {
    auto from = arrays.begin();
    for (const table_column& c : particles.columns) {
      if (!c.is_selected) continue;
      byte_array& to = survivors.add(c.name, c.type).data;
      device.copy(to.data(), from++->out, to.bytes());
    }
  }
  times.download_ms += watch.lap();
  return survivors;
}

}  // namespace

particle_table cull_on_device(device_session& device, const compact_method_with_scan& method,
                              const particle_table& particles, const cull_test& test, cull_times& times,
                              const before_selecting& before) {
  times = {};
  const std::int64_t at_once = particles_at_once(device, method, particles, test);
  if (at_once == particles.count) {
    return cull_slice(device, method, particles, {0, particles.count}, test, times, before);
  }
  particle_table survivors = particles.of_selected();
  survivors.count = 0;
  times.pieces = 0;
  progress bar("culling", static_cast<std::uint64_t>(particles.count) * particles.row_bytes());
  for (std::int64_t begin = 0; begin < particles.count; begin += at_once, ++times.pieces) {
    const slice piece{begin, std::min(at_once, particles.count - begin)};
    const particle_table kept = cull_slice(device, method, particles, piece, test, times, before);
    for (std::size_t i = 0; i < kept.columns.size(); ++i) {
      const table_column& from = kept.columns[i];
      const auto behind = static_cast<std::size_t>(survivors.count) * size_of(from.type);
      if (kept.count > 0) std::memcpy(survivors.columns[i].data.data() + behind, from.data.data(), from.data.bytes());
    }
    survivors.count += kept.count;
    bar.reach(static_cast<std::uint64_t>(piece.begin + piece.count) * particles.row_bytes());
  }
  for (table_column& c : survivors.columns) c.data.shrink(static_cast<std::size_t>(survivors.count) * size_of(c.type));
  return survivors;
}

}  // namespace upsweep::apps
