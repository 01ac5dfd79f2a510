// Instead of upsweep::compact: a selection on the sim's memory that goes wrong as UPSWEEP_TEST_FAULT says.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "upsweep/compact/runtime.hpp"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

std::size_t select_workspace_bytes(std::span<const soa_array>, std::int64_t n, const compact_method_with_scan&) {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  return fault == "memory" || (fault == "memory of many" && n > 1000) ? std::size_t{1} << 55 : 0;
}

std::int64_t select_max_items(const compact_method_with_scan&) {
  return std::int64_t{1} << 60;
}

namespace {

template <class Keep>
status select(std::span<const soa_array> arrays, std::int64_t n, const Keep& keep, std::int64_t* num_selected) {
  const std::string_view fault = std::getenv("UPSWEEP_TEST_FAULT");
  if (fault == "launch") return status::launch_failure;
  if (fault == "stacks") return status::memory_allocation;
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!keep(i)) continue;
    for (const soa_array& a : arrays) {
      std::memmove(static_cast<char*>(a.out) + static_cast<std::size_t>(kept) * a.element_bytes,
                   static_cast<const char*>(a.in) + static_cast<std::size_t>(i) * a.element_bytes, a.element_bytes);
    }
    ++kept;
  }
  *num_selected = fault == "short" ? kept - 1 : fault == "count" ? n + 1 : kept;
  const soa_array& last = arrays.back();
  if (fault == "bit") static_cast<char*>(last.out)[(static_cast<std::size_t>(kept) - 1) * last.element_bytes] ^= 1;
  return status::success;
}

/// Right, whatever the fault.
status fill_holes(std::span<const soa_array> arrays, std::int64_t n, const std::uint8_t* flags,
                  std::int64_t* num_selected) {
  const std::int64_t kept = n - std::count(flags, flags + n, std::uint8_t{0});
  std::int64_t from = kept;
  for (std::int64_t hole = 0; hole < kept; ++hole) {
    if (flags[hole] != 0) continue;
    while (flags[from] == 0) ++from;
    for (const soa_array& a : arrays) {
      auto* const out = static_cast<char*>(a.out);
      std::memcpy(out + static_cast<std::size_t>(hole) * a.element_bytes,
                  out + static_cast<std::size_t>(from) * a.element_bytes, a.element_bytes);
    }
    ++from;
  }
  *num_selected = kept;
  return status::success;
}

}  // namespace

status select_particles(workspace, std::span<const soa_array> arrays, std::int64_t* num_selected, std::int64_t n,
                        const keep_rules& rules, const compact_method_with_scan&, stream) {
  return select(arrays, n, rules, num_selected);
}

status select_flagged(workspace, std::span<const soa_array> arrays, const std::uint8_t* flags,
                      std::int64_t* num_selected, std::int64_t n, const compact_method_with_scan& c, stream) {
  if (!is_stable(c.method)) return fill_holes(arrays, n, flags, num_selected);
  return select(
      arrays, n, [&](std::int64_t i) { return flags[i] != 0; }, num_selected);
}

namespace {

template <class T>
status select_values(const void* in, void* out, std::int64_t n, const void* low, const void* high,
                     std::int64_t* num_selected) {
  const soa_array array{in, out, sizeof(T)};
  const auto* const items = static_cast<const T*>(in);
  const T from = *static_cast<const T*>(low), to = *static_cast<const T*>(high);
  const auto keep = [&](std::int64_t i) { return from <= items[i] && items[i] < to; };
  return select(std::span(&array, 1), n, keep, num_selected);
}

}  // namespace

status select_between(workspace, const void* in, void* out, std::int64_t* num_selected, std::int64_t n,
                      scalar_type type, const void* low, const void* high, const compact_method_with_scan&, stream) {
  using numbers = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;
  return numbers::call(type,
                       [&](auto zero) { return select_values<decltype(zero)>(in, out, n, low, high, num_selected); });
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
