// The JSON types by name. Who looks into a document includes json_file.hpp, which takes several times as long to
// compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace upsweep::apps {

using json = nlohmann::json;
using ordered_json = nlohmann::ordered_json;

}  // namespace upsweep::apps
