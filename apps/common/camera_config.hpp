// A camera as the configs of the programs describe it.
#pragma once

#include <string>

#include "command_line.hpp"
#include "frustum.hpp"
#include "json_types.hpp"

namespace upsweep::apps {

/// The camera of `described`, an object of a document that is valid by its schema; what it does not say is as in
/// `otherwise`. Fails with exit_code::usage, naming what lies under `pointer`, where the camera looks nowhere or sees
/// no depth.
camera camera_from(const json& described, const std::string& pointer, const camera& otherwise,
                   const command_line& line);

/// The same as an object, without its aspect, which not every config has.
ordered_json to_json(const camera& c);

}  // namespace upsweep::apps
