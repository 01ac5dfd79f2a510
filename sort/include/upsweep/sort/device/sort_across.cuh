// A sort over ranks: what a rank does, from the counts to the sorted part.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/exchange_across.cuh"
#include "upsweep/sort/device/exchange_across_plan.cuh"
#include "upsweep/sort/device/merge_across.cuh"
#include "upsweep/sort/device/ranges_across.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Local: the method of a rank's own sort. From BucketsFrom keys a rank on, the exchange sorts by the highest 8 bits,
/// too, and the ranks sort inside of these buckets: one pass less, of slower ones, as measured so far. Not for codes of
/// 8 bits.
/// Two ranks that reach each other's memory sort ranges of codes (ranges_across.cuh), where each gets RangesFrom items
/// or more, by a sample of up to SampleItems of each. Else, or where the sample does not fit, they sort first, and then
/// merge (merge_across.cuh), by pieces of PieceItems or more; not where that is 0, or one has many more keys than
/// either gets.
template <class Local = default_sort_policy, std::int64_t BucketsFrom = std::int64_t{1} << 62,
          std::int64_t PieceItems = std::int64_t{1} << 22, std::int64_t RangesFrom = std::int64_t{3} << 26,
          std::int64_t SampleItems = std::int64_t{1} << 17>
struct sort_across_policy {
  using local = Local;

  template <class Key, class Value, class Communicator>
  static std::size_t workspace_bytes(const Communicator& comm, std::int64_t n, std::int64_t n_out) {
    n = size_of_rank(n);
    n_out = size_of_rank(n_out);
    std::size_t bytes = plan<Key, Value>::of(comm.ranks(), reaches_all(comm), n, n_out).bytes;
    if (may_merge(comm)) {
      bytes = (std::max)(bytes, merge_plan<Key, Value>::of(n, n_out).bytes);
      if (n_out >= RangesFrom && ranges_plan<Key, Value>::fits) {
        bytes = (std::max)(bytes, ranges_plan<Key, Value>::of(n, n_out).bytes);
      }
    }
    return comm.must_share() ? in_large_pages(bytes) : bytes;
  }

  template <class Communicator, class Key, class Value, class Digits>
  static status run(workspace w, Communicator& comm, const Key* keys_in, Key* keys_out, const Value* values_in,
                    Value* values_out, std::int64_t n, std::int64_t n_out, const Digits& digits,
                    typename Communicator::stream_type stream) {
    const sort_across_call<Communicator, Key, Value, Digits> call{w,          comm, keys_in, keys_out, values_in,
                                                                  values_out, n,    n_out,   digits,   stream};
    return sort_of_call<Communicator, Key, Value, Digits>{call}.run();
  }

 private:
  template <class Key, class Value>
  using plan = exchange_across_plan<Local, BucketsFrom, Key, Value>;
  template <class Key, class Value>
  using merge_plan = merge_across_plan<Local, Key, Value>;
  template <class Key, class Value>
  using ranges_plan = ranges_across_plan<Local, SampleItems, Key, Value>;

  template <class Communicator>
  static bool may_merge(const Communicator& comm) {
    return PieceItems > 0 && comm.ranks() == 2 && comm.reaches_peers();
  }

  /// Where the ranks must share their workspaces for that, only all of them know whether they have: until then each
  /// has room to send.
  template <class Communicator>
  static bool reaches_all(const Communicator& comm) {
    return comm.reaches_peers() && !comm.must_share();
  }

  /// One rank's call.
  template <class Communicator, class Key, class Value, class Digits>
  struct sort_of_call {
    using P = plan<Key, Value>;
    using ranges = ranges_plan<Key, Value>;

    const sort_across_call<Communicator, Key, Value, Digits>& call;

    decltype(executor_of(call.stream)) ex = executor_of(call.stream);
    P p = P::of(call.comm.ranks(), reaches_all(call.comm), size_of_rank(call.n), size_of_rank(call.n_out));
    merge_plan<Key, Value> merging = merge_plan<Key, Value>::of(size_of_rank(call.n), size_of_rank(call.n_out));
    ranges by_ranges = ranges::of(size_of_rank(call.n), size_of_rank(call.n_out));
    std::size_t bytes = workspace_bytes<Key, Value>(call.comm, call.n, call.n_out);
    std::vector<sort_of_rank> of_rank{};
    rank_table<std::int64_t> parts{}, sizes{};
    bool by_peers = true, merges = false, has_ranges = false;
    bucket_numbers buckets{};

    status run() {
      status s = agree(call.comm, call.stream, has_right_arguments() ? status::success : status::invalid_value, mine(),
                       of_rank);
      if (s == status::success) s = add_up();
      if (s != status::success || parts[call.comm.ranks()] == 0) return s;
      if (call.comm.ranks() == 1)
        return call.comm.checked(
            sort_into(call.w, call.n, call.keys_in, call.values_in, call.keys_out, call.values_out));
      if (by_peers) find_peers();
      if constexpr (ranges::fits) {
        bool has_sorted = false;
        if (has_ranges) s = sort_ranges(has_sorted);
        if (s != status::success || has_sorted) return s;
      }
      if (merges) return merge_runs();
      return exchange_of_rank<P, Local, Communicator, Key, Value, Digits>{call,  p,        of_rank, parts,
                                                                          sizes, by_peers, buckets}
          .run();
    }

