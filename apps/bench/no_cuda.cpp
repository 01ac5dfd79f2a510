// The GPU's side of the benchmark where there is no CUDA compiler.
#include "contender.hpp"
#include "gpu_facts.hpp"
#include "host_memory.hpp"
#include "narrow_sums.hpp"
#include "partitions.hpp"
#include "references.hpp"
#include "reproducible_sums.hpp"
#include "splats.hpp"

namespace upsweep::apps {

std::unique_ptr<call_timer> make_cuda_timer(runtime::stream) {
  return nullptr;
}

status pin_host_memory(void**, std::size_t) {
  return status::no_device;
}
void unpin_host_memory(void*) {}
status copy_both_ways(void*, const void*, std::size_t, void*, const void*, std::size_t) {
  return status::no_device;
}
status sums_from_host(workspace, const std::uint32_t*, std::uint32_t*, std::int64_t) {
  return status::no_device;
}
status select_below_from_host(workspace, const std::uint32_t*, std::uint32_t*, std::int64_t*, std::int64_t,
                              std::uint32_t) {
  return status::no_device;
}

gpu_facts facts_of_gpu() {
  return {};
}

std::vector<reference_call> cub_calls(runtime::stream, const scan_arrays&) {
  return {};
}
std::vector<reference_call> cub_calls_of_narrow(runtime::stream, const scan_arrays&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const select_arrays_of_one&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const flagged_arrays&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const partition_arrays_of_one&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const split_arrays_of_one&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const sort_arrays&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const payload_arrays&) {
  return {};
}
std::vector<reference_call> cub_calls(runtime::stream, const primitive_arrays&) {
  return {};
}
template <class T>
std::vector<reference_call> cub_calls(runtime::stream, bool, const segment_arrays<T>&) {
  return {};
}
template std::vector<reference_call> cub_calls(runtime::stream, bool, const segment_arrays<std::uint32_t>&);
template std::vector<reference_call> cub_calls(runtime::stream, bool, const segment_arrays<std::uint64_t>&);
std::vector<reference_call> thrust_calls(runtime::stream, const scan_arrays&) {
  return {};
}
std::vector<reference_call> thrust_calls(runtime::stream, const select_arrays_of_one&) {
  return {};
}
std::vector<reference_call> thrust_calls(runtime::stream, const sort_arrays&) {
  return {};
}

template <class T>
status segment_sums_on_cuda(void*, bool, workspace, const segment_arrays<T>&) {
  return status::not_supported;
}
template status segment_sums_on_cuda(void*, bool, workspace, const segment_arrays<std::uint32_t>&);
template status segment_sums_on_cuda(void*, bool, workspace, const segment_arrays<std::uint64_t>&);

status narrow_sums_on_cuda(void*, scalar_type, workspace, const void*, void*, std::int64_t) {
  return status::not_supported;
}

status reproducible_sums_on_cuda(void*, scalar_type, workspace, const void*, void*, std::int64_t) {
  return status::not_supported;
}

status partition_on_cuda(void*, workspace, const partition_arrays_of_one&) {
  return status::not_supported;
}
status split_on_cuda(void*, workspace, const split_arrays_of_one&, std::int64_t*) {
  return status::not_supported;
}

status splats_on_cuda(void*, workspace, const primitive_arrays&) {
  return status::not_supported;
}

std::string cub_version() {
  return "";
}
std::string thrust_version() {
  return "";
}

}  // namespace upsweep::apps
