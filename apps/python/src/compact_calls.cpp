// Selections, runs and groups for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "enqueue.hpp"
#include "kernels.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::python {

namespace {

integer_array integers(const array* a) {
  integer_array to;
  if (a == nullptr) return to;
  to.data = a->data;
  to.integer_bytes = static_cast<std::uint32_t>(size_of(a->type));
  return to;
}

/// A count that a call writes shares no memory with its arrays.
void check_count(const array* written, const array& other, const char* its_name) {
  if (written) check_apart(*written, "count", other, its_name);
}

}  // namespace

std::int64_t select_rows(const arrays& moved, const array& mask, array* num_selected, array* indices,
                         std::int64_t capacity, bool keep_others_behind, std::int64_t bound, const array* count,
                         const call_site& site) {
  std::vector<soa_array> rows;
  for (const auto& [in, out] : moved) {
    const auto n = static_cast<std::size_t>(std::max<std::int64_t>(mask.items, 1));
    rows.push_back({in->data, out->data, in->bytes() / n});
    if (out->data != in->data) check_apart(*out, "out", *in, "x");
    check_apart(*out, "out", mask, "mask");
    if (indices) check_apart(*out, "out", *indices, "the places");
    check_count(num_selected, *in, "x");
    check_count(num_selected, *out, "out");
    for (const auto& [other, its_out] : moved) {
      if (its_out == out) continue;
      check_apart(*out, "out", *other, "another x");
      check_apart(*out, "out", *its_out, "another out");
    }
  }
  check_count(num_selected, mask, "mask");
  if (indices) check_count(num_selected, *indices, "out");
  if (mask.items == 0) rows.clear();
  select_call call{{},
                   rows,
                   static_cast<const std::uint8_t*>(mask.data),
                   {},
                   counted(bound, count),
                   keep_others_behind ? rejected_order::after : rejected_order::apart};
  call.results.indices = integers(indices);
  if (capacity < mask.items) call.results.capacity = capacity;
  std::int64_t kept = -1;
  enqueue("select", mask, site, workspace_bytes(call), num_selected ? nullptr : &kept, [&](const surroundings& s) {
    auto* const told = num_selected ? static_cast<std::int64_t*>(num_selected->data) : s.count;
    call.results.num_selected = integer_array(told);
    call.work = s.work;
    return run(call, s.on);
  });
  return kept;
}

namespace {

/// select_rows of one array where nothing is left to decide: every array fits, and the count stays where it is. False,
/// and nothing done, where one does not.
bool select_into(nb::handle x, nb::handle mask, nb::handle out, nb::handle num_selected, const call_site& site) {
  array a = array_of(x, "x"), m = array_of(mask, "mask"), o = array_of(out, "out"), c = array_of(num_selected, "count");
  const bool is_mask = size_of(m.type) == 1 && m.axes <= a.axes && std::equal(m.shape, m.shape + m.axes, a.shape);
  const bool is_output = o.type == a.type && o.is_bool == a.is_bool && o.items >= a.items && !o.is_read_only;
  const bool is_count = c.type == scalar_type::i64 && c.items == 1 && !c.is_read_only;
  const bool is_together = m.device == a.device && o.device == a.device && c.device == a.device;
  const bool is_dense = a.is_dense() && m.is_dense() && o.is_dense();
  const bool has_rows = a.items > 0 && reinterpret_cast<std::uintptr_t>(o.data) % size_of(o.type) == 0;
  if (!(is_mask && is_output && is_count && is_together && is_dense && has_rows)) return false;
  select_rows({{&a, &o}}, m, &c, nullptr, m.items, false, m.items, nullptr, site);
  return true;
}

/// The same for the places of a mask.
bool nonzero_into(nb::handle mask, nb::handle out, nb::handle num_selected, const call_site& site) {
  array m = array_of(mask, "x"), o = array_of(out, "out"), c = array_of(num_selected, "count");
  const bool is_mask = size_of(m.type) == 1 && m.axes == 1 && m.items > 0;
  const bool is_output = (o.type == scalar_type::i64 || o.type == scalar_type::i32) && o.items >= m.items &&
                         !o.is_read_only && reinterpret_cast<std::uintptr_t>(o.data) % size_of(o.type) == 0;
  const bool is_count = c.type == scalar_type::i64 && c.items == 1 && !c.is_read_only;
  const bool is_together = o.device == m.device && c.device == m.device;
  if (!(is_mask && is_output && is_count && is_together && m.is_dense() && o.is_dense())) return false;
  select_rows({}, m, &c, &o, m.items, false, m.items, nullptr, site);
  return true;
}

}  // namespace

