// Instead of upsweep::sort: a sort of u32 keys on the sim's memory that goes wrong as UPSWEEP_TEST_FAULT says.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include "upsweep/sort/runtime.hpp"

/// Instead of that of the system, by which ranks write: what "written" changes is the last byte.
extern "C" ssize_t pwrite(int fd, const void* from, std::size_t bytes, off_t at) {
  std::vector<char> all(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
  const char* const fault = std::getenv("UPSWEEP_TEST_FAULT");
  if (fault != nullptr && std::string_view(fault) == "written" && at > 0) all.back() ^= 1;
  return syscall(SYS_pwrite64, fd, all.data(), bytes, at);
}

namespace upsweep::runtime::inline UPSWEEP_ABI {

std::span<const scalar_type> sort_key_types() {
  static constexpr std::array types = {scalar_type::u32};
  return types;
}

namespace {

std::size_t some_bytes() {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  return fault == "memory" ? std::size_t{1} << 55 : 0;
}

}  // namespace

std::size_t sort_keys_workspace_bytes(std::int64_t, scalar_type, const sort_method_with_scan&) {
  return some_bytes();
}

std::size_t sort_pairs_workspace_bytes(std::int64_t, scalar_type, const sort_method_with_scan&) {
  return some_bytes();
}

std::size_t argsort_workspace_bytes(std::int64_t, scalar_type, const sort_method_with_scan&) {
  return some_bytes();
}

std::size_t sort_with_values_workspace_bytes(std::int64_t, scalar_type, const sort_method_with_scan&) {
  return some_bytes();
}

std::int64_t sort_max_keys(const sort_method_with_scan&) {
  return std::int64_t{1} << 60;
}

namespace {

std::vector<std::size_t> order_of(const std::uint32_t* keys, std::int64_t n, sort_order direction, bool stable) {
  std::vector<std::size_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (keys[a] == keys[b]) return !stable && a > b;
    return (keys[a] < keys[b]) == (direction == sort_order::ascending);
  });
  return order;
}

}  // namespace

status sort_keys(workspace, const void* in, void* out, std::int64_t n, scalar_type, sort_order direction, bit_range,
                 const sort_method_with_scan&, stream) {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  if (fault == "launch") return status::launch_failure;
  const auto* const keys = static_cast<const std::uint32_t*>(in);
  auto* const sorted = static_cast<std::uint32_t*>(out);
  const std::vector<std::size_t> order = order_of(keys, n, direction, true);
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = keys[order[i]];
  if (fault == "lost key" && n > 8) sorted[7] = sorted[8];
  return status::success;
}

status sort_pairs(workspace, const void* keys_in, void* keys_out, const std::uint32_t* values_in,
                  std::uint32_t* values_out, std::int64_t n, scalar_type, sort_order direction, bit_range,
                  const sort_method_with_scan&, stream) {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  const auto* const keys = static_cast<const std::uint32_t*>(keys_in);
  const std::vector<std::size_t> order = order_of(keys, n, direction, fault != "unstable");
  for (std::size_t i = 0; i < order.size(); ++i) {
    static_cast<std::uint32_t*>(keys_out)[i] = keys[order[i]];
    values_out[i] = values_in[order[i]];
  }
  return status::success;
}

status argsort(workspace, const void* keys, std::uint32_t* places, std::int64_t n, scalar_type, sort_order direction,
               bit_range, const sort_method_with_scan&, stream) {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  const std::vector<std::size_t> order =
      order_of(static_cast<const std::uint32_t*>(keys), n, direction, fault != "unstable");
  for (std::size_t i = 0; i < order.size(); ++i) places[i] = static_cast<std::uint32_t>(order[i]);
  return status::success;
}

std::size_t sort_from_host_workspace_bytes(std::int64_t n, scalar_type, std::span<const std::size_t>) {
  return static_cast<std::size_t>(n) * 1000;
}
std::size_t sort_from_host_least_bytes(std::int64_t, scalar_type, std::span<const std::size_t>) {
  return 1;
}
std::size_t sort_from_host_scratch_bytes(std::int64_t n, scalar_type, std::span<const std::size_t>) {
  return static_cast<std::size_t>(n);
}

status sort_with_values(workspace w, const void* keys_in, void* keys_out, std::span<const value_rows> values,
                        std::int64_t n, scalar_type type, sort_order direction, bit_range bits,
                        const sort_method_with_scan& p, stream s) {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  const std::vector<std::size_t> order =
      order_of(static_cast<const std::uint32_t*>(keys_in), n, direction, fault != "unstable");
  for (const value_rows& rows : values) {
    auto* const out = static_cast<char*>(rows.out);
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(out + i * rows.bytes, static_cast<const char*>(rows.in) + order[i] * rows.bytes, rows.bytes);
    }
    if (fault == "bit" && &rows == &values.back()) out[order.size() * rows.bytes - 1] ^= 1;
  }
  return sort_keys(w, keys_in, keys_out, n, type, direction, bits, p, s);
}

status sort_from_host(workspace device, host_scratch, const void* keys_in, void* keys_out,
                      std::span<const value_rows> values, std::int64_t n, scalar_type type, sort_order direction,
                      bit_range bits, const from_host_options&, stream s) {
  return sort_with_values(device, keys_in, keys_out, values, n, type, direction, bits, {}, s);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
