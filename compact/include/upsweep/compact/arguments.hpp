// What a compaction takes and returns: arrays of elements, counts in device memory, a capacity, arguments of indirect
// draws and dispatches. n in device memory is a device_count (upsweep/scan/arguments.hpp).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// One array of a structure of arrays: n elements of `element_bytes` bytes each, at any alignment. `out` may be `in`;
/// it has room for what is kept, at most n elements or select_results::capacity. With a `rejected`, the other elements
/// go there, in input order.
struct soa_array {
  const void* in = nullptr;       ///< n elements
  void* out = nullptr;            ///< where kept elements go
  std::size_t element_bytes = 0;  ///< of one element
  void* rejected = nullptr;       ///< where the others go, or null
};

/// Integers in device memory, of 4 or 8 bytes each; null if they are not needed.
struct integer_array {
  void* data = nullptr;             ///< device memory, or null
  std::uint32_t integer_bytes = 8;  ///< of each integer: 4 or 8

  integer_array() = default;
  /// Integers of 4 or 8 bytes at p.
  template <class Int>
  integer_array(Int* p) : data(p), integer_bytes(sizeof(Int)) {
    static_assert(std::is_integral_v<Int> && (sizeof(Int) == 4 || sizeof(Int) == 8) && !std::is_const_v<Int>,
                  "upsweep: counts and indices are integers of 4 or 8 bytes in device memory");
  }

  /// Whether there is an array to write to.
  UPSWEEP_HOST_DEVICE bool wanted() const { return data != nullptr; }
  /// Whether they are of a size that calls can write.
  bool is_right() const { return integer_bytes == 4 || integer_bytes == 8; }
  /// What a call writes of n of them.
  detail::memory_use use(std::int64_t n) const {
    return {data, wanted() ? detail::bytes_of(n, integer_bytes) : 0, true};
  }
  /// A kernel calls it: integer i becomes value, cut to its bytes.
  UPSWEEP_HOST_DEVICE void put(std::int64_t i, std::int64_t value) const {
    if (integer_bytes == 4) {
      static_cast<std::uint32_t*>(data)[i] = static_cast<std::uint32_t>(value);
    } else {
      static_cast<std::int64_t*>(data)[i] = value;
    }
  }
};

/// Arguments of an indirect draw or dispatch over the kept elements, in device memory; null if not needed. Numbers
/// above 2^32 - 1 become 2^32 - 1.
struct indirect_arguments {
  std::uint32_t* draw = nullptr;      ///< one integer, a draw's vertex or instance count: kept elements * draw_each
  std::uint32_t draw_each = 1;        ///< vertices or instances of a kept element
  std::uint32_t* dispatch = nullptr;  ///< three integers, the groups of `group_size` kept elements: x, 1, 1
  std::uint32_t group_size = 64;      ///< not 0

  /// Whether there is a draw or a dispatch to write to.
  UPSWEEP_HOST_DEVICE bool wanted() const { return draw != nullptr || dispatch != nullptr; }
  /// A kernel calls it: writes the arguments for `kept` elements.
  UPSWEEP_HOST_DEVICE void put(std::int64_t kept) const {
    constexpr std::uint64_t most = 0xffffffff;
    const auto count = static_cast<std::uint64_t>(kept);
    if (draw != nullptr) {
      const bool fits = draw_each == 0 || count <= most / draw_each;
      *draw = static_cast<std::uint32_t>(fits ? count * draw_each : most);
    }
    if (dispatch != nullptr) {
      const std::uint64_t groups = count / group_size + (count % group_size != 0);
      dispatch[0] = static_cast<std::uint32_t>(groups < most ? groups : most);
      dispatch[1] = dispatch[2] = 1;
    }
  }
};

/// The results of a selection besides the kept elements, all in device memory. A pointer to the count alone converts to
/// it. In 4 bytes, counts and indices wrap around at 2^32.
struct select_results {
  integer_array num_selected;  ///< how many elements were kept: at most `capacity`
  integer_array wanted;        ///< how many would have been kept without a capacity
  integer_array indices;       ///< of the kept elements, in order
  /// Kept elements beyond it are dropped, and outputs need no room for them.
  std::int64_t capacity = (std::numeric_limits<std::int64_t>::max)();
  indirect_arguments indirect;  ///< of what was kept

  select_results() = default;
  /// The count alone.
  template <class Int>
  select_results(Int* count) : num_selected(count) {}

