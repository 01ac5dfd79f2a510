// Stream compaction of arrays in host memory, which may be larger than the device's memory: the public calls.
//
//   std::int64_t kept;
//   cudaError_t e = upsweep::select_if_from_host({memory, bytes}, in, out, &kept, n, upsweep::between<float>{0, 1});
//
// The workspace is the device memory that the selection may use, of any size from *_from_host_least_bytes on; with
// about 200 MB, copies run both ways nearly all the time. Every item goes up once, and those that are kept go down,
// both ways at once, in chunks. Host memory that is pinned (cudaMallocHost, cudaHostRegister) is copied directly. Other
// memory is copied by the CPU through pinned buffers, which the call allocates and frees: from_host_options.
//
// Unlike other calls these return when all is done: first they wait for the stream, then they work on three streams of
// their own. They cannot be captured. Kept items stay in input order.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "upsweep/compact/select.cuh"
#include "upsweep/simt/host_chunks.hpp"
#include "upsweep/simt/host_pipeline.cuh"

namespace upsweep::inline UPSWEEP_ABI {

/// The results of a selection of host memory, on the host. A pointer to the count converts to it.
struct host_select_results {
  std::int64_t* count = nullptr;                                       ///< how many items were written
  std::int64_t capacity = (std::numeric_limits<std::int64_t>::max)();  ///< items that the output has room for
  std::int64_t* wanted = nullptr;                                      ///< how many would have been kept; may be null

  /// The count alone: the output has room for all that is kept.
  host_select_results(std::int64_t* kept) : count(kept) {}
  /// An output with room for so many items.
  host_select_results(std::int64_t* kept, std::int64_t room, std::int64_t* would_be_kept = nullptr)
      : count(kept), capacity(room), wanted(would_be_kept) {}
};

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The device memory of a selection by chunks: items in and out of two sets, flags of such a size beside them, and the
/// counts.
template <class T>
struct select_chunk_layout {
  workspace_layout layout;
  workspace_layout::slot<T> in[2], out[2];
  workspace_layout::slot<char> flags[2];
  workspace_layout::slot<std::int64_t> count[2];

  select_chunk_layout(std::int64_t items, std::size_t flag_bytes) {
    const auto n = static_cast<std::size_t>(items);
    for (int set = 0; set < 2; ++set) {
      in[set] = layout.add<T>(n);
      out[set] = layout.add<T>(n);
      flags[set] = layout.add<char>(n * flag_bytes);
      count[set] = layout.add<std::int64_t>(1);
    }
  }
  static std::size_t bytes(std::int64_t items, std::size_t flag_bytes) {
    const T* const in = nullptr;
    T* const out = nullptr;
    // The array that is written is not the one that is read.
    return select_chunk_layout(items, flag_bytes).layout.bytes() +
           selection_bytes<default_compact_policy>(in, out + 1, nullptr, items, rejected_order::apart);
  }
};

/// Pinned memory for what the device tells the host.
template <class Executor>
class pinned_counts {
 public:
  pinned_counts() = default;
  pinned_counts(const pinned_counts&) = delete;
  pinned_counts& operator=(const pinned_counts&) = delete;
  ~pinned_counts() {
    if (data_ != nullptr) side_stream<Executor>::free_pinned(data_);
  }
  status allocate() { return side_stream<Executor>::allocate_pinned(&data_, 2 * sizeof(std::int64_t)); }
  std::int64_t& of(std::int64_t chunk) { return static_cast<std::int64_t*>(data_)[chunk % 2]; }

