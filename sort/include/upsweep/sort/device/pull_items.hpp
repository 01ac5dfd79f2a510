// Items that a rank copies from the memory of another one, beside its stream.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Keys and values; of a sort of keys alone, Value is no_value, and there are none.
template <class Key, class Value>
struct items_at {
  Key* keys;
  Value* values;
};

/// `count` items from place `from_place` of `from` on to place `to_place` of `to`. The stream waits for them; after an
/// error, too, so that nothing is copied any more when it is done.
template <class Communicator, class Key, class Value>
status pull_items(Communicator& comm,
                  std::type_identity_t<items_at<std::remove_const_t<Key>, std::remove_const_t<Value>>> to,
                  std::int64_t to_place, items_at<Key, Value> from, std::int64_t from_place, std::int64_t count,
                  typename Communicator::stream_type stream) {
  const auto items = static_cast<std::size_t>(count);
  status s = comm.pull(to.keys + to_place, from.keys + from_place, items * sizeof(Key), stream);
  if constexpr (!std::is_same_v<std::remove_const_t<Value>, no_value>) {
    if (s == status::success) {
      s = comm.pull(to.values + to_place, from.values + from_place, items * sizeof(Value), stream);
    }
  }
  const status waits = comm.await_pulled(stream);
  return s == status::success ? waits : s;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
