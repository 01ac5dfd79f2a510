// The run-time calls beside the sort, over key types, on the sim and, where there is one, on the GPU: what they give is
// what sorts give.
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

class keyed_calls_on : public on_device {
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

  /// Few values for the high bytes, so that many keys are equal, and some of the floats are NaNs and zeros.
  static bytes keys_of(scalar_type type, std::int64_t n) {
    random_source random(static_cast<std::uint64_t>(type));
    bytes keys(static_cast<std::size_t>(n) * size_of(type));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      constexpr unsigned char often[] = {0, 0x80, 0xff, 0x7f};
      keys[i] = i % size_of(type) + 2 < size_of(type) ? 0 : often[random() % 4];
    }
    return keys;
  }
  void expect_success(status s) { ASSERT_EQ(s, status::success) << device_->message(); }
  static std::vector<std::uint64_t> wide(const words& values) { return {values.begin(), values.end()}; }
  template <class T>
  static std::vector<T> first(std::vector<T> items, std::int64_t n) {
    items.resize(static_cast<std::size_t>(n));
    return items;
  }

  /// The first k of a sort.
  void expect_top_k(scalar_type type, sort_order order, std::int64_t n, std::int64_t k) {
    const runtime::stream s = device_->get_stream();
    const std::int64_t most = std::min(n, k);
    const bytes keys = keys_of(type, n);
    const sorted all = sort(keys, 0, type, order);
    const bytes best = first(download<unsigned char>(all.keys), most * static_cast<std::int64_t>(size_of(type)));
    const words places = first(download<std::uint32_t>(all.values), most);
    words numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0u);
    const buffer in = upload(keys), values = upload(numbers), wide_values = upload(wide(numbers));
    const buffer out = upload(bytes(best.size(), 1)), values_out = upload(words(places.size(), 1)),
                 wide_out = upload(wide(words(places.size(), 1)));
    const buffer work(*device_, runtime::top_k_workspace_bytes(n, k, type, 8));
    EXPECT_LE(runtime::top_k_workspace_bytes(n, k, type, 0), work.bytes());
    const workspace w = work.as_workspace();
    expect_success(runtime::top_k_keys(w, in.data(), out.data(), n, k, type, order, {}, s));
    EXPECT_TRUE(same_items(download<unsigned char>(out), best));
    ASSERT_EQ(device_->fill(out.data(), 1, out.bytes()), status::success);
    expect_success(
        runtime::top_k_pairs(w, in.data(), out.data(), values.data(), values_out.data(), 4, n, k, type, order, {}, s));
    EXPECT_TRUE(same_items(download<unsigned char>(out), best));
    EXPECT_TRUE(same_items(download<std::uint32_t>(values_out), places));
    expect_success(runtime::top_k_pairs(w, in.data(), out.data(), wide_values.data(), wide_out.data(), 8, n, k, type,
                                        order, {}, s));
    EXPECT_TRUE(same_items(download<std::uint64_t>(wide_out), wide(places)));
    ASSERT_EQ(device_->fill(wide_out.data(), 1, wide_out.bytes()), status::success);
    expect_success(runtime::top_k_indices(w, in.data(), wide_out.as<std::int64_t>(), n, k, type, order, {}, s));
    EXPECT_TRUE(same_items(download<std::uint64_t>(wide_out), wide(places)));
  }

  /// Each segment as a sort of its own; what is in none stays as it was.
  void expect_segments_sorted(scalar_type type, sort_order order) {
    const runtime::stream s = device_->get_stream();
    const std::vector<std::int64_t> begins = {0, 3, 3, 4, 40, 400, 3000}, ends = {0, 3, 4, 40, 400, 2990, 8000};
    constexpr std::int64_t n = 8000, segments = 7;
    const bytes keys = keys_of(type, n);
    const std::size_t size = size_of(type);
    bytes expected(keys.size(), 1);
    words values(n, 0x01010101), places = values;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const auto at = [&](std::int64_t item) { return static_cast<std::ptrdiff_t>(item * size); };
      const sorted one = sort(bytes(keys.begin() + at(begins[i]), keys.begin() + at(ends[i])),
                              static_cast<std::uint32_t>(begins[i]), type, order);
      std::ranges::copy(download<unsigned char>(one.keys), expected.begin() + at(begins[i]));
      std::ranges::copy(download<std::uint32_t>(one.values), values.begin() + begins[i]);
      for (std::int64_t j = begins[i]; j < ends[i]; ++j) {
        places[static_cast<std::size_t>(j)] =
            values[static_cast<std::size_t>(j)] - static_cast<std::uint32_t>(begins[i]);
      }
    }
    words numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    const buffer in = upload(keys), values_in = upload(numbers), wide_in = upload(wide(numbers));
    const buffer begins_in = upload(begins), ends_in = upload(ends);
    const buffer out = upload(bytes(keys.size(), 1)), values_out = upload(words(n, 0x01010101)),
                 wide_out = upload(wide(words(n, 0x01010101)));
    const auto *const from = begins_in.as<std::int64_t>(), *const to = ends_in.as<std::int64_t>();
    const buffer work(*device_, std::max(runtime::segmented_argsort_workspace_bytes(n, segments, type),
                                         runtime::segmented_sort_workspace_bytes(n, segments, type, 8)));
    const workspace w = work.as_workspace();
    expect_success(runtime::segmented_sort_keys(w, in.data(), out.data(), from, to, n, segments, type, order, {}, s));
    EXPECT_TRUE(same_items(download<unsigned char>(out), expected));
    ASSERT_EQ(device_->fill(out.data(), 1, out.bytes()), status::success);
    expect_success(runtime::segmented_sort_pairs(w, in.data(), out.data(), values_in.data(), values_out.data(), 4, from,
                                                 to, n, segments, type, order, {}, s));
    EXPECT_TRUE(same_items(download<unsigned char>(out), expected));
    EXPECT_TRUE(same_items(download<std::uint32_t>(values_out), values));
    ASSERT_EQ(device_->fill(values_out.data(), 1, values_out.bytes()), status::success);
    expect_success(runtime::segmented_argsort(w, in.data(), values_out.as<std::uint32_t>(), from, to, n, segments, type,
                                              order, {}, s));
    EXPECT_TRUE(same_items(download<std::uint32_t>(values_out), places));
    expect_success(runtime::segmented_sort_pairs(w, in.data(), out.data(), wide_in.data(), wide_out.data(), 8, from, to,
                                                 n, segments, type, order, {}, s));
    EXPECT_TRUE(same_items(download<std::uint64_t>(wide_out), wide(values)));
    ASSERT_EQ(device_->fill(out.data(), 1, out.bytes()), status::success);
    ASSERT_EQ(device_->fill(values_out.data(), 1, values_out.bytes()), status::success);
    const auto untouched = wide(words(n, 0x01010101));
    ASSERT_EQ(device_->copy(wide_out.data(), untouched.data(), wide_out.bytes()), status::success);
    const runtime::value_rows rows[] = {{values_in.data(), values_out.data(), 4}, {wide_in.data(), wide_out.data(), 8}};
    const buffer of_rows(*device_, runtime::segmented_sort_with_values_workspace_bytes(n, segments, type));
    expect_success(runtime::segmented_sort_with_values(of_rows.as_workspace(), in.data(), out.data(), rows, from, to, n,
                                                       segments, type, order, {}, s));
    EXPECT_TRUE(same_items(download<unsigned char>(out), expected));
    EXPECT_TRUE(same_items(download<std::uint32_t>(values_out), values));
    EXPECT_TRUE(same_items(download<std::uint64_t>(wide_out), wide(values)));
  }

  /// A merge of two sorts is the sort of both arrays, one after the other, and tells both bounds of each key.
  void expect_merged(scalar_type type, sort_order order) {
    constexpr std::int64_t n_a = 5000, n_b = 3001;
    const runtime::stream s = device_->get_stream();
    const bytes both = keys_of(type, n_a + n_b);
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

    // Before a key of b come as many of a as its upper bound says, and before one of a as many of b as its
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

TEST_P(keyed_calls_on, every_key_type_both_ways) {
  for (const scalar_type type : runtime::sort_key_types()) {
    for (const auto order : {sort_order::ascending, sort_order::descending}) {
      SCOPED_TRACE(std::string(name_of(type)) + (order == sort_order::ascending ? ", up" : ", down"));
      expect_merged(type, order);
      if (size_of(type) < 4) continue;
      expect_top_k(type, order, 500, 700);
      // Signed integers have the kernels of the others, and go the other way.
      const bool is_signed = type == scalar_type::i32 || type == scalar_type::i64;
      if ((order == sort_order::ascending) == is_signed) expect_segments_sorted(type, order);
      if (order == sort_order::descending && !is_signed) expect_top_k(type, order, 33'000, 100);  // by a sample
    }
  }
}

TEST_P(keyed_calls_on, segments_and_the_top_k_refuse_what_cannot_be) {
  const runtime::stream s = device_->get_stream();
  const buffer in = upload(words(300, 1)), out = upload(words(300, 2)),
               bounds = upload(std::vector<std::int64_t>{0, 300}), work = upload(words(1 << 18));
  const auto* const begins = bounds.as<std::int64_t>();
  auto* const odd = out.as<unsigned char>() + 1;
  const auto top = [&](const void* from, void* to, std::int64_t n, scalar_type type) {
    return runtime::top_k_keys(work.as_workspace(), from, to, n, 10, type, {}, {}, s);
  };
  const auto segments = [&](void* to, const std::int64_t* begin, std::int64_t n, scalar_type type) {
    return runtime::segmented_sort_keys(work.as_workspace(), in.data(), to, begin, begins + 1, n, 1, type, {}, {}, s);
  };
  using enum scalar_type;
  EXPECT_EQ(top(in.data(), out.data(), 300, u16), status::not_supported);
  EXPECT_EQ(top(in.data(), odd, 300, u32), status::invalid_value);
  EXPECT_EQ(top(odd, out.data(), 10, f32), status::invalid_value);
  EXPECT_EQ(top(in.data(), nullptr, 300, u32), status::invalid_value);
  EXPECT_EQ(top(in.data(), out.data(), -1, f64), status::invalid_value);
  EXPECT_EQ(segments(out.data(), begins, 300, f16), status::not_supported);
  EXPECT_EQ(segments(odd, begins, 300, i32), status::invalid_value);
  EXPECT_EQ(segments(out.data(), nullptr, 300, i32), status::invalid_value);
  const auto* const between = reinterpret_cast<const std::int64_t*>(in.as<unsigned char>() + 4);
  EXPECT_EQ(segments(out.data(), between, 300, i32), status::invalid_value);
  const auto with_rows = [&](const runtime::value_rows& row, std::size_t arrays) {
    const std::vector<runtime::value_rows> rows(arrays, row);
    return runtime::segmented_sort_with_values(work.as_workspace(), in.data(), out.data(), rows, begins, begins + 1,
                                               200, 1, u32, {}, {}, s);
  };
  EXPECT_EQ(with_rows({in.data(), out.as<std::uint32_t>() + 200, 0}, 1), status::invalid_value);
  EXPECT_EQ(with_rows({nullptr, out.as<std::uint32_t>() + 200, 2}, 1), status::invalid_value);
  EXPECT_EQ(with_rows({in.data(), out.as<std::uint32_t>() + 199, 2}, 1), status::invalid_value);
  EXPECT_EQ(with_rows({in.data(), out.as<std::uint32_t>() + 200, 2}, 9), status::not_supported);
  for (const std::size_t value_bytes : {0, 2, 16}) {
    EXPECT_EQ(runtime::top_k_pairs(work.as_workspace(), in.data(), out.data(), in.data(), out.as<std::uint32_t>() + 100,
                                   value_bytes, 300, 10, u32, {}, {}, s),
              status::not_supported);
  }
  EXPECT_TRUE(same_items(download<std::uint32_t>(out), words(300, 2)));
  EXPECT_EQ(top(nullptr, nullptr, 0, u64), status::success);
  EXPECT_EQ(segments(nullptr, nullptr, 0, i64), status::success);
}

TEST_P(keyed_calls_on, refuses_what_cannot_be) {
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

INSTANTIATE_TEST_SUITE_P(devices, keyed_calls_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
