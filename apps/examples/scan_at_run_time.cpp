// Plain C++, compiled without nvcc and without a header of CUDA: types, operators and the kernels are chosen while the
// program runs, on a GPU where one works and else on the sim.
//
//   scan_at_run_time [auto|cuda|sim]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "upsweep/scan/runtime.hpp"

namespace rt = upsweep::runtime;

void check(upsweep::status s) {
  if (s == upsweep::status::success) return;
  std::fprintf(stderr, "%s\n", upsweep::status_text(s));
  std::exit(1);
}

int main(int argc, char** argv) {
  std::string why;
  const auto device = rt::open_device(argc > 1 ? argv[1] : "auto", why);
  if (!device) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }
  constexpr std::int64_t n = 100'000;
  std::vector<std::uint32_t> counts(n), sums(n);
  for (std::int64_t i = 0; i < n; ++i) counts[i] = static_cast<std::uint32_t>(i * 7919 % 13);

  const auto u32 = upsweep::scalar_type::u32;
  const upsweep::scan_variant variant;  // the default, picked by n and type
  rt::buffer in(*device, n * 4), out(*device, n * 4);
  rt::buffer workspace(*device, rt::exclusive_sum_workspace_bytes(in.data(), out.data(), n, u32, variant));
  check(device->copy(in.data(), counts.data(), n * 4));
  check(rt::exclusive_sum(workspace.as_workspace(), in.data(), out.data(), n, u32, variant, device->get_stream()));
  check(device->copy(sums.data(), out.data(), n * 4));
  check(device->synchronize());

  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; sum += counts[i++]) {
    if (sums[i] != sum) return std::puts("WRONG: a sum"), 1;
  }
  std::printf("the sum of %lld counts is %u\n", static_cast<long long>(n), sum);
}
