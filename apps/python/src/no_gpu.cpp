// A package without the CUDA kernels.
#include "gpu.hpp"
#include "kernels.hpp"

namespace upsweep::python {

on_gpu::on_gpu(int) {}
on_gpu::~on_gpu() = default;

lent_workspace::lent_workspace(int, void* stream, std::size_t) : stream_(stream), state_(status::no_device) {}
lent_workspace::~lent_workspace() = default;

status fetch(void*, const void*, std::size_t, void*) {
  return status::no_device;
}
status wait(void*) {
  return status::no_device;
}
void* allocate(int, std::size_t) {
  return nullptr;
}
void deallocate(int, void*) {}
void free_workspaces() {}
std::size_t workspace_bytes_held() {
  return 0;
}

status run_on_cuda(const select_call&, void*) {
  return status::no_device;
}
status run_on_cuda(const sum_call&, void*) {
  return status::no_device;
}
status run_on_cuda(const parts_sum_call&, void*) {
  return status::no_device;
}
status run_on_cuda(const sort_call&, void*) {
  return status::no_device;
}

}  // namespace upsweep::python
