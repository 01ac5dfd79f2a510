// What every selection and partition refuses, checked once: null, impossible and overlapping arguments, and a workspace
// that is too small; and what it answers where there are no elements. What a method alone does not go with it refuses
// itself.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The widest element that is moved: 1 MiB.
inline constexpr std::size_t max_element_bytes = std::size_t{1} << 20;

/// Bytes of an array's parts, as far as a call tells: how many elements are kept is not known, and after them nothing
/// is written.
struct moved_extents {
  std::int64_t n;
  std::int64_t kept;  ///< for which there is room at least, where only kept elements go
  rejected_order rejected = rejected_order::apart;

  std::size_t in(const soa_array& a) const { return bytes(a, n); }
  std::size_t out(const soa_array& a) const {
    const bool has_all = a.in == a.out || (a.rejected == nullptr && rejected != rejected_order::apart);
    return bytes(a, has_all ? n : kept);
  }
  std::size_t others(const soa_array& a) const { return bytes(a, (std::min<std::int64_t>)(n, 1)); }

 private:
  static std::size_t bytes(const soa_array& a, std::int64_t items) {
    return a.element_bytes * static_cast<std::size_t>(items);
  }
};

/// No output overlaps another array, nor its own input but exactly; and nothing is null, or of an impossible size.
inline bool can_be_moved(std::span<const soa_array> arrays, const moved_extents& extent) {
  for (const soa_array& a : arrays) {
    if (a.element_bytes == 0 || a.element_bytes > max_element_bytes) return false;
    if (extent.n > 0 && (a.in == nullptr || a.out == nullptr)) return false;
  }
  for (const soa_array& a : arrays) {
    const auto meets_out = [&](const void* other, std::size_t other_bytes) {
      return ranges_meet(a.out, extent.out(a), other, other_bytes);
    };
    for (const soa_array& b : arrays) {
      const bool in_place = &a == &b && a.in == a.out;
      if (!in_place && meets_out(b.in, extent.in(b))) return false;
      if (&a != &b && meets_out(b.out, extent.out(b))) return false;
      const std::size_t others = extent.others(b);
      if (meets_out(b.rejected, others) || ranges_meet(b.rejected, others, a.in, extent.in(a))) return false;
      if (&a != &b && ranges_meet(a.rejected, extent.others(a), b.rejected, others)) return false;
    }
  }
  return true;
}

/// Of the other memory that a call uses, what is written lies apart from all else, and what is read from what is
/// written; but it may be read as the elements of an array that stays in place.
template <std::size_t... Numbers>
bool is_apart(std::span<const soa_array> arrays, const moved_extents& extent,
              const std::array<memory_use, Numbers>&... others) {
  std::array<memory_use, (Numbers + ...)> uses;
  auto to = uses.begin();
  ((to = std::ranges::copy(others, to).out), ...);
  const auto meets = [&](const memory_use& u, const soa_array& a) {
    const bool as_in_place = !u.written && a.in == a.out && u.data == a.in && u.bytes == extent.in(a);
    return (!as_in_place && ranges_meet(u.data, u.bytes, a.out, extent.out(a))) ||
           ranges_meet(u.data, u.bytes, a.rejected, extent.others(a)) ||
           (u.written && ranges_meet(u.data, u.bytes, a.in, extent.in(a)));
  };
  return written_apart(uses) && std::ranges::none_of(uses, [&](const memory_use& u) {
           return std::ranges::any_of(arrays, [&](const soa_array& a) { return meets(u, a); });
         });
}

/// What every method refuses: beside its own arguments, what is null or overlaps of those that are `required`.
template <class Count, std::size_t... Numbers>
bool are_valid(std::span<const soa_array> arrays, const Count& count, const select_results& results,
               rejected_order rejected, const std::array<memory_use, Numbers>&... required) {
  const std::int64_t n = bound_of(count);
  const moved_extents extent{n, results.room(n), rejected};
  const auto is_there = [](const auto& uses) { return std::ranges::none_of(uses, &memory_use::is_missing); };
  // The count may be written where n lies, if it is of that size: others may still be reading n, and would see a part
  // of another count, or race with it.
  memory_use length = use_of(place_of(count), 1, false);
  const bool is_n = length.data == results.num_selected.data && length.bytes == results.num_selected.integer_bytes;
  if (is_n) length = {nullptr, 0, false};
  const std::array lengths{length};
  return n >= 0 && !is_null(place_of(count)) && results.are_right() && can_be_moved(arrays, extent) &&
         (is_there(required) && ...) && is_apart(arrays, extent, lengths, results.uses(extent.kept), required...);
}

/// The results of a selection from no elements.
struct nothing_selected_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, select_results results) const {
    if (block.thread_rank() == 0) results.put(block, 0);
  }
};

/// What a selection that needs so many bytes of workspace answers without a look at its elements: an error, or, where
/// there are none, what comes of writing that none are kept. Nothing where it has elements to select from.
template <class Executor, class Count, std::size_t... Numbers>
std::optional<status> answer_at_once(Executor& ex, workspace w, std::size_t bytes, std::span<const soa_array> arrays,
                                     const Count& count, const select_results& results, rejected_order rejected,
                                     const std::array<memory_use, Numbers>&... required) {
  if (!are_valid(arrays, count, results, rejected, required...)) return status::invalid_value;
  if (bound_of(count) == 0) return ex.launch(1, nothing_selected_kernel{}, results);
  if (w.data == nullptr || w.bytes < bytes) return status::invalid_value;
  return {};
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
