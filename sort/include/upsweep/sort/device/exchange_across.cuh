// A sort over ranks that begins with an exchange: what a rank does, from the counts to the sorted part.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/exchange_across_plan.cuh"
#include "upsweep/sort/device/global_cuts.cuh"
#include "upsweep/sort/device/rank_exchange.cuh"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/segmented_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What ranks tell each other before a sort: how many items they have and take, where the others store those, and where
/// they find what it has sorted, or split.
struct sort_of_rank {
  std::int64_t n, n_out;
  void *keys, *values;
  const void *run_keys, *run_values, *split_keys, *split_values;
  bool is_reached;

  template <class Body>
  void for_each_address(Body body) {
    body(keys), body(values), body(run_keys), body(run_values), body(split_keys), body(split_values);
  }
};

/// The arguments of one rank's call of a sort over ranks.
template <class Communicator, class Key, class Value, class Digits>
struct sort_across_call {
  workspace w;
  Communicator& comm;
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  std::int64_t n, n_out;
  const Digits& digits;
  typename Communicator::stream_type stream;
};

/// One rank's sort by an exchange: the plan is an exchange_across_plan, `parts` and `sizes` are of all ranks.
template <class P, class Local, class Communicator, class Key, class Value, class Digits>
struct exchange_of_rank {
  using Code = typename P::Code;
  static constexpr int digit_bits = P::digit_bits;
  using Digit = decltype(std::declval<const Digits&>().at(0, 1));

  const sort_across_call<Communicator, Key, Value, Digits>& call;
  const P& p;
  const std::vector<sort_of_rank>& of_rank;
  const rank_table<std::int64_t>&parts, &sizes;
  bool by_peers;
  bucket_numbers buckets;

  decltype(executor_of(call.stream)) ex = executor_of(call.stream);
  const global_cut<Code>* cuts = nullptr;
  std::vector<rank_table<std::int64_t>> sent_of_all{};  // how many keys each rank sends to each

  status run() {
    status s = cut();
    if (s == status::success) s = by_peers ? store_at_peers() : send_to_peers();
    if (s != status::success || call.n_out == 0) return s;
    const Key* const keys = p.layout.at(call.w, p.keys_came);
    const Value* const values = P::has_values ? p.layout.at(call.w, p.values_came) : nullptr;
    if (buckets.digit_bits > 0) return call.comm.checked(sort_buckets(keys, values));
    const auto request =
        make_sort_request(call.digits, bit_range{}, call.n_out, keys, call.keys_out, values, call.values_out);
    return call.comm.checked(sort_by(Local{}, ex, p.layout.rest(call.w), request));
  }

  /// Where the exchange is not by peers' memory, its parts: the cuts; this rank's keys, with `values`, in the order of
  /// the ranks that they go to; and what goes there.
  status cut() {
    const status s = find_cuts();
    return s == status::success ? number_buckets() : s;
  }
  /// The host waits for how many go to each rank.
  template <class Values>
  status part_by_ranks(Values values) {
    rank_arrays<Key, Value> to{{}, {}, {}, 1};
    to.parts[1] = call.n;
    to.keys[0] = p.layout.at(call.w, p.keys_sent);
    to.values[0] = p.layout.at(call.w, p.values_sent);
    status s = exchange(values, to);
    if (s != status::success) return s;
    std::int64_t* const sent = p.layout.at(call.w, p.sent);
    s = call.comm.checked(ex.launch(1, count_sent_kernel{}, buckets.count(), call.comm.rank(), call.comm.ranks(), parts,
                                    static_cast<const std::uint64_t*>(p.layout.at(call.w, p.begins)), sent));
    rank_table<std::int64_t> counts{};
    if (s == status::success) {
      s = copy_to_host(call.comm, ex, counts.at, sent,
                       static_cast<std::size_t>(call.comm.ranks()) * sizeof(std::int64_t), call.stream);
    }
    return s == status::success ? call.comm.checked(call.comm.meet(counts, sent_of_all)) : s;
  }
  status send_keys() { return send(p.layout.at(call.w, p.keys_sent), p.layout.at(call.w, p.keys_came)); }
  template <class T>
  status send(const T* sent, T* came) {
    return send(sent, came, sizeof(T));
  }
  /// Rows of so many bytes, in the order of the keys that were sent.
  status send(const void* sent, void* came, std::size_t row_bytes) {
    rank_table<std::int64_t> send_at{}, come_at{};
    const auto size = static_cast<std::int64_t>(row_bytes);
    for (int r = 0; r < call.comm.ranks(); ++r) {
      send_at[r + 1] = send_at[r] + sent_of_all[static_cast<std::size_t>(call.comm.rank())][r] * size;
      come_at[r + 1] = come_at[r] + sent_of_all[static_cast<std::size_t>(r)][call.comm.rank()] * size;
    }
    return call.comm.checked(call.comm.exchange(sent, send_at.at, came, come_at.at, call.stream));
  }

