// The bucket of a number of any type: none is rounded into a bucket, or wraps around into one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "upsweep/compact/split.cuh"

namespace upsweep::test {
namespace {

using detail::bucket_count;
using detail::no_bucket;

constexpr bucket_count four = bucket_count::of(4);

template <class Real>
void expect_buckets_of_a_real() {
  using limits = std::numeric_limits<Real>;
  EXPECT_EQ(four.number(Real(0)), 0u);
  EXPECT_EQ(four.number(-Real(0)), 0u);
  EXPECT_EQ(four.number(Real(0.5)), 0u);
  EXPECT_EQ(four.number(Real(3.75)), 3u);
  for (const Real none :
       {Real(-0.5), -limits::min(), Real(-1), Real(-3), Real(4), Real(4.5), Real(4294967296.0 + 2), limits::max(),
        -limits::max(), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), Real(1.8446744073709552e19)}) {
    EXPECT_EQ(four.number(none), no_bucket) << none;
  }
}

TEST(bucket_numbers, of_reals_are_those_of_the_floor) {
  expect_buckets_of_a_real<float>();
  expect_buckets_of_a_real<double>();
  expect_buckets_of_a_real<long double>();
}

TEST(bucket_numbers, of_integers_do_not_wrap_around) {
  EXPECT_EQ(four.number(std::uint64_t{3}), 3u);
  EXPECT_EQ(four.number(std::int64_t{-1}), no_bucket);
  EXPECT_EQ(four.number((std::uint64_t{1} << 32) + 1), no_bucket);
  EXPECT_EQ(four.number((std::uint64_t{1} << 63) + 1), no_bucket);
  EXPECT_EQ(four.number(std::int8_t{-128}), no_bucket);
  EXPECT_EQ(four.number(true), 1u);
  EXPECT_EQ(bucket_count::of(1).number(true), no_bucket);
#ifdef __SIZEOF_INT128__
  __extension__ using wide = __int128;
  EXPECT_EQ(four.number(wide{2}), 2u);
  EXPECT_EQ(four.number((wide{1} << 64) + 1), no_bucket);
  EXPECT_EQ(four.number(-(wide{1} << 64) + 1), no_bucket);
  EXPECT_EQ(four.number(wide{-1}), no_bucket);
#endif
}

TEST(bucket_numbers, of_enumerations_and_classes_are_what_they_convert_to) {
  enum class kind : std::int64_t { first, second, lost = (std::int64_t{1} << 32) + 1 };
  enum old_kind { small_one = 2 };
  struct real_half {  // as CUDA's __half
    float value;
    operator float() const { return value; }
    operator int() const { return static_cast<int>(value); }
    operator unsigned() const { return static_cast<unsigned>(value); }
  };
  struct cell {
    std::int64_t value;
    operator std::int64_t() const { return value; }
  };
  struct told {
    std::int64_t value;
    explicit operator std::int64_t() const { return value; }
  };
  EXPECT_EQ(four.number(kind::second), 1u);
  EXPECT_EQ(four.number(kind::lost), no_bucket);
  EXPECT_EQ(four.number(small_one), 2u);
  EXPECT_EQ(four.number(std::byte{3}), 3u);
  EXPECT_EQ(four.number(real_half{-0.5f}), no_bucket);
  EXPECT_EQ(four.number(real_half{1.5f}), 1u);
  EXPECT_EQ(four.number(cell{-1}), no_bucket);
  EXPECT_EQ(four.number(cell{3}), 3u);
  EXPECT_EQ(four.number(told{2}), 2u);
  EXPECT_EQ(four.number(told{4}), no_bucket);
}

struct halves {
  float operator()(float x) const { return x / 2.0f; }
};
struct halves_of_places {
  const float* x;
  double operator()(std::int64_t i) const { return x[i] / 2.0; }
};

TEST(split, leaves_out_what_lies_between_minus_one_and_zero) {
  constexpr int n = 100;
  std::vector<float> x(n), out(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 5 == 0 ? std::nanf("") : i % 2 != 0 ? 1.0f : -1.0f;
  const std::vector<std::int64_t> right{0, 40, 40, 40, 40};
  std::vector<std::int64_t> offsets(5);
  std::vector<unsigned char> memory(split_workspace_bytes(x.data(), out.data(), offsets.data(), n, 4, halves{}));
  const workspace w{memory.data(), memory.size()};
  ASSERT_EQ(split(w, x.data(), out.data(), offsets.data(), n, 4, halves{}, sim_stream{}), status::success);
  EXPECT_EQ(offsets, right);
  EXPECT_EQ(out[0], 1.0f);
  const soa_array array{x.data(), out.data(), sizeof(float)};
  ASSERT_EQ(split_arrays(w, {&array, 1}, offsets.data(), n, 4, by_index{halves_of_places{x.data()}}, sim_stream{}),
            status::success);
  EXPECT_EQ(offsets, right);
}

}  // namespace
}  // namespace upsweep::test