  /// Elements out of n that outputs of kept ones have room for, as far as a call tells: nobody knows yet how many.
  std::int64_t room(std::int64_t n) const { return (std::min<std::int64_t>)(n, is_limited() ? capacity : 1); }
  static constexpr int places = 5;  ///< how many pieces of memory `uses` returns
  /// The memory that is written when `room` elements are kept, for the check that nothing else overlaps it.
  std::array<detail::memory_use, places> uses(std::int64_t room) const {
    return {num_selected.use(1), wanted.use(1), indices.use(room), detail::use_of(indirect.draw, 1, true),
            detail::use_of(indirect.dispatch, 3, true)};
  }
  /// Whether a call can write them.
  bool are_right() const {
    return num_selected.wanted() && num_selected.is_right() && wanted.is_right() && indices.is_right() &&
           capacity >= 0 && indirect.group_size > 0;
  }
  /// Whether there is a capacity.
  bool is_limited() const { return capacity != (std::numeric_limits<std::int64_t>::max)(); }
  /// Only the count is requested, in 8 bytes.
  bool is_count_alone() const {
    return num_selected.integer_bytes == 8 && !wanted.wanted() && !indices.wanted() && !indirect.wanted() &&
           !is_limited();
  }

  /// One thread calls, when `kept` elements have passed the vote. Other blocks may be reading n where the count goes.
  template <class Ctx>
  UPSWEEP_DEVICE void put(Ctx& block, std::int64_t kept) const {
    if (num_selected.integer_bytes == 4) {
      block.store_relaxed(static_cast<std::uint32_t*>(num_selected.data), static_cast<std::uint32_t>(clamped(kept)));
    } else {
      block.store_relaxed(static_cast<std::int64_t*>(num_selected.data), clamped(kept));
    }
    if (wanted.wanted()) wanted.put(0, kept);
    if (indirect.wanted()) indirect.put(clamped(kept));
  }
  /// The smaller one of `kept` and the capacity.
  UPSWEEP_HOST_DEVICE std::int64_t clamped(std::int64_t kept) const { return kept < capacity ? kept : capacity; }
};

/// The results of unique: those of a selection, and facts about the runs. A pointer to the count alone converts to it.
struct unique_results : select_results {
  integer_array counts;   ///< the lengths of the kept runs, in order
  integer_array inverse;  ///< the run of each of the n items, also beyond the capacity

  /// From a pointer to the count alone.
  using select_results::select_results;
};

/// The results of an expansion besides its outputs, all in device memory. A pointer to the total alone converts to it.
/// In 4 bytes, totals wrap around at 2^32.
struct expand_results {
  integer_array total;   ///< how many outputs were written: at most `capacity`
  integer_array wanted;  ///< how many would have been written without a capacity, at most 2^63 - 1
  /// Where the outputs of each item begin without a capacity, and after the n items `wanted`: n + 1 integers, or null.
  std::int64_t* offsets = nullptr;
  /// Outputs beyond it are dropped, and need no room.
  std::int64_t capacity = (std::numeric_limits<std::int64_t>::max)();
  indirect_arguments indirect;  ///< of the outputs that were written

  expand_results() = default;
  /// The total alone.
  template <class Int>
  expand_results(Int* count) : total(count) {}

  /// All but the offsets.
  select_results counts() const {
    select_results r;
    r.num_selected = total;
    r.wanted = wanted;
    r.capacity = capacity;
    r.indirect = indirect;
    return r;
  }
};

/// The results of a grouping besides the offsets, in device memory, as integers of 4 or 8 bytes; null if not needed. A
/// pointer to the permutation alone converts to it.
struct group_places {
  /// The indices of the items, group after group, in each in order. Unused places hold -1.
  integer_array permutation;
  integer_array inverse;  ///< the place of each item in the permutation; -1 if it has no group
  /// The number of places of each group is a multiple of it: up to multiple - 1 places after its items are unused.
  std::int64_t multiple = 1;

  group_places() = default;
  /// The permutation alone.
  template <class Int>
  group_places(Int* indices) : permutation(indices) {}

  /// How many places the permutation needs for n items in that many groups: an upper bound.
  std::int64_t room(std::int64_t n, int groups) const {
    return n <= 0 ? 0 : n + (std::min<std::int64_t>)(n, groups) * (multiple - 1);
  }
};

/// Where elements go that are not kept, for arrays without a `rejected`.
enum class rejected_order {
  apart,      ///< nowhere
  after,      ///< after the kept ones, in input order
  backwards,  ///< the first of them to the end of the n elements of the output, the next before it (as CUB)
};

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// items_of, where the count may be overwritten while the kernel runs: when all tiles have been taken, by one that is
/// no larger.
template <class Ctx>
UPSWEEP_DEVICE std::int64_t items_of(Ctx&, std::int64_t n) {
  return n;
}
template <class Ctx, class Int>
UPSWEEP_DEVICE std::int64_t items_of(Ctx& block, const device_count<Int>& n) {
  const Int count = block.load_relaxed(n.count);
  return items_of(device_count<Int>{&count, n.bound});
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
