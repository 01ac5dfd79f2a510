// The run-time calls of the merge over all key types, on the sim and, where there is one, on the GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/on_device.hpp"
#include "support/random_items.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

using runtime::buffer;
using words = std::vector<std::uint32_t>;
using bytes = std::vector<unsigned char>;

class merging_types_on : public on_device {
 protected:
  struct sorted {
    buffer keys, values;
  };
  /// Sorts keys of that type, whose values are numbers from `first` on.
  sorted sort(const bytes& keys, std::uint32_t first, scalar_type type, sort_order order) {
    const std::size_t n = keys.size() / size_of(type);
    words numbers(n);
    std::iota(numbers.begin(), numbers.end(), first);
    const buffer in = upload(keys), numbers_in = upload(numbers);
    sorted to{buffer(*device_, keys.size()), buffer(*device_, 4 * n)};
    const auto count = static_cast<std::int64_t>(n);
    const buffer work(*device_, runtime::sort_pairs_workspace_bytes(count, type, {}));
    EXPECT_EQ(runtime::sort_pairs(work.as_workspace(), in.data(), to.keys.data(), numbers_in.as<std::uint32_t>(),
                                  to.values.as<std::uint32_t>(), count, type, order, {}, {}, device_->get_stream()),
              status::success)
        << device_->message();
    return to;
  }

  /// A merge of two sorts is the sort of both arrays, one behind the other, and tells both bounds of each key.
  void expect_merged(scalar_type type, sort_order order) {
    constexpr std::int64_t n_a = 5000, n_b = 3001;
    const runtime::stream s = device_->get_stream();
    random_source random(static_cast<std::uint64_t>(type));
    bytes both((n_a + n_b) * size_of(type));
    // Few values for the high bytes, so that many keys are equal, and some of the floats are NaNs and zeros.
    for (std::size_t i = 0; i < both.size(); ++i) {
      constexpr unsigned char often[] = {0, 0x80, 0xff, 0x7f};
      both[i] = i % size_of(type) + 2 < size_of(type) ? 0 : often[random() % 4];
    }
    const auto middle = both.begin() + static_cast<std::ptrdiff_t>(n_a * size_of(type));
    const sorted a = sort(bytes(both.begin(), middle), 0, type, order);
    const sorted b = sort(bytes(middle, both.end()), n_a, type, order), expected = sort(both, 0, type, order);

    const buffer out(*device_, both.size()), values(*device_, 4 * (n_a + n_b));
    const buffer work(*device_, runtime::merge_workspace_bytes(n_a, n_b, type));
    ASSERT_EQ(
        runtime::merge_keys(work.as_workspace(), a.keys.data(), b.keys.data(), out.data(), n_a, n_b, type, order, s),
        status::success)
        << device_->message();
    EXPECT_TRUE(same_items(download<unsigned char>(out), download<unsigned char>(expected.keys)));
    ASSERT_EQ(device_->fill(out.data(), 1, out.bytes()), status::success);
    ASSERT_EQ(runtime::merge_pairs(work.as_workspace(), a.keys.data(), b.keys.data(), out.data(),
                                   a.values.as<std::uint32_t>(), b.values.as<std::uint32_t>(),
                                   values.as<std::uint32_t>(), n_a, n_b, type, order, s),
              status::success)
        << device_->message();
    EXPECT_TRUE(same_items(download<unsigned char>(out), download<unsigned char>(expected.keys)));
    const auto merged = download<std::uint32_t>(values);
    EXPECT_TRUE(same_items(merged, download<std::uint32_t>(expected.values)));

    // In front of a key of b stand as many of a as its upper bound says, and in front of one of a as many of b as its
    // lower bound does.
    std::vector<std::int64_t> upper, lower;
    for (std::size_t i = 0; i < merged.size(); ++i) {
      const bool of_b = merged[i] >= n_a;
      auto& bounds = of_b ? upper : lower;
      bounds.push_back(static_cast<std::int64_t>(i - bounds.size()));
    }
    const buffer found_upper(*device_, 8 * n_b), found_lower(*device_, 8 * n_a);
    EXPECT_EQ(
        runtime::upper_bound(a.keys.data(), b.keys.data(), found_upper.as<std::int64_t>(), n_a, n_b, type, order, s),
        status::success);
    EXPECT_EQ(
        runtime::lower_bound(b.keys.data(), a.keys.data(), found_lower.as<std::int64_t>(), n_b, n_a, type, order, s),
        status::success);
    EXPECT_TRUE(same_items(download<std::int64_t>(found_upper), upper));
    EXPECT_TRUE(same_items(download<std::int64_t>(found_lower), lower));
  }
};

TEST_P(merging_types_on, every_key_type_both_ways) {
  for (const scalar_type type : runtime::sort_key_types()) {
    for (const auto order : {sort_order::ascending, sort_order::descending}) {
      SCOPED_TRACE(std::string(name_of(type)) + (order == sort_order::ascending ? ", up" : ", down"));
      expect_merged(type, order);
    }
  }
}

TEST_P(merging_types_on, refuses_what_cannot_be) {
  constexpr auto type = scalar_type::u32;
  const runtime::stream s = device_->get_stream();
  const buffer a = upload(words(100, 1)), out = upload(words(300, 2)), places = upload(words(200, 3));
  const auto keys = [&](const void* first, const void* second, void* to, std::int64_t n_a, std::int64_t n_b) {
    return runtime::merge_keys({}, first, second, to, n_a, n_b, type, {}, s);
  };
  auto* const odd = out.as<unsigned char>() + 1;
  EXPECT_EQ(keys(a.data(), a.data(), out.data(), -1, 100), status::invalid_value);
  EXPECT_EQ(keys(nullptr, a.data(), out.data(), 100, 100), status::invalid_value);
  EXPECT_EQ(keys(a.data(), a.data(), odd, 100, 100), status::invalid_value);
  EXPECT_EQ(keys(odd, a.data(), out.data(), 10, 100), status::invalid_value);
  EXPECT_EQ(keys(a.data(), out.data(), out.data(), 100, 100), status::invalid_value);
  EXPECT_EQ(keys(a.data(), a.data(), out.data(), std::int64_t{1} << 40, 1), status::invalid_value);
  const auto* const values = a.as<std::uint32_t>();
  EXPECT_EQ(runtime::merge_pairs({}, a.data(), a.data(), out.data(), values, values, nullptr, 100, 100, type, {}, s),
            status::invalid_value);
  EXPECT_EQ(runtime::lower_bound(a.data(), a.data(), nullptr, 100, 100, type, {}, s), status::invalid_value);
  auto* const between = reinterpret_cast<std::int64_t*>(places.as<unsigned char>() + 4);
  EXPECT_EQ(runtime::upper_bound(a.data(), a.data(), between, 100, 50, type, {}, s), status::invalid_value);
  EXPECT_TRUE(same_items(download<std::uint32_t>(out), words(300, 2)));
  EXPECT_TRUE(same_items(download<std::uint32_t>(places), words(200, 3)));
  EXPECT_EQ(keys(nullptr, nullptr, nullptr, 0, 0), status::success);
  EXPECT_GT(runtime::merge_workspace_bytes(1 << 24, 1 << 24, type), 0u);
}

INSTANTIATE_TEST_SUITE_P(devices, merging_types_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
