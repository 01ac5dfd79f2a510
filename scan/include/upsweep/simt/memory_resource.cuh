// The memory that a call works in: a workspace that the caller lends, or a resource that the call takes it from.
//
//   upsweep::exclusive_sum({memory, bytes}, in, out, n, stream);            // lent
//   upsweep::exclusive_sum(upsweep::stream_pool{}, in, out, n, stream);     // from the stream's pool
//   upsweep::exclusive_sum(my_resource, in, out, n, stream);                // from any resource of cuda::mr's
//   protocols
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <new>
#include <type_traits>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The memory pool of the call's stream: cudaMallocAsync and cudaFreeAsync of the current device; on the sim, the heap.
struct stream_pool {};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

// The protocols of a resource R with a Stream. None of their headers is included: a stream converts to their types.

/// cuda::mr of CCCL 3.0, rmm: allocate_async(bytes, alignment, stream).
template <class R, class Stream>
concept allocates_async = requires(R& r, void* p, std::size_t bytes, Stream stream) {
  static_cast<void*>(r.allocate_async(bytes, bytes, stream));
  r.deallocate_async(p, bytes, bytes, stream);
};
/// cuda::mr of later ones: allocate(stream, bytes, alignment).
template <class R, class Stream>
concept allocates_on_stream = requires(R& r, void* p, std::size_t bytes, Stream stream) {
  static_cast<void*>(r.allocate(stream, bytes, bytes));
  r.deallocate(stream, p, bytes, bytes);
};
/// rmm::mr::device_memory_resource: allocate(bytes, stream).
template <class R, class Stream>
concept allocates_then_stream = requires(R& r, void* p, std::size_t bytes, Stream stream) {
  static_cast<void*>(r.allocate(bytes, stream));
  r.deallocate(p, bytes, stream);
}
&&!requires(R & r) {
  r.allocate(std::size_t{}, std::size_t{});
};
/// std::pmr: allocate(bytes, alignment). For the sim alone, where a call has finished when it returns.
template <class R, class Stream>
concept allocates_at_once = std::is_same_v<Stream, sim_stream> && requires(R& r, void* p, std::size_t bytes) {
  static_cast<void*>(r.allocate(bytes, bytes));
  r.deallocate(p, bytes, bytes);
};

/// Whether calls on a Stream can take memory from an R.
template <class R, class Stream>
concept serves = std::is_same_v<std::remove_const_t<R>, stream_pool> || allocates_async<R, Stream> ||
    allocates_on_stream<R, Stream> || allocates_then_stream<R, Stream> || allocates_at_once<R, Stream>;

template <class R>
inline constexpr bool is_resource = serves<R, default_stream> || serves<R, sim_stream>;

#if defined(__CUDACC__)
inline status take_from(const stream_pool&, void** p, std::size_t bytes, cudaStream_t stream) {
  const cudaError_t e = cudaMallocAsync(p, bytes, stream);
  if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<status>(e);
}
inline status give_back(const stream_pool&, void* p, std::size_t, cudaStream_t stream) {
  const cudaError_t e = cudaFreeAsync(p, stream);
  if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<status>(e);
}
#endif
inline status take_from(const stream_pool&, void** p, std::size_t bytes, sim_stream) {
  *p = ::operator new(bytes, std::nothrow);
  return *p != nullptr ? status::success : status::memory_allocation;
}
inline status give_back(const stream_pool&, void* p, std::size_t, sim_stream) {
  ::operator delete(p);
  return status::success;
}

/// An exception of a resource becomes a status: calls throw nothing.
template <class Act>
status without_exceptions(Act act) {
#if defined(__cpp_exceptions)
  try {
    act();
  } catch (...) {
    return status::memory_allocation;
  }
#else
  act();
#endif
  return status::success;
}

template <class R, class Stream>
requires(!std::is_same_v<std::remove_const_t<R>, stream_pool>) status
    take_from(R& r, void** p, std::size_t bytes, Stream stream) {
  constexpr std::size_t alignment = workspace_layout::alignment;
  const status s = without_exceptions([&] {
    if constexpr (allocates_async<R, Stream>) {
      *p = r.allocate_async(bytes, alignment, stream);
    } else if constexpr (allocates_on_stream<R, Stream>) {
      *p = r.allocate(stream, bytes, alignment);
    } else if constexpr (allocates_then_stream<R, Stream>) {
      *p = r.allocate(bytes, stream);
    } else {
      *p = r.allocate(bytes, alignment);
    }
  });
  return s == status::success && *p == nullptr ? status::memory_allocation : s;
}
template <class R, class Stream>
requires(!std::is_same_v<std::remove_const_t<R>, stream_pool>) status
    give_back(R& r, void* p, std::size_t bytes, Stream stream) {
  constexpr std::size_t alignment = workspace_layout::alignment;
  return without_exceptions([&] {
    if constexpr (allocates_async<R, Stream>) {
      r.deallocate_async(p, bytes, alignment, stream);
    } else if constexpr (allocates_on_stream<R, Stream>) {
      r.deallocate(stream, p, bytes, alignment);
    } else if constexpr (allocates_then_stream<R, Stream>) {
      r.deallocate(p, bytes, stream);
    } else {
      r.deallocate(p, bytes, alignment);
    }
  });
}

