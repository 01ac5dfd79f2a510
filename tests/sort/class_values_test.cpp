// Values that are classes of a few bytes, as colours are: they convert to nothing.
#include "contracts/few_keys_contract.hpp"
#include "contracts/sort_types_contract.hpp"
#include "upsweep/sort/device/cluster_sort.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"

namespace upsweep::test {
namespace {

template <int Bytes>
struct plain_class {
  unsigned char byte[Bytes];
};

template <int... Bytes>
bool add_class_values_contracts() {
  const auto add = []<int Size>(std::integral_constant<int, Size>) {
    using value = plain_class<Size>;
    const std::string bytes = std::to_string(Size) + "_bytes";
    add_value_type_contract<single_block_sort<64, 8, 2>, std::uint32_t, value, sim_stream>("single_block_" + bytes,
                                                                                           500);
    add_value_type_contract<cluster_sort<256, 2, 1, 2>, std::uint32_t, value, sim_stream>("cluster_" + bytes, 900);
  };
  (add(std::integral_constant<int, Bytes>{}), ...);
  return true;
}
const bool added = add_class_values_contracts<1, 2, 3, 4, 8>();

TEST(class_values, of_4_bytes_are_sorted_by_every_call) {
  using colour = plain_class<4>;
  constexpr int n = 3000;
  std::vector<float> keys(n), sorted(n);
  std::vector<colour> values(n), moved(n);
  const auto begin = [&] {
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      keys[at] = static_cast<float>(n - i);
      values[at] = {static_cast<unsigned char>(i % 251), 1, 2, static_cast<unsigned char>(i / 251)};
    }
  };
  const auto expect_reversed = [](const colour* of) {
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += of[i].byte[0] != (n - 1 - i) % 251 || of[i].byte[3] != (n - 1 - i) / 251;
    EXPECT_EQ(wrong, 0);
  };
  std::vector<unsigned char> memory(
      sort_pairs_workspace_bytes(keys.data(), sorted.data(), values.data(), moved.data(), n));
  const workspace w{memory.data(), memory.size()};
  begin();
  ASSERT_EQ(sort_pairs(w, keys.data(), sorted.data(), values.data(), moved.data(), n, sort_order::ascending, {},
                       sim_stream{}),
            status::success);
  expect_reversed(moved.data());
  ASSERT_EQ(sort_pairs_in_place(w, keys.data(), sorted.data(), values.data(), moved.data(), n, sort_order::ascending,
                                {}, sim_stream{}),
            status::success);
  expect_reversed(values.data());
  begin();
  double_buffer<float> key_buffers{keys.data(), sorted.data()};
  double_buffer<colour> value_buffers{values.data(), moved.data()};
  ASSERT_EQ(sort_pairs(w, key_buffers, value_buffers, n, sort_order::ascending, {}, sim_stream{}), status::success);
  expect_reversed(value_buffers.current);
}

}  // namespace
}  // namespace upsweep::test
