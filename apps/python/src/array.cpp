#include "array.hpp"

#include <nanobind/stl/string.h>

#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "gpu.hpp"

namespace upsweep::python {
namespace {

constexpr std::array type_names = {"int8",  "uint8",  "int16",   "uint16",  "int32",   "uint32",
                                   "int64", "uint64", "float32", "float64", "float16", "bfloat16"};

/// How arrays of a Python type are read.
enum class protocol { exchange, buffer, cuda_interface, dlpack, masked, none };
struct reader {
  protocol how = protocol::none;
  const dlpack::exchange_api* api = nullptr;
  bool is_never_written = false;  // whatever the protocol says, as JAX's of its arrays on a GPU says nothing
};

bool has(nb::handle object, const char* name) {
  return nb::hasattr(object, name);
}

/// Whether a type is one of a package of this name, or is derived from one.
bool is_of(nb::handle type, const std::string& package) {
  for (const nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    const nb::object told = base.attr("__module__");
    const std::string module = nb::str(told).c_str();
    if (module == package || module.starts_with(package + ".")) return true;
  }
  return false;
}

reader reader_of(nb::handle type) {
  for (const char* name : {"__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"}) {
    if (!has(type, name)) continue;
    const nb::object capsule = type.attr(name);
    if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) continue;
    const auto* api = static_cast<dlpack::exchange_api*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    while (api != nullptr && api->version.major != 1) api = api->previous;
    if (api != nullptr && api->tensor_of != nullptr) return {protocol::exchange, api};
  }
  if (is_of(type, "numpy.ma")) return {protocol::masked};
  if (is_of(type, "numpy")) return {protocol::buffer};
  const bool tells_its_stream = is_of(type, "cupy") || is_of(type, "numba");
  if (tells_its_stream && has(type, "__cuda_array_interface__")) return {protocol::cuda_interface};
  if (has(type, "__dlpack__")) return {protocol::dlpack};
  if (has(type, "__cuda_array_interface__")) return {protocol::cuda_interface};
  return {protocol::buffer};
}

/// Kept for every type that was seen, which is kept alive for that.
const reader& known_reader_of(nb::handle object) {
  static auto& known = *new std::unordered_map<PyObject*, reader>;
  const nb::handle type = object.type();
  const auto found = known.find(type.ptr());
  if (found != known.end()) return found->second;
  reader r = reader_of(type);
  r.is_never_written = is_of(type, "jax") || is_of(type, "jaxlib");
  type.inc_ref();
  return known.emplace(type.ptr(), r).first->second;
}

[[noreturn]] void refuse_type(const char* name, const std::string& what) {
  const bool is_time = what.starts_with("datetime64") || what.starts_with("timedelta64");
  throw nb::type_error((std::string(name) + " has elements of type " + what +
                        "; expected bool, integers of 8 to 64 bits or floats of 16 to 64" +
                        (is_time ? ", as " + std::string(name) + ".view('int64')" : ""))
                           .c_str());
}

/// What an array's library calls its elements, or what its protocol does.
std::string elements_of(nb::handle object, const std::string& told) {
  if (!has(object, "dtype")) return told;
  const nb::object type = object.attr("dtype");
  return nb::str(type).c_str();
}

/// `what()` is what the type is called where it is refused.
template <class What>
scalar_type type_of(char kind, int bytes, const char* name, const What& what) {
  using enum scalar_type;
  constexpr scalar_type signed_types[] = {i8, i16, i32, i64}, unsigned_types[] = {u8, u16, u32, u64},
                        floats[] = {f16, f16, f32, f64};
  const int log = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
  if (log < 0 || (kind == 'f' && log == 0)) refuse_type(name, what());
  if (kind == 'i') return signed_types[log];
  if (kind == 'u') return unsigned_types[log];
  if (kind == 'f') return floats[log];
  refuse_type(name, what());
}

void finish(array& a) {
  a.items = 1;
  for (int i = 0; i < a.axes; ++i) a.items *= a.shape[i];
}

void dense_strides(array& a) {
  std::int64_t stride = 1;
  for (int i = a.axes - 1; i >= 0; --i) {
    a.strides[i] = stride;
    stride *= a.shape[i];
  }
}

void take_axes(array& a, std::int64_t axes, const char* name) {
  if (axes > array::most_axes) {
    throw nb::value_error((std::string(name) + " has " + std::to_string(axes) + " axes; at most 16 are taken").c_str());
  }
  a.axes = static_cast<int>(axes);
}

void take_tensor(array& a, const dlpack::tensor& t, const char* name) {
  using namespace dlpack;
  const auto what = [&] {
    const std::string bits = std::to_string(t.type.bits);
    if (t.type.code == complex_floating) return "complex" + bits;
    const char* const lanes = t.type.lanes == 1 ? "" : " with lanes";
    return "DLPack code " + std::to_string(t.type.code) + " of " + bits + " bits" + lanes;
  };
  if (t.type.lanes != 1 || t.type.bits % 8 != 0) refuse_type(name, what());
  const int bytes = t.type.bits / 8;
  switch (t.type.code) {
    case integer:
      a.type = type_of('i', bytes, name, what);
      break;
    case unsigned_integer:
      a.type = type_of('u', bytes, name, what);
      break;
    case floating:
      a.type = type_of('f', bytes, name, what);
      break;
    case brain_floating:
      if (bytes != 2) refuse_type(name, what());
      a.type = scalar_type::bf16;
      break;
    case boolean:
      a.is_bool = bytes == 1;
      a.type = type_of('u', bytes, name, what);
      break;
    default:
      refuse_type(name, what());
  }
  if (t.where.type == cuda || t.where.type == cuda_managed) {
    a.device = t.where.id;
  } else if (t.where.type != cpu && t.where.type != cuda_host) {
    throw nb::value_error((std::string(name) + " lies on a device of DLPack type " + std::to_string(t.where.type) +
                           "; expected the host or a GPU of CUDA: move it there first")
                              .c_str());
  }
  a.data = static_cast<char*>(t.data) + t.byte_offset;
  take_axes(a, t.ndim, name);
  for (int i = 0; i < a.axes; ++i) a.shape[i] = t.shape[i];
  if (t.strides != nullptr) {
    for (int i = 0; i < a.axes; ++i) a.strides[i] = t.strides[i];
  } else {
    dense_strides(a);
  }
}

void read_exchange(array& a, nb::handle object, const dlpack::exchange_api* api, const char* name) {
  dlpack::tensor t{};
  if (api->tensor_of(object.ptr(), &t) != 0) throw nb::python_error();
  a.api = api;
  take_tensor(a, t, name);
}

struct buffer_view {
  Py_buffer view{};
  ~buffer_view() { PyBuffer_Release(&view); }
};

void read_buffer(array& a, nb::handle object, const char* name) {
  buffer_view held;
  Py_buffer& b = held.view;
  if (PyObject_GetBuffer(object.ptr(), &b, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    // NumPy's arrays of ml_dtypes' types do not offer a buffer.
    if (has(object, "dtype") && nb::cast<std::string>(object.attr("dtype").attr("name")) == "bfloat16") {
      read_buffer(a, object.attr("view")("uint16"), name);
      a.type = scalar_type::bf16;
      return;
    }
    if (is_of(object.type(), "numpy")) refuse_type(name, elements_of(object, ""));  // dates, say
    throw nb::type_error((std::string(name) + " is a " + nb::cast<std::string>(object.type().attr("__name__")) +
                          "; expected an array of NumPy, PyTorch, CuPy, JAX or another library that speaks DLPack")
                             .c_str());
  }
  const char* format = b.format == nullptr ? "B" : b.format;
  const auto what = [&] { return elements_of(object, format); };
  if (*format == '>' || *format == '!') {
    throw nb::value_error(
        (std::string(name) + " is in another byte order; pass x.astype(x.dtype.newbyteorder('='))").c_str());
  }
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0') refuse_type(name, what());
  const auto bytes = static_cast<int>(b.itemsize);
  if (*format == '?') {
    a.is_bool = true;
    a.type = scalar_type::u8;
  } else {
    const char kind = std::strchr("bhilq", *format)   ? 'i'
                      : std::strchr("BHILQ", *format) ? 'u'
                      : std::strchr("efd", *format)   ? 'f'
                                                      : 'x';
    a.type = type_of(kind, bytes, name, what);
  }
  a.data = b.buf;
  a.is_read_only = b.readonly != 0;
  take_axes(a, b.ndim, name);
  for (int i = 0; i < a.axes; ++i) {
    a.shape[i] = b.shape[i];
    // A stride that is not a multiple of the items' size only has to be told from a dense one.
    a.strides[i] = b.strides[i] % b.itemsize == 0 ? b.strides[i] / b.itemsize : INT64_MIN;
  }
}

void read_cuda_interface(array& a, nb::handle object, const char* name) {
  const auto told = nb::cast<nb::dict>(object.attr("__cuda_array_interface__"));
  const auto type = nb::cast<std::string>(told["typestr"]);
  if (type[0] == '>') throw nb::value_error((std::string(name) + " is in another byte order").c_str());
  const int bytes = std::atoi(type.c_str() + 2);
  a.is_bool = type[1] == 'b';
  a.type = type_of(a.is_bool ? 'u' : type[1], bytes, name, [&] { return type; });
  const auto data = nb::cast<nb::tuple>(told["data"]);
  a.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  a.is_read_only = nb::cast<bool>(data[1]);
  const auto shape = nb::cast<nb::tuple>(told["shape"]);
  take_axes(a, static_cast<std::int64_t>(shape.size()), name);
  for (int i = 0; i < a.axes; ++i) a.shape[i] = nb::cast<std::int64_t>(shape[i]);
  dense_strides(a);
  if (told.contains("strides") && !told["strides"].is_none()) {
    const auto strides = nb::cast<nb::tuple>(told["strides"]);
    for (int i = 0; i < a.axes; ++i) {
      const auto stride = nb::cast<std::int64_t>(strides[i]);
      a.strides[i] = stride % bytes == 0 ? stride / bytes : INT64_MIN;
    }
  }
  a.told_stream = 1;
  if (told.contains("stream") && !told["stream"].is_none()) a.told_stream = nb::cast<std::intptr_t>(told["stream"]);
  a.device = has(object, "device") && has(object.attr("device"), "id") ? nb::cast<int>(object.attr("device").attr("id"))
                                                                       : gpu_of(a.data);
}

template <class Managed>
void take_capsule(array& a, nb::handle capsule, const char* is_called, const char* used, const char* name) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), is_called));
  if (managed == nullptr) throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), used);
  a.owner = std::shared_ptr<void>(managed, [](void* p) {
    auto* const m = static_cast<Managed*>(p);
    if (m->deleter) m->deleter(m);
  });
  if constexpr (requires { managed->version; }) {
    if (managed->version.major != 1) {  // of which nothing is known but how it is freed
      throw nb::value_error((std::string(name) + " comes by DLPack version " + std::to_string(managed->version.major) +
                             "; expected version 1, or the one before it")
                                .c_str());
    }
    a.is_read_only = (managed->flags & dlpack::read_only_flag) != 0;
  }
  take_tensor(a, managed->tensor, name);
}

