// The top k of many: a threshold from a sample, one trip of the keys that keeps what comes before it, and a sort of
// what is kept, which is little more than k. Nothing depends on the sample but the time: where it misleads, the keys
// are looked at again. Where k is a large part of n, or n is small, all keys are sorted.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/default_sort.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/device/keys_from_iterator.cuh"
#include "upsweep/sort/device/top_k_keep.cuh"
#include "upsweep/sort/device/top_k_take.cuh"
#include "upsweep/sort/device/top_k_threshold.cuh"
#include "upsweep/sort/order_code.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// One top k as a method sees it. No keys_out: the keys are not needed. No values_in: the values are the places
/// of the keys in the input.
template <class Key, class Value, class Digits, class Count, class K, class KeyIn>
struct top_k_request {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;

  Digits digits;
  bit_range bits;  ///< `end` resolved
  Count n;         ///< bound_of(n) > 0
  K k;             ///< bound_of(k) > 0
  KeyIn keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
};

template <class Tiles = top_k_tuned, class Sort = default_sort>
struct sampled_top_k {
  /// More items have no samples' places in 64 bits; and so many are kept or sorted with a place of 32.
  static constexpr std::int64_t most_items = std::int64_t{1} << 40, most_sorted_places = most_u32_places;

  template <class KeyIn, class Key, class Digits, bool HasValues>
  static std::size_t workspace_bytes(std::int64_t n, std::int64_t k) {
    if (n <= 0 || k <= 0) return 0;
    if (n > most_items) n = most_items;  // more are not supported
    if (k > n) k = n;
    // What any fewer items and any smaller k would need, too: it never shrinks.
    const std::int64_t sorted = n < sorted_up_to(k) ? n : sorted_up_to(k);
    const std::size_t of_sort = sort_plan<Key, HasValues>(sorted, sort_all_by<KeyIn>{}).bytes;
    const std::size_t of_sample = plan<Key, Digits, HasValues>(n, k < n / 8 ? k : n / 8).bytes;
    return of_sort < of_sample ? of_sample : of_sort;
  }

  /// A request that has been checked, and a workspace of as many bytes.
  template <class Executor, class Request>
  static status run(Executor& ex, workspace w, const Request& r) {
    const std::int64_t n = bound_of(r.n), k = bound_of(r.k);
    if (n > most_items) return status::not_supported;
    if (r.bits.begin == r.bits.end) return take(ex, r, taken(r, r.keys_in, same_place{}));
    if (n <= sorted_up_to(k)) return sort_all(ex, w, r);
    return sort_kept(ex, w, r);
  }

 private:
  using sort_kept_by = keys_from_iterator<Sort>;
  template <class KeyIn>
  using sort_all_by = std::conditional_t<std::is_pointer_v<KeyIn>, Sort, keys_from_iterator<Sort>>;
  using place = std::uint32_t;
  template <class Request>
  using code_of_order = typename order_code<decltype(Request::digits)>::code;

  /// With such a k, so many items are sorted.
  static std::int64_t sorted_up_to(std::int64_t k) {
    return k > most_items / 8 ? most_items : k * 8 < Tiles::sorted_up_to ? Tiles::sorted_up_to : k * 8;
  }

  /// Room for sorted keys, of which the first k are wanted, for their places, and for the sort.
  template <class Key, bool HasValues, class Method>
  struct sort_room {
    workspace_layout layout;
    workspace_layout::slot<Key> keys;
    workspace_layout::slot<place> places;
    std::size_t bytes;

    sort_room(std::int64_t n, const Method& method) {
      const auto items = static_cast<std::size_t>(n);
      keys = layout.add<Key>(items);
      places = layout.add<place>(HasValues ? items : 0);
      bytes = layout.bytes() + sort_workspace_of<Key, std::conditional_t<HasValues, place, no_value>>(method, n, false);
    }
  };
  template <class Key, bool HasValues, class Method>
  static sort_room<Key, HasValues, Method> sort_plan(std::int64_t n, const Method& method) {
    return {n, method};
  }

  template <class Key, class Digits, bool HasValues>
  struct sample_room {
    using code = typename order_code<Digits>::code;
    using sampling = top_k_sampling<Tiles, code>;
    using keep = top_k_keep_kernel<Key, Digits, Tiles>;
    workspace_layout layout;
    workspace_layout::slot<top_k_control<code>> control;
    workspace_layout::slot<code> codes;
    workspace_layout::slot<std::uint32_t> numbers, count;
    workspace_layout::slot<std::uint64_t> first, slot;
    workspace_layout::slot<std::uint16_t> in_tile;
    std::int64_t room, tiles;
    std::size_t bytes;

    sample_room(std::int64_t n, std::int64_t k)
        : room(sampling::most_kept(n, k)), tiles(ceil_div(n, keep::tile_items)) {
      const auto of_tiles = static_cast<std::size_t>(tiles);
      control = layout.add<top_k_control<code>>(1);
      const auto samples = static_cast<std::size_t>(n <= Tiles::small_up_to ? sampling::small : sampling::most);
      codes = layout.add<code>(samples);
      numbers = layout.add<std::uint32_t>(samples);
      count = layout.add<std::uint32_t>(of_tiles);
      first = layout.add<std::uint64_t>(of_tiles);
      slot = layout.add<std::uint64_t>(of_tiles);
      in_tile = layout.add<std::uint16_t>(of_tiles * kept_directory::own_slots + static_cast<std::size_t>(room));
      bytes = layout.bytes() + sort_plan<Key, HasValues>(room, sort_kept_by{}).bytes;
    }
  };
  template <class Key, class Digits, bool HasValues>
  static sample_room<Key, Digits, HasValues> plan(std::int64_t n, std::int64_t k) {
    return {n, k};
  }

