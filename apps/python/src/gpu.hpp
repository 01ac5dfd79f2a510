// Memory of the GPUs for calls on streams of other libraries. gpu_cuda.cpp implements it, or no_gpu.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/error.hpp"

namespace upsweep::python {

/// Whether this module has the CUDA kernels, GPU or not.
bool has_cuda();
/// What CUDA says of an error.
const char* error_text(status s);

/// The GPU in whose memory a pointer is, as CUDA knows it; 0 where it does not.
int gpu_of(const void* p);

/// Makes a GPU the current one of this thread, and the earlier one afterwards.
class on_gpu {
 public:
  explicit on_gpu(int device);
  ~on_gpu();
  on_gpu(const on_gpu&) = delete;
  on_gpu& operator=(const on_gpu&) = delete;

 private:
  int earlier_ = -1;
};

/// Workspace of one call on a stream of the current GPU. The pool keeps one block of memory a stream, which calls use
/// one after the other in the stream's order, so nobody else may enqueue while one is lent: hold the GIL. While the
/// stream is captured, the memory belongs to the graph instead: a node allocates it and another one frees it.
class lent_workspace {
 public:
  /// Throws nothing: `state()` is the first error.
  lent_workspace(int device, void* stream, std::size_t bytes);
  ~lent_workspace();
  lent_workspace(const lent_workspace&) = delete;
  lent_workspace& operator=(const lent_workspace&) = delete;

  status state() const { return state_; }
  void* data() const { return memory_; }
  /// A place for a count, in memory of the host that the GPU writes to; null where the memory is of a graph.
  std::int64_t* count() const { return count_; }
  bool is_of_graph() const { return is_of_graph_; }

 private:
  void* memory_ = nullptr;
  std::int64_t* count_ = nullptr;
  void* stream_;
  bool is_of_graph_ = false;
  status state_ = status::success;
};

/// Copies from device memory after the work of the stream. Call `wait` before reading it.
status fetch(void* to, const void* from, std::size_t bytes, void* stream);
/// Waits for the work of a stream. May be called without the GIL.
status wait(void* stream);

/// Device memory that is not of the pool; null with bytes == 0 or on an error.
void* allocate(int device, std::size_t bytes);
void deallocate(int device, void* p);

/// Frees what the pool holds, of all streams. Waits for the GPUs.
void free_workspaces();
/// Bytes that the pool holds.
std::size_t workspace_bytes_held();

}  // namespace upsweep::python