void read_dlpack(array& a, nb::handle object, const char* name) {
  const auto where = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
  const int kind = nb::cast<int>(where[0]);
  const bool on_gpu = kind == dlpack::cuda || kind == dlpack::cuda_managed;
  const nb::object ask = object.attr("__dlpack__");
  // Its work is ordered before that of the legacy default stream, where ours goes then.
  nb::object capsule;
  const nb::dict words;
  if (on_gpu) words["stream"] = 1;
  const nb::dict versioned;
  if (on_gpu) versioned["stream"] = 1;
  versioned["max_version"] = nb::make_tuple(1, 0);
  try {
    capsule = ask(**versioned);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    capsule = ask(**words);
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    take_capsule<dlpack::managed_tensor_versioned>(a, capsule, "dltensor_versioned", "used_dltensor_versioned", name);
  } else {
    take_capsule<dlpack::managed_tensor>(a, capsule, "dltensor", "used_dltensor", name);
  }
  if (a.device != on_the_host) a.told_stream = 1;
}

}  // namespace

bool array::is_dense() const {
  if (items <= 1) return true;
  std::int64_t stride = 1;
  for (int i = axes - 1; i >= 0; --i) {
    if (shape[i] != 1 && strides[i] != stride) return false;
    stride *= shape[i];
  }
  return true;
}

