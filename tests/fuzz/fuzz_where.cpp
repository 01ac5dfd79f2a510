// Conditions: refused by a line, or bound to a table and evaluated.
#include <string_view>

#include "fuzz.hpp"
#include "where.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace upsweep;
  static const apps::particle_table table = [] {
    apps::particle_table two;
    two.count = 1;
    two.add("x", scalar_type::f32).data.as<float>()[0] = 0.5f;
    two.add("id", scalar_type::u64).data.as<std::uint64_t>()[0] = 7;
    return two;
  }();
  try {
    const auto condition = apps::parse_where("--where", {reinterpret_cast<const char*>(data), bytes});
    const auto bound = apps::bind_where(condition, table, {{"x", "id", "x"}, "id"}, "--where", "table");
    static_cast<void>(bound(table, 0));
    if (bound.steps.empty() || bound.steps.size() > 3 * bound.nodes.size()) test::surprise("steps of other nodes");
  } catch (const apps::failure& error) {
    const std::string_view line = error.what();
    const bool is_named = line.starts_with("--where: column ") || line.starts_with("table: no property ");
    if (!is_named) test::surprise("not what was expected: " + std::string(line));
  }
  return 0;
}
