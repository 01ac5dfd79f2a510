// An array of any library as the calls see it.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "exchange.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::python {

namespace nb = nanobind;

/// Where an array lies: a GPU's number, or the host, where the sim computes.
inline constexpr int on_the_host = -1;

struct array {
  static constexpr int most_axes = 16;

  void* data = nullptr;
  scalar_type type{};
  bool is_bool = false;
  bool is_read_only = false;
  int device = on_the_host;
  int axes = 0;
  std::int64_t shape[most_axes]{};
  std::int64_t strides[most_axes]{};  // in items
  std::int64_t items = 1;
  const dlpack::exchange_api* api = nullptr;  // of the library, if it has one
  std::intptr_t told_stream = -1;             // by the array itself; -1: not told
  std::shared_ptr<void> owner;                // what keeps a borrowed tensor alive; the object itself is the caller's

  bool is_dense() const;
  std::size_t bytes() const { return static_cast<std::size_t>(items) * size_of(type); }
  /// The items [begin, end) of a dense array of one axis.
  array part(std::int64_t begin, std::int64_t end) const;
  /// "int32", as NumPy names it.
  const char* type_name() const;
  /// "float32 of shape (3, 4) on the host"
  std::string described() const;
  /// The stream on which the array's library works now, or a default.
  void* current_stream() const;
};

/// Reads an array without waiting and without copying. `name` is that of the argument.
/// Throws nb::type_error for what is not an array, and for types that no kernel knows; nb::value_error for an array
/// of another byte order or of another device than a GPU of CUDA.
array array_of(nb::handle object, const char* name);

/// The element type of NumPy's name; throws nb::type_error.
scalar_type type_named(const std::string& name, bool& is_bool);

}  // namespace upsweep::python
