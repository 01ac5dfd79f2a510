// Scan at run time, in plain C++: variant, type and operation are values. The CUDA library and the sim stand behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::runtime {

/// The variants that were compiled, for every type of `scan_types()`. Any other is answered by not_supported.
std::span<const scan_variant> scan_variants();
/// The types that can be scanned: u32, i32, u64, f32, f64.
std::span<const scalar_type> scan_types();
/// True when `v` is one of scan_variants(); for `serial` the strategy alone counts.
bool is_compiled(const scan_variant& v);

/// Bytes of workspace that a scan of n items needs. A host formula: needs no device, never shrinks as n grows.
/// 0 for n <= 0 and for a variant that was not compiled.
std::size_t scan_workspace_bytes(const scan_variant& v, scalar_type type, std::int64_t n);

/// What an exclusive sum of n items costs by the variant's own count. All 0 for n <= 0, and for a variant or type that
/// was not compiled. Needs no device. Complexity: a few operations for each level of the scan.
scan_cost cost_of(const scan_variant& v, scalar_type type, std::int64_t n);

/// Items of one tile. 0 for `serial`, and for a variant or type that was not compiled.
std::int64_t tile_items_of(const scan_variant& v, scalar_type type);

/// What a tile of a single-pass scan has told the tiles behind it, for diagnosis.
struct published_tile {
  std::string status;  ///< "invalid", "partial" or "inclusive"; of memory that no call has cleared, perhaps a number
  std::string
      value;  ///< the sum that belongs to a partial or inclusive status, as decimal text that reads back exactly

  friend bool operator==(const published_tile&, const published_tile&) = default;
};

/// What the tiles from `first_tile` on, at most `count`, published in a scan of n items that has finished or was
/// stopped; tile i has the items from i * tile_items_of(v, type) on. `workspace_copy` is a copy in host memory, at any
/// address, of the workspace from the first address on that is a multiple of 256, such as all of a runtime::buffer.
/// Empty for a variant without tile states or that was not compiled, for tiles that do not exist, and for a copy that
/// is too short.
std::vector<published_tile> published_tiles(const scan_variant& v, scalar_type type, std::int64_t n,
                                            std::span<const std::byte> workspace_copy, std::int64_t first_tile,
                                            std::int64_t count);

/// out[i] = init + in[0] + ... + in[i-1]. `init` points to one element in host memory; null means zero. `out` may be
/// `in`; other overlaps are refused. Both are aligned to their element. Complexity and passes: as the variant's
/// strategy (scan/README.md). n < 0, a null or misaligned array with n > 0, an overlap, or a workspace too small:
/// invalid_value, nothing touched. A variant or type that was not compiled, or `serial` on a GPU: not_supported.
status exclusive_sum(stream s, const scan_variant& v, scalar_type type, workspace w, const void* in, void* out,
                     std::int64_t n, const void* init = nullptr);

/// out[i] = in[0] + ... + in[i], behind `init` when that is not null. Else as exclusive_sum.
status inclusive_sum(stream s, const scan_variant& v, scalar_type type, workspace w, const void* in, void* out,
                     std::int64_t n, const void* init = nullptr);

}  // namespace upsweep::runtime
