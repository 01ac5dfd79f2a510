// A package without the CUDA kernels.
#include "gpu.hpp"
#include "kernels.hpp"

namespace upsweep::python {

bool has_cuda() {
  return false;
}
const char* error_text(status s) {
  return status_text(s);
}

int gpu_of(const void*) {
  return 0;
}

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

template <class Call>
status run_on_cuda(const Call&, void*) {
  return status::no_device;
}

template status run_on_cuda(const sum_call&, void*);
template status run_on_cuda(const parts_scan_call&, void*);
template status run_on_cuda(const scan_call&, void*);
template status run_on_cuda(const axis_scan_call&, void*);
template status run_on_cuda(const front_call&, void*);
template status run_on_cuda(const select_call&, void*);
template status run_on_cuda(const runs_call&, void*);
template status run_on_cuda(const groups_call&, void*);
template status run_on_cuda(const expand_call&, void*);
template status run_on_cuda(const sort_call&, void*);
template status run_on_cuda(const segmented_sort_call&, void*);
template status run_on_cuda(const top_k_call&, void*);
template status run_on_cuda(const gather_call&, void*);
template status run_on_cuda(const merge_call&, void*);

}  // namespace upsweep::python
