// Culling: from a table on the host to the table of its survivors, by way of a device.
#pragma once

#include <cstdint>
#include <string>

#include "cull_config.hpp"
#include "device_session.hpp"
#include "particle_table.hpp"

namespace upsweep::apps {

/// The rules of a config over the columns of a table on the host. Fails with exit_code::bad_input when the table, read
/// from `file`, lacks a column that a rule needs.
keep_rules rules_over(const particle_table& particles, const cull_config& config, const std::string& file);

struct cull_times {
  double upload_ms = 0;
  double device_ms = 0;
  double download_ms = 0;
};

/// Selects on the device.
particle_table cull_on_device(device_session& device, const scan_variant& v, const particle_table& particles,
                              const keep_rules& host_rules, cull_times& times);

/// Selects again with a plain loop and compares every byte. Empty when all agree, else the first difference in words.
std::string first_difference(const particle_table& particles, const keep_rules& host_rules,
                             const particle_table& survivors);

/// The depth of every particle before the camera, as f32.
byte_array depths_of(const particle_table& particles, const keep_rules& host_rules, const camera& c);

}  // namespace upsweep::apps
