// The module upsweep._core: arrays of any library in, calls of kernels.hpp out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "calls.hpp"
#include "enqueue.hpp"
#include "plan.hpp"
#include "upsweep/version.hpp"

namespace upsweep::python {

void raise(PyObject* type, const std::string& text) {
  throw call_error{type, text};
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
      raise(PyExc_RuntimeError, what + error_text(s));
  }
}

void check_same_device(const array& a, const char* name, const array& b, const char* other) {
  if (a.device == b.device) return;
  raise(PyExc_ValueError, std::string(name) + " is " + a.described() + " and " + other + " is " + b.described() +
                              "; move one of them: nothing is copied between devices silently");
}

void check_apart(const array& out, const char* name, const array& other, const char* its_name) {
  if (out.items == 0 || other.items == 0 || out.device != other.device) return;
  const auto* const a = static_cast<const char*>(out.data);
  const auto* const b = static_cast<const char*>(other.data);
  if (a < b + other.bytes() && b < a + out.bytes()) {
    raise(PyExc_ValueError, std::string(name) + " shares memory with " + its_name + "; pass another array");
  }
}

void check_segments(const array& begins, const array& ends, const array& x, const char* name) {
  if (begins.device != on_the_host) return;
  const auto* const first = static_cast<const std::int64_t*>(begins.data);
  const auto* const behind = static_cast<const std::int64_t*>(ends.data);
  for (std::int64_t s = 0; s < begins.items; ++s) {
    for (const std::int64_t at : {first[s], behind[s]}) {
      if (at >= 0 && at <= x.items) continue;
      raise(PyExc_ValueError, std::string(name) + " has " + std::to_string(at) + "; expected places in x, 0 to " +
                                  std::to_string(x.items));
    }
  }
}

namespace {

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

std::int64_t read_count(const array& a, const call_site& site) {
  std::int64_t n = 0;
  if (a.device == on_the_host) return *static_cast<const std::int64_t*>(a.data);
  void* const on = site.stream ? reinterpret_cast<void*>(*site.stream) : a.current_stream();
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

  nb::set_leak_warnings(false);  // that a plan is held until the end, by a cache of somebody else, say, is not a leak
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const call_error& e) {
      PyErr_SetString(e.type, e.text.c_str());
    }
  });

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
      .def("part", &array::part)
      .def("__repr__", &array::described);

  m.attr("version") = std::to_string(UPSWEEP_VERSION_MAJOR) + "." + std::to_string(UPSWEEP_VERSION_MINOR) + "." +
                      std::to_string(UPSWEEP_VERSION_PATCH);
  m.attr("architectures") = UPSWEEP_PYTHON_ARCHITECTURES;
  m.def("has_cuda", &has_cuda, "Whether GPUs can be used: by upsweep-cu13.");
  m.def("free_workspaces", &free_workspaces,
        "Frees the GPU memory that is kept for the workspaces of later calls. Waits for the GPUs.");
  m.def("workspace_bytes_held", &workspace_bytes_held, "How many bytes are kept for the workspaces of later calls.");
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

  bind_scans(m);
  bind_compacts(m);
  bind_sorts(m);
  bind_plans(m);
  bind_xla(m);
}
