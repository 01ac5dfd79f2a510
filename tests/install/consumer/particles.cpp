// A particle system in plain C++: emit, age, cull the dead, sort the living by depth. Runs on the sim.
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

}  // namespace

int main() {
  std::string why;
  const auto device = rt::open_device("sim", why);
  if (!device) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }

  const std::int64_t n = 10'000, living = n / 2;
  std::vector<float> depth(n), life(n);
  std::vector<std::uint32_t> id(n);
  for (std::int64_t i = 0; i < n; ++i) {  // emit
    depth[i] = static_cast<float>(i * 7919 % 1009);
    life[i] = static_cast<float>(i % 4);
    id[i] = static_cast<std::uint32_t>(i);
  }
  for (float& l : life) l -= 1;  // age
  rt::buffer depths(*device, n * 4), lives(*device, n * 4), ids(*device, n * 4), count(*device, 8);
  check(device->copy(depths.data(), depth.data(), n * 4));
  check(device->copy(lives.data(), life.data(), n * 4));
  check(device->copy(ids.data(), id.data(), n * 4));

  const upsweep::scan_variant variant;  // cull
  upsweep::keep_rules rules;
  rules.use_lifetime = true;
  rules.lifetime = {lives.data(), scalar_type::f32};
  const upsweep::soa_array particles[] = {{depths.data(), depths.data(), 4}, {ids.data(), ids.data(), 4}};
  rt::buffer select_workspace(*device, rt::select_workspace_bytes(variant, particles, n));
  check(rt::select_particles(device->get_stream(), variant, select_workspace.as_workspace(), particles, n, rules,
                             count.as<std::int64_t>()));
  const std::int64_t kept = fetch<std::int64_t>(*device, count, 1)[0];

  const rt::sort_policy policy{variant};  // sort, farthest first
  rt::buffer sorted_depths(*device, kept * 4), sorted_ids(*device, kept * 4);
  rt::buffer sort_workspace(*device, rt::sort_workspace_bytes(policy, scalar_type::f32, true, kept));
  check(rt::sort_pairs(device->get_stream(), policy, scalar_type::f32, upsweep::sort_order::descending,
                       sort_workspace.as_workspace(), depths.data(), sorted_depths.data(), ids.as<std::uint32_t>(),
                       sorted_ids.as<std::uint32_t>(), kept));

  const auto order = fetch<std::uint32_t>(*device, sorted_ids, kept);
  const auto keys = fetch<float>(*device, sorted_depths, kept);
  bool right = kept == living;
  for (std::int64_t i = 0; right && i < kept; ++i) {
    right = life[order[i]] > 0 && keys[i] == depth[order[i]] && (i == 0 || keys[i] <= keys[i - 1]);
  }
  std::printf("upsweep %s on %s: %lld of %lld particles live: %s\n", upsweep::version_string.data(),
              device->name().c_str(), static_cast<long long>(kept), static_cast<long long>(n),
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
