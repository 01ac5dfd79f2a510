// What the examples share: errors that end the program, arrays of device memory, and a graph of what a function
// enqueues.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
  std::exit(1);
}

inline bool has_gpu() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0) return true;
  std::puts("SKIP: there is no GPU here");
  return false;
}

template <class T>
T* zeros(std::int64_t n) {
  T* p = nullptr;
  check(cudaMalloc(&p, n * sizeof(T)));
  check(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}

template <class T>
std::vector<T> on_host(const T* from, std::int64_t n) {
  std::vector<T> items(n);
  check(cudaMemcpy(items.data(), from, n * sizeof(T), cudaMemcpyDefault));
  return items;
}

/// What enqueue() enqueues on the stream, as a graph to launch again and again.
template <class Enqueue>
cudaGraphExec_t captured(cudaStream_t stream, Enqueue enqueue) {
  cudaGraph_t graph;
  cudaGraphExec_t launchable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  enqueue();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&launchable, graph, 0));
  return launchable;
}

template <class A, class B>
struct pair {
  A first;
  B second;
};
/// An output iterator: pair number i goes to first[i] and second[i].
template <class A, class B>
struct pair_arrays {
  struct place {
    A* first;
    B* second;
    __host__ __device__ void operator=(const pair<A, B>& p) const { *first = p.first, *second = p.second; }
  };
  A* first;
  B* second;
  __host__ __device__ place operator[](std::int64_t i) const { return {first + i, second + i}; }
};
