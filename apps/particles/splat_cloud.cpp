#include "splat_cloud.hpp"

#include <cmath>
#include <numbers>
#include <optional>

#include "command_line.hpp"
#include "json_file.hpp"
#include "named_files.hpp"
#include "particle_file.hpp"
#include "ply.hpp"
#include "point_view.hpp"
#include "program.hpp"
#include "schemas.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr float from_color = 0.28209479f;  ///< the first harmonic

/// The property as floats.
std::vector<float> property_of(const particle_table& t, const std::string& name, const std::string& file) {
  const auto found = t.find(name);
  if (!found) {
    fail(exit_code::bad_input, "{}: no property \"{}\", which splats need; it has {}", file, name,
         list_text(t.names()));
  }
  const column values{t.columns[*found].data.data(), t.columns[*found].type};
  std::vector<float> floats(static_cast<std::size_t>(t.count));
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(values[static_cast<std::int64_t>(i)]);
  }
  return floats;
}

/// How many coefficients a channel has in a file with so many f_rest_.
std::optional<int> coefficients_of(int rest) {
  for (const int each : {1, 4, 9, 16}) {
    if (rest == 3 * (each - 1)) return each;
  }
  return {};
}

}  // namespace

splat_cloud read_splats(const std::string& path) {
  const particle_file file = read_particles(path, {{}, false}, {});
  const particle_table& t = file.particles;
  const auto n = static_cast<std::size_t>(t.count);
  if (n == 0) fail(exit_code::bad_input, "{}: it has no splats", path);
  int rest = 0;
  while (t.find(fmt::format("f_rest_{}", rest))) ++rest;
  const auto each = coefficients_of(rest);
  if (!each) fail(exit_code::bad_input, "{}: it has {} f_rest_; expected 0, 9, 24 or 45", path, rest);
  const auto values = [&](const std::string& name) { return property_of(t, name, path); };
  splat_cloud cloud;
  cloud.coefficients = *each;
  const auto x = values("x"), y = values("y"), z = values("z"), opacity = values("opacity");
  const auto sx = values("scale_0"), sy = values("scale_1"), sz = values("scale_2");
  const auto qw = values("rot_0"), qx = values("rot_1"), qy = values("rot_2"), qz = values("rot_3");
  for (std::size_t i = 0; i < n; ++i) {
    cloud.place.push_back({x[i], y[i], z[i], 1 / (1 + std::exp(-opacity[i]))});
    cloud.scale.push_back({std::exp(sx[i]), std::exp(sy[i]), std::exp(sz[i]), 0});
    const float length = std::sqrt(qw[i] * qw[i] + qx[i] * qx[i] + qy[i] * qy[i] + qz[i] * qz[i]);
    const float by = length > 0 ? 1 / length : 0;
    cloud.rotation.push_back({length > 0 ? qw[i] * by : 1, qx[i] * by, qy[i] * by, qz[i] * by});
  }
  for (int k = 0; k < *each; ++k) {
    for (int c = 0; c < 3; ++c) {
      const auto column =
          values(k == 0 ? fmt::format("f_dc_{}", c) : fmt::format("f_rest_{}", c * (*each - 1) + k - 1));
      cloud.harmonics.insert(cloud.harmonics.end(), column.begin(), column.end());
    }
  }
  say("read     {}: {} splats, {} coefficients of a color's channel", path, with_commas(n), *each);
  return cloud;
}

camera camera_that_fits(const splat_cloud& splats, double aspect) {
  std::vector<float> axes[3];
  for (const vec4f& p : splats.place) {
    axes[0].push_back(p.x);
    axes[1].push_back(p.y);
    axes[2].push_back(p.z);
  }
  point_cloud points;
  points.count = static_cast<std::int64_t>(splats.place.size());
  for (std::size_t d = 0; d < 3; ++d) points.at[d] = {axes[d].data(), scalar_type::f32};
  return camera_that_fits(points, aspect);
}

/// A thread that winds around a torus until it meets its begin, whose color depends on where it is seen from.
exit_code generate_splats_main(int argc, const char* const* argv) {
  command_line line("upsweep-particles generate-splats",
                    "Writes a cloud of Gaussian splats as PLY, with the 62 properties that trained ones have.\n\n"
                    "Examples:\n"
                    "  upsweep-particles generate-splats --output knot.ply --count 200000\n",
                    generate_schema);
  line.add_text("--output FILE", "/output", "PLY file to write; - is standard output");
  line.add_integer("--count N", "/count", "How many splats (default: 100000)");
  line.add_integer("--seed N", "/seed", "Another seed gives another cloud (default: 1)");
  line.add_switch("--quiet", "/quiet", "Print errors only");
  if (!line.parse(argc, argv)) return exit_code::ok;
  const json& document = line.document();
  if (document.value("quiet", false)) be_quiet();
  const auto count = document.value("count", std::int64_t{100000});
  const auto seed = document.value("seed", std::uint32_t{1});
  const std::string output = document.at("output").get<std::string>();
  check_files({}, {{output, line.origin("/output"), ".ply"}});
  output_file file(output);

  particle_table cloud;
  cloud.count = count;
  std::vector<std::string> names = {"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"};
  for (int i = 0; i < 45; ++i) names.push_back(fmt::format("f_rest_{}", i));
  for (const char* name : {"opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"}) {
    names.emplace_back(name);
  }
  for (const std::string& name : names) cloud.add(name, scalar_type::f32);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    const auto unit = [&](std::uint32_t k) { return static_cast<double>(random_unit(seed, number, k)); };
    const auto bell = [&](std::uint32_t k) { return static_cast<double>(random_bell(seed, number, k)); };
    const double turn = unit(0) * 2 * std::numbers::pi, thread = std::floor(unit(1) * 3);
    const double around = (8 * turn + thread * 2 * std::numbers::pi) / 3, wide = 3 + std::cos(around);
    const auto put = [&](std::size_t column, double value) {
      cloud.columns[column].data.as<float>()[i] = static_cast<float>(value);
    };
    for (std::size_t c = 0; c < names.size(); ++c) put(c, 0);
    put(0, wide * std::cos(turn) + 0.12 * bell(8));
    put(1, std::sin(around) + 0.12 * bell(12));
    put(2, wide * std::sin(turn) + 0.12 * bell(16));
    for (std::size_t c = 0; c < 3; ++c) {
      const double hue = 0.5 + 0.45 * std::cos(turn + std::sin(around) + 2.1 * static_cast<double>(c));
      put(6 + c, (hue - 0.5) / static_cast<double>(from_color));
      put(9 + c * 15 + 1, 0.25 * (unit(2) - 0.5 + (c == 0 ? 0.4 : 0)));  // brighter from one side
    }
    put(54, 1 + 2 * unit(3));
    for (std::size_t c = 0; c < 3; ++c) put(55 + c, std::log(0.01 + 0.05 * unit(4 + static_cast<std::uint32_t>(c))));
    for (std::size_t c = 0; c < 4; ++c) put(58 + c, bell(20 + 4 * static_cast<std::uint32_t>(c)));
  }
  write_ply(file, make_ply_header(ply_encoding::binary_little_endian, cloud), cloud);
  file.commit();
  say("wrote    {}: {} splats, {}", file.name(), with_commas(static_cast<std::uint64_t>(count)),
      bytes_text(file.bytes_written()));
  return exit_code::ok;
}

}  // namespace upsweep::apps
