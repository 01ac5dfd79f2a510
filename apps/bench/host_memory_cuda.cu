#include <cuda_runtime_api.h>

#include <algorithm>

#include "host_memory.hpp"
#include "upsweep/compact/select_from_host.cuh"
#include "upsweep/scan/scan_from_host.cuh"

namespace upsweep::apps {
namespace {

struct is_below {
  std::uint32_t bound;
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t x) const { return x < bound; }
};

}  // namespace

status pin_host_memory(void** p, std::size_t bytes) {
  return detail::side_stream<cuda_executor>::allocate_pinned(p, bytes);
}

void unpin_host_memory(void* p) {
  detail::side_stream<cuda_executor>::free_pinned(p);
}

status copy_both_ways(void* to_device, const void* from_host, std::size_t up, void* to_host, const void* from_device,
                      std::size_t down) {
  static constexpr std::size_t piece = std::size_t{32} << 20;
  detail::side_stream<cuda_executor> up_stream{cuda_executor()}, down_stream{cuda_executor()};
  status s = up_stream.open();
  if (s == status::success) s = down_stream.open();
  const auto copy = [](auto& side, void* to, const void* from, std::size_t at, std::size_t bytes) {
    if (at >= bytes) return status::success;
    return side.executor.copy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                              (std::min)(piece, bytes - at));
  };
  for (std::size_t at = 0; at < (std::max)(up, down) && s == status::success; at += piece) {
    s = copy(up_stream, to_device, from_host, at, up);
    if (s == status::success) s = copy(down_stream, to_host, from_device, at, down);
  }
  if (s == status::success) s = up_stream.executor.synchronize();
  return s == status::success ? down_stream.executor.synchronize() : s;
}

status sums_from_host(workspace device, const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
  return static_cast<status>(inclusive_scan_from_host(device, in, out, n, plus{}));
}

status select_below_from_host(workspace device, const std::uint32_t* in, std::uint32_t* out, std::int64_t* kept,
                              std::int64_t n, std::uint32_t bound) {
  return static_cast<status>(select_if_from_host(device, in, out, kept, n, is_below{bound}));
}

}  // namespace upsweep::apps
