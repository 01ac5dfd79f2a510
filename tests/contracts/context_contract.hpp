// What every method of the block context means, on the sim and on the GPU alike.
#pragma once

#include "contracts/context_barriers.hpp"
#include "contracts/context_memory.hpp"
#include "contracts/context_warp.hpp"

namespace upsweep::test {

template <class Stream>
bool add_context_contract() {
  context_barriers<Stream>::add();
  context_warp<Stream>::add();
  context_memory<Stream>::add();
  return true;
}

}  // namespace upsweep::test
