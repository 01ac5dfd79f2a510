// Sorts of up to more than 2^32 keys, made and checked on the GPU: order, the same keys, and the order of equal ones.
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

constexpr int blocks = 2048;
constexpr runtime::stream on_gpu{runtime::backend::cuda, nullptr};

UPSWEEP_DEVICE std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// out[i] = some bits of a hash of i; of floats, one in eight is a special one.
template <class Key>
struct make_keys_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class Bits>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Key* out, std::int64_t n, Bits bits) const {
    static_assert(sizeof(Bits) == sizeof(Key));
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const std::uint64_t hash = mixed(static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u);
      auto word = static_cast<Bits>(static_cast<Bits>(hash) & bits);
      if constexpr (std::is_same_v<Key, float>) {
        constexpr std::uint32_t infinity = 0x7f800000u, a_nan = 0x7fc00000u, a_denormal = 1;
        const std::uint32_t special = hash >> 40 & 7;
        const std::uint32_t magnitude = special < 2 ? 0 : special < 4 ? infinity : special < 6 ? a_nan : a_denormal;
        if ((hash >> 50 & 7) == 0) word = magnitude | special << 31;
      }
      out[i] = __builtin_bit_cast(Key, word);
    }
  }
};

struct number_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, std::uint32_t* out, std::int64_t n) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) out[i] = static_cast<std::uint32_t>(i);
  }
};

/// Adds to found[0] how many keys are smaller than the one before, and to found[1] and [2] what two hashes of all keys
/// sum up to in `in` more than in `out`: of the same keys, nothing.
template <class Key>
struct check_keys_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* in, const Key* out, std::int64_t n,
                                 std::uint64_t* found) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    std::uint64_t descents = 0, sum = 0, other_sum = 0;
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const Key key = out[i];
      if (i > 0 && out[i - 1] > key) ++descents;
      const std::uint64_t a = mixed(std::uint64_t{in[i]} + 1), b = mixed(std::uint64_t{key} + 1);
      sum += a - b;
      other_sum += mixed(~a) - mixed(~b);
    }
    if (descents > 0) block.atomic_add(found, descents);
    block.atomic_add(found + 1, sum);
    block.atomic_add(found + 2, other_sum);
  }
};

/// What comes before what: by a range of the bits of integers, by the numbers that floats are, NaNs by their
/// bits.
template <class Key>
struct order_of {
  sort_order order = sort_order::ascending;
  bit_range bits = {0, static_cast<int>(sizeof(Key)) * 8};

  UPSWEEP_DEVICE bool operator()(const Key& a, const Key& b) const {
    return order == sort_order::ascending ? ascends(a, b) : ascends(b, a);
  }

 private:
  UPSWEEP_DEVICE bool ascends(const Key& a, const Key& b) const {
    if constexpr (std::is_same_v<Key, float>) {
      const int side_a = side(a), side_b = side(b);
      if (side_a != side_b) return side_a < side_b;
      if (side_a == 0) return a < b;
      return side_a > 0 ? word_of(a) < word_of(b) : word_of(b) < word_of(a);
    } else {
      const int above = static_cast<int>(sizeof(Key)) * 8 - bits.end;
      return static_cast<Key>(a << above) >> (above + bits.begin) < static_cast<Key>(b << above) >>
             (above + bits.begin);
    }
  }
  static UPSWEEP_DEVICE std::uint32_t word_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
  static UPSWEEP_DEVICE int side(float x) { return x == x ? 0 : word_of(x) >> 31 != 0 ? -1 : 1; }
};

/// A value of 16 bytes that is the place of its key.
struct row {
  std::uint32_t place, not_place, same[2];
};
struct make_rows_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, row* out, std::int64_t n) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const auto place = static_cast<std::uint32_t>(i);
      out[i] = {place, ~place, {place, place}};
    }
  }
};
/// The places that rows are; of one that is damaged, that of the last item of all.
struct places_of_rows {
  const row* rows;
  UPSWEEP_DEVICE std::uint32_t operator[](std::int64_t i) const {
    const row r = rows[i];
    return r.not_place == ~r.place && r.same[0] == r.place && r.same[1] == r.place ? r.place : 0xffffffffu;
  }
};

