// Sums and scans for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "calls.hpp"
#include "enqueue.hpp"
#include "kernels.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::python {

namespace {

runtime::scan_operator operator_of(const std::string& op) {
  const auto which = runtime::scan_operator_named(op);
  if (!which) raise(PyExc_ValueError, "op is '" + op + "'; expected sum, min, max, product, and, or, xor");
  return *which;
}

}  // namespace

void scan(const array& in, array& out, const std::string& op, bool exclusive, const void* init, std::int64_t bound,
          const array* count, const call_site& site) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  const runtime::scan_operator which = operator_of(op);
  if (which == runtime::scan_operator::sum) {
    sum_call call{{}, in.type, exclusive, false, in.data, out.data, init, counted(bound, count)};
    return enqueue("scan", in, site, call);
  }
  scan_call call{{}, in.type, which, exclusive, in.data, out.data, init, counted(bound, count)};
  enqueue("scan", in, site, call);
}

void scan_axis(const array& in, array& out, const std::string& op, bool exclusive, const void* init, std::int64_t outer,
               std::int64_t length, std::int64_t inner, bool backward, bool is_reproducible, std::int64_t bound,
               const array* count, const call_site& site) {
  if (outer == 1 && inner == 1 && !backward) {  // one row, of which there are kernels for any number of items
    if (is_reproducible) return sum(in, out, exclusive, true, bound, count, site);
    return scan(in, out, op, exclusive, init, bound, count, site);
  }
  if (out.data != in.data) check_apart(out, "out", in, "x");
  const array_axis axis{outer, length, inner, backward};
  axis_scan_call call{{}, in.type, operator_of(op), exclusive, is_reproducible, in.data, out.data, init, axis};
  // Forward, those after n come after all that count, and their results mean nothing.
  if (!backward || (count == nullptr && bound == length)) return enqueue("scan", in, site, call);
  const front_call front{in.type, call.op, in.data, out.data, axis, counted(bound, count)};
  enqueue("scan", in, site, workspace_bytes(call), nullptr, [&](const surroundings& s) {
    const status told = run(front, s.on);
    if (told != status::success) return told;
    call.work = s.work;
    call.in = out.data;
    return run(call, s.on);
  });
}

void sum(const array& in, array& out, bool exclusive, bool is_reproducible, std::int64_t bound, const array* count,
         const call_site& site) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  sum_call call{{}, in.type, exclusive, is_reproducible, in.data, out.data, nullptr, counted(bound, count)};
  enqueue("cumsum", in, site, call);
}

void scan_by_key(const array& in, array& out, const array& keys, const std::string& op, bool exclusive,
                 const void* init, std::int64_t bound, const array* count, const call_site& site) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  check_apart(out, "out", keys, "keys");
  parts_scan_call call{{},
                       in.type,
                       operator_of(op),
                       exclusive,
                       in.data,
                       out.data,
                       init,
                       counted(bound, count),
                       keys.data,
                       size_of(keys.type),
                       nullptr,
                       nullptr,
                       0};
  if (in.items == 0) return;
  enqueue("scan", in, site, call);
}

void scan_segmented(const array& in, array& out, const array& begins, const array& ends, const std::string& op,
                    bool exclusive, const void* init, std::int64_t bound, const array* count, const call_site& site) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  check_apart(out, "out", begins, "segments");
  check_apart(out, "out", ends, "segments");
  if (site.measured == nullptr) check_segments(begins, ends, in, "segments");
  parts_scan_call call{{},
                       in.type,
                       operator_of(op),
                       exclusive,
                       in.data,
                       out.data,
                       init,
                       counted(bound, count),
                       nullptr,
                       0,
                       static_cast<const std::int64_t*>(begins.data),
                       static_cast<const std::int64_t*>(ends.data),
                       begins.items};
  enqueue("scan", in, site, call);
}

namespace {

/// sum of one row where nothing is left to decide. False, and nothing done, where something is.
bool sum_into(nb::handle x, nb::handle out, bool exclusive, const call_site& site) {
  array a = array_of(x, "x"), o = array_of(out, "out");
  using enum scalar_type;
  const bool is_summed = (a.type == f32 || a.type == f64 || a.type == i64 || a.type == u64) && a.axes == 1;
  const bool is_output = o.type == a.type && o.items == a.items && !o.is_read_only && o.device == a.device;
  const auto places = reinterpret_cast<std::uintptr_t>(a.data) | reinterpret_cast<std::uintptr_t>(o.data);
  if (!(is_summed && is_output && a.is_dense() && o.is_dense() && places % size_of(a.type) == 0)) return false;
  sum(a, o, exclusive, false, a.items, nullptr, site);
  return true;
}

}  // namespace

void bind_scans(nb::module_& m) {
  using namespace nb::literals;
  const auto address = [](const std::optional<nb::bytes>& init) { return init ? init->data() : nullptr; };
  m.def(
      "scan",
      [=](const array& in, array& out, const std::string& op, bool exclusive, const std::optional<nb::bytes>& init,
          std::int64_t bound, const array* count,
          const call_site& site) { scan(in, out, op, exclusive, address(init), bound, count, site); },
      "x"_a, "out"_a, "op"_a, "exclusive"_a, "init"_a.none(), "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def(
      "scan_axis",
      [=](const array& in, array& out, const std::string& op, bool exclusive, const std::optional<nb::bytes>& init,
          std::int64_t outer, std::int64_t length, std::int64_t inner, bool backward, bool is_reproducible,
          std::int64_t bound, const array* count, const call_site& site) {
        scan_axis(in, out, op, exclusive, address(init), outer, length, inner, backward, is_reproducible, bound, count,
                  site);
      },
      "x"_a, "out"_a, "op"_a, "exclusive"_a, "init"_a.none(), "outer"_a, "length"_a, "inner"_a, "backward"_a,
      "reproducible"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sum", &sum, "x"_a, "out"_a, "exclusive"_a, "reproducible"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sum_into", &sum_into, "x"_a, "out"_a, "exclusive"_a, "stream"_a.none());
  m.def(
      "scan_by_key",
      [=](const array& in, array& out, const array& keys, const std::string& op, bool exclusive,
          const std::optional<nb::bytes>& init, std::int64_t bound, const array* count,
          const call_site& site) { scan_by_key(in, out, keys, op, exclusive, address(init), bound, count, site); },
      "x"_a, "out"_a, "keys"_a, "op"_a, "exclusive"_a, "init"_a.none(), "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def(
      "scan_segmented",
      [=](const array& in, array& out, const array& begins, const array& ends, const std::string& op, bool exclusive,
          const std::optional<nb::bytes>& init, std::int64_t bound, const array* count, const call_site& site) {
        scan_segmented(in, out, begins, ends, op, exclusive, address(init), bound, count, site);
      },
      "x"_a, "out"_a, "begins"_a, "ends"_a, "op"_a, "exclusive"_a, "init"_a.none(), "bound"_a, "count"_a.none(),
      "stream"_a.none());
}

}  // namespace upsweep::python
