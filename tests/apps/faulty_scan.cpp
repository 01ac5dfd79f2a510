// Instead of upsweep::scan: sums on the sim's memory that go wrong as UPSWEEP_TEST_FAULT says.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "upsweep/scan/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

template <class T>
void sum(std::string_view fault, bool exclusive, const T* in, T* out, std::int64_t n, const void* init) {
  using wrapping = std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t, T>;
  auto sum = static_cast<wrapping>(init ? *static_cast<const T*>(init) : T{});
  for (std::int64_t i = 0; i < n; ++i) {
    const wrapping before = sum;
    sum += static_cast<wrapping>(in[i]);
    out[i] = static_cast<T>(exclusive ? before : sum);
  }
  if (fault == "sum" && n > 20) out[20] += 1;
  if (fault == "late" && n > 5) out[n - 5] += 1;
  if (fault == "behind") out[n] = T{};
  if (fault == "before") out[-1] = T{};
}

status run(bool exclusive, scalar_type type, workspace w, const void* in, void* out, std::int64_t n, const void* init) {
  std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  if (fault == "scan launch") return status::launch_failure;
  if (fault == "workspace behind") static_cast<char*>(w.data)[w.bytes] = 0;
  if (fault == "dirty" && *static_cast<const unsigned char*>(w.data) == 0xff) fault = "sum";
  const auto call = [&](auto zero) {
    using T = decltype(zero);
    sum(fault, exclusive, static_cast<const T*>(in), static_cast<T*>(out), n, init);
    return status::success;
  };
  switch (type) {
    case scalar_type::u32:
      return call(std::uint32_t{});
    case scalar_type::i32:
      return call(std::int32_t{});
    case scalar_type::u64:
      return call(std::uint64_t{});
    case scalar_type::f32:
      return call(float{});
    default:
      return call(double{});
  }
}

}  // namespace

std::span<const scan_variant> scan_variants(scan_operator) {
  static constexpr std::array variants = {scan_variant{}};
  return variants;
}

std::span<const scalar_type> scan_types(scan_operator) {
  static constexpr std::array types = {scalar_type::u32, scalar_type::i32, scalar_type::u64, scalar_type::f32,
                                       scalar_type::f64};
  return types;
}

bool is_compiled(const scan_variant& v, scan_operator) {
  return v == scan_variant{};
}

std::size_t scan_workspace_bytes(std::int64_t, scalar_type, const scan_variant&) {
  return 64;
}

std::int64_t max_items_of(const scan_variant&) {
  return std::int64_t{1} << 60;
}

std::int64_t tile_items_of(const scan_variant&, scalar_type) {
  return 10;
}

scan_cost cost_of(const scan_variant&, scalar_type, std::int64_t n) {
  return {1, static_cast<double>(n), 8.0 * static_cast<double>(n)};
}

std::vector<published_tile> published_tiles(const scan_variant&, scalar_type, std::int64_t n,
                                            std::span<const std::byte> workspace_copy, std::int64_t first_tile,
                                            std::int64_t count) {
  std::vector<published_tile> tiles;
  for (std::int64_t t = first_tile; t < std::min(n / 10, first_tile + count); ++t) {
    tiles.push_back({"partial", std::to_string(std::to_integer<int>(workspace_copy[0]))});
  }
  return tiles;
}

status exclusive_scan(workspace w, const void* in, void* out, std::int64_t n, scalar_type type, scan_operator,
                      const void* init, const scan_variant&, stream) {
  return run(true, type, w, in, out, n, init);
}

status inclusive_scan(workspace w, const void* in, void* out, std::int64_t n, scalar_type type, scan_operator,
                      const scan_variant&, stream) {
  return run(false, type, w, in, out, n, nullptr);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
