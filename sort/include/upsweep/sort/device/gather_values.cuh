// Sorting by the places of the keys: places are sorted with the keys, and what belongs to the keys is fetched by them,
// once, however many passes there are.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// So many keys have places of 4 bytes.
inline constexpr std::int64_t most_u32_places = 0xffffffff;
/// Calls f with a place of one of n keys.
template <class F>
auto with_place(std::int64_t n, F f) {
  return n > most_u32_places ? f(std::uint64_t{}) : f(std::uint32_t{});
}

/// Row i of `out` = row place[i] of `in`; a block moves block_threads rows. RowBytes: a row has so many, if that is
/// known. SomeHaveNone: a row whose place is none of the count is not written.
template <std::size_t RowBytes, bool SomeHaveNone = false>
struct gather_kernel {
  static constexpr int block_threads = 256;
  static constexpr int blocks_per_multiprocessor = 8;
  struct temp_storage {};

  template <class Ctx, class Place, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const element_array& rows, const Place* place,
                                 Count count) const {
    const std::int64_t n = items_of(count), first = block.block_index() * block_threads, left = n - first;
    if (left <= 0) return;  // after a count in device memory, by more than an int holds
    const int valid = static_cast<int>(left < block_threads ? left : block_threads);
    move_elements<4, 4, RowBytes>(block, route<Place>{place + first, first, valid, n}, rows);
  }

 private:
  template <class Place>
  struct route {
    const Place* place;
    std::int64_t first;
    int count;
    std::int64_t n;
    UPSWEEP_DEVICE bool keeps(int i) const requires SomeHaveNone {
      return static_cast<std::uint64_t>(place[i]) < static_cast<std::uint64_t>(n);
    }
    UPSWEEP_DEVICE std::int64_t from(int i) const { return static_cast<std::int64_t>(place[i]); }
    UPSWEEP_DEVICE std::int64_t to(int i) const { return first + i; }
  };
};

/// Rows of `bytes` bytes at `in` go to `out` by their places.
template <std::size_t RowBytes = 0, bool SomeHaveNone = false, class Executor, class Place, class Count>
status gather_rows(Executor& ex, const void* in, void* out, std::size_t bytes, const Place* place, const Count& n) {
  const std::uint32_t word = widest_word(bytes, in, out);
  const element_array rows{in, out, static_cast<std::uint32_t>(bytes / word), word};
  const gather_kernel<RowBytes, SomeHaveNone> kernel;
  return ex.launch(ceil_div(bound_of(n), kernel.block_threads), kernel, rows, place, count_argument(n));
}

/// Workspace of sort_places.
template <class Key, class Place, class Method>
std::size_t sort_places_workspace(const Method& method, std::int64_t n, bool has_spare) {
  if (n <= 0) return 0;
  workspace_layout layout;
  layout.add<Place>(static_cast<std::size_t>(makes_places<Method> ? 0 : n));
  return layout.bytes() + sort_workspace_of<Key, Place>(method, n, has_spare);
}

/// Sorts the keys with their places, which go to r.values_out.
template <class Method, class Executor, class Request>
status sort_places(const Method& method, Executor& ex, workspace w, Request r) {
  using key = typename Request::key_type;
  using place = typename Request::value_type;
  const std::int64_t n = bound_of(r.n);
  if (n < 0) return status::invalid_value;
  if (n == 0) return status::success;
  if (is_null(place_of(r.n)) || is_null(r.keys_in) || w.data == nullptr || r.values_out == nullptr ||
      w.bytes < sort_places_workspace<key, place>(method, n, r.keys_spare != nullptr)) {
    return status::invalid_value;
  }
  workspace_layout layout;
  const auto numbers = layout.add<place>(static_cast<std::size_t>(makes_places<Method> ? 0 : n));
  if constexpr (makes_places<Method>) {
    r.places = true;
  } else {
    place* const in = layout.at(w, numbers);
    const status s = copy_or_number(ex, static_cast<const place*>(nullptr), in, r.n);
    if (s != status::success) return s;
    r.values_in = in;
  }
  return sort_by(method, ex, layout.rest(w), r);
}

/// The method that sorts places by `Method` and fetches the values by them. For 2^32 keys and more, Method itself.
/// Places take 4 n bytes of workspace beside what Method needs, and with a spare from the caller, which holds none, 8
/// n.
template <class Method>
struct by_place {
  static constexpr int radix_bits = radix_bits_of<Method>;
  Method method{};

  template <class Key, class Value>
  std::size_t workspace_bytes(std::int64_t n, bool has_spare = false) const {
    if constexpr (std::is_same_v<Value, no_value>) {
      return sort_workspace_of<Key, Value>(method, n, has_spare);
    } else {
      const std::int64_t by_places = n < most ? n : most;
      const std::size_t of_places = layout_plan(by_places, has_spare).layout.bytes() +
                                    sort_places_workspace<Key, place>(method, by_places, has_spare);
      if (n <= most) return of_places;
      // Method may need less for more keys: the caller's spare holds values.
      const std::size_t of_method = sort_workspace_of<Key, Value>(method, n, has_spare);
      return of_method > of_places ? of_method : of_places;
    }
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  status run(Executor& ex, workspace w, const Request& r) const {
    if constexpr (Request::has_values) {
      const std::int64_t n = bound_of(r.n);
      if (n <= most) {
        const layout_plan p(n, r.keys_spare != nullptr);
        place* const places = p.layout.at(w, p.places);
        sort_request<typename Request::key_type, place, decltype(r.digits), decltype(r.n)> of_places{
            r.digits, r.bits, r.n, r.keys_in, r.keys_out, nullptr, places};
        of_places.keys_spare = r.keys_spare;
        of_places.values_spare = r.keys_spare != nullptr ? p.layout.at(w, p.spare) : nullptr;
        status s = sort_places(method, ex, p.layout.rest(w), of_places);
        if (s != status::success) return s;
        const bool in_place = r.values_in == r.values_out;
        auto* const to = in_place ? r.values_spare : r.values_out;
        s = gather_rows<sizeof *to>(ex, r.values_in, to, sizeof *to, places, r.n);
        if (s != status::success || !in_place) return s;
        return copy_or_number(ex, static_cast<decltype(r.values_in)>(to), r.values_out, r.n);
      }
    }
    return method.run(ex, w, r);
  }

 private:
  using place = std::uint32_t;
  static constexpr std::int64_t most = most_u32_places;

  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<place> places, spare;

    layout_plan(std::int64_t n, bool has_spare)
        : places(layout.add<place>(n)), spare(layout.add<place>(has_spare ? n : 0)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
