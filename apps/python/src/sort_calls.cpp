// Sorts, and calls on what is sorted, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "calls.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::python {

namespace {

key_order order_of(const array& keys, bool descending, int nans) {
  return {keys.type, descending ? sort_order::descending : sort_order::ascending, static_cast<nan_order>(nans)};
}

/// Whether the library has the call: it takes n by value and sorts NaNs by their bits.
bool is_plain(const key_order& keys, const array* count) {
  return count == nullptr && keys.nans == nan_order::by_bits;
}

}  // namespace

void sort_keys(const array& in, array* out, array* places, bool descending, int nans, int begin, int end,
               std::int64_t bound, const array* count, const call_site& site) {
  if (out) check_apart(*out, "out", in, "x");
  if (places) check_apart(*places, "out", in, "x");
  const key_order keys = order_of(in, descending, nans);
  sort_call call{{},
                 keys,
                 {begin, end},
                 in.data,
                 out ? out->data : nullptr,
                 places ? static_cast<std::uint32_t*>(places->data) : nullptr,
                 {},
                 {nullptr, bound}};
  const bool plain = is_plain(keys, count);
  const std::size_t bytes = !plain   ? workspace_bytes(call)
                            : places ? runtime::argsort_workspace_bytes(bound, in.type, {})
                                     : runtime::sort_keys_workspace_bytes(bound, in.type, {});
  enqueue(places ? "argsort" : "sort", in, site, bytes, nullptr, [&](const surroundings& s) {
    if (plain && places) {
      return runtime::argsort(s.work, in.data, call.places, bound, in.type, keys.order, call.bits, {}, s.on);
    }
    if (plain) return runtime::sort_keys(s.work, in.data, call.out, bound, in.type, keys.order, call.bits, {}, s.on);
    call.work = s.work;
    call.n = counted(bound, count, s);
    return run(call, s.on);
  });
}

void sort_by_key(const array& in, array& out, const arrays& values, bool descending, int nans, int begin, int end,
                 std::int64_t bound, const array* count, const call_site& site) {
  check_apart(out, "the sorted keys", in, "keys");
  const std::int64_t n = in.items;
  std::vector<runtime::value_rows> rows;
  std::size_t row_bytes = 0;
  for (const auto& [from, to] : values) {
    rows.push_back({from->data, to->data, n == 0 ? 1 : from->bytes() / static_cast<std::size_t>(n)});
    row_bytes += rows.back().bytes;
    check_apart(*to, "out", *from, "values");
    check_apart(*to, "out", in, "keys");
  }
  const key_order keys = order_of(in, descending, nans);
  const bit_range bits{begin, end};
  sort_call call{{}, keys, bits, in.data, out.data, nullptr, rows, {nullptr, bound}};
  const bool plain = is_plain(keys, count), is_pair = rows.size() == 1 && rows[0].bytes == 4;
  const std::size_t bytes = !plain    ? workspace_bytes(call)
                            : is_pair ? runtime::sort_pairs_workspace_bytes(bound, in.type, {})
                                      : runtime::sort_with_values_workspace_bytes(bound, in.type, {}) +
                                            packed_rows_workspace_bytes(bound, row_bytes);
  enqueue("sort_by_key", in, site, bytes, nullptr, [&](const surroundings& s) {
    if (plain && is_pair) {
      return runtime::sort_pairs(s.work, in.data, out.data, static_cast<const std::uint32_t*>(rows[0].in),
                                 static_cast<std::uint32_t*>(rows[0].out), bound, in.type, keys.order, bits, {}, s.on);
    }
    if (plain) {
      return runtime::sort_with_values(s.work, in.data, out.data, rows, bound, in.type, keys.order, bits, {}, s.on);
    }
    call.work = s.work;
    call.n = counted(bound, count, s);
    return run(call, s.on);
  });
}

void segmented_sort(const array& in, array& out, const array* values, array* values_out, const array& begins,
                    const array& ends, bool descending, int nans, int begin, int end, std::int64_t bound,
                    const array* count, const call_site& site) {
  check_apart(out, "out", in, "x");
  if (values) check_apart(*values_out, "out", *values, "values");
  const key_order keys = order_of(in, descending, nans);
  segmented_sort_call c{{},
                        keys,
                        {begin, end},
                        in.data,
                        out.data,
                        values ? values->data : nullptr,
                        values ? values_out->data : nullptr,
                        values ? size_of(values->type) : 0,
                        static_cast<const std::int64_t*>(begins.data),
                        static_cast<const std::int64_t*>(ends.data),
                        begins.items,
                        {nullptr, bound}};
  const bool plain = is_plain(keys, count);
  const std::size_t bytes =
      plain ? runtime::segmented_sort_workspace_bytes(bound, c.segments, in.type, c.value_bytes) : workspace_bytes(c);
  enqueue("segmented_sort", in, site, bytes, nullptr, [&](const surroundings& s) {
    if (plain && values) {
      return runtime::segmented_sort_pairs(s.work, c.in, c.out, c.values_in, c.values_out, c.value_bytes, c.begins,
                                           c.ends, bound, c.segments, in.type, keys.order, c.bits, s.on);
    }
    if (plain) {
      return runtime::segmented_sort_keys(s.work, c.in, c.out, c.begins, c.ends, bound, c.segments, in.type, keys.order,
                                          c.bits, s.on);
    }
    c.work = s.work;
    c.n = counted(bound, count, s);
    return run(c, s.on);
  });
}

