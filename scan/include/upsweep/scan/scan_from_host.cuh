// Scan of arrays in host memory, which may be larger than the device's memory: the public calls.
//
//   cudaError_t e = upsweep::inclusive_scan_from_host({memory, bytes}, in, out, n, upsweep::plus{});
//
// The workspace is the device memory that the scan may use, of any size from *_from_host_least_bytes on; with about 200
// MB, copies run both ways nearly all the time. Every item goes up once and down once, both ways at once, in chunks;
// the sum so far stays on the device. Host memory that is pinned (cudaMallocHost, cudaHostRegister) is copied directly.
// Other memory is copied by the CPU through pinned buffers, which the call allocates and frees: from_host_options.
//
// Unlike other calls these return when all is done: first they wait for the stream, then they work on three streams of
// their own. They cannot be captured.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/host_chunks.hpp"
#include "upsweep/simt/host_pipeline.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The device memory of a scan of chunks: items in and out of two sets, and the sum before either set.
template <class In, class Out, class T>
struct scan_chunk_layout {
  workspace_layout layout;
  workspace_layout::slot<In> in[2];
  workspace_layout::slot<Out> out[2];
  workspace_layout::slot<T> before[2];

  explicit scan_chunk_layout(std::int64_t items) {
    const auto count = static_cast<std::size_t>(items);
    for (int set = 0; set < 2; ++set) {
      in[set] = layout.add<In>(count);
      out[set] = layout.add<Out>(count);
      before[set] = layout.add<T>(1);
    }
  }
  static std::size_t bytes(std::int64_t items) {
    return scan_chunk_layout(items).layout.bytes() +
           scan_workspace_bytes<default_scan_policy, T, const In*, Out*>(items);
  }
};

