#include "generate.hpp"

#include <string>

#include "command_line.hpp"
#include "device_session.hpp"
#include "json_file.hpp"
#include "named_files.hpp"
#include "ply.hpp"
#include "program.hpp"
#include "schemas.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Writes a cloud of particles as PLY: float x y z vx vy vz lifetime, uint id.\n\n"
    "Examples:\n"
    "  upsweep-cull generate --output cloud.ply\n"
    "  upsweep-cull generate --output cloud.ply --count 50000000 --seed 7\n";

/// A number that depends on nothing but its arguments (splitmix64 of a counter).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// In [0, 1), with 24 bits, so that float holds it exactly.
float random_unit(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<float>(random_bits(seed, counter) >> 40) * 0x1p-24f;
}

struct range {
  const char* name;
  float low;
  float width;
};

constexpr range ranges[] = {{"x", -10, 20}, {"y", -10, 20}, {"z", -10, 20},     {"vx", -1, 2},
                            {"vy", -1, 2},  {"vz", -1, 2},  {"lifetime", -1, 4}};

}  // namespace

particle_table generate_cloud(std::int64_t count, std::uint64_t seed) {
  particle_table cloud;
  cloud.count = count;
  std::uint64_t counter = 0;
  for (const range& r : ranges) {
    float* const values = cloud.add(r.name, scalar_type::f32).data.as<float>();
    for (std::int64_t i = 0; i < count; ++i) values[i] = r.low + r.width * random_unit(seed, counter++);
  }
  auto* const ids = cloud.add("id", scalar_type::u32).data.as<std::uint32_t>();
  for (std::int64_t i = 0; i < count; ++i) ids[i] = static_cast<std::uint32_t>(i);
  return cloud;
}

exit_code generate_main(int argc, const char* const* argv) {
  command_line line("upsweep-cull generate", about, generate_schema);
  line.add_text("--output FILE", "/output", "PLY file to write; - is standard output");
  line.add_integer("--count N", "/count", "How many particles (default: 1000000)");
  line.add_integer("--seed N", "/seed", "Another seed gives another cloud (default: 1)");
  line.add_switch("--ascii", "/ascii", "Write text, not binary little endian");
  line.add_switch("--quiet", "/quiet", "Print errors only");
  if (!line.parse(argc, argv)) return exit_code::ok;
  if (line.document().value("quiet", false)) be_quiet();
  const json& document = line.document();
  const std::int64_t count = document.value("count", std::int64_t{1000000});
  const std::uint64_t seed = document.value("seed", std::uint64_t{1});
  const ply_encoding encoding =
      document.value("ascii", false) ? ply_encoding::ascii : ply_encoding::binary_little_endian;

  stopwatch watch;
  const std::string output = document.at("output").get<std::string>();
  check_files({}, {{output, line.origin("/output"), ".ply"}});
  output_file file(output);
  const particle_table cloud = generate_cloud(count, seed);
  write_ply(file, make_ply_header(encoding, cloud), cloud);
  file.commit();
  say("wrote    {}: {} particles, {}, seed {}, in {:.0f} ms", file.name(),
      with_commas(static_cast<std::uint64_t>(count)), bytes_text(file.bytes_written()), seed, watch.lap());
  return exit_code::ok;
}

}  // namespace upsweep::apps
