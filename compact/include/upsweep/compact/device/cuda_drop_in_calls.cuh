// What drop_in.cuh makes its calls of: votes by iterators, two phases, counts that go to any iterator.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/device/store_results.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

using namespace upsweep::detail;

// What calls refuse.

/// Whether that many counts can be written to `at`, also where there are no items: where their memory is known, it is
/// there, and does not overlap another array that the call reads or writes.
template <class Num, std::size_t... Numbers>
bool can_put_counts(const Num& at, std::int64_t number, const std::array<memory_use, Numbers>&... others) {
  const memory_use counts = use_of(at, number, true);
  const auto meets = [&](const memory_use& u) { return ranges_meet(counts.data, counts.bytes, u.data, u.bytes); };
  return !counts.is_missing() && (std::ranges::none_of(others, meets) && ...);
}

/// What a call reads from `in`, of n items, and writes to outputs: how many items, the host does not know.
template <class In, class... Out>
std::array<memory_use, 1 + sizeof...(Out)> uses_of_items(std::int64_t n, const In& in, const Out&... out) {
  return {use_of(in, n, false), use_of(out, (std::min<std::int64_t>)(n, 1), true)...};
}

/// Bucket 0 for what the first predicate takes, 1 for what then the second one does, 2 for the rest.
template <class In, class First, class Second>
struct one_of_three {
  In in;
  mutable First first;
  mutable Second second;
  UPSWEEP_HOST_DEVICE int operator()(std::int64_t i) const {
    item_t<In> item = in[i];
    if (static_cast<bool>(first(item))) return 0;
    return static_cast<bool>(second(item)) ? 1 : 2;
  }
};
template <class In, class First, class Second, class Rest>
struct move_to_one_of_three {
  In in;
  First first;
  Second second;
  Rest rest;
  auto uses(std::int64_t n) const { return uses_of_items(n, in, first, second, rest); }
  bool is_possible(std::int64_t n) const {
    return std::ranges::none_of(uses(n), &memory_use::is_missing) && written_apart(uses(n));
  }
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i, int bucket, std::int64_t k) const {
    if (bucket == 0) {
      first[k] = in[i];
    } else if (bucket == 1) {
      second[k] = in[i];
    } else {
      rest[k] = in[i];
    }
  }
};

/// What a call keeps before the storage of the selection: 0 and the count; and items of those in place.
template <class T = std::byte>
struct own_storage {
  workspace_layout layout;
  workspace_layout::slot<std::int64_t> offsets;
  workspace_layout::slot<T> items;

  explicit own_storage(int offsets_kept, std::int64_t items_kept = 0) {
    offsets = layout.add<std::int64_t>(offsets_kept);
    items = layout.add<T>(static_cast<std::size_t>(items_kept > 0 ? items_kept : 0));
  }
};

template <class Num>
inline constexpr bool takes_count = [] {
  if constexpr (std::is_pointer_v<Num>) {
    using integer = std::remove_pointer_t<Num>;
    return std::is_integral_v<integer> && !std::is_volatile_v<integer> &&
           (sizeof(integer) == 4 || sizeof(integer) == 8);
  }
  return false;
}();

/// The phases of a selection: call(workspace, results), in storage of `needed` bytes. Of n items, `items` are used and
/// what votes.
template <class Num, class Vote, std::size_t Items, class Call>
cudaError_t select_in(void* storage, std::size_t& bytes, std::size_t needed, Num num_selected, std::int64_t n,
                      const Vote& vote, const std::array<memory_use, Items>& items, cudaStream_t stream, Call call) {
  if constexpr (takes_count<Num>) {
    return scan_in(storage, bytes, needed, [&](workspace w) { return call(w, select_results(num_selected)); });
  } else {
    const own_storage<> own(2);
    return scan_in(storage, bytes, own.layout.bytes() + needed, [&](workspace w) {
      if (!can_put_counts(num_selected, 1, items, read_by(vote, n))) return cudaErrorInvalidValue;
      auto executor = executor_of(stream);
      std::int64_t* const offsets = own.layout.at(w, own.offsets);
      const status cleared = executor.fill(offsets, 0, sizeof *offsets);
      if (cleared != status::success) return static_cast<cudaError_t>(cleared);
      const cudaError_t e = call(own.layout.rest(w), select_results(offsets + 1));
      if (e != cudaSuccess) return e;
      return static_cast<cudaError_t>(
          executor.launch(1, store_lengths_kernel{}, static_cast<const std::int64_t*>(offsets), 1, num_selected));
    });
  }
}

template <class In, class Out, class Num, class Vote>
cudaError_t select(void* storage, std::size_t& bytes, In in, Out out, Num num_selected, std::int64_t n, Vote vote,
                   cudaStream_t stream) {
  return select_in(storage, bytes, select_workspace_bytes(in, out, num_selected, n, vote), num_selected, n, vote,
                   uses_of_items(n, in, out), stream, [&](workspace w, const select_results& results) {
                     return upsweep::select(w, in, out, results, n, vote, stream);
                   });
}

/// Bytes of workspace for what iterators move.
inline std::size_t items_workspace_bytes(std::int64_t n) {
  return default_compact_policy{}.workspace_bytes({}, n);
}

/// Iterators that are not pointers are compacted in place through the storage.
template <class Data, class Num, class Vote>
cudaError_t select_in_place(void* storage, std::size_t& bytes, Data data, Num num_selected, std::int64_t n, Vote vote,
                            cudaStream_t stream) {
  if constexpr (moves_bytes<Data, Data>) {
    return select(storage, bytes, data, data, num_selected, n, vote, stream);
  } else {
    using item = item_t<Data>;
    const own_storage<item> own(2, n);
    return scan_in(storage, bytes, own.layout.bytes() + items_workspace_bytes(n), [&](workspace w) {
      if (!can_put_counts(num_selected, 1, uses_of_items(n, data), read_by(vote, n))) return cudaErrorInvalidValue;
      auto executor = executor_of(stream);
      std::int64_t* const offsets = own.layout.at(w, own.offsets);
      item* const items = own.layout.at(w, own.items);
      status s = executor.fill(offsets, 0, sizeof *offsets);
      if (s != status::success) return static_cast<cudaError_t>(s);
      const cudaError_t e = upsweep::select(own.layout.rest(w), data, items, offsets + 1, n, vote, stream);
      if (e != cudaSuccess) return e;
      const std::int64_t* const ends = offsets;
      s = executor.launch(ceil_div(n, store_items_kernel::tile_items), store_items_kernel{},
                          static_cast<const item*>(items), ends + 1, data);
      if (s == status::success) s = executor.launch(1, store_lengths_kernel{}, ends, 1, num_selected);
      return static_cast<cudaError_t>(s);
    });
  }
}

template <class In, class Out, class Num, class Vote>
cudaError_t partition(void* storage, std::size_t& bytes, In in, Out out, Num num_selected, std::int64_t n, Vote vote,
                      cudaStream_t stream) {
  const std::array items{use_of(in, n, false), use_of(out, n, true)};
  constexpr auto order = rejected_order::backwards;
  return select_in(storage, bytes, partition_workspace_bytes(in, out, nullptr, num_selected, n, vote, order),
                   num_selected, n, vote, items, stream, [&](workspace w, const select_results& results) {
                     return upsweep::partition(w, in, out, nullptr, results, n, vote, order, stream);
                   });
}

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI
