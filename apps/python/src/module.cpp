// The module upsweep._core: arrays of any library in, calls of runtime.hpp and kernels.hpp out. Types, shapes and
// defaults are decided in Python; what is checked here is what would read or write where it must not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "enqueue.hpp"
#include "kernels.hpp"
#include "plan.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/runtime.hpp"
#include "upsweep/version.hpp"

namespace upsweep::python {

[[noreturn]] static void raise(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

void check(status s, const char* call) {
  if (s == status::success) return;
  const std::string what = std::string(call) + ": ";
  switch (s) {
    case status::memory_allocation:
      raise(PyExc_MemoryError, what + "the GPU has too little free memory for the workspace");
    case status::not_supported:
      raise(PyExc_NotImplementedError, what + "no kernel does this for these types and sizes");
    case status::invalid_value:
      raise(PyExc_ValueError,
            what + "the arrays overlap, are not aligned to their elements, or a number is out of range");
    case status::no_device:
      raise(PyExc_RuntimeError,
            what + "the array lies on a GPU and this upsweep has no CUDA kernels: pip install upsweep-cu13");
    case status::no_kernel_image:
      raise(PyExc_RuntimeError,
            what + "this wheel has no kernels for this GPU; upsweep.architectures() lists those it has");
    default:
      raise(PyExc_RuntimeError, what + status_name(s) + ": " + status_text(s));
  }
}

void check_same_device(const array& a, const char* name, const array& b, const char* other) {
  if (a.device == b.device) return;
  raise(PyExc_ValueError, std::string(name) + " is " + a.described() + " and " + other + " is " + b.described() +
                              "; move one of them: nothing is copied between devices in silence");
}

void check_apart(const array& out, const char* name, const array& other, const char* its_name) {
  if (out.items == 0 || other.items == 0 || out.device != other.device) return;
  const auto* const a = static_cast<const char*>(out.data);
  const auto* const b = static_cast<const char*>(other.data);
  if (a < b + other.bytes() && b < a + out.bytes()) {
    raise(PyExc_ValueError, std::string(name) + " shares memory with " + its_name + "; pass an array of its own");
  }
}

namespace {

using arrays = std::vector<std::pair<array*, array*>>;

array read_input(nb::handle object, const char* name) {
  array a = array_of(object, name);
  if (!a.is_dense()) {
    raise(PyExc_ValueError,
          std::string(name) +
              " is not dense in row-major order; pass a copy that is, such as numpy.ascontiguousarray(" + name +
              ") or " + name + ".contiguous()");
  }
  if (reinterpret_cast<std::uintptr_t>(a.data) % size_of(a.type) != 0 && a.items > 0) {
    raise(PyExc_ValueError, std::string(name) + " is not aligned to its elements; pass a copy");
  }
  return a;
}

array read_output(nb::handle object, const char* name, const std::string& type, std::int64_t items, bool exactly,
                  const array& lead) {
  array a = read_input(object, name);
  if (a.is_read_only) raise(PyExc_ValueError, std::string(name) + " is read-only; pass an array that can be written");
  if (a.type_name() != type) {
    raise(PyExc_TypeError, std::string(name) + " is " + a.described() + "; expected elements of type " + type);
  }
  if (exactly ? a.items != items : a.items < items) {
    raise(PyExc_ValueError, std::string(name) + " has " + std::to_string(a.items) + " elements; expected " +
                                (exactly ? "" : "at least ") + std::to_string(items));
  }
  check_same_device(a, name, lead, "the input");
  return a;
}

item_count counted(std::int64_t bound, const array* count, const surroundings& s) {
  return {count == nullptr ? s.no_limit : static_cast<const std::int64_t*>(count->data), bound};
}

void scan(const array& in, array& out, const std::string& op, bool exclusive, std::optional<nb::bytes> init,
          stream_number stream) {
  const auto which = runtime::scan_operator_named(op);
  if (!which) raise(PyExc_ValueError, "op is '" + op + "'; expected sum, min, max, product, and, or, xor");
  if (out.data != in.data) check_apart(out, "out", in, "x");
  const void* const first = init ? init->c_str() : nullptr;
  const bool compares = *which == runtime::scan_operator::minimum || *which == runtime::scan_operator::maximum;
  const scalar_type type = in.type == scalar_type::i64 && !compares ? scalar_type::u64 : in.type;
  enqueue("scan", in, stream, runtime::scan_workspace_bytes(in.items, type, {}), nullptr, [&](const surroundings& s) {
    if (exclusive) return runtime::exclusive_scan(s.work, in.data, out.data, in.items, type, *which, first, {}, s.on);
    return first ? runtime::inclusive_scan_init(s.work, in.data, out.data, in.items, type, *which, first, {}, s.on)
                 : runtime::inclusive_scan(s.work, in.data, out.data, in.items, type, *which, {}, s.on);
  });
}

void sum(const array& in, array& out, bool exclusive, bool is_reproducible, std::int64_t bound, const array* count,
         stream_number stream) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  sum_call call{{}, in.type, exclusive, is_reproducible, in.data, out.data, {nullptr, bound}};
  // The library's own call has kernels that take n by value.
  if (count == nullptr && !is_reproducible) {
    const scalar_type type = in.type == scalar_type::i64 ? scalar_type::u64 : in.type;
    enqueue("cumsum", in, stream, runtime::scan_workspace_bytes(bound, type, {}), nullptr, [&](const surroundings& s) {
      return exclusive ? runtime::exclusive_sum(s.work, in.data, out.data, bound, type, {}, s.on)
                       : runtime::inclusive_sum(s.work, in.data, out.data, bound, type, {}, s.on);
    });
    return;
  }
  enqueue("cumsum", in, stream, workspace_bytes(call), nullptr, [&](const surroundings& s) {
    call.work = s.work;
    call.n = counted(bound, count, s);
    return run(call, s.on);
  });
}

void sum_by_key(const array& in, array& out, const array& keys, bool exclusive, stream_number stream) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  check_apart(out, "out", keys, "keys");
  parts_sum_call call{{},      in.type, exclusive, in.data, out.data, in.items, keys.data, size_of(keys.type),
                      nullptr, nullptr, 0};
  if (in.items == 0) return;
  enqueue("cumsum", in, stream, workspace_bytes(call), nullptr, [&](const surroundings& s) {
    call.work = s.work;
    return run(call, s.on);
  });
}

void sum_segmented(const array& in, array& out, const array& begins, const array& ends, bool exclusive,
                   stream_number stream) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  parts_sum_call call{{},
                      in.type,
                      exclusive,
                      in.data,
                      out.data,
                      in.items,
                      nullptr,
                      0,
                      static_cast<const std::int64_t*>(begins.data),
                      static_cast<const std::int64_t*>(ends.data),
                      begins.items};
  enqueue("cumsum", in, stream, workspace_bytes(call), nullptr, [&](const surroundings& s) {
    call.work = s.work;
    return run(call, s.on);
  });
}

void sum_axis(const array& in, array& out, std::int64_t outer, std::int64_t length, std::int64_t inner, bool backward,
              bool exclusive, stream_number stream) {
  if (out.data != in.data) check_apart(out, "out", in, "x");
  const array_axis axis{outer, length, inner, backward};
  enqueue("cumsum", in, stream, runtime::sum_axis_workspace_bytes(axis, in.type), nullptr, [&](const surroundings& s) {
    return exclusive ? runtime::exclusive_sum_axis(s.work, in.data, out.data, axis, in.type, s.on)
                     : runtime::inclusive_sum_axis(s.work, in.data, out.data, axis, in.type, s.on);
  });
}

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

/// Memory of a GPU as an object that speaks DLPack, for libraries whose arrays nobody else can make.
nb::object gpu_array(const std::string& type, const std::vector<std::size_t>& shape, int device) {
  bool is_bool = false;
  const scalar_type t = type_named(type, is_bool);
  std::size_t bytes = size_of(t);
  for (const std::size_t extent : shape) bytes *= extent;
  void* const p = allocate(device, std::max<std::size_t>(bytes, 1));
  if (p == nullptr) raise(PyExc_MemoryError, "GPU " + std::to_string(device) + " has too little free memory");
  struct held {
    int device;
    void* memory;
  };
  const nb::capsule owner(new held{device, p}, [](void* h) noexcept {
    deallocate(static_cast<held*>(h)->device, static_cast<held*>(h)->memory);
    delete static_cast<held*>(h);
  });
  using nb::dlpack::dtype_code;
  const char kind = name_of(t)[0];
  const auto code = is_bool                  ? dtype_code::Bool
                    : t == scalar_type::bf16 ? dtype_code::Bfloat
                    : kind == 'i'            ? dtype_code::Int
                    : kind == 'u'            ? dtype_code::UInt
                                             : dtype_code::Float;
  const nb::dlpack::dtype d{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(size_of(t) * 8), 1};
  return nb::cast(
      nb::ndarray<nb::array_api>(p, shape.size(), shape.data(), owner, nullptr, d, nb::device::cuda::value, device));
}

std::int64_t read_count(const array& a, stream_number stream) {
  std::int64_t n = 0;
  if (a.device == on_the_host) return *static_cast<const std::int64_t*>(a.data);
  void* const on = stream ? reinterpret_cast<void*>(*stream) : a.current_stream();
  const on_gpu there(a.device);
  check(fetch(&n, a.data, sizeof n, on), "DeviceCount");
  const nb::gil_scoped_release others_may_run;
  static_cast<void>(wait(on));
  return n;
}

}  // namespace
}  // namespace upsweep::python