array array::part(std::int64_t begin, std::int64_t end) const {
  array a = *this;
  a.data = static_cast<char*>(data) + static_cast<std::size_t>(begin) * size_of(type);
  a.items = a.shape[0] = end - begin;
  return a;
}

const char* array::type_name() const {
  return is_bool ? "bool" : type_names[static_cast<std::size_t>(type)];
}

std::string array::described() const {
  std::string text = type_name();
  text += " of shape (";
  for (int i = 0; i < axes; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  text += axes == 1 ? ",)" : ")";
  return text + (device == on_the_host ? " on the host" : " on GPU " + std::to_string(device));
}

void* array::current_stream() const {
  if (device == on_the_host) return nullptr;
  if (told_stream >= 0) return reinterpret_cast<void*>(told_stream);
  void* stream = nullptr;
  if (api != nullptr && api->current_stream(dlpack::cuda, device, &stream) != 0) throw nb::python_error();
  return stream;
}

array array_of(nb::handle object, const char* name) {
  array a;
  const reader& r = known_reader_of(object);
  switch (r.how) {
    case protocol::exchange:
      read_exchange(a, object, r.api, name);
      break;
    case protocol::cuda_interface:
      read_cuda_interface(a, object, name);
      break;
    case protocol::dlpack:
      read_dlpack(a, object, name);
      break;
    case protocol::masked:
      throw nb::type_error((std::string(name) + " is a masked array, whose mask no call looks at; pass " + name +
                            ".compressed(), or " + name + ".filled(...)")
                               .c_str());
    default:
      read_buffer(a, object, name);
  }
  if (r.is_never_written) a.is_read_only = true;
  finish(a);
  return a;
}

scalar_type type_named(const std::string& name, bool& is_bool) {
  is_bool = name == "bool";
  if (is_bool) return scalar_type::u8;
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    if (name == type_names[i]) return static_cast<scalar_type>(i);
  }
  refuse_type("the array", name);
}

}  // namespace upsweep::python