std::int64_t reduce_by_key(const array& keys, array& unique, const array* values, array& sums, array* num_runs,
                           std::int64_t bound, const array* count, const call_site& site) {
  for (const auto& [out, name] : {std::pair(&unique, "out[0]"), std::pair(&sums, "out[1]")}) {
    check_apart(*out, name, keys, values ? "keys" : "x");
    if (values) check_apart(*out, name, *values, "values");
    check_count(num_runs, *out, name);
  }
  check_apart(sums, "out[1]", unique, "out[0]");
  check_count(num_runs, keys, values ? "keys" : "x");
  if (values) check_count(num_runs, *values, "values");
  runs_call c{{}, keys.type, sums.type, keys.data, unique.data, nullptr, sums.data, {}, counted(bound, count)};
  if (values) c.values = values->data;
  std::int64_t runs = -1;
  enqueue(values ? "reduce_by_key" : "run_length_encode", keys, site, workspace_bytes(c), num_runs ? nullptr : &runs,
          [&](const surroundings& s) {
            c.results.num_selected = num_runs ? integers(num_runs) : integer_array(s.count);
            c.work = s.work;
            return run(c, s.on);
          });
  return runs;
}

std::int64_t unique(const array& in, array& out, array* lengths, array* num_runs, std::int64_t bound,
                    const array* count, const call_site& site) {
  check_apart(out, "out", in, "x");
  check_count(num_runs, in, "x");
  check_count(num_runs, out, "out");
  if (lengths) {
    check_apart(*lengths, "out[1]", in, "x");
    check_apart(*lengths, "out[1]", out, "out[0]");
    check_count(num_runs, *lengths, "out[1]");
  }
  const item_count n = counted(bound, count);
  detail::workspace_layout layout;
  const auto of_keys = layout.add<std::uint64_t>(ceil_div(in.bytes(), sizeof(std::uint64_t)));
  const auto of_lengths = layout.add<std::uint32_t>(lengths ? 0 : in.items);
  sort_call sorted{{}, {in.type, sort_order::ascending, nan_order::last}, {0, -1}, in.data, nullptr, nullptr, {}, n};
  if (name_of(in.type)[0] != 'f') sorted.keys.nans = nan_order::by_bits;
  runs_call c{{}, in.type, scalar_type::u32, nullptr, out.data, nullptr, nullptr, {}, n};
  const std::size_t bytes = layout.bytes() + std::max(workspace_bytes(sorted), workspace_bytes(c));
  std::int64_t runs = -1;
  enqueue("unique", in, site, bytes, num_runs ? nullptr : &runs, [&](const surroundings& s) {
    sorted.out = layout.at(s.work, of_keys);
    sorted.work = c.work = layout.rest(s.work);
    const status told = run(sorted, s.on);
    if (told != status::success) return told;
    c.keys = sorted.out;
    c.sums = lengths ? lengths->data : layout.at(s.work, of_lengths);
    c.results.num_selected = num_runs ? integers(num_runs) : integer_array(s.count);
    return run(c, s.on);
  });
  return runs;
}

