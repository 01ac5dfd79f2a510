// The calls of the module, a file for each module of the library. Types, shapes and defaults are decided in Python;
// what is checked here is what would read or write where it must not.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "array.hpp"
#include "enqueue.hpp"
#include "kernels.hpp"

namespace upsweep::python {

/// Sets the error and throws it.
[[noreturn]] void raise(PyObject* type, const std::string& text);

/// Inputs, each with its output.
using arrays = std::vector<std::pair<array*, array*>>;

/// n of a call: of a count in device memory, or where there is none the bound itself.
inline item_count counted(std::int64_t bound, const array* count, const surroundings& s) {
  return {count == nullptr ? s.no_limit : static_cast<const std::int64_t*>(count->data), bound};
}

void bind_scans(nb::module_& m);
void bind_compacts(nb::module_& m);
void bind_sorts(nb::module_& m);

}  // namespace upsweep::python
