// What the CUDA half of the library gives to the rest. device_cuda.cu, scan_cuda.cu and axis_cuda.cu implement it;
// no_cuda.cpp does where there is no CUDA compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

using namespace detail;  // the compiled library is one itself

const char* cuda_error_name(status s);
const char* cuda_error_text(status s);

/// 0 where none can be used.
int cuda_device_count();
/// GPU number `index`; null, with the reason in `why`, when it cannot be used.
std::unique_ptr<device> open_cuda_device(int index, std::string& why);
std::unique_ptr<device> open_sim_device();

/// One scan as the public calls describe it. Nothing of it has been checked.
struct scan_call {
  scan_variant variant;
  scan_operator op;
  scalar_type type;
  scan_kind kind;
  workspace work;
  const void* in;
  void* out;
  std::int64_t n;
  const void* init;
};

status scan_on_cuda(void* stream, const scan_call& call);
status scan_on_sim(void* options, const scan_call& call);

/// The sums along an axis as the public calls describe them. Nothing of it has been checked, but that the array is not
/// one row, forward, which the table scans.
struct axis_call {
  scan_kind kind;
  scalar_type type;
  workspace work;
  const void* in;
  void* out;
  array_axis axis;
};

status axis_sums_on_cuda(void* stream, const axis_call& call);
status axis_sums_on_sim(void* options, const axis_call& call);

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
