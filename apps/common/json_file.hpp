// JSON files: read strictly, checked against a schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "json_types.hpp"

namespace upsweep::apps {

/// Parses `text`, in which no object may have a key twice, no text a NUL, and nothing is nested deeper than 128 levels;
/// in a config no integer is beyond 2^53. Failures are `wrong` and begin with `name`.
json parse_json(const std::string& name, std::string_view text, exit_code wrong);

/// The same from a file of at most 256 MiB; "-" is standard input.
json read_json(const std::string& path, exit_code wrong);

/// The same of configs: failures are exit_code::usage, and 1e6 is an integer as 1000000 is.
json parse_config(const std::string& name, std::string_view text);
json read_config(const std::string& path);

/// A name or a list of names.
std::vector<std::string> names_of(const json& names);

/// A JSON pointer with one more step, escaped.
std::string pointer_step(const std::string& pointer, const std::string& key);

/// What is wrong with a document: where, and "got ...; expected ..." without the place.
struct schema_violation {
  std::string pointer;
  std::string what;
};

/// A JSON Schema (draft 7). Its leaves' "description" say in words what is expected.
class config_schema {
 public:
  /// `text` is a valid schema.
  explicit config_schema(std::string_view text);

  /// True when the document is valid; else `violation` is what to tell first.
  bool accepts(const json& document, schema_violation& violation) const;

 private:
  json schema_;
};

}  // namespace upsweep::apps
