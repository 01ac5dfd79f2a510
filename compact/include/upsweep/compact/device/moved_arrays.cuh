// What compaction moves: arrays of elements of any size, as words, or the items of iterators; by routes, as those of
// move_words.cuh.
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
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// One array as it is moved: in words to which all ends are aligned.
struct moved_array : element_array {
  void* rejected = nullptr;
  bool rejects_backwards = false;  // from the end of n elements on
};
inline moved_array in_words(const void* in, void* out, std::size_t element_bytes, void* rejected = nullptr) {
  const std::uint32_t word = widest_word(element_bytes, in, out, rejected);
  return {{in, out, static_cast<std::uint32_t>(element_bytes / word), word}, rejected};
}

/// What one launch moves; passed by value.
template <class Array>
struct array_batch {
  static constexpr int capacity = 16;
  int size = 0;
  Array array[capacity];
};
using move_batch = array_batch<moved_array>;

/// Brings all arrays to launch(batch, is_last), which returns a status, as many at once as there is room for: adds, of
/// each, what batch_of(array) makes of it, unless that is nothing. The last batch may be empty.
template <class Array, class BatchOf, class Launch>
status in_batches(std::span<const soa_array> arrays, BatchOf batch_of, Launch launch) {
  array_batch<Array> batch;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (const std::optional<Array> one = batch_of(arrays[a])) batch.array[batch.size++] = *one;
    if (batch.size < batch.capacity || a + 1 == arrays.size()) continue;
    const status s = launch(batch, false);
    if (s != status::success) return s;
    batch.size = 0;
  }
  return launch(batch, true);
}

/// What is moved: arrays of bytes.
struct moved_bytes {
  move_batch batch;
  bool with_rejected = false;

  explicit moved_bytes(const move_batch& b) : batch(b) {
    for (int a = 0; a < b.size; ++a) with_rejected = with_rejected || b.array[a].rejected != nullptr;
  }
  UPSWEEP_DEVICE bool wants_rejected() const { return with_rejected; }
  template <class Ctx, class Route>
  UPSWEEP_DEVICE void move(Ctx& block, const Route& route) const {
    for (int a = 0; a < batch.size;) {
      if (are_numbers(a)) {
        const auto rank = static_cast<std::uint32_t>(block.thread_rank());
        move_words<Ctx::threads, at_once, together>(rank, one_word{}, route, [&](int k) {
          const moved_array& m = batch.array[a + k];
          return word_array<std::uint32_t>{static_cast<const std::uint32_t*>(m.in), static_cast<std::uint32_t*>(m.out)};
        });
        a += together;
      } else {
        move_elements<at_once, 1>(block, route, batch.array[a]);
        ++a;
      }
    }
  }
  /// `route` leads forwards.
  template <class Ctx, class Route>
  UPSWEEP_DEVICE void move_rejected(Ctx& block, const Route& route, std::int64_t n) const {
    for (int a = 0; a < batch.size; ++a) {
      const moved_array& m = batch.array[a];
      if (m.rejected == nullptr) continue;
      const element_array others{m.in, m.rejected, m.words, m.word_bytes};
      move_elements<at_once, 1>(block, m.rejects_backwards ? route.backwards(n) : route, others);
    }
  }

 private:
  /// Words that a thread loads before it stores the first, of each array.
  static constexpr int at_once = 4;
  /// Arrays of numbers of 4 bytes that are moved together, so that fewer loads wait for one another.
  static constexpr int together = 4;

  UPSWEEP_DEVICE bool are_numbers(int first) const {
    if (first + together > batch.size) return false;
    bool all = true;
    UPSWEEP_UNROLL
    for (int a = 0; a < together; ++a) {
      all = all && batch.array[first + a].words == 1 && batch.array[first + a].word_bytes == 4;
    }
    return all;
  }
};

/// What is moved: the items of an iterator, to another and, unless Rejected is no_items, to a third.
struct no_items {};
template <class In, class Out, class Rejected = no_items>
struct moved_items {
  In in;
  Out out;
  Rejected rejected;
  bool rejects_backwards;

  /// Of n elements, of which there is room for `room` kept ones at least. What is rejected to the back of `out` lies in
  /// it.
  std::array<memory_use, 3> uses(std::int64_t n, std::int64_t room) const {
    if constexpr (std::is_same_v<Out, Rejected> && std::is_pointer_v<Out>) {
      if (rejects_backwards && rejected == out) return {use_of(in, n, false), use_of(out, n, true), {}};
    }
    return {use_of(in, n, false), use_of(out, room, true), use_of(rejected, (std::min<std::int64_t>)(n, 1), true)};
  }
  UPSWEEP_DEVICE static constexpr bool wants_rejected() { return !std::is_same_v<Rejected, no_items>; }
  template <class Ctx, class Route>
  UPSWEEP_DEVICE void move(Ctx& block, const Route& route) const {
    move_items(block, route, out);
  }
  template <class Ctx, class Route>
  UPSWEEP_DEVICE void move_rejected(Ctx& block, const Route& route, std::int64_t n) const {
    if constexpr (wants_rejected()) move_items(block, rejects_backwards ? route.backwards(n) : route, rejected);
  }

 private:
  template <class Ctx, class Route, class To>
  UPSWEEP_DEVICE void move_items(Ctx& block, const Route& route, const To& to) const {
    for (int i = block.thread_rank(); i < route.count; i += Ctx::threads) to[route.to(i)] = in[route.from(i)];
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