    bool has_right_arguments() const {
      if (!is_size_of_rank(call.n) || !is_size_of_rank(call.n_out)) return false;
      if (bytes > 0 && (call.w.data == nullptr || call.w.bytes < bytes)) return false;
      if (call.n > 0 && (call.keys_in == nullptr || (P::has_values && call.values_in == nullptr))) return false;
      if (call.n_out > 0 && (call.keys_out == nullptr || (P::has_values && call.values_out == nullptr))) return false;
      return written_apart(std::array{use_of(call.keys_in, call.n, false), use_of(call.keys_out, call.n_out, true),
                                      use_of(call.values_in, P::has_values ? call.n : 0, false),
                                      use_of(call.values_out, P::has_values ? call.n_out : 0, true)});
    }

    sort_of_rank mine() const {
      sort_of_rank m{};
      m.n = call.n;
      m.n_out = call.n_out;
      m.is_reached = call.comm.is_shared({call.w.data, bytes});
      if (call.w.data != nullptr && call.comm.ranks() > 1) {
        m.keys = p.layout.at(call.w, p.keys_came);
        m.values = p.layout.at(call.w, p.values_came);
        m.run_keys = merging.layout.at(call.w, merging.keys);
        m.run_values = merging.layout.at(call.w, merging.values);
        m.split_keys = by_ranges.layout.at(call.w, by_ranges.keys);
        m.split_values = by_ranges.layout.at(call.w, by_ranges.values);
      }
      m.for_each_address([&](auto*& p) { p = call.comm.address_for_peers(p); });
      return m;
    }
    /// The other ranks' memory, as this one reaches it.
    void find_peers() {
      for (int r = 0; r < call.comm.ranks(); ++r) {
        of_rank[static_cast<std::size_t>(r)].for_each_address([&](auto*& p) { p = call.comm.at_peer(r, p); });
      }
    }

    /// The sizes of all ranks. Each takes the same way.
    status add_up() {
      std::int64_t total = 0, most = 0, most_out = 0, least_out = most_items_of_rank;
      bool in_buckets = P::code_bits > P::digit_bits;
      for (int r = 0; r < call.comm.ranks(); ++r) {
        const sort_of_rank& of = of_rank[static_cast<std::size_t>(r)];
        parts[r + 1] = parts[r] + of.n_out;
        sizes[r] = of.n;
        total += of.n;
        most = (std::max)(most, of.n);
        most_out = (std::max)(most_out, of.n_out);
        least_out = (std::min)(least_out, of.n_out);
        by_peers = by_peers && of.is_reached;
        in_buckets = in_buckets && of.n_out >= BucketsFrom && of.n_out <= P::most_in_segments;
      }
      merges = may_merge(call.comm) && by_peers && most <= most_out + most_out / 4;
      has_ranges = merges && least_out >= (std::max)(RangesFrom, total / 4);
      buckets = {call.comm.ranks() - 1, P::code_bits, in_buckets && by_peers ? P::digit_bits : 0};
      return parts[call.comm.ranks()] == total ? status::success : status::invalid_value;
    }

    status sort_ranges(bool& has_sorted) {
      const sort_of_rank& other = of_rank[static_cast<std::size_t>(1 - call.comm.rank())];
      ranges_of_rank<ranges, Local, Communicator, Key, Value, Digits> sorting{
          call,
          by_ranges,
          {{of_rank[0].n, of_rank[0].n_out}, {of_rank[1].n, of_rank[1].n_out}},
          {static_cast<const Key*>(other.split_keys), static_cast<const Value*>(other.split_values)}};
      const status s = sorting.run();
      has_sorted = sorting.has_sorted;
      return s == status::success && has_sorted ? all_are_here() : s;
    }

    /// Nobody reads the other's run before it is sorted, and nobody sorts again before the other has read it.
    status merge_runs() {
      const workspace rest = merging.layout.rest(call.w);
      Key* const keys = merging.layout.at(call.w, merging.keys);
      Value* const values = merging.layout.at(call.w, merging.values);
      status s = status::success;
      if (call.n > 0) s = call.comm.checked(sort_into(rest, call.n, call.keys_in, call.values_in, keys, values));
      if (s == status::success) s = all_are_here();
      if (s == status::success && call.n_out > 0) {
        const auto run_of = [&](std::size_t r) {
          return sorted_run<Key, Value>{static_cast<const Key*>(of_rank[r].run_keys),
                                        static_cast<const Value*>(of_rank[r].run_values), of_rank[r].n};
        };
        const auto pieces = merged_pieces::of(parts[call.comm.rank()], parts[call.comm.rank() + 1],
                                              (std::max<std::int64_t>)(PieceItems, 1));
        s =
            merge_of_rank<merge_plan<Key, Value>, Communicator, Key, Value, Digits>{
                call.comm,       merging,     call.w,     {run_of(0), run_of(1)}, pieces, call.keys_out,
                call.values_out, call.digits, call.stream}
                .run();
      }
      return s == status::success ? all_are_here() : s;
    }
    status all_are_here() {
      std::uint64_t* const met = merging.layout.at(call.w, merging.met);
      return call.comm.checked(call.comm.all_gather(met, met + 1, sizeof *met, call.stream));
    }

    status sort_into(workspace rest, std::int64_t count, const Key* keys, const Value* values, Key* keys_to,
                     Value* values_to) {
      return sort_by(Local{}, ex, rest,
                     make_sort_request(call.digits, bit_range{}, count, keys, keys_to, values, values_to));
    }
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