/// Adds to *wrong how many pairs are not of the input, or do not come after the one before by key and place: where
/// there is none, all are there, and in order. No `out`: the places alone are looked at. Places have 32 bits: where
/// there are 2^32 keys and more, the one that holds the key is meant.
template <class Key>
struct check_pairs_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class Places>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Key* in, const Key* out, Places places,
                                 order_of<Key> before, std::int64_t n, std::uint64_t* wrong) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    const auto place_of = [&](std::int64_t i) {
      const std::int64_t place = places[i], other = place + (std::int64_t{1} << 32);
      return out != nullptr && other < n && !same(in[place], out[i]) ? other : place;
    };
    std::uint64_t mine = 0;
    for (std::int64_t i = first; i < n; i += block.num_blocks() * block_threads) {
      const std::int64_t place = place_of(i);
      bool right = place < n && (out == nullptr || same(in[place], out[i]));
      if (right && i > 0) {
        const std::int64_t last = place_of(i - 1);
        right = last < n && (before(in[last], in[place]) || (!before(in[place], in[last]) && last < place));
      }
      if (!right) ++mine;
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }

 private:
  static UPSWEEP_DEVICE bool same(const Key& a, const Key& b) {
    using bits = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    return __builtin_bit_cast(bits, a) == __builtin_bit_cast(bits, b);
  }
};

/// Adds to *wrong how many words of two arrays differ.
struct compare_words_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint32_t* a, const std::uint32_t* b,
                                 std::int64_t words, std::uint64_t* wrong) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    std::uint64_t mine = 0;
    for (std::int64_t i = first; i < words; i += block.num_blocks() * block_threads) mine += a[i] != b[i];
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

