// Sorts, and calls on what is sorted, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "calls.hpp"

namespace upsweep::python {

namespace {

key_order order_of(const array& keys, bool descending, int nans) {
  return {keys.type, descending ? sort_order::descending : sort_order::ascending, static_cast<nan_order>(nans)};
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
                 counted(bound, count)};
  enqueue(places ? "argsort" : "sort", in, site, call);
}

void sort_by_key(const array& in, array& out, const arrays& values, bool descending, int nans, int begin, int end,
                 std::int64_t bound, const array* count, const call_site& site) {
  check_apart(out, "out", in, "keys");
  const std::int64_t n = in.items;
  std::vector<runtime::value_rows> rows;
  constexpr std::size_t most_bytes = 65536;
  for (const auto& [from, to] : values) {
    rows.push_back({from->data, to->data, n == 0 ? 1 : from->bytes() / static_cast<std::size_t>(n)});
    if (rows.back().bytes > most_bytes) {
      raise(PyExc_ValueError, "values has rows of " + std::to_string(rows.back().bytes) +
                                  " bytes; at most 65536 are moved: sort places with the keys, and index by them");
    }
    check_apart(*to, "out", in, "keys");
    check_apart(*to, "out", out, "out[0]");
    check_apart(out, "out[0]", *from, "values");
    for (const auto& [other, its_to] : values) {
      check_apart(*to, "out", *other, "values");
      if (its_to != to) check_apart(*to, "out", *its_to, "another out");
    }
  }
  const key_order keys = order_of(in, descending, nans);
  sort_call call{{}, keys, {begin, end}, in.data, out.data, nullptr, rows, counted(bound, count)};
  enqueue("sort_by_key", in, site, call);
}

void segmented_sort(const array& in, array& out, const array* values, array* values_out, const array& begins,
                    const array& ends, bool descending, int nans, int begin, int end, std::int64_t bound,
                    const array* count, const call_site& site) {
  check_apart(out, "out", in, "x");
  if (values) {
    check_apart(out, "out", *values, "values");
    check_apart(*values_out, "out", *values, "values");
    check_apart(*values_out, "out", in, "x");
    check_apart(*values_out, "out[1]", out, "out[0]");
  }
  for (const array* offsets : {&begins, &ends}) {
    check_apart(out, "out", *offsets, "offsets");
    if (values) check_apart(*values_out, "out", *offsets, "offsets");
  }
  if (site.measured == nullptr) check_segments(begins, ends, in, "offsets");
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
                        counted(bound, count)};
  enqueue("segmented_sort", in, site, c);
}

void topk(const array& in, array* out, array& places, std::int64_t k, bool descending, int nans, int begin, int end,
          std::int64_t bound, const array* count, const call_site& site) {
  if (out) {
    check_apart(*out, "out", in, "x");
    check_apart(places, "out[1]", *out, "out[0]");
  }
  check_apart(places, "out", in, "x");
  if (count) {
    check_apart(places, "out[1]", *count, "n");
    if (out) check_apart(*out, "out[0]", *count, "n");
  }
  const key_order keys = order_of(in, descending, nans);
  auto* const to = static_cast<std::int64_t*>(places.data);
  top_k_call c{{}, keys, {begin, end}, in.data, to, k, counted(bound, count)};
  enqueue("topk", in, site, workspace_bytes(c), nullptr, [&](const surroundings& s) {
    c.work = s.work;
    const status told = run(c, s.on);
    if (told != status::success || !out) return told;
    const item_count found{c.n.count, std::min(k, bound)};
    return run(gather_call{{}, c.in, out->data, size_of(in.type), to, found}, s.on);
  });
}

void merge(const array& a, const array& b, array& out, bool finds_bounds, bool upper, bool descending, int nans,
           std::int64_t n_a, const array* count_a, std::int64_t n_b, const array* count_b, const call_site& site) {
  check_apart(out, "out", a, "the keys");
  check_apart(out, "out", b, finds_bounds ? "the needles" : "the keys");
  const key_order keys = order_of(a, descending, nans);
  auto* const places = finds_bounds ? static_cast<std::int64_t*>(out.data) : nullptr;
  merge_call c{{}, keys, a.data, b.data, out.data, places, upper, counted(n_a, count_a), counted(n_b, count_b)};
  enqueue(finds_bounds ? "searchsorted" : "merge", out, site, c);
}

namespace {

/// sort_keys of all bits into an array of keys, or of places, where nothing is left to decide: everything fits. False,
/// and nothing done, where something does not. `nans` is for floats.
bool sort_into(nb::handle x, nb::handle out, bool places, bool descending, int nans, const call_site& site) {
  array a = array_of(x, "x"), o = array_of(out, "out");
  const bool is_float = name_of(a.type)[0] == 'f' || a.type == scalar_type::bf16;
  const bool is_output = places ? o.type == scalar_type::i32 && !o.is_bool && a.items <= INT32_MAX
                                : o.type == a.type && o.is_bool == a.is_bool;
  const bool is_together = o.device == a.device && o.items == a.items && !o.is_read_only;
  const auto misaligned = reinterpret_cast<std::uintptr_t>(a.data) % size_of(a.type) +
                          reinterpret_cast<std::uintptr_t>(o.data) % size_of(o.type);
  if (!(a.axes == 1 && is_output && is_together && a.is_dense() && o.is_dense() && misaligned == 0)) return false;
  sort_keys(a, places ? nullptr : &o, places ? &o : nullptr, descending, is_float ? nans : 0, 0, -1, a.items, nullptr,
            site);
  return true;
}

}  // namespace

void bind_sorts(nb::module_& m) {
  using namespace nb::literals;
  m.def("sort_into", &sort_into, "x"_a, "out"_a, "places"_a, "descending"_a, "nans"_a, "stream"_a.none());
  m.def("sort_keys", &sort_keys, "x"_a, "out"_a.none(), "places"_a.none(), "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sort_by_key", &sort_by_key, "keys"_a, "keys_out"_a, "values"_a, "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("segmented_sort", &segmented_sort, "x"_a, "out"_a, "values"_a.none(), "values_out"_a.none(), "begins"_a,
        "ends"_a, "descending"_a, "nans"_a, "begin"_a, "end"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("topk", &topk, "x"_a, "out"_a.none(), "places"_a, "k"_a, "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("merge", &merge, "a"_a, "b"_a, "out"_a, "finds_bounds"_a, "upper"_a, "descending"_a, "nans"_a, "n_a"_a,
        "count_a"_a.none(), "n_b"_a, "count_b"_a.none(), "stream"_a.none());
}

}  // namespace upsweep::python
