// The part of XLA's C interface for foreign functions that handlers need, as XLA lays it out
// (xla/ffi/api/c_api.h of OpenXLA, major version 0): it promises not to rearrange it, and new fields go after the old
// ones. Declared here so that a wheel needs no headers of JAX; tests/test_jax.py compares the two where JAX is
// installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::python::xla {

struct api;
struct error;
struct context;

struct extension {
  std::size_t struct_size;
  int type;
  extension* next;
};
inline constexpr int metadata_extension = 1;

struct version {
  std::size_t struct_size;
  extension* extensions;
  int major, minor;
};

/// What XLA asks of a handler when it is registered.
struct metadata {
  std::size_t struct_size;
  version api_version;
  std::uint32_t traits;
};
struct metadata_request {
  extension base;
  metadata* told;
};
inline constexpr std::uint32_t may_be_captured = 1;

enum data_type {
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 16
};

struct buffer {
  std::size_t struct_size;
  extension* extensions;
  data_type type;
  void* data;
  std::int64_t rank;
  std::int64_t* extents;
};

/// Arguments, or results.
struct buffers {
  std::size_t struct_size;
  extension* extensions;
  std::int64_t size;
  int* types;  // 1: a buffer
  void** items;
};
inline constexpr int is_buffer = 1;

struct text {
  const char* data;
  std::size_t size;
};
struct scalar {
  data_type type;
  void* value;
};
struct attributes {
  std::size_t struct_size;
  extension* extensions;
  std::int64_t size;
  int* types;
  text** names;
  void** items;
};
inline constexpr int is_scalar = 3, is_text = 4;

enum class stage : int { instantiate, prepare, initialize, execute };

struct call_frame {
  std::size_t struct_size;
  extension* extensions;
  const xla::api* api;
  xla::context* context;
  xla::stage stage;
  buffers arguments, results;
  xla::attributes attributes;
};

enum class error_code : int { invalid_argument = 3, internal = 13 };

struct error_request {
  std::size_t struct_size;
  extension* extensions;
  const char* message;
  error_code code;
};
struct stream_request {
  std::size_t struct_size;
  extension* extensions;
  xla::context* context;
  void* stream;  // told
};

struct api {
  std::size_t struct_size;
  extension* extensions;
  version api_version;
  const void* internal;
  error* (*make_error)(error_request*);
  void (*message_of)(void*);
  void (*destroy_error)(void*);
  error* (*register_handler)(void*);
  error* (*get_stream)(stream_request*);
};

}  // namespace upsweep::python::xla