 private:
  status find_cuts() {
    const int count = call.comm.ranks() - 1;
    std::uint64_t *const first = p.layout.at(call.w, p.first), *const below = p.layout.at(call.w, p.below);
    std::uint64_t* const equal = p.layout.at(call.w, p.equal);
    const cut_list<Code> list{p.layout.at(call.w, p.list), p.layout.at(call.w, p.listed),
                              static_cast<std::uint32_t>(P::list_capacity(call.n))};
    const std::size_t words = buckets.digit_bits > 0
                                  ? P::template words_of<P::most_buckets>(call.n, buckets.count(), p.portions)
                                  : P::template words_of<P::least_buckets>(call.n, buckets.count(), p.portions);
    status s = call.comm.checked(ex.clear(first, p.words.offset - p.first.offset + words * sizeof(std::uint32_t)));
    const count_digits_kernel<Key, Digit, Code> count_digits;
    const std::int64_t tiles =
        ceil_div(call.n, std::int64_t{count_digits.block_threads} * count_digits.items_per_thread);
    const std::int64_t blocks = (std::max<std::int64_t>)(1, (std::min)(tiles, ex.multiprocessors() * 4));
    cut_round round = cut_round::next(P::code_bits, count, -1);
    for (int turn = 0; s == status::success; turn = 1 - turn) {
      std::uint64_t* const counts = round.is_first ? first : p.layout.at(call.w, p.later);
      std::uint64_t* const all =
          round.is_first ? p.layout.at(call.w, p.first_of_all) : p.layout.at(call.w, p.later_of_all);
      const std::size_t bytes = sizeof(std::uint64_t) * static_cast<std::size_t>(round.is_first ? 1 : count)
                                << round.width;
      const global_cut<Code>* const known = p.layout.at(call.w, p.cuts[turn]);
      global_cut<Code>* const next = p.layout.at(call.w, p.cuts[1 - turn]);
      if (!round.is_first) s = call.comm.checked(ex.clear(counts, bytes));
      if (s == status::success) {
        s = call.comm.checked(ex.launch(blocks, count_digits, call.keys_in, call.n, call.digits.at(0, 1), known, count,
                                        round, list, counts));
      }
      if (s == status::success) s = call.comm.checked(call.comm.all_gather(counts, all, bytes, call.stream));
      if (s == status::success) {
        s = call.comm.checked(ex.launch(count, take_digits_kernel<Code>{}, static_cast<const std::uint64_t*>(all),
                                        call.comm.ranks(), count, round, parts, known, next, below, equal));
      }
      cuts = next;
      if (round.is_last) break;
      round = cut_round::next(P::code_bits, count, round.shift);
    }
    return s;
  }

