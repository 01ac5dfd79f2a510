// The runs, groups and expansions behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include "kernels.hpp"

#include "compact/src/grouped_calls.hpp"

namespace upsweep::python {

/// use(keys, what tells them apart) with their type.
template <class Use>
status with_keys(const runs_call& c, Use use) {
  return runtime::with_code(c.key_type, [&]<class Key>(Key) {
    return use(static_cast<const Key*>(c.keys), static_cast<Key*>(c.unique), runtime::equal_numbers<Key>(c.key_type));
  });
}

template <class Stream>
status enqueue_call(const runs_call& c, Stream stream) {
  return with_keys(c, [&](const auto* keys, auto* unique, const auto& equal) {
    if (c.values == nullptr) {
      auto* const lengths = static_cast<std::uint32_t*>(c.sums);
      return static_cast<status>(run_length_encode(c.work, keys, unique, lengths, c.results, c.n, equal, stream));
    }
    return runtime::with_summed(c.value_type, [&]<class T>(T) {
      return static_cast<status>(reduce_by_key(c.work, keys, unique, static_cast<const T*>(c.values),
                                               static_cast<T*>(c.sums), c.results, c.n, plus{}, equal, stream));
    });
  });
}
inline std::size_t bytes_of(const runs_call& c) {
  std::size_t bytes = 0;
  static_cast<void>(with_keys(c, [&](const auto* keys, auto* unique, const auto& equal) {
    bytes = run_length_encode_workspace_bytes(keys, unique, static_cast<std::uint32_t*>(c.sums), c.results, c.n, equal);
    if (c.values == nullptr) return status::success;
    return runtime::with_summed(c.value_type, [&]<class T>(T) {
      bytes = reduce_by_key_workspace_bytes(keys, unique, static_cast<const T*>(c.values), static_cast<T*>(c.sums),
                                            c.results, c.n, plus{}, equal);
      return status::success;
    });
  }));
  return bytes;
}

template <class Stream>
status enqueue_call(const groups_call& c, Stream stream) {
  const runtime::group_number number;
  if (!c.counts.wanted()) {
    return static_cast<status>(upsweep::group_by(c.work, c.groups, c.to, c.offsets, c.n, c.how_many, number, stream));
  }
  return runtime::with_integers(c.counts, [&](auto* counts) {
    return static_cast<status>(upsweep::histogram(c.groups, counts, c.n, c.how_many, number, stream));
  });
}
inline std::size_t bytes_of(const groups_call& c) {
  if (c.counts.wanted()) return 0;
  return group_by_workspace_bytes(c.groups, c.to, c.offsets, c.n, c.how_many, runtime::group_number{});
}

template <class Stream>
status enqueue_call(const expand_call& c, Stream stream) {
  return static_cast<status>(
      upsweep::expand(c.work, c.counts, c.items, c.results, c.n, runtime::item_number{}, stream));
}
inline std::size_t bytes_of(const expand_call& c) {
  return expand_workspace_bytes(c.counts, c.items, c.results, c.n, runtime::item_number{});
}

}  // namespace upsweep::python