/// scan_chunk(chunk, workspace, in, out, before, total, items, stream) of each chunk.
template <class T, class In, class Out, class Stream, class ScanChunk>
status scan_from_host(workspace device, const In* in, Out* out, std::int64_t n, const T* init,
                      const from_host_options& options, Stream on, ScanChunk scan_chunk) {
  using layout_type = scan_chunk_layout<In, Out, T>;
  if (n <= 0) return n == 0 ? status::success : status::invalid_value;
  const memory_use read = use_of(in, n, false), written = use_of(out, n, true), lent{device.data, device.bytes, true};
  if (in == nullptr || out == nullptr || overlaps_askew(in, out, n) || !written_apart(std::array{read, lent}) ||
      !written_apart(std::array{written, lent})) {
    return status::invalid_value;
  }
  const std::int64_t chunk = chunk_items(n, (std::max)(sizeof(In), sizeof(Out)),
                                         device.data == nullptr ? 0 : device.bytes, options, layout_type::bytes);
  if (chunk == 0) return status::memory_allocation;
  auto executor = executor_of(on);
  host_pipeline<decltype(executor)> pipeline(executor, options);
  status s = executor.synchronize();
  if (s == status::success) s = pipeline.open();
  if (s == status::success) s = pipeline.serve(std::array{read}, std::array{written});
  const layout_type l(chunk);
  const auto items = [&](std::int64_t i) { return (std::min)(chunk, n - i * chunk); };
  if (s == status::success && init != nullptr) {
    s = pipeline.kernels().executor.copy(l.layout.at(device, l.before[0]), init, sizeof(T));
  }
  if (s != status::success) return s;
  return pipeline.run(
      ceil_div(n, chunk),
      [&](auto& queue, std::int64_t i) {
        return queue.to_device(l.layout.at(device, l.in[i % 2]), in + i * chunk,
                               static_cast<std::size_t>(items(i)) * sizeof(In));
      },
      [&](auto& side, std::int64_t i) {
        if (options.progress != nullptr) {
          options.progress(options.progress_context, static_cast<std::uint64_t>(i * chunk + items(i)) * sizeof(In),
                           static_cast<std::uint64_t>(n) * sizeof(In));
        }
        const In* const chunk_in = l.layout.at(device, l.in[i % 2]);
        return static_cast<status>(scan_chunk(
            i, l.layout.rest(device), chunk_in, l.layout.at(device, l.out[i % 2]), l.layout.at(device, l.before[i % 2]),
            l.layout.at(device, l.before[(i + 1) % 2]), items(i), stream_of_side(side, on)));
      },
      [&](auto& queue, std::int64_t i) {
        return queue.to_host(out + i * chunk, l.layout.at(device, l.out[i % 2]),
                             static_cast<std::size_t>(items(i)) * sizeof(Out));
      });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op in[0] op ... op in[i - 1], for i < n, in host memory.
///   device   the device memory that may be used, {pointer, bytes}: at least exclusive_scan_from_host_least_bytes; the
///            caller's
///   in       n items of host memory
///   out      n items of host memory; may be in
///   n        how many items
///   op       an associative operator that the GPU can call with two items
///   init     the value before the first item
///   options  how memory that is not pinned is copied, and a callback for progress
///   stream   the call waits for it, and works on its device; with a sim_stream, on the sim
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, or arrays overlap other
/// than out == in; cudaErrorMemoryAllocation, and nothing touched, if the device memory is too small; otherwise the
/// first error of an allocation, copy or launch: the contents of the output are then unspecified. Cost: one copy of
/// each item each way; the scans on the device run beside these.
///     cudaError_t e = exclusive_scan_from_host({memory, bytes}, in, out, n, plus{}, 0ull);
template <class In, class Out, class Op, class Init, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_from_host(workspace device, const In* in, Out* out, std::int64_t n, Op op,
                                                        Init init, from_host_options options = {}, Stream stream = {}) {
  using T = scan_accumulator_t<const In*, Op, Init>;
  if constexpr (detail::check_scan<Stream, const In*, Out*, std::int64_t, Op, Init>()) {
    const stream_of<Stream> on = stream;
    const T first = static_cast<T>(init);
    return static_cast<error_of<Stream>>(detail::scan_from_host<T>(
        device, in, out, n, &first, options, on,
        [&](std::int64_t, workspace w, const In* from, Out* to, const T* before, T* total, std::int64_t items, auto s) {
          return exclusive_scan_with_total(w, from, to, total, items, op, device_value<T>{before}, s);
        }));
  } else {
    return {};
  }
}

/// The least bytes of device memory with which exclusive_scan_from_host works. A host formula.
template <class In, class Out, class Op, class Init>
std::size_t exclusive_scan_from_host_least_bytes(const In*, Out*, std::int64_t n, Op, Init) {
  using layout = detail::scan_chunk_layout<In, Out, scan_accumulator_t<const In*, Op, Init>>;
  return n <= 0 ? 0 : layout::bytes(1);
}

/// out[i] = in[0] op ... op in[i], for i < n, in host memory.
///   device   the device memory that may be used, {pointer, bytes}: at least inclusive_scan_from_host_least_bytes; the
///            caller's
///   in       n items of host memory
///   out      n items of host memory; may be in
///   n        how many items
///   op       an associative operator that the GPU can call with two items
///   options  how memory that is not pinned is copied, and a callback for progress
///   stream   the call waits for it, and works on its device; with a sim_stream, on the sim
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, or arrays overlap other
/// than out == in; cudaErrorMemoryAllocation, and nothing touched, if the device memory is too small; otherwise the
/// first error of an allocation, copy or launch: the contents of the output are then unspecified. Cost: one copy of
/// each item each way; the scans on the device run beside these.
///     cudaError_t e = inclusive_scan_from_host({memory, bytes}, in, out, n, plus{});
template <class In, class Out, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_from_host(workspace device, const In* in, Out* out, std::int64_t n, Op op,
                                                        from_host_options options = {}, Stream stream = {}) {
  using T = scan_accumulator_t<const In*, Op>;
  if constexpr (detail::check_scan<Stream, const In*, Out*, std::int64_t, Op, detail::no_init>()) {
    const stream_of<Stream> on = stream;
    return static_cast<error_of<Stream>>(detail::scan_from_host<T>(
        device, in, out, n, nullptr, options, on,
        [&](std::int64_t i, workspace w, const In* from, Out* to, const T* before, T* total, std::int64_t items,
            auto s) {
          if (i == 0) return inclusive_scan_with_total(w, from, to, total, items, op, s);
          return inclusive_scan_init_with_total(w, from, to, total, items, op, device_value<T>{before}, s);
        }));
  } else {
    return {};
  }
}

/// The least bytes of device memory with which inclusive_scan_from_host works. A host formula.
template <class In, class Out, class Op>
std::size_t inclusive_scan_from_host_least_bytes(const In*, Out*, std::int64_t n, Op) {
  using layout = detail::scan_chunk_layout<In, Out, scan_accumulator_t<const In*, Op>>;
  return n <= 0 ? 0 : layout::bytes(1);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
