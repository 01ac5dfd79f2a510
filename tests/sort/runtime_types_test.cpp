// The run-time calls over all key types, with values of any size, on the sim and, where there is one, on the GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/on_device.hpp"
#include "upsweep/simt/scalar_types.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

using runtime::buffer;
using bytes = std::vector<unsigned char>;
using key_types = scalar_types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                               std::int64_t, std::uint64_t, float, double>;

bytes random_bytes(std::size_t n) {
  random_source random(n + 1);
  bytes all(n);
  for (auto& b : all) b = static_cast<unsigned char>(random());
  return all;
}

/// Half of the keys any bits, half of them a few values that occur often, and the odd ones among floats.
template <class Key>
std::vector<Key> mixed_keys(std::size_t n) {
  random_source random(n + sizeof(Key));
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    const std::uint64_t r = random();
    std::memcpy(&key, &r, sizeof key);
    if (r >> 63 == 0) continue;
    if constexpr (std::is_floating_point_v<Key>) {
      using limits = std::numeric_limits<Key>;
      const Key often[] = {Key{0},
                           -Key{0},
                           Key{1},
                           -Key{1},
                           limits::infinity(),
                           limits::quiet_NaN(),
                           -limits::quiet_NaN(),
                           limits::denorm_min()};
      key = often[r % std::size(often)];
    } else {
      const Key often[] = {Key{0}, Key{1}, static_cast<Key>(-1), std::numeric_limits<Key>::min(),
                           std::numeric_limits<Key>::max()};
      key = often[r % std::size(often)];
    }
  }
  return keys;
}

/// Rows of `size` bytes in the order of their places.
bytes in_order(const bytes& rows, std::size_t size, const std::vector<std::uint32_t>& places) {
  bytes sorted(rows.size());
  for (std::size_t i = 0; i < places.size(); ++i) std::memcpy(&sorted[i * size], &rows[places[i] * size], size);
  return sorted;
}

template <class T>
bytes bytes_of(const std::vector<T>& items) {
  const auto* first = reinterpret_cast<const unsigned char*>(items.data());
  return bytes(first, first + items.size() * sizeof(T));
}

class sorting_types_on : public on_device {
 protected:
  bytes download(const buffer& from) { return on_device::download<unsigned char>(from); }

  /// Keys alone, their places, and keys with arrays of values come out as `places` says.
  template <class Key>
  void expect_sorted_in_every_way(const runtime::sort_method_with_scan& policy, sort_order order,
                                  const std::vector<Key>& keys, const std::vector<std::uint32_t>& places,
                                  bit_range bits = {}, scalar_type type = scalar_type_of<Key>()) {
    SCOPED_TRACE(std::string(name_of(type)) + (order == sort_order::ascending ? ", up, " : ", down, ") +
                 std::string(name_of(policy.method)));
    const auto n = static_cast<std::int64_t>(keys.size());
    const runtime::stream s = device_->get_stream();
    const buffer in = upload(bytes_of(keys)), out(*device_, in.bytes());
    const bytes expected = in_order(bytes_of(keys), sizeof(Key), places);
    {
      const buffer work(*device_, runtime::sort_keys_workspace_bytes(n, type, policy));
      ASSERT_EQ(runtime::sort_keys(work.as_workspace(), in.data(), out.data(), n, type, order, bits, policy, s),
                status::success)
          << device_->message();
      EXPECT_EQ(download(out), expected) << "keys alone";
    }
    {
      const buffer work(*device_, runtime::argsort_workspace_bytes(n, type, policy));
      const buffer sorted(*device_, keys.size() * 4);
      ASSERT_EQ(
          runtime::argsort(work.as_workspace(), in.data(), sorted.as<std::uint32_t>(), n, type, order, bits, policy, s),
          status::success)
          << device_->message();
      EXPECT_EQ(download(sorted), bytes_of(places)) << "argsort";
    }
    // The second one of 8 bytes is not at a multiple of 4. After each output nothing is written.
    constexpr std::size_t behind = 64;
    const std::size_t sizes[] = {1, 2, 4, 8, 16, 24, 7, 8};
    std::vector<buffer> from, to;
    std::vector<runtime::value_rows> rows;
    for (const std::size_t size : sizes) {
      const std::size_t shift = from.size() == 7 ? 2 : 0;
      from.push_back(upload(random_bytes(keys.size() * size + shift)));
      to.emplace_back(*device_, from.back().bytes() + behind);
      EXPECT_EQ(device_->fill(to.back().data(), 0, to.back().bytes()), status::success);
      rows.push_back({from.back().as<unsigned char>() + shift, to.back().as<unsigned char>() + shift, size});
    }
    const buffer work(*device_, runtime::sort_with_values_workspace_bytes(n, type, policy));
    EXPECT_EQ(device_->fill(out.data(), 0, out.bytes()), status::success);
    ASSERT_EQ(
        runtime::sort_with_values(work.as_workspace(), in.data(), out.data(), rows, n, type, order, bits, policy, s),
        status::success)
        << device_->message();
    EXPECT_EQ(download(out), expected) << "keys with values";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t shift = i == 7 ? 2 : 0;
      bytes before = download(from[i]), after = download(to[i]);
      before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shift));
      after.erase(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(shift));
      EXPECT_EQ(bytes(after.end() - behind, after.end()), bytes(behind)) << "behind values of " << sizes[i] << " bytes";
      after.resize(before.size());
      EXPECT_EQ(after, in_order(before, sizes[i], places)) << "values of " << sizes[i] << " bytes";
    }
    // Those of whole words go together where there is room for it.
    const std::vector<runtime::value_rows> words(rows.begin() + 2, rows.begin() + 6);
    const buffer large(*device_, work.bytes() + 512 + keys.size() * (4 + 8 + 16 + 24));
    for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(device_->fill(to[i].data(), 0, to[i].bytes()), status::success);
    ASSERT_EQ(
        runtime::sort_with_values(large.as_workspace(), in.data(), out.data(), words, n, type, order, bits, policy, s),
        status::success)
        << device_->message();
    for (std::size_t i = 2; i < 6; ++i) {
      bytes after = download(to[i]);
      after.resize(from[i].bytes());
      EXPECT_EQ(after, in_order(download(from[i]), sizes[i], places)) << "packed values of " << sizes[i] << " bytes";
    }
    EXPECT_EQ(download(in), bytes_of(keys));
  }
};

