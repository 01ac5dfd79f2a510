// The default sort: for each number of keys the method that was fastest on an H200
// (sort/README.md, "Few keys").
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/cluster_sort.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Tiles, std::int64_t Portion, std::int64_t Narrow>
inline constexpr bool makes_places<onesweep<Tiles, Portion, Narrow>> = true;

struct default_sort {
  /// Wide values are moved once, after the passes. Those of b bytes are 2 b p bytes an item in p passes; by their
  /// places 8 p + 2 b, less for b > 8 from 2 passes on. (Narrower ones would leave most of each sector that they are
  /// fetched from.) The type alone decides, so a sort of one pass goes by places, too, and moves 8 bytes an item more.
  template <class Value>
  using most_keys_sort = std::conditional_t<(sizeof(Value) > 8), by_place<onesweep<>>, onesweep<>>;

  /// Workspace as if the GPU had no clusters. With a spare there is none of n items.
  template <class Key, class Value>
  static std::size_t workspace_bytes(std::int64_t n, bool has_spare = false) {
    if (n <= few<Key>) return 0;
    return has_spare ? onesweep<>{}.template workspace_bytes<Key, Value>(n, true)
                     : most_keys_sort<Value>{}.template workspace_bytes<Key, Value>(n);
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  static status run(Executor& ex, workspace w, const Request& r) {
    status s = status::success;
    if (sorts_few(ex, w, r, s)) return s;
    using value = typename Request::value_type;
    const most_keys_sort<value> method;
    const std::int64_t n = bound_of(r.n);
    if (r.keys_spare != nullptr && w.bytes < sort_workspace_of<typename Request::key_type, value>(method, n, true)) {
      return onesweep<>{}.run(ex, w, r);
    }
    return method.run(ex, w, r);
  }

  /// Sorts in one launch, for which keys may come from an iterator; false where there are too many.
  template <class Executor, class Request>
  static bool sorts_few(Executor& ex, workspace w, const Request& r, status& s) {
    using key = typename Request::key_type;
    const std::int64_t n = bound_of(r.n);
    if constexpr (few<key> != 0) {
      if (n <= fewest) {
        s = single_block_sort<256, 4, 2>::run(ex, w, r);
        return true;
      }
      if (n <= few<key>) {
        s = single_block_sort<512, few<key> / 512, 4>::run(ex, w, r);
        return true;
      }
    }
    if constexpr (sizeof(key) <= 8) {
      // Where a GPU has no clusters of 16 blocks, other methods sort.
      if (n <= middle) return cluster_sort<256, 8, 2>::run(ex, w, r) == status::success;
      constexpr std::int64_t many = sizeof(key) <= 4 && !Request::has_values ? 1 << 16 : 1 << 15;
      if (n <= many) return cluster_sort<512, 8, 4>::run(ex, w, r) == status::success;
    }
    return false;
  }

  /// Many places alone: see onesweep.
  template <class Key, class Place>
  static constexpr bool makes_words = onesweep<>::makes_words<Key, Place>;
  static constexpr std::int64_t argsort_from = onesweep<>::argsort_from;
  static std::size_t argsort_workspace_bytes(std::int64_t n) { return onesweep<>{}.argsort_workspace_bytes(n); }
  template <class Executor, class Request>
  static status argsort(Executor& ex, workspace w, const Request& r) {
    return onesweep<>{}.argsort(ex, w, r);
  }

 private:
  static constexpr std::int64_t fewest = 1 << 10, middle = 1 << 14;
  /// So many keys fit the shared memory of a block on any GPU.
  template <class Key>
  static constexpr std::int64_t few = sizeof(Key) <= 8    ? 1 << 12
                                      : sizeof(Key) <= 16 ? 1 << 11
                                                          : 0;
};

template <>
inline constexpr bool makes_places<default_sort> = true;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
