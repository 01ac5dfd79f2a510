// A sort over ranks of keys with several arrays of values. Each rank puts its keys in the order of the ranks that they
// go to, with their numbers, sends them, and sorts what comes with the places where it lies. Then each array goes the
// same way: its rows are fetched by those numbers, sent by the same counts, and fetched by the sorted places. So a row
// crosses to its rank once, and nothing but keys and rows crosses.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/exchange_across.cuh"
#include "upsweep/sort/device/exchange_across_plan.cuh"
#include "upsweep/sort/device/gather_packed.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/device/rank_exchange.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a rank has for such a sort in its workspace, for rows of `widest` bytes or fewer.
template <class Local, class Key, class Place>
struct values_across_plan {
  using exchange = exchange_across_plan<Local, std::int64_t{1} << 62, Key, Place>;

  exchange sent;                         // places are its values: those that come are where the sort puts its own
  workspace_layout sorting;              // of the rest
  workspace_layout::slot<Place> places;  // of one rank alone
  workspace_layout fetching;             // of what the sort has used, after `sorting`
  workspace_layout::slot<std::byte> rows_sent, rows_came;
  std::size_t bytes;

  static values_across_plan of(int ranks, std::int64_t n, std::int64_t n_out, std::size_t widest) {
    constexpr std::size_t most = ~std::size_t{0} / 4;  // more than there is, and the sum is a number
    const auto bytes_of_rows = [&](std::int64_t rows) {
      return ranks > 1 ? (std::min)(bytes_of(rows, widest), most) : 0;
    };
    values_across_plan p{};
    p.sent = exchange::of(ranks, false, n, n_out);
    p.places = p.sorting.template add<Place>(ranks > 1 ? 0 : n_out);
    p.rows_sent = p.fetching.template add<std::byte>(bytes_of_rows(n));
    p.rows_came = p.fetching.template add<std::byte>(bytes_of_rows(n_out));
    const std::size_t sorts = sort_places_workspace<Key, Place>(Local{}, n_out, false);
    p.bytes = p.sent.layout.bytes() + p.sorting.bytes() + (std::max)(sorts, p.fetching.bytes());
    return p;
  }
};

/// The widest of the rows.
inline std::size_t widest_of(std::span<const row_array> arrays) {
  std::size_t widest = 0;
  for (const row_array& a : arrays) widest = (std::max)(widest, a.bytes);
  return widest;
}

/// Bytes of workspace, whichever places so many items have.
template <class Local, class Key>
std::size_t values_across_bytes(int ranks, std::int64_t n, std::int64_t n_out, std::size_t widest) {
  n = size_of_rank(n);
  n_out = size_of_rank(n_out);
  return with_place((std::max)(n, n_out), [&]<class Place>(Place) {
    return values_across_plan<Local, Key, Place>::of(ranks, n, n_out, widest).bytes;
  });
}

/// One rank's call.
template <class Local, class Communicator, class Key, class Place, class Digits>
struct sort_with_values_of_rank {
  using Plan = values_across_plan<Local, Key, Place>;

  const sort_across_call<Communicator, Key, Place, Digits>& call;  ///< without values
  std::span<const row_array> arrays;

  Plan p = Plan::of(call.comm.ranks(), call.n, call.n_out, widest_of(arrays));
  decltype(executor_of(call.stream)) ex = executor_of(call.stream);
  workspace rest = p.sent.layout.rest(call.w);
  bool is_alone = call.comm.ranks() == 1;
  const Key* keys = is_alone ? call.keys_in : p.sent.layout.at(call.w, p.sent.keys_came);
  Place* places = is_alone ? p.sorting.at(rest, p.places) : p.sent.layout.at(call.w, p.sent.values_came);

