// Calls that are made ready once and made often: types, sizes and choices are those of the plan.
#pragma once

#include <nanobind/nanobind.h>

namespace upsweep::python {

/// Adds the class Plan and the functions that make plans.
void bind_plans(nanobind::module_& m);

}  // namespace upsweep::python
