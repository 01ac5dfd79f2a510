// Words that reports are made of.
#pragma once

#include <cstddef>
#include <string>

#include "shadow.hpp"

namespace upsweep::race {

inline std::string bytes_text(std::size_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

inline std::string done_by(use how) {
  switch (how) {
    case use::read:
      return "reads";
    case use::write:
      return "writes";
    case use::atomic_read:
      return "reads (atomically)";
    default:
      return "writes (atomically)";
  }
}

}  // namespace upsweep::race
