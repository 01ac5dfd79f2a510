// A particle system in plain C++: frame after frame emit, age, cull the dead; then sort the living by depth. Runs on
// the sim.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/runtime.hpp"
#include "upsweep/version.hpp"

namespace rt = upsweep::runtime;
using upsweep::scalar_type;

namespace {

void check(upsweep::status s) {
  if (s == upsweep::status::success) return;
  std::fprintf(stderr, "%s\n", upsweep::status_text(s));
  std::exit(1);
}

template <class T>
std::vector<T> fetch(rt::device& device, const rt::buffer& from, std::int64_t n) {
  std::vector<T> to(n);
  check(device.copy(to.data(), from.data(), n * sizeof(T)));
  check(device.synchronize());
  return to;
}

float depth_of(std::int64_t id) {
  return static_cast<float>(id * 7919 % 1009);
}
/// In frames, the last of which it does not see.
float life_of(std::int64_t id) {
  return static_cast<float>(1 + id % 9);
}

}  // namespace

int main() {
  std::string why;
  const auto device = rt::open_device("sim", why);
  if (!device) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }

  constexpr std::int64_t capacity = 10'000, emitted = 1500, frames = 20;
  rt::buffer depths(*device, capacity * 4), lives(*device, capacity * 4), ids(*device, capacity * 4), count(*device, 8);
  const upsweep::compact_method_with_scan cull =
      upsweep::compact_method::hole_filling;  // no order is needed: they are sorted
  const upsweep::soa_array particles[] = {
      {depths.data(), depths.data(), 4}, {lives.data(), lives.data(), 4}, {ids.data(), ids.data(), 4}};
  rt::buffer select_workspace(*device, rt::select_workspace_bytes(particles, capacity, cull));
  upsweep::keep_rules rules;
  rules.use_lifetime = true;
  rules.lifetime = {lives.data(), scalar_type::f32};

  std::int64_t kept = 0, living = 0;
  std::vector<std::int64_t> deaths(frames + 10);  // in each frame, as they must come
  for (std::int64_t f = 0; f < frames; ++f) {
    auto depth = fetch<float>(*device, depths, kept), life = fetch<float>(*device, lives, kept);
    auto id = fetch<std::uint32_t>(*device, ids, kept);
    for (std::int64_t i = f * emitted; i < (f + 1) * emitted && static_cast<std::int64_t>(id.size()) < capacity; ++i) {
      depth.push_back(depth_of(i));  // emit
      life.push_back(life_of(i));
      id.push_back(static_cast<std::uint32_t>(i));
      ++deaths[f + static_cast<std::int64_t>(life_of(i)) - 1];
      ++living;
    }
    living -= deaths[f];
    for (float& l : life) l -= 1;  // age
    const auto n = static_cast<std::int64_t>(id.size());
    check(device->copy(depths.data(), depth.data(), n * 4));
    check(device->copy(lives.data(), life.data(), n * 4));
    check(device->copy(ids.data(), id.data(), n * 4));
    check(rt::select_particles(select_workspace.as_workspace(), particles, count.as<std::int64_t>(), n, rules, cull,
                               device->get_stream()));
    kept = fetch<std::int64_t>(*device, count, 1)[0];
  }

  const rt::sort_method_with_scan policy;  // sort, farthest first
  rt::buffer sorted_depths(*device, kept * 4), sorted_ids(*device, kept * 4);
  rt::buffer sort_workspace(*device, rt::sort_pairs_workspace_bytes(kept, scalar_type::f32, policy));
  check(rt::sort_pairs(sort_workspace.as_workspace(), depths.data(), sorted_depths.data(), ids.as<std::uint32_t>(),
                       sorted_ids.as<std::uint32_t>(), kept, scalar_type::f32, upsweep::sort_order::descending, {},
                       policy, device->get_stream()));

  const auto order = fetch<std::uint32_t>(*device, sorted_ids, kept);
  const auto keys = fetch<float>(*device, sorted_depths, kept);
  bool right = kept == living;
  for (std::int64_t i = 0; right && i < kept; ++i) {
    const std::int64_t born = order[i] / emitted;
    right = born + static_cast<std::int64_t>(life_of(order[i])) > frames && keys[i] == depth_of(order[i]) &&
            (i == 0 || keys[i] <= keys[i - 1]);
  }
  std::printf("upsweep %s on %s: %lld of %lld particles live: %s\n", upsweep::version_string.data(),
              device->name().c_str(), static_cast<long long>(kept), static_cast<long long>(capacity),
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
