// Configs: parsed strictly, and checked against the schema of upsweep-cull; what is printed is parsed as the same.
#include "fuzz.hpp"
#include "json_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace upsweep;
  static const apps::config_schema schema = [] {
    const auto read = [](const char* path) { return apps::read_json(path, apps::exit_code::usage); };
    apps::json cull = read(UPSWEEP_CONFIGS "/schema/cull.schema.json");
    cull["properties"]["scan"] = read(UPSWEEP_CONFIGS "/schema/scan.schema.json");
    return apps::config_schema(cull.dump());
  }();
  test::read_or_refuse(data, bytes, apps::exit_code::usage, [](const std::string& name) {
    const apps::json config = apps::read_config(name);
    if (apps::parse_config(name, config.dump()) != config) test::surprise("printed as something else");
    apps::schema_violation violation;
    if (schema.accepts(config, violation)) return;
    if (violation.pointer.empty() || violation.what.empty()) test::surprise("refused without a word");
  });
  return 0;
}