  template <class Request, class KeyIn, class PlaceOf>
  static auto taken(const Request& r, KeyIn keys, PlaceOf place_of) {
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    return taken_items<KeyIn, key, value, PlaceOf>{keys, r.keys_out, r.values_in, r.values_out, place_of};
  }

  template <class Executor, class Request, class Items>
  static status take(Executor& ex, const Request& r, const Items& items) {
    const std::int64_t n = bound_of(r.n), k = bound_of(r.k);
    const top_k_take_kernel kernel;
    return ex.launch(ceil_div(k < n ? k : n, kernel.block_threads), kernel, r.n, r.k, items);
  }

  /// Sorts `count` keys, and takes the first k; place_of(places) tells where they came from. The code of none is above
  /// *most, if that is there.
  template <class Executor, class Request, class Method, class Count, class KeyIn, class PlaceOf>
  static status sort_and_take(Executor& ex, workspace w, const Request& r, const Method& method, const Count& count,
                              const code_of_order<Request>* most, KeyIn keys_in, PlaceOf place_of) {
    using key = typename Request::key_type;
    using digits = decltype(r.digits);
    constexpr bool has_values = Request::has_values;
    using value = std::conditional_t<has_values, place, no_value>;
    if (has_values && bound_of(count) > most_sorted_places) return status::not_supported;
    const auto p = sort_plan<key, has_values>(bound_of(count), method);
    key* const sorted = p.layout.at(w, p.keys);
    place* const places = p.layout.at(w, p.places);
    const auto items = taken(r, static_cast<const key*>(sorted), place_of(places));
    value* values_out = nullptr;
    if constexpr (has_values) values_out = places;
    if constexpr (sizeof(key) <= 8) {
      using sort = typename Tiles::template block_sort<key, value>;
      if (bound_of(count) <= sort::tile_items) {
        return ex.launch(1, top_k_sort_and_take_kernel<sort>{}, r.digits, r.bits, count, most, keys_in,
                         carried_values<value>{nullptr, values_out}, r.n, r.k, items);
      }
    }
    sort_request<key, value, digits, Count, KeyIn> request{r.digits, r.bits,  count,     keys_in,
                                                           sorted,   nullptr, values_out};
    request.places = has_values;
    const status s = sort_by(method, ex, p.layout.rest(w), request);
    return s == status::success ? take(ex, r, items) : s;
  }

  template <class Executor, class Request>
  static status sort_all(Executor& ex, workspace w, const Request& r) {
    const auto place_of = [](const place* places) { return sorted_place{places}; };
    return sort_and_take(ex, w, r, sort_all_by<decltype(r.keys_in)>{}, count_argument(r.n), nullptr, r.keys_in,
                         place_of);
  }

  template <class Executor, class Request>
  static status sort_kept(Executor& ex, workspace w, const Request& r) {
    using key = typename Request::key_type;
    using key_in = decltype(r.keys_in);
    using digits = decltype(r.digits);
    using keep = top_k_keep_kernel<key, digits, Tiles>;
    const auto p = plan<key, digits, Request::has_values>(bound_of(r.n), bound_of(r.k));
    const order_code<digits> code_of{r.digits, r.bits};
    const top_k_sampling<Tiles, typename order_code<digits>::code> sample(bound_of(r.n), bound_of(r.k));
    auto* const control = p.layout.at(w, p.control);
    status s = ex.clear(control, 16);  // the ticket
    if (s != status::success) return s;

    grid sampling(sample.blocks);
    sampling.overlaps_next = true;
    s = ex.launch(sampling, top_k_threshold_kernel<digits, Tiles>{}, r.keys_in, count_argument(r.n),
                  count_argument(r.k), code_of, sample, control, p.room, p.layout.at(w, p.codes),
                  p.layout.at(w, p.numbers));
    if (s != status::success) return s;

    const std::int64_t at_once = ex.multiprocessors() * keep::blocks_per_multiprocessor;
    grid keeping(p.tiles < at_once ? p.tiles : at_once);
    keeping.overlaps_next = true;
    const kept_directory kept{p.layout.at(w, p.count),
                              p.layout.at(w, p.first),
                              p.layout.at(w, p.slot),
                              p.layout.at(w, p.in_tile),
                              p.tiles * kept_directory::own_slots,
                              &control->tiles};
    s = ex.launch(keeping, keep{}, r.keys_in, count_argument(r.n), count_argument(r.k), code_of, control, p.room, kept);
    if (s != status::success) return s;

    return sort_and_take(ex, p.layout.rest(w), r, sort_kept_by{}, device_count<std::uint64_t>{&control->kept, p.room},
                         &control->threshold.code, kept_keys<key_in, keep::tile_items>{r.keys_in, kept},
                         [&](const place* places) {
                           return kept_place<keep::tile_items>{places, kept};
                         });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
