#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "json_file.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

using path = std::vector<std::string>;

/// valijson names a place as "<root>", "[key]", "[0]".
path steps_of(const path& context) {
  path steps;
  for (std::size_t i = 1; i < context.size(); ++i) steps.push_back(context[i].substr(1, context[i].size() - 2));
  return steps;
}

/// The schema of one child; null when the schema does not speak of it.
const json* child_schema(const json& schema, const std::string& step) {
  if (schema.contains("properties") && schema["properties"].contains(step)) return &schema["properties"][step];
  for (const char* rest : {"additionalProperties", "items"}) {
    if (schema.contains(rest) && schema[rest].is_object()) return &schema[rest];
  }
  return nullptr;
}

const json* child_value(const json& value, const std::string& step) {
  if (value.is_object()) return value.contains(step) ? &value[step] : nullptr;
  if (!value.is_array()) return nullptr;
  const std::size_t index = std::strtoul(step.c_str(), nullptr, 10);
  return index < value.size() ? &value[index] : nullptr;
}

std::string dumped(const json& value) {
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() > 80 ? text.substr(0, 77) + "..." : text;
}

std::string expected_text(const json& schema) {
  if (schema.contains("enum")) {
    std::vector<std::string> names;
    for (const json& name : schema["enum"]) names.push_back(dumped(name));
    return "one of " + list_text(names);
  }
  return schema.value("description", "something else");
}

/// What is wrong with the keys of an object; empty when nothing is.
schema_violation wrong_key(const json& schema, const json& value, const std::string& pointer) {
  if (!value.is_object() || !schema.contains("properties")) return {};
  std::vector<std::string> known;
  for (const auto& [key, unused] : schema["properties"].items()) known.push_back(key);
  const bool closed = schema.contains("additionalProperties") && schema["additionalProperties"] == false;
  for (const auto& [key, unused] : value.items()) {
    if (closed && !schema["properties"].contains(key)) {
      return {pointer_step(pointer, key), fmt::format("unknown key \"{}\"; expected one of {}", key, list_text(known))};
    }
  }
  if (schema.contains("required")) {
    for (const json& key : schema["required"]) {
      const std::string& name = key.get_ref<const std::string&>();
      if (value.contains(name)) continue;
      const json* child = child_schema(schema, name);
      return {pointer_step(pointer, name),
              fmt::format("got nothing; expected {}", child ? expected_text(*child) : name)};
    }
  }
  return {};
}

schema_violation explain(const json& root, const json& document, const path& steps) {
  const json* schema = &root;
  const json* value = &document;
  std::string pointer;
  for (const std::string& step : steps) {
    const json* next_schema = child_schema(*schema, step);
    const json* next_value = child_value(*value, step);
    if (!next_schema || !next_value) break;
    schema = next_schema;
    value = next_value;
    pointer = pointer_step(pointer, step);
  }
  schema_violation key = wrong_key(*schema, *value, pointer);
  if (!key.what.empty()) return key;
  return {pointer.empty() ? "/" : pointer, fmt::format("got {}; expected {}", dumped(*value), expected_text(*schema))};
}

}  // namespace

config_schema::config_schema(std::string_view text) : schema_(json::parse(text)) {}

bool config_schema::accepts(const json& document, schema_violation& violation) const {
  using adapter = valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema compiled;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter(schema_), compiled);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(compiled, adapter(document), &results)) return true;
  path deepest;
  for (const auto& error : results) {
    if (error.context.size() > deepest.size()) deepest = error.context;
  }
  violation = explain(schema_, document, steps_of(deepest));
  return false;
}

}  // namespace upsweep::apps
