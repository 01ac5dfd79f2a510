#include "reproducible_sums.hpp"

#include <array>

#include "upsweep/scan/scan.cuh"

namespace upsweep::apps {
namespace {

constexpr std::array types = {scalar_type::f32, scalar_type::f64};

}  // namespace

std::span<const scalar_type> reproducible_types() {
  return types;
}

std::size_t reproducible_sums_workspace_bytes(scalar_type type, std::int64_t n) {
  const auto bytes = [n]<class T>(const T* in, T* out) {
    return exclusive_sum_workspace_bytes<reproducible>(in, out, n);
  };
  if (type == scalar_type::f32) return bytes(static_cast<const float*>(nullptr), static_cast<float*>(nullptr));
  if (type == scalar_type::f64) return bytes(static_cast<const double*>(nullptr), static_cast<double*>(nullptr));
  return 0;
}

status reproducible_sums(runtime::stream s, scalar_type type, workspace w, const void* in, void* out, std::int64_t n) {
  if (s.where == runtime::backend::cuda) return reproducible_sums_on_cuda(s.handle, type, w, in, out, n);
  const sim_stream stream{static_cast<const sim_options*>(s.handle)};
  const auto sums = [&]<class T>(T) {
    return exclusive_sum<reproducible>(w, static_cast<const T*>(in), static_cast<T*>(out), n, stream);
  };
  if (type == scalar_type::f32) return sums(float{});
  if (type == scalar_type::f64) return sums(double{});
  return status::not_supported;
}

}  // namespace upsweep::apps
