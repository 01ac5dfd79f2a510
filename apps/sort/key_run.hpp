// Sorting keys alone, with what belongs to them.
#pragma once

#include "command_line.hpp"
#include "failure.hpp"
#include "json_types.hpp"
#include "key_types.hpp"
#include "npy.hpp"
#include "sort_config.hpp"

namespace upsweep::apps {

/// One run, from the files to the files; `report` becomes what was done.
exit_code sort_keys(const sort_config& config, const command_line& line, ordered_json& report);

/// Makes bits of the width of the keys, whose type may be that of their file, out of those that were asked for. Fails
/// where the keys have none such.
void check_bits(key_order& how, scalar_type type, const command_line& line);

/// Fails unless the payload of that file has a row for each of so many keys.
void check_payload(const std::string& name, const npy_rows& payload, std::int64_t keys, const std::string& keys_name);

}  // namespace upsweep::apps