  /// `parts` and `sizes` are of all ranks, which have items.
  status run(const rank_table<std::int64_t>& parts, const rank_table<std::int64_t>& sizes) {
    const std::vector<sort_of_rank> nobody;
    const bucket_numbers buckets{call.comm.ranks() - 1, Plan::exchange::code_bits, 0};
    exchange_of_rank<typename Plan::exchange, Local, Communicator, Key, Place, Digits> exchange{
        call, p.sent, nobody, parts, sizes, false, buckets};
    status s = status::success;
    if (!is_alone) {
      s = exchange.cut();
      if (s == status::success) s = exchange.part_by_ranks(own_numbers<Place>{});
      if (s == status::success) s = exchange.send_keys();
    }
    if (s == status::success && call.n_out > 0) s = call.comm.checked(sort_keys());
    for (const row_array& a : arrays) {
      const void* rows = a.in;
      if (s == status::success && !is_alone) {
        s = send_rows(exchange, a);
        rows = at(p.rows_came);
      }
      if (s == status::success) s = fetch(rows, a.out, a.bytes, places, call.n_out);
    }
    return s;
  }

 private:
  status sort_keys() {
    return sort_places(Local{}, ex, p.sorting.rest(rest),
                       make_sort_request(call.digits, bit_range{}, call.n_out, keys, call.keys_out,
                                         static_cast<const Place*>(nullptr), places));
  }
  template <class Exchange>
  status send_rows(Exchange& exchange, const row_array& a) {
    const Place* const numbers = p.sent.layout.at(call.w, p.sent.values_sent);
    const status s = fetch(a.in, at(p.rows_sent), a.bytes, numbers, call.n);
    return s == status::success ? exchange.send(at(p.rows_sent), at(p.rows_came), a.bytes) : s;
  }
  status fetch(const void* in, void* out, std::size_t bytes, const Place* from, std::int64_t count) {
    return count == 0 ? status::success : call.comm.checked(gather_rows(ex, in, out, bytes, from, count));
  }
  std::byte* at(workspace_layout::slot<std::byte> slot) const { return p.fetching.at(p.sorting.rest(rest), slot); }
};

/// What ranks tell each other first.
struct items_of_values {
  std::int64_t n, n_out;
};

/// Checks this rank's arguments, and tells all ranks.
template <class Local, class Communicator, class Key, class Digits>
status sort_values_across(workspace w, Communicator& comm, const Key* keys_in, Key* keys_out,
                          std::span<const row_array> arrays, std::int64_t n, std::int64_t n_out, const Digits& digits,
                          typename Communicator::stream_type stream) {
  bool fits = is_size_of_rank(n) && is_size_of_rank(n_out);
  if (fits) {
    const std::size_t bytes = values_across_bytes<Local, Key>(comm.ranks(), n, n_out, widest_of(arrays));
    std::vector<memory_use> uses{use_of(keys_in, n, false), use_of(keys_out, n_out, true)};
    for (const row_array& a : arrays) {
      uses.push_back({a.in, bytes_of(n, a.bytes), false});
      uses.push_back({a.out, bytes_of(n_out, a.bytes), true});
    }
    fits = (bytes == 0 || (w.data != nullptr && w.bytes >= bytes)) &&
           std::none_of(uses.begin(), uses.end(), [](const memory_use& use) { return use.is_missing(); }) &&
           written_apart(uses);
  }
  std::vector<items_of_values> all;
  status s = agree(comm, stream, fits ? status::success : status::invalid_value, items_of_values{n, n_out}, all);
  if (s != status::success) return s;
  rank_table<std::int64_t> parts{}, sizes{};
  std::int64_t total = 0;
  for (int r = 0; r < comm.ranks(); ++r) {
    sizes[r] = all[static_cast<std::size_t>(r)].n;
    parts[r + 1] = parts[r] + all[static_cast<std::size_t>(r)].n_out;
    total += sizes[r];
  }
  if (parts[comm.ranks()] != total) return status::invalid_value;
  if (total == 0) return status::success;
  return with_place((std::max)(n, n_out), [&]<class Place>(Place) {
    const sort_across_call<Communicator, Key, Place, Digits> call{w,       comm, keys_in, keys_out, nullptr,
                                                                  nullptr, n,    n_out,   digits,   stream};
    return sort_with_values_of_rank<Local, Communicator, Key, Place, Digits>{call, arrays}.run(parts, sizes);
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