void group_by(const array& groups, array& permutation, array* inverse, array& offsets, int how_many,
              std::int64_t multiple, std::int64_t bound, const array* count, const call_site& site) {
  check_apart(permutation, "out[0]", groups, "groups");
  check_apart(offsets, "out[1]", groups, "groups");
  check_apart(offsets, "out[1]", permutation, "out[0]");
  if (inverse) {
    check_apart(*inverse, "out[2]", groups, "groups");
    check_apart(*inverse, "out[2]", permutation, "out[0]");
    check_apart(*inverse, "out[2]", offsets, "out[1]");
  }
  group_places to;
  to.permutation = integers(&permutation);
  to.inverse = integers(inverse);
  to.multiple = multiple;
  const auto* const in = static_cast<const std::uint32_t*>(groups.data);
  auto* const begins = static_cast<std::int64_t*>(offsets.data);
  groups_call c{{}, in, to, begins, {}, how_many, counted(bound, count)};
  enqueue("group_by", groups, site, c);
}

void histogram(const array& buckets, array& counts, std::int64_t bound, const array* count, const call_site& site) {
  check_apart(counts, "out", buckets, "groups");
  const auto* const in = static_cast<const std::uint32_t*>(buckets.data);
  groups_call c{{}, in, {}, nullptr, integers(&counts), static_cast<int>(counts.items), counted(bound, count)};
  enqueue("histogram", buckets, site, c);
}

std::int64_t expand(const array& counts, array& items, array* offsets, array* total, std::int64_t bound,
                    const array* count, const call_site& site) {
  check_apart(items, "out", counts, "counts");
  check_count(total, counts, "counts");
  check_count(total, items, "out");
  if (offsets) {
    check_apart(*offsets, "out[1]", counts, "counts");
    check_apart(*offsets, "out[1]", items, "out[0]");
    check_count(total, *offsets, "out[1]");
  }
  const auto* const in = static_cast<const std::uint32_t*>(counts.data);
  if (site.measured == nullptr && counts.device == on_the_host && counts.type == scalar_type::i32) {
    const std::int64_t n = count ? std::min(bound, *static_cast<const std::int64_t*>(count->data)) : bound;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto here = static_cast<std::int32_t>(in[i]);
      if (here < 0) raise(PyExc_ValueError, "counts has " + std::to_string(here) + "; expected 0 or more");
    }
  }
  expand_call c{{}, in, static_cast<std::uint32_t*>(items.data), {}, counted(bound, count)};
  c.results.offsets = offsets ? static_cast<std::int64_t*>(offsets->data) : nullptr;
  c.results.capacity = items.items;
  std::int64_t written = -1;
  enqueue("expand", counts, site, workspace_bytes(c), total ? nullptr : &written, [&](const surroundings& s) {
    c.results.total = total ? integers(total) : integer_array(s.count);
    c.work = s.work;
    return run(c, s.on);
  });
  return written;
}

void bind_compacts(nb::module_& m) {
  using namespace nb::literals;
  m.def("select", &select_rows, "arrays"_a, "mask"_a, "num_selected"_a.none(), "indices"_a.none(), "capacity"_a,
        "keep_others_behind"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("select_into", &select_into, "x"_a, "mask"_a, "out"_a, "count"_a, "stream"_a.none());
  m.def("nonzero_into", &nonzero_into, "x"_a, "out"_a, "count"_a, "stream"_a.none());
  m.def("reduce_by_key", &reduce_by_key, "keys"_a, "unique"_a, "values"_a.none(), "sums"_a, "num_runs"_a.none(),
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("unique", &unique, "x"_a, "out"_a, "lengths"_a.none(), "num_runs"_a.none(), "bound"_a, "count"_a.none(),
        "stream"_a.none());
  m.def("group_by", &group_by, "groups"_a, "permutation"_a, "inverse"_a.none(), "offsets"_a, "how_many"_a, "multiple"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("histogram", &histogram, "buckets"_a, "counts"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("expand", &expand, "counts"_a, "items"_a, "offsets"_a.none(), "total"_a.none(), "bound"_a, "count"_a.none(),
        "stream"_a.none());
}

}  // namespace upsweep::python
