// What the examples share: errors that end the program, arrays of device memory, a kernel that calls a functor for each
// index, and a graph of what a function enqueues. nvcc compiles an example for the GPU. A plain C++ compiler compiles
// it for the sim: device memory is plain memory, a call is done when it returns, and a graph is the function itself.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "upsweep/simt/executor.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

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

inline cudaStream_t new_stream() {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  return stream;
}
inline void wait(cudaStream_t stream) {
  check(cudaStreamSynchronize(stream));
}

template <class T>
T* zeros(std::int64_t n) {
  T* p = nullptr;
  check(cudaMalloc(&p, n * sizeof(T)));
  check(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}

template <class T>
void copy(T* to, const T* from, std::int64_t n) {
  check(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDefault));
}

/// Whether the program runs on the CPU, where each item takes longer.
inline constexpr bool on_the_sim = false;

template <class F>
__global__ void for_each_kernel(std::int64_t n, F f) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
/// Calls f(i) for each i of [0, n), 0 < n: a kernel with a thread for each.
template <class F>
void for_each(std::int64_t n, F f, cudaStream_t stream) {
  for_each_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(n, f);
  check(cudaGetLastError());
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
inline void launch(cudaGraphExec_t graph, cudaStream_t stream) {
  check(cudaGraphLaunch(graph, stream));
}

#else  // the sim

inline void check(upsweep::status s) {
  if (s == upsweep::status::success) return;
  std::fprintf(stderr, "%s: %s\n", upsweep::status_name(s), upsweep::status_text(s));
  std::exit(1);
}
inline bool has_gpu() {
  return true;
}
inline upsweep::sim_stream new_stream() {
  return {};
}
inline void wait(upsweep::sim_stream) {}

template <class T>
T* zeros(std::int64_t n) {
  return new T[n]{};
}
template <class T>
void copy(T* to, const T* from, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
}

inline constexpr bool on_the_sim = true;
template <class F>
void for_each(std::int64_t n, F f, upsweep::sim_stream) {
  for (std::int64_t i = 0; i < n; ++i) f(i);
}
template <class Enqueue>
Enqueue captured(upsweep::sim_stream, Enqueue enqueue) {
  return enqueue;
}
template <class Enqueue>
void launch(const Enqueue& graph, upsweep::sim_stream) {
  graph();
}

#endif

template <class T>
T* on_device(const std::vector<T>& items) {
  T* const p = zeros<T>(static_cast<std::int64_t>(items.size()));
  copy(p, items.data(), static_cast<std::int64_t>(items.size()));
  return p;
}

template <class T>
std::vector<T> on_host(const T* from, std::int64_t n) {
  std::vector<T> items(n);
  copy(items.data(), from, n);
  return items;
}

/// Ends the program unless a result is what it should be.
inline void expect(bool right, const char* what) {
  if (right) return;
  std::printf("WRONG: %s\n", what);
  std::exit(1);
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
    UPSWEEP_HOST_DEVICE void operator=(const pair<A, B>& p) const { *first = p.first, *second = p.second; }
  };
  A* first;
  B* second;
  UPSWEEP_HOST_DEVICE place operator[](std::int64_t i) const { return {first + i, second + i}; }
};
