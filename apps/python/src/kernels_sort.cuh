// The sorts behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels.hpp"
#include "sort/src/sort_table.hpp"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/top_k.cuh"

namespace upsweep::python {

/// Codes of keys whose type is known at run time only: types of one width share the kernels.
template <class Code>
using digits_of_type = runtime::coded_digits<Code, runtime::run_time_nan_codec<Code>>;

/// use(Code{}, digits) for the unsigned integer as wide as the keys.
template <class Use>
auto with_wide_keys(const key_order& k, Use use) {
  const auto by = [&]<class Code>(Code zero) { return use(zero, digits_of_type<Code>{{k.type, k.order, k.nans}}); };
  return size_of(k.type) == 8 ? by(std::uint64_t{}) : by(std::uint32_t{});
}
template <class Use>
auto with_keys(const key_order& k, Use use) {
  const auto by = [&]<class Code>(Code zero) { return use(zero, digits_of_type<Code>{{k.type, k.order, k.nans}}); };
  if (size_of(k.type) == 1) return by(std::uint8_t{});
  return size_of(k.type) == 2 ? by(std::uint16_t{}) : with_wide_keys(k, use);
}

/// The sim takes one method for any number of keys: the others take longer to compile than they are worth there.
template <class Stream>
using sort_method_on = std::conditional_t<std::is_same_v<Stream, sim_stream>, detail::onesweep<>, default_sort_policy>;

inline bool is_pair(const sort_call& c) {
  return c.rows.size() == 1 && c.rows[0].bytes == sizeof(std::uint32_t);
}

template <class Stream>
status enqueue_call(const sort_call& c, Stream stream) {
  runtime::sort_call by{{}, c.keys.type, c.keys.order, c.work, c.in, c.out, c.n.bound, c.bits};
  if (c.places != nullptr) {
    by.load = runtime::sort_load::places;
    by.values_out = c.places;
  } else if (is_pair(c)) {
    by.load = runtime::sort_load::values;
    by.values_in = static_cast<const std::uint32_t*>(c.rows[0].in);
    by.values_out = static_cast<std::uint32_t*>(c.rows[0].out);
  } else if (!c.rows.empty()) {
    by.load = runtime::sort_load::rows;
    by.rows = c.rows;
  }
  auto executor = executor_of(stream);
  return with_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    return runtime::sort_items<Code>(sort_method_on<Stream>{}, executor, by, digits, c.n);
  });
}
inline std::size_t bytes_of(const sort_call& c) {
  if (c.n.bound <= 0) return 0;
  std::size_t row_bytes = 0;
  for (const runtime::value_rows& r : c.rows) row_bytes += r.bytes;
  return with_keys(c.keys, [&]<class Code>(Code, const auto&) {
    const auto of = [&](const auto& method) {
      const std::int64_t n = c.n.bound;
      if (c.places != nullptr) return detail::sort_places_workspace<Code, std::uint32_t>(method, n, true, false);
      if (is_pair(c)) return detail::sort_workspace_of<Code, std::uint32_t>(method, n, false);
      if (c.rows.empty()) return detail::sort_workspace_of<Code, detail::no_value>(method, n, false);
      return runtime::sort_rows_workspace<Code>(method, n) + packed_rows_workspace_bytes(n, row_bytes);
    };
    return std::max(of(sort_method_on<sim_stream>{}), of(default_sort_policy{}));
  });
}

/// use(Code{}, Value{}, digits) with the types of a call's keys and values.
template <class Use>
auto with_segments(const segmented_sort_call& c, Use use) {
  return with_wide_keys(c.keys, [&](auto code, const auto& digits) {
    if (c.value_bytes == 0) return use(code, detail::no_value{}, digits);
    return c.value_bytes == 4 ? use(code, std::uint32_t{}, digits) : use(code, std::uint64_t{}, digits);
  });
}

template <class Stream>
status enqueue_call(const segmented_sort_call& c, Stream stream) {
  return with_segments(c, [&]<class Code, class Value>(Code, Value, const auto& digits) {
    return static_cast<status>(detail::segmented_sort<default_segmented_sort_policy>(
        c.work, static_cast<const Code*>(c.in), static_cast<Code*>(c.out), static_cast<const Value*>(c.values_in),
        static_cast<Value*>(c.values_out), c.begins, c.ends, c.n, c.segments, digits, c.bits, false, stream));
  });
}
inline std::size_t bytes_of(const segmented_sort_call& c) {
  return with_segments(c, [&]<class Code, class Value>(Code, Value, const auto&) {
    return detail::segmented_sort_bytes<default_segmented_sort_policy, Code, Value>(c.n, c.segments);
  });
}

/// Where the places go that nobody asks for.
struct top_k_layout {
  detail::workspace_layout layout;
  detail::workspace_layout::slot<std::int64_t> places;
  explicit top_k_layout(std::int64_t k) : places(layout.add<std::int64_t>(static_cast<std::size_t>(k))) {}
};

template <class Stream>
using top_k_method_on = detail::sampled_top_k<detail::top_k_tuned, sort_method_on<Stream>>;

template <class Stream>
status enqueue_call(const top_k_call& c, Stream stream) {
  return with_wide_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    const auto* const in = static_cast<const Code*>(c.in);
    const top_k_layout l(c.k);
    const bool are_wanted = c.places != nullptr;
    std::int64_t* const places = are_wanted ? c.places : l.layout.at(c.work, l.places);
    const workspace rest = are_wanted ? c.work : l.layout.rest(c.work);
    const auto s =
        static_cast<status>(top_k_indices<top_k_method_on<Stream>>(rest, in, places, c.n, c.k, digits, c.bits, stream));
    if (s != status::success || c.out == nullptr) return s;
    auto executor = executor_of(stream);
    const item_count found{c.n.count, std::min(c.k, c.n.bound)};
    return detail::gather_rows<sizeof(Code)>(executor, in, c.out, sizeof(Code), places, found);
  });
}
inline std::size_t bytes_of(const top_k_call& c) {
  return with_wide_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    const auto* const in = static_cast<const Code*>(c.in);
    const auto of = [&]<class Method>(Method) {
      return top_k_indices_workspace_bytes<Method>(in, c.places, c.n, c.k, digits);
    };
    const std::size_t bytes = std::max(of(top_k_method_on<sim_stream>{}), of(default_top_k_policy{}));
    return bytes + (c.places != nullptr ? 0 : top_k_layout(c.k).layout.bytes());
  });
}

template <class Stream>
status enqueue_call(const merge_call& c, Stream stream) {
  return with_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    const auto *const a = static_cast<const Code*>(c.a), *const b = static_cast<const Code*>(c.b);
    if (c.bounds == nullptr) {
      return static_cast<status>(merge_keys(c.work, a, b, static_cast<Code*>(c.out), c.n_a, c.n_b, digits, stream));
    }
    return static_cast<status>(c.upper ? upper_bound(a, b, c.bounds, c.n_a, c.n_b, digits, stream)
                                       : lower_bound(a, b, c.bounds, c.n_a, c.n_b, digits, stream));
  });
}
inline std::size_t bytes_of(const merge_call& c) {
  if (c.bounds != nullptr) return 0;
  return with_keys(c.keys, [&]<class Code>(Code, const auto& digits) {
    return merge_keys_workspace_bytes(static_cast<const Code*>(c.a), static_cast<const Code*>(c.b),
                                      static_cast<Code*>(c.out), c.n_a, c.n_b, digits);
  });
}

}  // namespace upsweep::python