  status number_buckets() {
    std::uint64_t* const begins = p.layout.at(call.w, p.begins);
    const std::uint64_t* const all = p.layout.at(call.w, p.first_of_all);
    const std::uint64_t *const below = p.layout.at(call.w, p.below), *const equal = p.layout.at(call.w, p.equal);
    status s =
        call.comm.checked(ex.launch(call.comm.ranks(), begin_buckets_kernel<Code>{}, buckets, cuts, all,
                                    (std::min)(P::code_bits, cut_round::first_width), below, equal, sizes, begins));
    if (s != status::success) return s;
    return call.comm.checked(ex.launch(1, place_buckets_kernel{}, buckets.count(), call.comm.rank(), call.comm.ranks(),
                                       parts[call.comm.rank()], parts[call.comm.rank() + 1], !by_peers,
                                       static_cast<const std::uint64_t*>(begins), p.layout.at(call.w, p.places),
                                       p.layout.at(call.w, p.segments)));
  }

  /// Every key to its place, by as many launches as its tiles' sums allow.
  template <int MostBuckets, class Values>
  status exchange_with(Values values, const rank_arrays<Key, Value>& to) {
    using kernel = rank_exchange_kernel<Key, Value, Digit, Code, tile_of_buckets<Key, MostBuckets>>;
    std::uint64_t* places = p.layout.at(call.w, p.places);
    std::uint32_t *ticket = p.layout.at(call.w, p.tickets), *words = p.layout.at(call.w, p.words);
    for (std::int64_t begin = 0; begin < call.n; begin += kernel::portion_items) {
      const std::int64_t items = (std::min)(call.n - begin, kernel::portion_items);
      const std::int64_t tiles = ceil_div(items, kernel::tile_items);
      const typename kernel::portion portion{begin, items, ticket++, words, places, places + buckets.count()};
      const status s = call.comm.checked(
          ex.launch(tiles, kernel{}, call.keys_in, values, call.digits.at(0, 1), buckets, cuts, to, portion));
      if (s != status::success) return s;
      places += buckets.count();
      words += tiles * buckets.count();
    }
    return status::success;
  }
  template <class Values>
  status exchange(Values values, const rank_arrays<Key, Value>& to) {
    if constexpr (P::code_bits > digit_bits) {
      if (buckets.digit_bits > 0) return exchange_with<P::most_buckets>(values, to);
    }
    return buckets.count() <= P::least_buckets ? exchange_with<P::least_buckets>(values, to)
                                               : exchange_with<256>(values, to);
  }

  /// All that was enqueued after the gathered counts; nobody reads what came before all have stored it.
  status store_at_peers() {
    rank_arrays<Key, Value> to{parts, {}, {}, call.comm.ranks()};
    for (int r = 0; r < call.comm.ranks(); ++r) {
      to.keys[r] = static_cast<Key*>(of_rank[static_cast<std::size_t>(r)].keys);
      to.values[r] = static_cast<Value*>(of_rank[static_cast<std::size_t>(r)].values);
    }
    const status s = exchange(call.values_in, to);
    if (s != status::success) return s;
    std::int64_t* const sent = p.layout.at(call.w, p.sent);
    std::uint64_t* const all = p.layout.at(call.w, p.later_of_all);
    return call.comm.checked(call.comm.all_gather(sent, all, sizeof(std::uint64_t), call.stream));
  }

  /// In order of their ranks to its own array, from which stretches go to the ranks. What comes lies in the order of
  /// the ranks that sent it.
  status send_to_peers() {
    status s = part_by_ranks(call.values_in);
    if (s == status::success) s = send_keys();
    if constexpr (P::has_values) {
      if (s == status::success) s = send(p.layout.at(call.w, p.values_sent), p.layout.at(call.w, p.values_came));
    }
    return s;
  }

  status sort_buckets(const Key* keys, const Value* values) {
    const std::int64_t *const begins = p.layout.at(call.w, p.segments), *const ends = begins + 1;
    const std::int64_t count = buckets.count();
    using request = segmented_sort_request<Key, Value, Digits, std::int64_t, std::int64_t, const std::int64_t*,
                                           const std::int64_t*>;
    return sort_segments_by<default_segmented_sort_policy>(
        ex, p.layout.rest(call.w),
        request{call.digits, bit_range{0, P::code_bits - digit_bits}, call.n_out, count, begins, ends, keys,
                call.keys_out, values, call.values_out},
        false);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