NB_MODULE(_core, m) {
  using namespace upsweep::python;
  namespace nb = nanobind;
  using namespace nb::literals;

  nb::class_<array>(m, "Array")
      .def_prop_ro("dtype", [](const array& a) { return a.type_name(); })
      .def_prop_ro("shape",
                   [](const array& a) {
                     nb::list shape;
                     for (int i = 0; i < a.axes; ++i) shape.append(a.shape[i]);
                     return nb::tuple(shape);
                   })
      .def_ro("items", &array::items)
      .def_ro("axes", &array::axes)
      .def_ro("device", &array::device)
      .def_ro("read_only", &array::is_read_only)
      .def_prop_ro("address", [](const array& a) { return reinterpret_cast<std::uintptr_t>(a.data); })
      .def_prop_ro("stream", [](const array& a) { return reinterpret_cast<std::intptr_t>(a.current_stream()); })
      .def("__repr__", &array::described);

  m.attr("version") = std::to_string(UPSWEEP_VERSION_MAJOR) + "." + std::to_string(UPSWEEP_VERSION_MINOR) + "." +
                      std::to_string(UPSWEEP_VERSION_PATCH);
  m.attr("architectures") = UPSWEEP_PYTHON_ARCHITECTURES;
  m.def("has_cuda", &upsweep::runtime::has_cuda);
  m.def("free_workspaces", &free_workspaces);
  m.def("workspace_bytes_held", &workspace_bytes_held);
  m.def("read", &read_input, "object"_a, "name"_a);
  m.def("read_output", &read_output);
  m.def("check_same_device", &check_same_device);
  m.def("check_apart", &check_apart);
  m.def("gpu_array", &gpu_array);
  m.def("wait", [](int device, std::intptr_t stream) {
    const on_gpu there(device);
    upsweep::status s = upsweep::status::success;
    {
      const nb::gil_scoped_release others_may_run;
      s = wait(reinterpret_cast<void*>(stream));
    }
    check(s, "wait");
  });
  m.def("read_count", &read_count, "count"_a, "stream"_a.none());

  m.def("scan", &scan, "x"_a, "out"_a, "op"_a, "exclusive"_a, "init"_a.none(), "stream"_a.none());
  m.def("sum", &sum, "x"_a, "out"_a, "exclusive"_a, "reproducible"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sum_by_key", &sum_by_key, "x"_a, "out"_a, "keys"_a, "exclusive"_a, "stream"_a.none());
  m.def("sum_segmented", &sum_segmented, "x"_a, "out"_a, "begins"_a, "ends"_a, "exclusive"_a, "stream"_a.none());
  m.def("sum_axis", &sum_axis, "x"_a, "out"_a, "outer"_a, "length"_a, "inner"_a, "backward"_a, "exclusive"_a,
        "stream"_a.none());
  m.def("select", &select_rows, "arrays"_a, "mask"_a, "num_selected"_a.none(), "indices"_a.none(), "capacity"_a,
        "keep_others_behind"_a, "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("select_into", &select_into, "x"_a, "mask"_a, "out"_a, "count"_a, "stream"_a.none());
  m.def("reduce_by_key", &reduce_by_key, "keys"_a, "unique"_a, "values"_a.none(), "sums"_a, "starts"_a.none(),
        "num_runs"_a.none(), "stream"_a.none());
  m.def("group_by", &group_by, "groups"_a, "permutation"_a, "inverse"_a.none(), "offsets"_a, "how_many"_a, "multiple"_a,
        "stream"_a.none());
  m.def("histogram", &histogram, "buckets"_a, "counts"_a, "stream"_a.none());
  m.def("expand", &expand, "counts"_a, "items"_a, "offsets"_a.none(), "total"_a.none(), "stream"_a.none());
  m.def("sort_keys", &sort_keys, "x"_a, "out"_a.none(), "places"_a.none(), "descending"_a, "nans"_a, "begin"_a, "end"_a,
        "bound"_a, "count"_a.none(), "stream"_a.none());
  m.def("sort_by_key", &sort_by_key, "keys"_a, "keys_out"_a, "values"_a, "descending"_a, "begin"_a, "end"_a,
        "stream"_a.none());
  m.def("segmented_sort", &segmented_sort, "x"_a, "out"_a.none(), "values"_a.none(), "values_out"_a.none(),
        "places"_a.none(), "begins"_a, "ends"_a, "descending"_a, "begin"_a, "end"_a, "stream"_a.none());
  m.def("topk", &topk, "x"_a, "out"_a.none(), "places"_a.none(), "k"_a, "descending"_a, "begin"_a, "end"_a, "stream"_a.none());
  m.def("bounds", &bounds, "keys"_a, "needles"_a, "out"_a, "upper"_a, "descending"_a, "stream"_a.none());
  m.def("merge", &merge, "a"_a, "b"_a, "out"_a, "descending"_a, "stream"_a.none());
  bind_plans(m);
}
