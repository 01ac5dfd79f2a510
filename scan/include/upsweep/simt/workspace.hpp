// Device memory that the caller lends to one call, and the layout of what a call keeps in it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// Memory for one call, of any content and any alignment. It may be reused once the call's work has finished.
struct workspace {
  void* data = nullptr;   ///< device memory of the caller
  std::size_t bytes = 0;  ///< as many as the formula of the call says, or more
};

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_ABI {

/// The arrays that a call keeps in its workspace, one after the other. The same object says how many bytes they need
/// and where they lie, so that the two cannot disagree. The plan of a call is a structure with a layout and then its
/// slots, which the constructor adds.
class workspace_layout {
 public:
  static constexpr std::size_t alignment = 256;

  /// An array in the workspace.
  template <class T>
  struct slot {
    std::size_t offset;
    std::size_t count;
    constexpr std::size_t bytes() const { return count * sizeof(T); }
    constexpr std::size_t end() const { return offset + bytes(); }
  };

  /// Appends an array of `count` T. Never shrinks the layout.
  template <class T, std::integral Count>
  constexpr slot<T> add(Count count) {
    const slot<T> s{end_, static_cast<std::size_t>(count)};
    end_ += (s.bytes() + alignment - 1) / alignment * alignment;
    return s;
  }

  /// What the arrays take, one after another.
  constexpr std::size_t used() const { return end_; }

  /// What a workspace must have, wherever it starts: the arrays and the slack that aligns the first. 0 for no arrays.
  constexpr std::size_t bytes() const { return end_ == 0 ? 0 : end_ + alignment - 1; }

  /// True when `w` can hold the layout.
  bool fits(workspace w) const { return bytes() == 0 || (w.data != nullptr && w.bytes >= bytes()); }

  /// The array in `w`, which fits().
  template <class T>
  T* at(workspace w, slot<T> s) const {
    const auto start = (reinterpret_cast<std::uintptr_t>(w.data) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T*>(start + s.offset);
  }

  /// The unused rest of `w` as a workspace for a call inside the call.
  workspace rest(workspace w) const {
    const auto start = (reinterpret_cast<std::uintptr_t>(w.data) + alignment - 1) / alignment * alignment + end_;
    const auto used = start - reinterpret_cast<std::uintptr_t>(w.data);
    return {reinterpret_cast<void*>(start), w.bytes > used ? w.bytes - used : 0};
  }

 private:
  std::size_t end_ = 0;
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