 private:
  void* data_ = nullptr;
};

/// select_chunk(workspace, in, flags, out, count, items, stream) of each chunk.
template <class T, class Stream, class SelectChunk>
status select_from_host(workspace device, const T* in, const void* flags, std::size_t flag_bytes, T* out,
                        const host_select_results& results, std::int64_t n, const from_host_options& options, Stream on,
                        SelectChunk select_chunk) {
  using layout_type = select_chunk_layout<T>;
  if (n < 0 || results.count == nullptr || results.capacity < 0) return status::invalid_value;
  const auto tell = [&](std::int64_t kept) {
    *results.count = (std::min)(kept, results.capacity);
    if (results.wanted != nullptr) *results.wanted = kept;
  };
  if (n == 0) {
    tell(0);
    return status::success;
  }
  const std::int64_t room = (std::min)(n, results.capacity);
  const memory_use read = use_of(in, n, false), written = use_of(out, room, true),
                   lent{device.data, device.bytes, true};
  const memory_use read_flags{flags, static_cast<std::size_t>(n) * flag_bytes, false};
  const bool askew = in != out && !written_apart(std::array{read, written});
  if (in == nullptr || (out == nullptr && room > 0) || read_flags.is_missing() || askew ||
      !written_apart(std::array{written, read_flags}) || !written_apart(std::array{read, lent}) ||
      !written_apart(std::array{written, lent})) {
    return status::invalid_value;
  }
  const std::int64_t chunk = chunk_items(n, sizeof(T), device.data == nullptr ? 0 : device.bytes, options,
                                         [&](std::int64_t items) { return layout_type::bytes(items, flag_bytes); });
  if (chunk == 0) return status::memory_allocation;
  auto executor = executor_of(on);
  pinned_counts<decltype(executor)> counts;
  host_pipeline<decltype(executor)> pipeline(executor, options);
  status s = executor.synchronize();
  if (s == status::success) s = counts.allocate();
  if (s == status::success) s = pipeline.open();
  if (s == status::success) s = pipeline.serve(std::array{read, read_flags}, std::array{written});
  if (s != status::success) return s;
  const layout_type l(chunk, flag_bytes);
  const auto items = [&](std::int64_t i) { return (std::min)(chunk, n - i * chunk); };
  std::int64_t kept = 0;
  s = pipeline.run(
      ceil_div(n, chunk),
      [&](auto& queue, std::int64_t i) {
        const auto count = static_cast<std::size_t>(items(i));
        const status up = queue.to_device(l.layout.at(device, l.in[i % 2]), in + i * chunk, count * sizeof(T));
        if (up != status::success || flag_bytes == 0) return up;
        return queue.to_device(l.layout.at(device, l.flags[i % 2]),
                               static_cast<const char*>(flags) + static_cast<std::size_t>(i * chunk) * flag_bytes,
                               count * flag_bytes);
      },
      [&](auto& side, std::int64_t i) {
        if (options.progress != nullptr) {
          options.progress(options.progress_context, static_cast<std::uint64_t>(i * chunk + items(i)) * sizeof(T),
                           static_cast<std::uint64_t>(n) * sizeof(T));
        }
        const T* const chunk_in = l.layout.at(device, l.in[i % 2]);
        std::int64_t* const count = l.layout.at(device, l.count[i % 2]);
        const status selected = static_cast<status>(
            select_chunk(l.layout.rest(device), chunk_in, static_cast<const void*>(l.layout.at(device, l.flags[i % 2])),
                         l.layout.at(device, l.out[i % 2]), count, items(i), stream_of_side(side, on)));
        return selected != status::success ? selected : side.executor.copy(&counts.of(i), count, sizeof *count);
      },
      [&](auto& queue, std::int64_t i) {
        const status worked = pipeline.worked(queue, i);
        if (worked != status::success) return worked;
        const std::int64_t here = kept, fit = std::clamp(results.capacity - here, std::int64_t{0}, counts.of(i));
        kept += counts.of(i);
        return fit == 0 ? status::success
                        : queue.to_host(out + here, l.layout.at(device, l.out[i % 2]),
                                        static_cast<std::size_t>(fit) * sizeof(T));
      });
  if (s == status::success) tell(kept);
  return s;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keeps in[i] when keep(in[i]), in host memory.
///   device   the device memory that may be used, {pointer, bytes}: at least select_if_from_host_least_bytes; the
///            caller's
///   in       n items of host memory
///   out      where kept items go, in input order: host memory with room for them; may be in
///   results  a pointer to the count in host memory, or {count, capacity of out, wanted}
///   n        how many items
///   keep     the predicate of an item that the GPU can call; it returns the same each time
///   options  how memory that is not pinned is copied, and a callback for progress
///   stream   the call waits for it, and works on its device; with a sim_stream, on the sim
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, or arrays overlap other
/// than out == in; cudaErrorMemoryAllocation, and nothing touched, if the device memory is too small; otherwise the
/// first error of an allocation, copy or launch: the contents of the output are then unspecified, and the count is as
/// it was. Cost: one copy of each item up and of each that is kept down; the work of the device runs beside these.
///     std::int64_t kept;
///     cudaError_t e = select_if_from_host({memory, bytes}, in, out, &kept, n, between<float>{0, 1});
template <class T, class Predicate, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_if_from_host(workspace device, const T* in, T* out, host_select_results results,
                                                   std::int64_t n, Predicate keep, from_host_options options = {},
                                                   Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, const T*, T*, std::int64_t*, std::int64_t>() &&
                detail::check_predicate<Predicate, T>()) {
    const stream_of<Stream> on = stream;
    return static_cast<error_of<Stream>>(detail::select_from_host(
        device, in, nullptr, 0, out, results, n, options, on,
        [&](workspace w, const T* from, const void*, T* to, std::int64_t* count, std::int64_t items, auto s) {
          return select_if(w, from, to, count, items, keep, s);
        }));
  } else {
    return {};
  }
}

/// The least bytes of device memory with which select_if_from_host works. A host formula.
template <class T, class Predicate>
std::size_t select_if_from_host_least_bytes(const T*, T*, host_select_results, std::int64_t n, Predicate) {
  return n <= 0 ? 0 : detail::select_chunk_layout<T>::bytes(1, 0);
}

/// Keeps in[i] when flags[i] is true, in host memory.
///   device   the device memory that may be used, {pointer, bytes}: at least select_flagged_from_host_least_bytes; the
///            caller's
///   in       n items of host memory
///   flags    n flags of host memory; a true one keeps its item
///   out      where kept items go, in input order: host memory with room for them; may be in
///   results  a pointer to the count in host memory, or {count, capacity of out, wanted}
///   n        how many items
///   options  how memory that is not pinned is copied, and a callback for progress
///   stream   the call waits for it, and works on its device; with a sim_stream, on the sim
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, or arrays overlap other
/// than out == in; cudaErrorMemoryAllocation, and nothing touched, if the device memory is too small; otherwise the
/// first error of an allocation, copy or launch: the contents of the output are then unspecified, and the count is as
/// it was. Cost: one copy of each item and flag up and of each item that is kept down; the work of the device runs
/// beside these.
///     std::int64_t kept;
///     cudaError_t e = select_flagged_from_host({memory, bytes}, in, flags, out, &kept, n);
template <class T, class Flag, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_flagged_from_host(workspace device, const T* in, const Flag* flags, T* out,
                                                        host_select_results results, std::int64_t n,
                                                        from_host_options options = {}, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, const T*, T*, std::int64_t*, std::int64_t>()) {
    const stream_of<Stream> on = stream;
    return static_cast<error_of<Stream>>(detail::select_from_host(
        device, in, flags, sizeof(Flag), out, results, n, options, on,
        [&](workspace w, const T* from, const void* marks, T* to, std::int64_t* count, std::int64_t items, auto s) {
          return select_flagged(w, from, static_cast<const Flag*>(marks), to, count, items, s);
        }));
  } else {
    return {};
  }
}

/// The least bytes of device memory with which select_flagged_from_host works. A host formula.
template <class T, class Flag>
std::size_t select_flagged_from_host_least_bytes(const T*, const Flag*, T*, host_select_results, std::int64_t n) {
  return n <= 0 ? 0 : detail::select_chunk_layout<T>::bytes(1, sizeof(Flag));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
