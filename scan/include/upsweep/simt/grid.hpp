// The shape of a launch; the threads of a block are the kernel's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep {

struct grid {
  std::int64_t blocks;
  std::size_t dynamic_bytes = 0;  ///< dynamic shared memory of each block

  grid(std::int64_t blocks, std::size_t dynamic_bytes = 0) : blocks(blocks), dynamic_bytes(dynamic_bytes) {}
};

/// The most blocks one launch may have.
inline constexpr std::int64_t max_grid_blocks = (std::int64_t{1} << 31) - 1;

/// ceil(a / b) for a >= 0, b > 0.
UPSWEEP_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace upsweep