/// A resource whose type is erased, for one kind of stream; both pointers are null if it does not serve such streams.
template <class Stream>
struct resource_calls {
  status (*take)(void* resource, void** p, std::size_t bytes, Stream stream) = nullptr;
  status (*give)(void* resource, void* p, std::size_t bytes, Stream stream) = nullptr;

  template <class R>
  static constexpr resource_calls of() {
    if constexpr (serves<R, Stream>) {
      return {
          [](void* r, void** p, std::size_t bytes, Stream s) { return take_from(*static_cast<R*>(r), p, bytes, s); },
          [](void* r, void* p, std::size_t bytes, Stream s) { return give_back(*static_cast<R*>(r), p, bytes, s); }};
    }
    return {};
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The first argument of every call: the memory that it works in.
///
/// A workspace is {pointer, bytes} of device memory, of any content and alignment. It is the caller's, and may be
/// reused once the call's work has finished.
///
/// From a memory resource the call takes as many bytes as its *_workspace_bytes says, and gives them back, both in the
/// order of the stream, also in a captured graph. The resource must live until the call returns. If it throws or
/// returns null, the call returns cudaErrorMemoryAllocation. A resource has one of these pairs of methods:
/// allocate_async(bytes, alignment, stream) and deallocate_async(p, bytes, alignment, stream), as in cuda::mr of CCCL
/// 3.0 and in rmm; allocate(stream, bytes, alignment) and deallocate(stream, p, bytes, alignment), as in later CCCL;
/// for the sim alone allocate(bytes, alignment) and deallocate(p, bytes, alignment), as in std::pmr.
///     exclusive_sum({memory, bytes}, in, out, n, stream);    // a workspace
///     exclusive_sum(stream_pool{}, in, out, n, stream);      // a resource
class workspace_or_resource {
 public:
  /// Memory that the caller lends.
  workspace_or_resource(workspace w) : lent_(w) {}
  /// Memory that the caller lends, by address and size.
  workspace_or_resource(void* data, std::size_t bytes) : lent_{data, bytes} {}
  /// A resource, which must live until the call returns.
  template <class R>
  requires(!std::is_convertible_v<R&&, workspace> && !std::is_same_v<std::remove_cvref_t<R>, workspace_or_resource>)
      workspace_or_resource(R&& resource) {
    using type = std::remove_reference_t<R>;
    constexpr bool fits = detail::is_resource<type>;
    static_assert(fits, "upsweep: the first argument is a workspace, {pointer, bytes}, or a memory resource");
    if constexpr (fits) {
      resource_ = const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(resource)));
      on_sim_ = detail::resource_calls<sim_stream>::template of<type>();
      if constexpr (!std::is_same_v<default_stream, sim_stream>) {
        on_default_ = detail::resource_calls<default_stream>::template of<type>();
      }
    }
  }

  /// Calls `call` with a workspace: the caller's, or `bytes` bytes from the resource. Returns the first error of the
  /// allocation, the call and the deallocation; not_supported if the resource does not serve such streams.
  template <class Stream, class Call>
  error_of<Stream> lend(std::size_t bytes, Stream stream, Call call) const {
    if (resource_ == nullptr || bytes == 0) return call(lent_);
    const detail::resource_calls<Stream>& resource = calls(stream);
    if (resource.take == nullptr) return static_cast<error_of<Stream>>(status::not_supported);
    workspace taken{nullptr, bytes};
    const status s = resource.take(resource_, &taken.data, bytes, stream);
    if (s != status::success) return static_cast<error_of<Stream>>(s);
    const error_of<Stream> called = call(taken);
    const status given = resource.give(resource_, taken.data, bytes, stream);
    return static_cast<status>(called) != status::success ? called : static_cast<error_of<Stream>>(given);
  }

 private:
  const detail::resource_calls<sim_stream>& calls(sim_stream) const { return on_sim_; }
  template <class Stream>
  const detail::resource_calls<Stream>& calls(Stream) const {
    return on_default_;
  }

  workspace lent_{};
  void* resource_ = nullptr;
  detail::resource_calls<sim_stream> on_sim_{};
  detail::resource_calls<default_stream> on_default_{};
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