class sort_large : public gpu_test {
 protected:
  static void expect_places_sorted(std::int64_t n) {
    const auto items = static_cast<std::size_t>(n);
    const device_array<std::uint32_t> in(items), places(items);
    const device_array<unsigned char> work(runtime::argsort_workspace_bytes(n, scalar_type::u32, {}));
    if (!in.ok() || !places.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
    const wrong_count wrong;
    cuda_executor executor;
    ASSERT_EQ(executor.launch(blocks, make_keys_kernel<std::uint32_t>{}, in.data(), n, few_bits<std::uint32_t>()),
              status::success);
    ASSERT_EQ(runtime::argsort({work.data(), work.bytes()}, in.data(), places.data(), n, scalar_type::u32,
                               sort_order::descending, {}, {}, on_gpu),
              status::success);
    ASSERT_EQ(
        executor.launch(blocks, check_pairs_kernel<std::uint32_t>{}, static_cast<const std::uint32_t*>(in.data()),
                        static_cast<const std::uint32_t*>(nullptr), static_cast<const std::uint32_t*>(places.data()),
                        order_of<std::uint32_t>{sort_order::descending}, n, wrong.data()),
        status::success);
    EXPECT_EQ(wrong.get(), 0u);
  }
  template <class Key>
  static void expect_keys_sorted(scalar_type type, std::int64_t n, sort_method method = sort_method::default_sort) {
    SCOPED_TRACE(n);
    const runtime::sort_method_with_scan policy{{}, method};
    const auto items = static_cast<std::size_t>(n);
    const device_array<Key> in(items), out(items);
    const device_array<unsigned char> work(runtime::sort_keys_workspace_bytes(n, type, policy));
    const device_array<std::uint64_t> found(3);
    if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
    cuda_executor executor;
    ASSERT_EQ(cudaMemset(found.data(), 0, found.bytes()), cudaSuccess);
    ASSERT_EQ(executor.launch(blocks, make_keys_kernel<Key>{}, in.data(), n, static_cast<Key>(~Key{0})),
              status::success);
    ASSERT_EQ(runtime::sort_keys({work.data(), work.bytes()}, in.data(), out.data(), n, type, sort_order::ascending, {},
                                 policy, on_gpu),
              status::success);
    ASSERT_EQ(executor.launch(blocks, check_keys_kernel<Key>{}, static_cast<const Key*>(in.data()),
                              static_cast<const Key*>(out.data()), n, found.data()),
              status::success);
    std::vector<std::uint64_t> got(3, 1);
    ASSERT_EQ(cudaMemcpy(got.data(), found.data(), found.bytes(), cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(got, std::vector<std::uint64_t>(3));
  }

  /// Every digit differs, and thousands of keys are equal.
  template <class Key>
  static constexpr auto few_bits() {
    if constexpr (sizeof(Key) == 8) {
      return std::uint64_t{0x3131313131313131u};
    } else {
      return std::is_same_v<Key, float> ? 0xb1313131u : 0x31313131u;
    }
  }

  /// Adds up what is wrong.
  class wrong_count {
   public:
    wrong_count() : count_(1) { EXPECT_EQ(cudaMemset(count_.data(), 0, count_.bytes()), cudaSuccess); }
    std::uint64_t* data() const { return count_.data(); }
    std::uint64_t get() const {
      std::uint64_t got = 1;
      EXPECT_EQ(cudaMemcpy(&got, count_.data(), sizeof got, cudaMemcpyDefault), cudaSuccess);
      return got;
    }

   private:
    device_array<std::uint64_t> count_;
  };

  /// `keys_alone`: they are sorted without values too, which gives the same keys.
  template <class Key>
  static void expect_pairs_sorted(scalar_type type, std::int64_t n, order_of<Key> order = {}, bool keys_alone = false) {
    SCOPED_TRACE(testing::Message() << n << " of " << name_of(type) << ", bits " << order.bits.begin << " to "
                                    << order.bits.end << (order.order == sort_order::descending ? ", descending" : ""));
    const auto items = static_cast<std::size_t>(n);
    const device_array<Key> in(items), out(items);
    const device_array<std::uint32_t> numbers(items), places(items);
    const device_array<unsigned char> work(runtime::sort_pairs_workspace_bytes(n, type, {}));
    if (!in.ok() || !out.ok() || !numbers.ok() || !places.ok() || !work.ok()) {
      GTEST_SKIP() << "too little device memory";
    }
    const wrong_count wrong;
    cuda_executor executor;
    ASSERT_EQ(executor.launch(blocks, make_keys_kernel<Key>{}, in.data(), n, few_bits<Key>()), status::success);
    ASSERT_EQ(executor.launch(blocks, number_kernel{}, numbers.data(), n), status::success);
    ASSERT_EQ(runtime::sort_pairs({work.data(), work.bytes()}, in.data(), out.data(), numbers.data(), places.data(), n,
                                  type, order.order, order.bits, {}, on_gpu),
              status::success);
    ASSERT_EQ(executor.launch(blocks, check_pairs_kernel<Key>{}, static_cast<const Key*>(in.data()),
                              static_cast<const Key*>(out.data()), static_cast<const std::uint32_t*>(places.data()),
                              order, n, wrong.data()),
              status::success);
    EXPECT_EQ(wrong.get(), 0u);
    if (!keys_alone) return;
    const device_array<Key> alone(items);
    const device_array<unsigned char> work_alone(runtime::sort_keys_workspace_bytes(n, type, {}));
    if (!alone.ok() || !work_alone.ok()) GTEST_SKIP() << "too little device memory";
    ASSERT_EQ(runtime::sort_keys({work_alone.data(), work_alone.bytes()}, in.data(), alone.data(), n, type, order.order,
                                 order.bits, {}, on_gpu),
              status::success);
    ASSERT_EQ(executor.launch(blocks, compare_words_kernel{}, reinterpret_cast<const std::uint32_t*>(out.data()),
                              reinterpret_cast<const std::uint32_t*>(alone.data()),
                              n * static_cast<std::int64_t>(sizeof(Key) / 4), wrong.data()),
              status::success);
    EXPECT_EQ(wrong.get(), 0u) << "keys alone";
  }
};

constexpr std::int64_t two_to(int k) {
  return std::int64_t{1} << k;
}

TEST_F(sort_large, keys_and_pairs_by_tiles_of_every_size) {
  for (const std::int64_t n : {two_to(17) + 1, two_to(18) + 1, two_to(21) + 1, two_to(22) - 1, two_to(23) + 1}) {
    expect_keys_sorted<std::uint32_t>(scalar_type::u32, n);
    expect_keys_sorted<std::uint64_t>(scalar_type::u64, n);
    expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n);
    expect_pairs_sorted<std::uint64_t>(scalar_type::u64, n);
  }
}
TEST_F(sort_large, both_ways_and_by_ranges_of_bits_by_tiles_of_every_size) {
  using enum sort_order;
  for (const std::int64_t n : {two_to(17) + 1, two_to(21) + 1, two_to(22) - 1, two_to(23) + 1}) {
    expect_pairs_sorted<float>(scalar_type::f32, n, {ascending}, true);
    expect_pairs_sorted<float>(scalar_type::f32, n, {descending}, true);
    expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n, {descending}, true);
    expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n, {ascending, {3, 21}}, true);
    expect_pairs_sorted<std::uint64_t>(scalar_type::u64, n, {descending, {20, 61}}, true);
  }
}
TEST_F(sort_large, keys) {
  // From 2^30 on places are numbers of 64 bits.
  for (const std::int64_t n : {two_to(28) - 1, two_to(28) + 1, two_to(30), two_to(30) + 1}) {
    expect_keys_sorted<std::uint32_t>(scalar_type::u32, n);
  }
}
TEST_F(sort_large, keys_around_2_to_the_31) {
  for (const std::int64_t n : {two_to(31) - 1, two_to(31) + 1}) expect_keys_sorted<std::uint32_t>(scalar_type::u32, n);
}
TEST_F(sort_large, keys_beyond_2_to_the_32) {
  expect_keys_sorted<std::uint32_t>(scalar_type::u32, two_to(32) + 1);
}
TEST_F(sort_large, keys_beyond_2_to_the_32_by_upsweep_downsweep) {
  expect_keys_sorted<std::uint32_t>(scalar_type::u32, two_to(32) + 1, sort_method::upsweep_downsweep);
}
TEST_F(sort_large, keys_of_64_bits) {
  for (const std::int64_t n : {two_to(28) + 1, two_to(31) + 1}) expect_keys_sorted<std::uint64_t>(scalar_type::u64, n);
}
TEST_F(sort_large, pairs) {
  for (const std::int64_t n : {two_to(28) - 1, two_to(28) + 1}) {
    expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n);
    expect_pairs_sorted<std::uint64_t>(scalar_type::u64, n);
  }
}
TEST_F(sort_large, pairs_around_2_to_the_31) {
  for (const std::int64_t n : {two_to(31) - 1, two_to(31) + 1}) expect_pairs_sorted<std::uint32_t>(scalar_type::u32, n);
}
TEST_F(sort_large, pairs_beyond_2_to_the_32) {
  expect_pairs_sorted<std::uint32_t>(scalar_type::u32, two_to(32) + 1);
}
TEST_F(sort_large, places_beyond_2_to_the_30) {
  expect_places_sorted(two_to(30) + 1);
}
TEST_F(sort_large, places_of_all_32_bits) {
  expect_places_sorted(two_to(32) - 1);
}
TEST_F(sort_large, wide_values_beyond_2_to_the_30) {
  const std::int64_t n = two_to(30) + 1;
  const auto items = static_cast<std::size_t>(n);
  const device_array<std::uint32_t> in(items), out(items);
  const device_array<row> rows_in(items), rows_out(items);
  const device_array<unsigned char> work(runtime::sort_with_values_workspace_bytes(n, scalar_type::u32, {}));
  if (!in.ok() || !out.ok() || !rows_in.ok() || !rows_out.ok() || !work.ok()) {
    GTEST_SKIP() << "too little device memory";
  }
  const wrong_count wrong;
  cuda_executor executor;
  ASSERT_EQ(executor.launch(blocks, make_keys_kernel<std::uint32_t>{}, in.data(), n, few_bits<std::uint32_t>()),
            status::success);
  ASSERT_EQ(executor.launch(blocks, make_rows_kernel{}, rows_in.data(), n), status::success);
  const runtime::value_rows rows[] = {{rows_in.data(), rows_out.data(), sizeof(row)}};
  ASSERT_EQ(runtime::sort_with_values({work.data(), work.bytes()}, in.data(), out.data(), rows, n, scalar_type::u32,
                                      sort_order::ascending, {}, {}, on_gpu),
            status::success);
  ASSERT_EQ(executor.launch(blocks, check_pairs_kernel<std::uint32_t>{}, static_cast<const std::uint32_t*>(in.data()),
                            static_cast<const std::uint32_t*>(out.data()), places_of_rows{rows_out.data()},
                            order_of<std::uint32_t>{}, n, wrong.data()),
            status::success);
  EXPECT_EQ(wrong.get(), 0u);
}

}  // namespace
}  // namespace upsweep::test
