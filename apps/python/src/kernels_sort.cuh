// The sorts of whole arrays behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include "kernels.hpp"

#include <algorithm>
#include <type_traits>

#include "key_digits.hpp"
#include "sort/src/sort_table.hpp"

namespace upsweep::python {

/// The sim takes one method for any number of keys: the others take longer to compile than they are worth there.
template <class Stream>
using sort_method_on = std::conditional_t<std::is_same_v<Stream, sim_stream>, detail::onesweep<>, default_sort_policy>;

inline bool is_pair(const sort_call& c) {
  return c.rows.size() == 1 && c.rows[0].bytes == sizeof(std::uint32_t);
}

/// A sort of keys whose code and digits with_digits(keys, use) tells.
template <class Method, class Stream, class WithDigits>
status sort_by_digits(const sort_call& c, Stream stream, WithDigits with_digits) {
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
  return with_digits(c.keys, [&]<class Code>(Code, const auto& digits) {
    return runtime::sort_items<Code>(Method{}, executor, by, digits, c.n);
  });
}

/// The kernels of plain integers are in a file of their own, and so are those of keys whose NaNs are first.
status sort_integers_on_cuda(const sort_call& c, void* stream);
status sort_nans_first_on_cuda(const sort_call& c, void* stream);

template <class Stream>
status enqueue_call(const sort_call& c, Stream stream) {
  using method = sort_method_on<Stream>;
  if constexpr (std::is_same_v<Stream, sim_stream>) {
    return sort_by_digits<method>(c, stream, [](const key_order& k, auto use) { return with_keys(k, use); });
  } else {
    if (are_plain_integers(c.keys)) return sort_integers_on_cuda(c, stream);
    if (c.keys.nans == nan_order::first) return sort_nans_first_on_cuda(c, stream);
    const auto with_digits = [](const key_order& k, auto use) { return with_other_keys<codec_with_last>(k, use); };
    return sort_by_digits<method>(c, stream, with_digits);
  }
}
inline std::size_t bytes_of(const sort_call& c) {
  if (c.n.bound <= 0) return 0;
  std::size_t row_bytes = 0;
  for (const runtime::value_rows& r : c.rows) row_bytes += r.bytes;
  return with_keys(c.keys, [&]<class Code>(Code, const auto&) {
    const auto of = [&](const auto& method) {
      const std::int64_t n = c.n.bound;
      if (c.places != nullptr) return detail::argsort_places_workspace<Code, std::uint32_t>(method, n);
      if (is_pair(c)) return detail::sort_workspace_of<Code, std::uint32_t>(method, n, false);
      if (c.rows.empty()) return detail::sort_workspace_of<Code, detail::no_value>(method, n, false);
      return runtime::sort_rows_workspace<Code>(method, n) + packed_rows_workspace_bytes(n, row_bytes);
    };
    return std::max(of(sort_method_on<sim_stream>{}), of(default_sort_policy{}));
  });
}

}  // namespace upsweep::python
