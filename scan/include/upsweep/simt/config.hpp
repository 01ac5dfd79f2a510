// The only macros of upsweep. Everything else is told apart by types.
//
// Every header is a system header, also where it is found by -I: programs choose their own warnings, of which ours have
// not all (g++ 12 has -Wsign-conversion complain of int item[N] for an int N). UPSWEEP_WARN_IN_HEADERS, which upsweep's
// own targets define, shows them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#if __cplusplus <= 201703L
#error "upsweep needs C++20: compile with -std=c++20"
#endif

#include "upsweep/version.hpp"

/// UPSWEEP_ABI with the architectures that nvcc compiles for, up to 16 of them. It is in the names of kernels, of what
/// launches them, and of what is remembered about them. So two libraries of one process that contain these kernels,
/// compiled for different GPUs, share none of it.
#if defined(__CUDA_ARCH_LIST__)
#define UPSWEEP_JOIN_AS_IS(v, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
  v##_sm##a##b##c##d##e##f##g##h##i##j##k##l##m##n##o##p
#define UPSWEEP_JOIN(...) UPSWEEP_JOIN_AS_IS(__VA_ARGS__, , , , , , , , , , , , , , , , , )
#define UPSWEEP_CUDA_ABI UPSWEEP_JOIN(UPSWEEP_ABI, __CUDA_ARCH_LIST__)
#else
#define UPSWEEP_CUDA_ABI UPSWEEP_PASTE(UPSWEEP_ABI, _, host, )
#endif

/// Marks what the compiled libraries export: visible outside of a shared library, whatever -fvisibility says.
#if defined(__GNUC__)
#define UPSWEEP_EXPORT __attribute__((visibility("default")))
#else
#define UPSWEEP_EXPORT
#endif

#if defined(__CUDACC__)
/// A function that runs on the host and on the GPU.
#define UPSWEEP_HOST_DEVICE __host__ __device__
/// A function of a kernel: written once, run by the GPU and by the sim.
#define UPSWEEP_DEVICE __host__ __device__ __forceinline__
#else
#define UPSWEEP_HOST_DEVICE
#define UPSWEEP_DEVICE inline
#endif

/// Unrolls the loop that follows, so that arrays indexed by it stay in registers.
#if defined(__CUDA_ARCH__)
#define UPSWEEP_UNROLL _Pragma("unroll")
/// Keeps the loop that follows as it is, so that rare work does not take registers from what runs beside it.
#define UPSWEEP_NO_UNROLL _Pragma("unroll 1")
#else
#define UPSWEEP_UNROLL
#define UPSWEEP_NO_UNROLL
#endif
