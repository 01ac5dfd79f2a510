// DLPack 1.3 as far as arrays are read: its tensors, and the table of C functions that a type of arrays may offer as
// __dlpack_c_exchange_api__. Source: dmlc/dlpack, include/dlpack/dlpack.h. The layouts are those of C.
#pragma once

#include <cstdint>

namespace upsweep::python::dlpack {

struct version {
  std::uint32_t major, minor;
};

enum device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
struct device {
  std::int32_t type, id;
};

enum type_code : std::uint8_t {
  integer = 0,
  unsigned_integer = 1,
  floating = 2,
  brain_floating = 4,
  complex_floating = 5,
  boolean = 6
};
struct data_type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  dlpack::device where;
  std::int32_t ndim;
  data_type type;
  std::int64_t* shape;
  std::int64_t* strides;  // in items; null: dense
  std::uint64_t byte_offset;
};

struct managed_tensor {  // the capsule "dltensor"
  dlpack::tensor tensor;
  void* context;
  void (*deleter)(managed_tensor*);
};

inline constexpr std::uint64_t read_only_flag = 1;
struct managed_tensor_versioned {  // the capsule "dltensor_versioned"
  dlpack::version version;
  void* context;
  void (*deleter)(managed_tensor_versioned*);
  std::uint64_t flags;
  dlpack::tensor tensor;
};

struct exchange_api {  // the capsule "dlpack_exchange_api"
  dlpack::version version;
  exchange_api* previous;
  int (*allocate)(tensor* like, managed_tensor_versioned** out, void* context,
                  void (*set_error)(void* context, const char* kind, const char* message));
  int (*managed_of)(void* object, managed_tensor_versioned** out);
  int (*object_of)(managed_tensor_versioned* tensor, void** out);
  int (*tensor_of)(void* object, tensor* out);  // may be null; `out` is valid as long as the object
  int (*current_stream)(device_type type, std::int32_t id, void** out);
};

}  // namespace upsweep::python::dlpack