void topk(const array& in, array* out, array& places, std::int64_t k, bool descending, int nans, int begin, int end,
          std::int64_t bound, const array* count, const call_site& site) {
  if (out) check_apart(*out, "out", in, "x");
  check_apart(places, "out", in, "x");
  const key_order keys = order_of(in, descending, nans);
  auto* const to = static_cast<std::int64_t*>(places.data);
  top_k_call c{{}, keys, {begin, end}, in.data, to, k, {nullptr, bound}};
  const bool plain = is_plain(keys, count);
  const std::size_t bytes = plain ? runtime::top_k_workspace_bytes(bound, k, in.type, sizeof *to) : workspace_bytes(c);
  enqueue("topk", in, site, bytes, nullptr, [&](const surroundings& s) {
    c.work = s.work;
    c.n = counted(bound, count, s);
    const status told =
        plain ? runtime::top_k_indices(s.work, c.in, to, bound, k, in.type, keys.order, c.bits, s.on) : run(c, s.on);
    if (told != status::success || !out) return told;
    const item_count found{c.n.count, std::min(k, bound)};
    return run(gather_call{{}, c.in, out->data, size_of(in.type), to, found}, s.on);
  });
}

/// The items alone, by a call of the library.
void topk_items(const array& in, array& out, std::int64_t k, bool descending, int begin, int end, std::int64_t bound,
                const call_site& site) {
  check_apart(out, "out", in, "x");
  const auto order = descending ? sort_order::descending : sort_order::ascending;
  enqueue("topk", in, site, runtime::top_k_workspace_bytes(bound, k, in.type, 0), nullptr, [&](const surroundings& s) {
    return runtime::top_k_keys(s.work, in.data, out.data, bound, k, in.type, order, {begin, end}, s.on);
  });
}

namespace {

/// A merge of a and b, or, where `out` holds places, the bounds of the needles b in a.
void merge(const array& a, const array& b, array& out, bool finds_bounds, bool upper, bool descending, int nans,
           std::int64_t n_a, const array* count_a, std::int64_t n_b, const array* count_b, const call_site& site) {
  check_apart(out, "out", a, "the keys");
  check_apart(out, "out", b, finds_bounds ? "the needles" : "the keys");
  const key_order keys = order_of(a, descending, nans);
  auto* const places = finds_bounds ? static_cast<std::int64_t*>(out.data) : nullptr;
  merge_call c{{}, keys, a.data, b.data, out.data, places, upper, {nullptr, n_a}, {nullptr, n_b}};
  const bool plain = is_plain(keys, count_a) && count_b == nullptr;
  const std::size_t bytes =
      plain && !finds_bounds ? runtime::merge_workspace_bytes(n_a, n_b, a.type) : workspace_bytes(c);
  enqueue(finds_bounds ? "searchsorted" : "merge", out, site, bytes, nullptr, [&](const surroundings& s) {
    if (plain && !finds_bounds) {
      return runtime::merge_keys(s.work, a.data, b.data, out.data, n_a, n_b, a.type, keys.order, s.on);
    }
    if (plain) {
      return upper ? runtime::upper_bound(a.data, b.data, places, n_a, n_b, a.type, keys.order, s.on)
                   : runtime::lower_bound(a.data, b.data, places, n_a, n_b, a.type, keys.order, s.on);
    }
    c.work = s.work;
    c.n_a = counted(n_a, count_a, s);
    c.n_b = counted(n_b, count_b, s);
    return run(c, s.on);
  });
}

}  // namespace

void bind_sorts(nb::module_& m) {
  using namespace nb::literals;
  m.def("sort_keys", &sort_keys, "x"_a, "out"_a.none(), "places"_a.none(), "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sort_by_key", &sort_by_key, "keys"_a, "keys_out"_a, "values"_a, "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("segmented_sort", &segmented_sort, "x"_a, "out"_a, "values"_a.none(), "values_out"_a.none(), "begins"_a,
        "ends"_a, "descending"_a, "nans"_a, "begin"_a, "end"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("topk_items", &topk_items, "x"_a, "out"_a, "k"_a, "descending"_a, "begin"_a, "end"_a, "bound"_a,
        "stream"_a.none());
  m.def("topk", &topk, "x"_a, "out"_a.none(), "places"_a, "k"_a, "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("merge", &merge, "a"_a, "b"_a, "out"_a, "finds_bounds"_a, "upper"_a, "descending"_a, "nans"_a, "n_a"_a,
        "count_a"_a.none(), "n_b"_a, "count_b"_a.none(), "stream"_a.none());
}

}  // namespace upsweep::python