TEST_P(sorting_types_on, every_key_type_by_every_method) {
  const auto types = runtime::sort_key_types();
  EXPECT_EQ(types.size(), key_types::values.size() + 2);
  for (const scalar_type type : types) {
    if (type == scalar_type::f16 || type == scalar_type::bf16) continue;
    EXPECT_TRUE(key_types::visit(type, [&](auto zero) {
      using key = decltype(zero);
      for (std::size_t m = 0; m < sort_method_names.size(); ++m) {
        const runtime::sort_method_with_scan policy{{}, static_cast<sort_method>(m)};
        if (policy.method == sort_method::cluster && !device_->has_clusters()) continue;
        // More than one block takes, if the method does.
        const auto n = std::min<std::int64_t>(5000, runtime::sort_max_keys(policy));
        const auto keys = mixed_keys<key>(static_cast<std::size_t>(n));
        const auto order = m % 2 == 0 ? sort_order::ascending : sort_order::descending;
        expect_sorted_in_every_way<key>(policy, order, keys, sorted_places(keys, order, key_less<key>));
      }
      for (const auto order : {sort_order::ascending, sort_order::descending}) {
        const auto keys = mixed_keys<key>(300);
        expect_sorted_in_every_way<key>({}, order, keys, sorted_places(keys, order, key_less<key>));
      }
    }));
  }
}

/// All keys that there are, twice.
TEST_P(sorting_types_on, floats_of_16_bits) {
  for (const bool is_half : {true, false}) {
    const auto value = [&](std::uint32_t key) {
      if (!is_half) return std::bit_cast<float>(key << 16);
      const int exponent = key >> 10 & 31, fraction = key & 1023;
      const float sign = key >> 15 ? -1.f : 1.f;
      if (exponent == 31) return std::copysign(fraction ? NAN : INFINITY, sign);
      return sign * std::ldexp(static_cast<float>(exponent ? 1024 + fraction : fraction), std::max(exponent, 1) - 25);
    };
    const auto less = [&](std::uint16_t a, std::uint16_t b) {
      const float x = value(a), y = value(b);
      if (nan_side(x) != nan_side(y)) return nan_side(x) < nan_side(y);
      if (nan_side(x) == 0) return x < y;
      return nan_side(x) > 0 ? a < b : b < a;
    };
    std::vector<std::uint16_t> keys(1 << 17);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint16_t>(i * 40503);
    for (const auto order : {sort_order::ascending, sort_order::descending}) {
      expect_sorted_in_every_way<std::uint16_t>({}, order, keys, sorted_places(keys, order, less), {},
                                                is_half ? scalar_type::f16 : scalar_type::bf16);
    }
  }
}

