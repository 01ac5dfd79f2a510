// Sorts, and calls on what is sorted, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "calls.hpp"
#include "enqueue.hpp"
#include "kernels.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::python {
namespace {

sort_order order_of(bool descending) {
  return descending ? sort_order::descending : sort_order::ascending;
}

void sort_keys(const array& in, array* out, array* places, bool descending, int nans, int begin, int end,
               std::int64_t bound, const array* count, stream_number stream) {
  if (out) check_apart(*out, "out", in, "x");
  if (places) check_apart(*places, "out", in, "x");
  sort_call call{{},
                 in.type,
                 order_of(descending),
                 static_cast<nan_order>(nans),
                 {begin, end},
                 in.data,
                 out ? out->data : nullptr,
                 places ? static_cast<std::uint32_t*>(places->data) : nullptr,
                 {nullptr, bound}};
  const bool is_plain = count == nullptr && call.nans == nan_order::by_bits;
  const std::size_t bytes = !is_plain ? workspace_bytes(call)
                            : places  ? runtime::argsort_workspace_bytes(bound, in.type, {})
                                      : runtime::sort_keys_workspace_bytes(bound, in.type, {});
  enqueue(places ? "argsort" : "sort", in, stream, bytes, nullptr, [&](const surroundings& s) {
    if (is_plain && places) {
      return runtime::argsort(s.work, in.data, call.places, bound, in.type, call.order, call.bits, {}, s.on);
    }
    if (is_plain) return runtime::sort_keys(s.work, in.data, call.out, bound, in.type, call.order, call.bits, {}, s.on);
    call.work = s.work;
    call.n = counted(bound, count, s);
    return run(call, s.on);
  });
}

void sort_by_key(const array& keys, array& keys_out, const arrays& values, bool descending, int begin, int end,
                 stream_number stream) {
  check_apart(keys_out, "the sorted keys", keys, "keys");
  const std::int64_t n = keys.items;
  std::vector<runtime::value_rows> rows;
  std::size_t row_bytes = 0;
  for (const auto& [in, out] : values) {
    rows.push_back({in->data, out->data, n == 0 ? 1 : in->bytes() / static_cast<std::size_t>(n)});
    row_bytes += rows.back().bytes;
    check_apart(*out, "out", *in, "values");
  }
  const bool is_pair = rows.size() == 1 && rows[0].bytes == 4;
  const std::size_t bytes =
      is_pair ? runtime::sort_pairs_workspace_bytes(n, keys.type, {})
              : runtime::sort_with_values_workspace_bytes(n, keys.type, {}) + packed_rows_workspace_bytes(n, row_bytes);
  enqueue("sort_by_key", keys, stream, bytes, nullptr, [&](const surroundings& s) {
    if (is_pair) {
      return runtime::sort_pairs(s.work, keys.data, keys_out.data, static_cast<const std::uint32_t*>(rows[0].in),
                                 static_cast<std::uint32_t*>(rows[0].out), n, keys.type, order_of(descending),
                                 {begin, end}, {}, s.on);
    }
    return runtime::sort_with_values(s.work, keys.data, keys_out.data, rows, n, keys.type, order_of(descending),
                                     {begin, end}, {}, s.on);
  });
}

void segmented_sort(const array& in, array* out, const array* values, array* values_out, array* places,
                    const array& begins, const array& ends, bool descending, int begin, int end, stream_number stream) {
  if (out) check_apart(*out, "out", in, "x");
  const std::size_t value_bytes = values ? size_of(values->type) : 0;
  const std::int64_t n = in.items, segments = begins.items;
  const auto* const from = static_cast<const std::int64_t*>(begins.data);
  const auto* const to = static_cast<const std::int64_t*>(ends.data);
  const std::size_t bytes = places ? runtime::segmented_argsort_workspace_bytes(n, segments, in.type)
                                   : runtime::segmented_sort_workspace_bytes(n, segments, in.type, value_bytes);
  const sort_order order = order_of(descending);
  enqueue("segmented_sort", in, stream, bytes, nullptr, [&](const surroundings& s) {
    if (places) {
      return runtime::segmented_argsort(s.work, in.data, static_cast<std::uint32_t*>(places->data), from, to, n,
                                        segments, in.type, order, {begin, end}, s.on);
    }
    if (values) {
      return runtime::segmented_sort_pairs(s.work, in.data, out->data, values->data, values_out->data, value_bytes,
                                           from, to, n, segments, in.type, order, {begin, end}, s.on);
    }
    return runtime::segmented_sort_keys(s.work, in.data, out->data, from, to, n, segments, in.type, order, {begin, end},
                                        s.on);
  });
}

/// The items into `out`, or where there is none their places.
void topk(const array& in, array* out, array* places, std::int64_t k, bool descending, int begin, int end,
          stream_number stream) {
  const std::int64_t n = in.items;
  const sort_order order = order_of(descending);
  if (out) check_apart(*out, "out", in, "x");
  const std::size_t bytes = runtime::top_k_workspace_bytes(n, k, in.type, out ? 0 : sizeof(std::int64_t));
  enqueue("topk", in, stream, bytes, nullptr, [&](const surroundings& s) {
    if (out) return runtime::top_k_keys(s.work, in.data, out->data, n, k, in.type, order, {begin, end}, s.on);
    auto* const to = static_cast<std::int64_t*>(places->data);
    return runtime::top_k_indices(s.work, in.data, to, n, k, in.type, order, {begin, end}, s.on);
  });
}

void bounds(const array& keys, const array& needles, array& out, bool upper, bool descending, stream_number stream) {
  enqueue("searchsorted", needles, stream, 0, nullptr, [&](const surroundings& s) {
    auto* const to = static_cast<std::int64_t*>(out.data);
    return upper ? runtime::upper_bound(keys.data, needles.data, to, keys.items, needles.items, keys.type,
                                        order_of(descending), s.on)
                 : runtime::lower_bound(keys.data, needles.data, to, keys.items, needles.items, keys.type,
                                        order_of(descending), s.on);
  });
}

void merge(const array& a, const array& b, array& out, bool descending, stream_number stream) {
  check_apart(out, "out", a, "a");
  check_apart(out, "out", b, "b");
  const std::size_t bytes = runtime::merge_workspace_bytes(a.items, b.items, a.type);
  enqueue("merge", out, stream, bytes, nullptr, [&](const surroundings& s) {
    return runtime::merge_keys(s.work, a.data, b.data, out.data, a.items, b.items, a.type, order_of(descending), s.on);
  });
}

}  // namespace

void bind_sorts(nb::module_& m) {
  using namespace nb::literals;
  m.def("sort_keys", &sort_keys, "x"_a, "out"_a.none(), "places"_a.none(), "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sort_by_key", &sort_by_key, "keys"_a, "keys_out"_a, "values"_a, "descending"_a, "begin"_a, "end"_a,
        "stream"_a.none());
  m.def("segmented_sort", &segmented_sort, "x"_a, "out"_a.none(), "values"_a.none(), "values_out"_a.none(),
        "places"_a.none(), "begins"_a, "ends"_a, "descending"_a, "begin"_a, "end"_a, "stream"_a.none());
  m.def("topk", &topk, "x"_a, "out"_a.none(), "places"_a.none(), "k"_a, "descending"_a, "begin"_a, "end"_a,
        "stream"_a.none());
  m.def("bounds", &bounds, "keys"_a, "needles"_a, "out"_a, "upper"_a, "descending"_a, "stream"_a.none());
  m.def("merge", &merge, "a"_a, "b"_a, "out"_a, "descending"_a, "stream"_a.none());
}

}  // namespace upsweep::python
