// The sorts of few keys under test.
#pragma once

#include "contracts/few_keys_contract.hpp"
#include "upsweep/sort/device/cluster_sort.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"

namespace upsweep::test {

template <class Stream>
bool add_few_keys_contracts() {
  add_few_keys_contract<single_block_sort<64, 8, 2>, std::uint32_t, Stream>("single_block/u32");
  add_few_keys_contract<single_block_sort<96, 3, 1>, double, Stream>("single_block/f64");
  add_few_keys_contract<cluster_sort<256, 2, 1, 4>, std::uint32_t, Stream>("cluster/u32");
  add_few_keys_contract<cluster_sort<256, 2, 2, 2>, std::int64_t, Stream>("cluster/i64");
  add_every_size_contract<single_block_sort<64, 8, 2>, Stream>("single_block/u32", 512, 8);
  add_every_size_contract<single_block_sort<32, 8, 2>, Stream>("single_block/one_warp", 256, 8);
  add_every_size_contract<cluster_sort<256, 2, 1, 4>, Stream>("cluster/u32", 1025, 8, 7);
  return true;
}

}  // namespace upsweep::test
