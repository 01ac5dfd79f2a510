#include <cstring>

#include "cull.hpp"
#include "failure.hpp"
#include "progress.hpp"

namespace upsweep::apps {

std::string first_difference(const particle_table& particles, const cull_test& test, const particle_table& survivors,
                             bool in_order) {
  progress bar("checking", static_cast<std::uint64_t>(particles.count));
  std::int64_t kept = 0;
  // The first survivor that differs from particle i, which belongs at `place`.
  const auto difference = [&](std::int64_t i, std::int64_t place) -> std::string {
    auto of_survivors = survivors.columns.begin();
    for (const table_column& c : particles.columns) {
      if (!c.is_selected) continue;
      const std::size_t size = size_of(c.type);
      const std::byte* expected = c.data.data() + static_cast<std::size_t>(i) * size;
      const std::byte* got = of_survivors++->data.data() + static_cast<std::size_t>(place) * size;
      if (std::memcmp(expected, got, size) == 0) continue;
      return fmt::format("survivor {} should be particle {}, but its property \"{}\" differs", place, i, c.name);
    }
    return {};
  };
  std::int64_t hole = 0;
  for (std::int64_t i = 0; i < particles.count; ++i) {
    if (i % 65536 == 0) bar.reach(static_cast<std::uint64_t>(i));
    if (!test(i)) continue;
    if (kept == survivors.count) return fmt::format("particle {} is missing: only {} were kept", i, kept);
    std::int64_t place = kept++;
    if (!in_order && i < survivors.count) {
      place = i;
    } else if (!in_order) {
      while (test(hole)) ++hole;
      place = hole++;
    }
    const std::string found = difference(i, place);
    if (!found.empty()) return found;
  }
  if (kept != survivors.count) {
    return fmt::format("survivor {} should not be there: only {} should be kept of {}", kept, kept, survivors.count);
  }
  return {};
}

byte_array depths_of(const std::array<column, 3>& position, std::int64_t count, const camera& c) {
  camera_axes axes;
  axes_of(c, axes);
  byte_array depths(static_cast<std::size_t>(count) * sizeof(float));
  for (std::int64_t i = 0; i < count; ++i) {
    depths.as<float>()[i] = static_cast<float>(depth_of(c, axes, position[0][i], position[1][i], position[2][i]));
  }
  return depths;
}

}  // namespace upsweep::apps
