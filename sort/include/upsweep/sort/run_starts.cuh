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
#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Where `runs` runs begin and end: see run_starts.
template <class Index>
struct run_arrays {
  Index* begins;      ///< where each run begins: `runs` places
  Index* ends;        ///< where each run ends: `runs` places
  std::int64_t runs;  ///< how many runs there may be: keys are below it
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

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

/// A thread looks at keys and at the one before each: where their runs differ, one ends and the other begins. It asks
/// for several keys before it looks at the first, and blocks go on until all have been seen: where the number of keys
/// is in device memory, their bound may be many times as large.
struct run_starts_kernel {
  static constexpr int block_threads = 256, items = 4, tile_items = block_threads * items;
  static constexpr int blocks_each = 6;
  struct temp_storage {};

  template <class Ctx, class Key, class Run, class Count, class Index>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* keys, Run run_of, Count count, std::int64_t runs,
                                 Index* begins, Index* ends) const {
    const std::int64_t n = items_of(count), stride = block.num_blocks() * tile_items;
    UPSWEEP_NO_UNROLL
    for (std::int64_t first = block.block_index() * tile_items + block.thread_rank(); first < n; first += stride) {
      std::int64_t here[items], in_front[items];
      UPSWEEP_UNROLL
      for (int k = 0; k < items; ++k) {
        const std::int64_t i = first + k * block_threads, at = i < n ? i : n - 1;
        here[k] = run_of(keys[at]);
        in_front[k] = run_of(keys[at > 0 ? at - 1 : 0]);
      }
      UPSWEEP_UNROLL
      for (int k = 0; k < items; ++k) {
        const std::int64_t i = first + k * block_threads, run = here[k], before = in_front[k];
        if (i >= n) break;
        if (i == 0 || before != run) {
          if (run < runs) begins[run] = static_cast<Index>(i);
          if (i > 0 && before < runs) ends[before] = static_cast<Index>(i);
        }
        if (i == n - 1 && run < runs) ends[run] = static_cast<Index>(n);
      }
    }
  }
};

/// Whether there can be such arrays beside the other arrays of the call, of runs by those bits.
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

template <class Executor, class Key, class Index, class Count, class Digits>
status find_runs(Executor executor, const Key* keys, const run_arrays<Index>& runs, const Count& n,
                 const Digits& digits, bit_range bits) {
  static_assert(std::is_integral_v<Index>, "upsweep: begins and ends are integers");
  using number = run_number<decltype(digits.at(0, 1))>;
  const std::int64_t bound = bound_of(n);
  if (bound < 0 || (bound > 0 && (keys == nullptr || is_null(place_of(n)))) ||
      !can_have_runs(runs, bits, digits, std::array{use_of(keys, bound, false), use_of(place_of(n), 1, false)})) {
    return status::invalid_value;
  }
  if (bits.end == bit_range::full_width) bits.end = digits.bits;
  const int width = bits.end - bits.begin;
  if (runs.runs == 0) return status::success;
  const std::size_t bytes = static_cast<std::size_t>(runs.runs) * sizeof(Index);
  status s = executor.fill(runs.begins, 0, bytes);
  if (s == status::success) s = executor.fill(runs.ends, 0, bytes);
  if (s != status::success || bound == 0) return s;
  const bool has_high = width > number::half;
  const number run_of{digits.at(bits.begin, has_high ? number::half : width),
                      digits.at(bits.begin + (has_high ? number::half : 0), has_high ? width - number::half : 1),
                      has_high};
  const run_starts_kernel kernel;
  const std::int64_t at_once = executor.multiprocessors() * kernel.blocks_each;
  return executor.launch((std::min)(ceil_div(bound, std::int64_t{kernel.tile_items}), at_once), kernel, keys, run_of, n,
                         runs.runs, runs.begins, runs.ends);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Where the runs of sorted keys begin and end. The keys are sorted by the bits of the range, in either direction. For
/// each r below runs.runs, the keys whose bits are r lie from index runs.begins[r] to before runs.ends[r]; both are 0
/// if there are none. Keys whose bits are runs.runs or more are ignored. There is an entry for every number that the
/// bits can form, not one for each run: this is for cells, tiles and groups that are numbered from 0 on, not for
/// hashes.
///   keys    n sorted keys of device memory
///   runs    begins and ends, runs.runs integers of device memory each, that hold n
///   n       how many keys: a signed integer, or a device_count in device memory with a bound
///   digits  key_digits<Key>{}, the bits of a number's code (key_codec.hpp), for an unsigned integer its own bits; or
///           the digits of a structure (decomposer.hpp)
///   bits    the bits by which the keys are sorted, at most 48; all of them by default
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, for an empty range or one of more than 48 bits, n < 0, runs < 0,
/// a null pointer with n > 0 or runs > 0, or arrays that overlap; otherwise the first error of a launch. Cost: O(n +
/// runs): the keys are read once; no workspace.
template <class Key, class Index, class Count, class Digits = detail::key_digits<Key>, class Stream = default_stream>
[[nodiscard]] error_of<Stream> run_starts(const Key* keys, run_arrays<Index> runs, Count n, Digits digits = {},
                                          bit_range bits = {}, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_count<Count>()) {
    return static_cast<error_of<Stream>>(
        detail::find_runs(executor_of(stream_of<Stream>(stream)), keys, runs, detail::count_argument(n), digits, bits));
  } else {
    return {};
  }
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
