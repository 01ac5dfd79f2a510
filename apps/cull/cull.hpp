// Culling: from a table on the host to the table of its survivors, by way of a device.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cull_config.hpp"
#include "device_session.hpp"
#include "particle_table.hpp"
#include "where.hpp"

namespace upsweep::apps {

/// The rules of a config over the columns of a table on the host. Fails with exit_code::bad_input when the table, read
/// from `file`, lacks a column that a rule needs.
keep_rules rules_over(const particle_table& particles, const cull_config& config, const std::string& file);

/// The columns that have the position. Fails as rules_over does, and says that `why` needs them.
std::array<column, 3> position_of(const particle_table& particles, const cull_config& config, const std::string& why,
                                  const std::string& file);

/// What decides on the particles of a table on the host: those that pass the rules and the condition, or with
/// `inverted` the others.
struct cull_test {
  keep_rules rules;
  std::optional<bound_where> where;
  const particle_table* particles = nullptr;  ///< of `where`
  bool inverted = false;

  cull_test(const keep_rules& by) : rules(by) {}
  cull_test(const particle_table& table, const cull_config& config, const std::string& file);

  /// Whether particle i is kept, by plain CPU code.
  bool operator()(std::int64_t i) const { return (rules(i) && (!where || (*where)(*particles, i))) != inverted; }
  /// Rules alone are evaluated by the selection itself; all else by a kernel before it.
  bool goes_by_flags() const { return where || inverted; }
};

/// What a selection moves at least: without what its tiles tell one another, and the votes that hole_filling keeps.
struct cull_bytes {
  std::uint64_t votes = 0;     ///< of the columns that are looked at, read once in a pass, and of flags
  std::uint64_t scan = 0;      ///< of the votes as vote_scan_compact writes, scans and reads them
  std::uint64_t elements = 0;  ///< of particles, read and written
};

struct cull_times {
  double upload_ms = 0;
  double device_ms = 0;
  double download_ms = 0;
  std::int64_t pieces = 1;
};

/// Is called once, before any column is read that the test does not look at. With `are_flags_all`, what is left to do
/// goes by flags that are there, and reads selected columns alone.
using before_selecting = std::function<void(bool are_flags_all)>;

/// Selects on the device; in place where the method works in place. By other methods, what the device has no room for
/// goes through it in pieces.
particle_table cull_on_device(device_session& device, const compact_method_with_scan& method,
                              const particle_table& particles, const cull_test& test, cull_times& times,
                              const before_selecting& before = {});

/// What that moved by this method, when `kept` particles were kept. Evaluates the rules where the method fills holes.
cull_bytes bytes_moved(const compact_method_with_scan& method, const particle_table& particles, const cull_test& test,
                       std::int64_t kept);

/// Selects again with a plain loop and compares every byte. Empty when all agree, else the first difference in words.
/// Without `in_order`, the order of hole_filling: what is dropped among the first makes room for what is kept after it.
std::string first_difference(const particle_table& particles, const cull_test& test, const particle_table& survivors,
                             bool in_order = true);

/// The depth of each of `count` positions on the host before the camera, as f32.
byte_array depths_of(const std::array<column, 3>& position, std::int64_t count, const camera& c);

}  // namespace upsweep::apps
