#include <cuda_runtime_api.h>

#include <algorithm>
#include <list>

#include "gpu.hpp"

namespace upsweep::python {
namespace {

struct block {
  int device;
  unsigned long long stream;
  void* memory;
  std::size_t bytes;
  std::int64_t* count;  // in memory of the host
};

/// Blocks of the pool, those used last at the front. The GIL guards it.
std::list<block>& pool() {
  static auto& blocks = *new std::list<block>;
  return blocks;
}
constexpr std::size_t most_blocks = 64;
constexpr std::size_t least_bytes = std::size_t{1} << 20;
constexpr std::size_t most_spare_bytes = std::size_t{32} << 20;

status status_of(cudaError_t e) {
  if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<status>(e);
}

void drop(const block& b) {
  const on_gpu there(b.device);
  static_cast<void>(cudaFree(b.memory));
  static_cast<void>(cudaFreeHost(b.count));
}

}  // namespace

bool has_cuda() {
  return true;
}
const char* error_text(status s) {
  return cudaGetErrorString(static_cast<cudaError_t>(s));
}

int gpu_of(const void* p) {
  cudaPointerAttributes told{};
  if (cudaPointerGetAttributes(&told, p) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return told.type == cudaMemoryTypeUnregistered ? 0 : told.device;
}

on_gpu::on_gpu(int device) {
  int current = -1;
  if (cudaGetDevice(&current) == cudaSuccess && current != device && cudaSetDevice(device) == cudaSuccess) {
    earlier_ = current;
  }
}
on_gpu::~on_gpu() {
  if (earlier_ >= 0) static_cast<void>(cudaSetDevice(earlier_));
}

lent_workspace::lent_workspace(int device, void* stream, std::size_t bytes) : stream_(stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  bytes = std::max<std::size_t>(bytes, 1);  // calls want a place even where they need no room
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaError_t e = cudaStreamIsCapturing(on, &capture);
  if (e == cudaSuccess && capture != cudaStreamCaptureStatusNone) {
    is_of_graph_ = true;
    e = cudaMallocAsync(&memory_, bytes, on);
    state_ = status_of(e);
    return;
  }
  if (e == cudaSuccess) e = cudaStreamGetId(on, &id);
  if (e != cudaSuccess) {
    state_ = status_of(e);
    return;
  }
  auto& blocks = pool();
  auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const block& b) { return b.stream == id && b.device == device; });
  if (found == blocks.end()) {
    void* count = nullptr;
    state_ = status_of(cudaHostAlloc(&count, sizeof(std::int64_t), cudaHostAllocPortable));
    if (state_ != status::success) return;
    blocks.push_front({device, id, nullptr, 0, static_cast<std::int64_t*>(count)});
    if (blocks.size() > most_blocks) {
      drop(blocks.back());
      blocks.pop_back();
    }
  } else if (found != blocks.begin()) {
    blocks.splice(blocks.begin(), blocks, found);
  }
  block& own = blocks.front();
  if (own.bytes < bytes) {
    // In the stream's order, after the calls that use it.
    if (own.memory != nullptr) static_cast<void>(cudaFreeAsync(own.memory, on));
    own.bytes = 0;
    own.memory = nullptr;
    // A little more, as the next call may want; of a large workspace the rest of the GPU may want it.
    const std::size_t wanted = std::max(least_bytes, bytes + std::min(bytes / 4, most_spare_bytes));
    void* memory = nullptr;
    state_ = status_of(cudaMallocAsync(&memory, wanted, on));
    if (state_ != status::success) return;
    own.bytes = wanted;
    own.memory = memory;
  }
  memory_ = own.memory;
  count_ = own.count;
}

lent_workspace::~lent_workspace() {
  if (is_of_graph_ && memory_ != nullptr) static_cast<void>(cudaFreeAsync(memory_, static_cast<cudaStream_t>(stream_)));
}

status fetch(void* to, const void* from, std::size_t bytes, void* stream) {
  return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, static_cast<cudaStream_t>(stream)));
}
status wait(void* stream) {
  return status_of(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
}

void* allocate(int device, std::size_t bytes) {
  const on_gpu there(device);
  void* p = nullptr;
  if (bytes != 0 && cudaMalloc(&p, bytes) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return p;
}
void deallocate(int device, void* p) {
  const on_gpu there(device);
  static_cast<void>(cudaFree(p));
}

void free_workspaces() {
  for (const block& b : pool()) drop(b);
  pool().clear();
}
std::size_t workspace_bytes_held() {
  std::size_t bytes = 0;
  for (const block& b : pool()) bytes += b.bytes;
  return bytes;
}

}  // namespace upsweep::python
