// Arrays of elements of any size, as compaction moves them: as words of 1, 2, 4, 8 or 16 bytes, the widest that element
// size and addresses allow. Neighbouring threads move neighbouring words.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The widest element that is moved: 1 MiB.
inline constexpr std::size_t max_element_bytes = std::size_t{1} << 20;

/// One array as it is moved: elements of `words` words of `word_bytes` bytes, to which all ends are aligned.
struct moved_array {
  const void* in;
  void* out;
  std::uint32_t words;
  std::uint32_t word_bytes;
  void* rejected = nullptr;
  bool rejects_backwards = false;  // from the end of n elements on
};

/// The widest words that fit the element and the start of all ends.
inline moved_array in_words(const void* in, void* out, std::size_t element_bytes, void* rejected = nullptr) {
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out) |
                              reinterpret_cast<std::uintptr_t>(rejected) | element_bytes | 16;
  const std::size_t word = bits & (~bits + 1);
  return {in, out, static_cast<std::uint32_t>(element_bytes / word), static_cast<std::uint32_t>(word), rejected, false};
}

/// Calls f with a word of that many bytes.
template <class F>
UPSWEEP_DEVICE void with_word(std::uint32_t word_bytes, F f) {
  switch (word_bytes) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(vector_of<std::uint64_t, 2>{});
  }
}

/// What one launch moves; passed by value.
struct move_batch {
  static constexpr int capacity = 16;
  int size = 0;
  bool with_rejected = false;
  moved_array array[capacity];

  void add(const moved_array& m) {
    array[size++] = m;
    if (m.rejected != nullptr) with_rejected = true;
  }
};

/// Bytes of an array's parts, as far as a call tells: how many elements are kept is not known, and behind them nothing
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
  return n >= 0 && !is_null(place_of(count)) && results.num_selected.wanted() && results.capacity >= 0 &&
         results.indirect.group_size > 0 && can_be_moved(arrays, extent) && (is_there(required) && ...) &&
         is_apart(arrays, extent, lengths, results.uses(extent.kept), required...);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
