// The scan of counts that other operations run between their own kernels, by a variant of the library at run time.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/runtime.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A spine from the library's table. The executor that calls it runs on `stream`.
struct variant_spine {
  runtime::stream stream;
  scan_variant variant;

  /// The variant was compiled, and its stream can run it.
  bool available() const { return runtime::is_compiled(variant) && runtime::runs_on(variant, stream.where); }

  template <class Count>
  static constexpr scalar_type type_of = sizeof(Count) == 4 ? scalar_type::u32 : scalar_type::u64;

  template <class Count>
  std::size_t workspace_bytes(std::int64_t n) const {
    static_assert(std::is_same_v<Count, std::uint32_t> || std::is_same_v<Count, std::uint64_t>);
    return runtime::scan_workspace_bytes(n, type_of<Count>, variant);
  }
  bool takes(std::int64_t n) const { return n <= runtime::max_items_of(variant); }
  template <class Count, class Executor>
  status exclusive_sum(Executor&, workspace w, Count* counts, std::int64_t n) const {
    return runtime::exclusive_sum(w, counts, counts, n, type_of<Count>, variant, stream);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
