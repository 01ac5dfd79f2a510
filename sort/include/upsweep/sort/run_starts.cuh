// Where the runs of equal keys begin and end in a sorted array: the particles of each grid cell, the splats of each
// tile, the rows of each group.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep {

/// The number of a key's run: up to 48 bits of its code.
template <class Digit>
struct run_number {
  static constexpr int half = 24, max_bits = 2 * half;
  Digit low, high;
  bool has_high;

  template <class Key>
  UPSWEEP_HOST_DEVICE std::int64_t operator()(const Key& key) const {
    return (has_high ? static_cast<std::int64_t>(high(key)) << half : 0) + static_cast<std::int64_t>(low(key));
  }
};

/// Each thread looks at one key and the one in front of it: where their runs differ, one ends and the other begins.
struct run_starts_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Key, class Run, class Count, class Index>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* keys, Run run_of, Count count, std::int64_t runs,
                                 Index* begins, Index* ends) const {
    const std::int64_t n = items_of(count), i = block.block_index() * block_threads + block.thread_rank();
    if (i >= n) return;
    const std::int64_t run = run_of(keys[i]);
    const std::int64_t before = i > 0 ? run_of(keys[i - 1]) : run;
    if (i == 0 || before != run) {
      if (run < runs) begins[run] = static_cast<Index>(i);
      if (i > 0 && before < runs) ends[before] = static_cast<Index>(i);
    }
    if (i == n - 1 && run < runs) ends[run] = static_cast<Index>(n);
  }
};

/// Where `runs` runs begin and end: see run_starts.
template <class Index>
struct run_arrays {
  Index* begins;
  Index* ends;
  std::int64_t runs;
};

/// Whether there can be such arrays beside what else the call uses, of runs by those bits.
template <class Index, class Digits, std::size_t Others>
bool can_have_runs(const run_arrays<Index>& to, bit_range bits, const Digits& digits,
                   const std::array<memory_use, Others>& others) {
  if (bits.end == bit_range::full_width) bits.end = digits.bits;
  const int width = bits.end - bits.begin;
  const std::array arrays{use_of(to.begins, to.runs, true), use_of(to.ends, to.runs, true)};
  std::array<memory_use, Others + arrays.size()> all;
  std::ranges::copy(arrays, std::ranges::copy(others, all.begin()).out);
  return to.runs >= 0 && std::ranges::none_of(arrays, &memory_use::is_missing) && bits.begin >= 0 &&
         bits.end <= digits.bits && width > 0 && width <= run_number<decltype(digits.at(0, 1))>::max_bits &&
         written_apart(all);
}

/// Of keys that are sorted by the bits of the range, either way: the keys whose bits are r stand from begins[r] on, in
/// front of ends[r], for r below `runs`; where there are none, both are 0. Keys with larger bits are passed over. So
/// `begins` and `ends` hold `runs` items, one for every number that the bits can be, not one for each run that there
/// is: for cells, tiles and groups that are numbered from 0 on. Keys that are few among the numbers that they can be,
/// hashes say, have no place here. The bits are those of the code (key_codec.hpp): of an unsigned integer, its own;
/// `digits` gives those of a structure (decomposer.hpp). Index is an integer that holds n. n is a number or a
/// device_count. An empty range or one of more than 48 bits, n < 0, runs < 0, or a null pointer with n > 0 or runs > 0:
/// cudaErrorInvalidValue, nothing touched. O(n + runs); one trip of the keys.
template <class Key, class Index, class Count, class Digits = key_digits<Key>, class Stream = default_stream>
[[nodiscard]] error_of<Stream> run_starts(const Key* keys, Count n, Index* begins, Index* ends, std::int64_t runs,
                                          bit_range bits = {}, Digits digits = {}, Stream stream = {}) {
  static_assert(std::is_integral_v<Index>);
  using number = run_number<decltype(digits.at(0, 1))>;
  auto executor = executor_of(stream);
  const auto answer = [](status s) { return static_cast<error_of<Stream>>(s); };
  const auto bound = static_cast<std::int64_t>(bound_of(n));
  if (bound < 0 || (bound > 0 && (keys == nullptr || is_null(place_of(n)))) ||
      !can_have_runs(run_arrays<Index>{begins, ends, runs}, bits, digits,
                     std::array{use_of(keys, bound, false), use_of(place_of(n), 1, false)})) {
    return answer(status::invalid_value);
  }
  if (bits.end == bit_range::full_width) bits.end = digits.bits;
  const int width = bits.end - bits.begin;
  if (runs == 0) return answer(status::success);
  const std::size_t bytes = static_cast<std::size_t>(runs) * sizeof(Index);
  status s = executor.fill(begins, 0, bytes);
  if (s == status::success) s = executor.fill(ends, 0, bytes);
  if (s != status::success || bound == 0) return answer(s);
  const bool has_high = width > number::half;
  const number run_of{digits.at(bits.begin, has_high ? number::half : width),
                      digits.at(bits.begin + (has_high ? number::half : 0), has_high ? width - number::half : 1),
                      has_high};
  const auto launch = [&](const auto& count) {
    return executor.launch(ceil_div(bound, run_starts_kernel::block_threads), run_starts_kernel{}, keys, run_of, count,
                           runs, begins, ends);
  };
  if constexpr (std::is_integral_v<Count>) {
    return answer(launch(bound));
  } else {
    return answer(launch(n));
  }
}

}  // namespace upsweep
