// One pass of onesweep over words of a key's code and its place: what an argsort by keys of 4 bytes moves. A word is
// sorted as a key alone is: it tells its order itself, and leaves in one piece.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/device/onesweep_pass.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What the passes read and write, n of each. By how many passes are left, one writes words (3, 1), the upper halves of
/// the codes and the places (2), or the places alone (0); each reads what the one before wrote, the first one the keys.
/// So there is never more than one array of words, and the caller's places hold those of the others.
template <class Key, class Place>
struct argsort_arrays {
  const Key* keys;
  std::uint64_t* words;
  std::uint16_t* upper_halves;
  Place* places;
};

/// A word: 32 bits of the code, its digits at the top, the last one highest; and 32 of the place. Where only two digits
/// are left, the lower half of the code gives way to where the word is in the tile: as the words come sorted by the
/// digits before, that tells the order of those that have one digit.
template <class Key, class Place, class Digit, int Most, class Tile>
struct argsort_pass_kernel : onesweep_pass_kernel<std::uint64_t, no_value, digit_of<std::uint64_t>, Tile, true> {
  using word = std::uint64_t;
  using word_digit = digit_of<word>;
  using pass_kernel = onesweep_pass_kernel<word, no_value, word_digit, Tile, true>;
  using pass_kernel::block_threads;
  using pass_kernel::tile_items;
  using typename pass_kernel::lookback;
  using typename pass_kernel::temp_storage;
  using digits = pass_digits<Digit, Most>;
  using arrays = argsort_arrays<Key, Place>;
  static_assert(Most <= 4 && pass_kernel::radix == 256 && tile_items <= 1 << 16);

  /// `number`: of the pass, which `planned` is the plan of.
  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, arrays all, Count count, const digits& d, int number,
                                 const sort_pass* planned, sort_portion portion) const {
    const std::int64_t n = portion.share_of(items_of(count)), tiles = ceil_div(n, tile_items);
    if (block.block_index() >= tiles) return;
    const sort_pass pass = *planned;
    const word_digit digit{0, 56 - 8 * pass.left, 0xff};
    if (block.thread_rank() == 0) std::memcpy(static_cast<void*>(&s.digit_again), &digit, sizeof digit);
    const std::int64_t tile = ordered_tile_id{portion.ticket}.take(block, s.ticket);
    const std::int64_t in_tile = n - tile * tile_items, begin = portion.begin + tile * tile_items;
    const int valid = in_tile < tile_items ? static_cast<int>(in_tile) : tile_items;
    if (pass.action == pass_action::skip) return;
    if (pass.action == pass_action::copy) {
      UPSWEEP_NO_UNROLL
      for (int i = block.thread_rank(); i < valid; i += block_threads) {
        all.places[begin + i] = static_cast<Place>(begin + i);
      }
      return;
    }
    pass_kernel::sort_tile(block, s, words_from{all, d, begin, number, pass}, words_to{all, pass.left}, nullptr,
                           nullptr, digit, portion, tile, tile == tiles - 1, valid,
                           lookback(portion.words, tiles, pass.turn));
  }

  template <class Executor, class Count>
  static bool runs_on(const Executor& ex, const Count& n) {
    return ex.template can_run<argsort_pass_kernel, arrays, decltype(count_argument(n)), digits, int, const sort_pass*,
                               sort_portion>();
  }

 private:
  /// The words of the tile that begins at `begin`.
  struct words_from {
    const arrays& all;
    const digits& d;
    std::int64_t begin;
    int number;
    const sort_pass& pass;

    template <class Use>
    UPSWEEP_DEVICE auto read(Use use) const {
      if (pass.from == sort_array::in) {
        // The first pass that sorts: digits above the last one that does are the same in all keys, and go.
        return use([keys = all.keys + begin, &d = d, first = static_cast<std::uint32_t>(begin),
                    lost = 8 * (3 - pass.left - number)](int at) {
          return word{code_of(d, keys[at]) << lost} << 32 | (first + static_cast<std::uint32_t>(at));
        });
      }
      const Place* const places = all.places + begin;
      if (pass.left == 1) {
        return use([halves = all.upper_halves + begin, places](int at) {
          return word{halves[at]} << 48 | static_cast<word>(at) << 32 | static_cast<std::uint32_t>(places[at]);
        });
      }
      // With one digit left, the lower half of the code is where the word was in a tile of the pass before.
      const word where = pass.left == 0 ? word{0xffff} << 32 : 0;
      return use([words = all.words + begin, where](int at) {
        return (words[at] & ~where) | (static_cast<word>(at) << 32 & where);
      });
    }
  };

  /// The code's bits that are compared, from its lowest bit on.
  static UPSWEEP_DEVICE std::uint32_t code_of(const digits& d, const Key& key) {
    if constexpr (requires { d.digit[0].code_of(key); }) {
      const auto code = static_cast<std::uint32_t>(d.digit[0].code_of(key));
      return code >> d.bits.begin & ~std::uint32_t{0} >> (32 - (d.bits.end - d.bits.begin));
    } else {
      std::uint32_t code = 0;
      UPSWEEP_UNROLL
      for (int p = 0; p < Most; ++p) {
        if (p < d.count) code |= d.digit[p](key) << 8 * p;
      }
      return code;
    }
  }

  /// What takes the words of a pass with `left` ones after it.
  struct words_to {
    const arrays& all;
    int left;

    template <class To>
    UPSWEEP_DEVICE void store(To to, word w) const {
      if (left == 1 || left == 3) {
        all.words[to] = w;
      } else {
        all.places[to] = static_cast<Place>(w);
        if (left == 2) all.upper_halves[to] = static_cast<std::uint16_t>(w >> 48);
      }
    }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