/// Of a float, the sign bit and the upper half of the exponent; of an integer, some bits in the middle.
TEST_P(sorting_types_on, by_some_bits_of_the_codes) {
  const auto check = [&](auto zero, bit_range bits) {
    using key = decltype(zero);
    for (const auto order : {sort_order::ascending, sort_order::descending}) {
      const auto keys = mixed_keys<key>(300);
      // The keys below this one, all of them, are as many as its code is.
      const auto field = [&](key k) {
        using word = std::conditional_t<sizeof(key) == 2, std::uint16_t, std::uint64_t>;
        constexpr int width = sizeof(key) * 8;
        word code = std::bit_cast<word>(k);
        if constexpr (std::is_floating_point_v<key>) {
          code = k == 0 ? word{0} : code;
          code = static_cast<word>(code >> (width - 1) != 0 ? ~code : code | word{1} << (width - 1));
        } else {
          code = static_cast<word>(code + (word{1} << (width - 1)));
        }
        // Descending complements codes, but that of the zeros is one and the same.
        if (order == sort_order::descending && !(std::is_floating_point_v<key> && k == 0)) code = ~code;
        return static_cast<word>(code << (width - bits.end)) >> (width - bits.end + bits.begin);
      };
      const auto less = [&](key a, key b) { return field(a) < field(b); };
      expect_sorted_in_every_way<key>({}, order, keys, sorted_places(keys, sort_order::ascending, less), bits);
    }
  };
  check(std::int16_t{}, {3, 11});
  check(std::int64_t{}, {7, 50});
  check(double{}, {57, 64});
}

TEST_P(sorting_types_on, refuses_bad_values) {
  constexpr std::int64_t n = 100;
  constexpr scalar_type type = scalar_type::i8;
  const std::size_t enough = runtime::sort_with_values_workspace_bytes(n, type, {});
  const buffer in = upload(random_bytes(n)), from = upload(random_bytes(8 * n)), work(*device_, enough + 1);
  const buffer out = upload(bytes(n, 0xab)), to = upload(bytes(8 * n, 0xab));
  const auto answer = [&](const std::vector<runtime::value_rows>& rows, std::size_t work_bytes, std::int64_t count) {
    return runtime::sort_with_values({work.data(), work_bytes}, in.data(), out.data(), rows, count, type, {}, {}, {},
                                     device_->get_stream());
  };
  const runtime::value_rows good{from.data(), to.data(), 8};
  for (const runtime::value_rows& bad : std::vector<runtime::value_rows>{
           {nullptr, to.data(), 8},
           {from.data(), nullptr, 8},
           {from.data(), to.data(), 0},
           {from.data(), to.data(), 65537},
           {to.data(), to.as<unsigned char>() + 1, 1},
       }) {
    EXPECT_EQ(answer({good, bad}, enough, n), status::invalid_value);
  }
  EXPECT_EQ(answer({good}, enough - 1, n), status::invalid_value);
  EXPECT_EQ(answer({good}, enough, -1), status::invalid_value);
  EXPECT_EQ(answer({good}, enough, std::int64_t{1} << 32), status::not_supported);
  EXPECT_EQ(answer({good}, enough, 0), status::success);
  const auto places = [&](const void* keys, std::uint32_t* where, std::int64_t count) {
    return runtime::argsort(work.as_workspace(), keys, where, count, type, {}, {}, {}, device_->get_stream());
  };
  EXPECT_EQ(places(nullptr, to.as<std::uint32_t>(), n), status::invalid_value);
  EXPECT_EQ(places(in.data(), nullptr, n), status::invalid_value);
  auto* const between = reinterpret_cast<std::uint32_t*>(to.as<unsigned char>() + 2);
  EXPECT_EQ(places(in.data(), between, n), status::invalid_value);
  const auto pairs = [&](const std::uint32_t* values_in, std::uint32_t* values_out) {
    return runtime::sort_pairs(work.as_workspace(), in.data(), out.data(), values_in, values_out, n, type, {}, {}, {},
                               device_->get_stream());
  };
  EXPECT_EQ(pairs(from.as<std::uint32_t>(), between), status::invalid_value);
  EXPECT_EQ(pairs(reinterpret_cast<std::uint32_t*>(from.as<unsigned char>() + 1), to.as<std::uint32_t>()),
            status::invalid_value);
  EXPECT_EQ(places(in.data(), to.as<std::uint32_t>(), std::int64_t{1} << 32), status::not_supported);
  EXPECT_EQ(places(in.data(), to.as<std::uint32_t>(), 0), status::success);
  EXPECT_EQ(download(out), bytes(n, 0xab));
  EXPECT_EQ(download(to), bytes(8 * n, 0xab));
  EXPECT_EQ(answer({good}, enough, n), status::success) << device_->message();
}

INSTANTIATE_TEST_SUITE_P(devices, sorting_types_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
