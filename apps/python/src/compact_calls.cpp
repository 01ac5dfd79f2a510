// Selections, runs and groups for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "calls.hpp"
#include "enqueue.hpp"
#include "kernels.hpp"
#include "upsweep/compact/runtime.hpp"

namespace upsweep::python {
namespace {

/// The count that was kept, or -1 where `num_selected` takes it.
std::int64_t select_rows(const arrays& moved, const array& mask, array* num_selected, array* indices,
                         std::int64_t capacity, bool keep_others_behind, std::int64_t bound, const array* count,
                         stream_number stream) {
  std::vector<soa_array> rows;
  for (const auto& [in, out] : moved) {
    const auto n = static_cast<std::size_t>(std::max<std::int64_t>(mask.items, 1));
    rows.push_back({in->data, out->data, in->bytes() / n});
    if (out->data != in->data) check_apart(*out, "out", *in, "x");
    check_apart(*out, "out", mask, "mask");
    if (indices) check_apart(*out, "out", *indices, "the places");
  }
  if (mask.items == 0) rows.clear();
  select_call call{{},
                   rows,
                   static_cast<const std::uint8_t*>(mask.data),
                   {},
                   {nullptr, bound},
                   keep_others_behind ? rejected_order::behind : rejected_order::apart};
  if (indices != nullptr) {
    call.results.indices.data = indices->data;
    call.results.indices.integer_bytes = static_cast<std::uint32_t>(size_of(indices->type));
  }
  if (capacity < mask.items) call.results.capacity = capacity;
  // Without others and without counts in device memory it is a call of the library, which has kernels for more sizes.
  const bool is_plain =
      indices == nullptr && count == nullptr && !keep_others_behind && !call.results.is_limited() && mask.items > 0;
  std::int64_t kept = -1;
  const std::size_t bytes = is_plain ? runtime::select_workspace_bytes(rows, mask.items, {}) : workspace_bytes(call);
  enqueue("select", mask, stream, bytes, num_selected ? nullptr : &kept, [&](const surroundings& s) {
    auto* const told = num_selected ? static_cast<std::int64_t*>(num_selected->data) : s.count;
    if (is_plain) return runtime::select_flagged(s.work, rows, call.flags, told, mask.items, {}, s.on);
    call.work = s.work;
    call.results.num_selected = integer_array(told);
    call.n = counted(bound, count, s);
    return run(call, s.on);
  });
  return kept;
}

/// select_rows of one array where nothing is left to decide: every array fits, and the count stays where it is. False,
/// and nothing done, where one does not.
bool select_into(nb::handle x, nb::handle mask, nb::handle out, nb::handle num_selected, stream_number stream) {
  array a = array_of(x, "x"), m = array_of(mask, "mask"), o = array_of(out, "out"), c = array_of(num_selected, "count");
  const bool is_mask = size_of(m.type) == 1 && m.axes <= a.axes && std::equal(m.shape, m.shape + m.axes, a.shape);
  const bool is_output = o.type == a.type && o.is_bool == a.is_bool && o.items >= a.items && !o.is_read_only;
  const bool is_count = c.type == scalar_type::i64 && c.items == 1 && !c.is_read_only;
  const bool is_together = m.device == a.device && o.device == a.device && c.device == a.device;
  const bool is_dense = a.is_dense() && m.is_dense() && o.is_dense();
  const bool has_rows = a.items > 0 && reinterpret_cast<std::uintptr_t>(o.data) % size_of(o.type) == 0;
  if (!(is_mask && is_output && is_count && is_together && is_dense && has_rows)) return false;
  select_rows({{&a, &o}}, m, &c, nullptr, m.items, false, m.items, nullptr, stream);
  return true;
}

std::int64_t reduce_by_key(const array& keys, array& unique, const array* values, array& sums, array* starts,
                           array* num_runs, stream_number stream) {
  check_apart(unique, "the keys that are kept", keys, "keys");
  if (values) check_apart(sums, "the sums", *values, "values");
  select_results results;
  if (starts) {
    results.indices.data = starts->data;
    results.indices.integer_bytes = static_cast<std::uint32_t>(size_of(starts->type));
  }
  std::int64_t runs = -1;
  const std::int64_t n = keys.items;
  const std::size_t bytes = values ? runtime::reduce_by_key_workspace_bytes(n, keys.type, values->type)
                                   : runtime::run_length_encode_workspace_bytes(n, keys.type);
  enqueue(values ? "reduce_by_key" : "run_length_encode", keys, stream, bytes, num_runs ? nullptr : &runs,
          [&](const surroundings& s) {
            results.num_selected = integer_array(num_runs ? static_cast<std::int64_t*>(num_runs->data) : s.count);
            if (values) {
              return runtime::reduce_by_key(s.work, keys.data, unique.data, values->data, sums.data, results, n,
                                            keys.type, values->type, s.on);
            }
            integer_array lengths;
            lengths.data = sums.data;
            lengths.integer_bytes = static_cast<std::uint32_t>(size_of(sums.type));
            return runtime::run_length_encode(s.work, keys.data, unique.data, lengths, results, n, keys.type, s.on);
          });
  return runs;
}

integer_array integers(const array* a) {
  integer_array to;
  if (a == nullptr) return to;
  to.data = a->data;
  to.integer_bytes = static_cast<std::uint32_t>(size_of(a->type));
  return to;
}

void group_by(const array& groups, array& permutation, array* inverse, array& offsets, int how_many,
              std::int64_t multiple, stream_number stream) {
  group_places to;
  to.permutation = integers(&permutation);
  to.inverse = integers(inverse);
  to.multiple = multiple;
  const std::size_t bytes = runtime::group_by_workspace_bytes(groups.items, how_many, multiple);
  enqueue("group_by", groups, stream, bytes, nullptr, [&](const surroundings& s) {
    return runtime::group_by(s.work, static_cast<const std::uint32_t*>(groups.data), to,
                             static_cast<std::int64_t*>(offsets.data), groups.items, how_many, s.on);
  });
}

void histogram(const array& buckets, array& counts, stream_number stream) {
  enqueue("histogram", buckets, stream, 0, nullptr, [&](const surroundings& s) {
    return runtime::histogram(static_cast<const std::uint32_t*>(buckets.data), integers(&counts), buckets.items,
                              static_cast<int>(counts.items), s.on);
  });
}

std::int64_t expand(const array& counts, array& items, array* offsets, array* total, stream_number stream) {
  expand_results results;
  results.offsets = offsets ? static_cast<std::int64_t*>(offsets->data) : nullptr;
  results.capacity = items.items;
  std::int64_t written = -1;
  const std::size_t bytes = runtime::expand_workspace_bytes(counts.items, results);
  enqueue("expand", counts, stream, bytes, total ? nullptr : &written, [&](const surroundings& s) {
    results.total = integer_array(total ? static_cast<std::int64_t*>(total->data) : s.count);
    return runtime::expand(s.work, static_cast<const std::uint32_t*>(counts.data), integers(&items), results,
                           counts.items, s.on);
  });
  return written;
}

}  // namespace

void bind_compacts(nb::module_& m) {
  using namespace nb::literals;
  m.def("select", &select_rows, "arrays"_a, "mask"_a, "num_selected"_a.none(), "indices"_a.none(), "capacity"_a,
        "keep_others_behind"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("select_into", &select_into, "x"_a, "mask"_a, "out"_a, "count"_a, "stream"_a.none());
  m.def("reduce_by_key", &reduce_by_key, "keys"_a, "unique"_a, "values"_a.none(), "sums"_a, "starts"_a.none(),
        "num_runs"_a.none(), "stream"_a.none());
  m.def("group_by", &group_by, "groups"_a, "permutation"_a, "inverse"_a.none(), "offsets"_a, "how_many"_a, "multiple"_a,
        "stream"_a.none());
  m.def("histogram", &histogram, "buckets"_a, "counts"_a, "stream"_a.none());
  m.def("expand", &expand, "counts"_a, "items"_a, "offsets"_a.none(), "total"_a.none(), "stream"_a.none());
}

}  // namespace upsweep::python
