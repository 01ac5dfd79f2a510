// What sorts of host memory promise, on any device: the device memory that they are lent is the bound.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "upsweep/sort/sort_from_host.cuh"

namespace upsweep::test {

/// Host memory of n items at an odd address, between canaries.
template <class T>
class host_array {
 public:
  explicit host_array(std::size_t n) : n_(n), bytes_(guard + n * sizeof(T) + guard, canary) {}
  explicit host_array(const std::vector<T>& items) : host_array(items.size()) {
    if (n_ > 0) std::memcpy(static_cast<void*>(data()), items.data(), n_ * sizeof(T));
  }
  T* data() { return reinterpret_cast<T*>(bytes_.data() + guard); }
  std::vector<T> items() {
    std::vector<T> all(n_);
    if (n_ > 0) std::memcpy(static_cast<void*>(all.data()), data(), n_ * sizeof(T));
    const auto is_canary = [](unsigned char c) { return c == canary; };
    EXPECT_TRUE(std::all_of(bytes_.begin(), bytes_.begin() + guard, is_canary));
    EXPECT_TRUE(std::all_of(bytes_.end() - guard, bytes_.end(), is_canary));
    return all;
  }

 private:
  static constexpr std::ptrdiff_t guard = 67;
  static constexpr unsigned char canary = 0xa7;
  std::size_t n_;
  std::vector<unsigned char> bytes_;
};

/// How a sort is asked for.
struct from_host_case {
  sort_order order = sort_order::ascending;
  bit_range bits = {};
  bool by_buffers = false;
  bool input_is_scratch = false;
};

inline from_host_options options_of(const from_host_case& c) {
  from_host_options options;
  options.always_by_buffers = c.by_buffers;
  options.buffer_bytes = 1000;
  options.copy_threads = 2;
  options.least_chunk_bytes = 1;
  return options;
}

/// Sorts keys with their places as values by `device_bytes` of device memory and compares both.
template <class Key, class Stream>
void expect_sorted_from_host(test_device<Stream>& d, const std::vector<Key>& keys, std::size_t device_bytes,
                             const from_host_case& c, const std::vector<std::uint32_t>& places) {
  const auto n = static_cast<std::int64_t>(keys.size());
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  host_array<Key> keys_in(keys), keys_out(keys.size());
  host_array<std::uint32_t> values_in(values), values_out(keys.size());
  guarded_array<unsigned char, Stream> device(d, device_bytes, 3);
  host_array<char> room(
      sort_pairs_from_host_scratch_bytes(keys_in.data(), keys_out.data(), values_in.data(), values_out.data(), n));
  const host_scratch scratch = c.input_is_scratch ? input_as_scratch : host_scratch{room.data(), room.items().size()};
  ASSERT_EQ(static_cast<status>(sort_pairs_from_host({device.data(), device_bytes}, scratch,
                                                     static_cast<const Key*>(keys_in.data()), keys_out.data(),
                                                     static_cast<const std::uint32_t*>(values_in.data()),
                                                     values_out.data(), n, c.order, c.bits, options_of(c), d.stream())),
            status::success)
      << d.message();
  std::vector<Key> expected;
  for (const std::uint32_t p : places) expected.push_back(keys[p]);
  EXPECT_TRUE(same_items(as_bits(keys_out.items()), as_bits(expected))) << "keys, n = " << n;
  EXPECT_TRUE(same_items(values_out.items(), places)) << "values, n = " << n;
  if (!c.input_is_scratch) {
    EXPECT_TRUE(same_items(as_bits(keys_in.items()), as_bits(keys)));
    EXPECT_TRUE(same_items(values_in.items(), values));
  }
  static_cast<void>(room.items());
  device.expect_guards();
}

/// Device memory for the sort of n pairs: the least, some, and enough for one trip.
template <class Key>
std::vector<std::size_t> bounds_of_pairs(std::int64_t n) {
  const Key* const keys = nullptr;
  const std::uint32_t* const values = nullptr;
  Key* const keys_out = nullptr;
  std::uint32_t* const values_out = nullptr;
  const std::size_t least = sort_pairs_from_host_least_bytes(keys, keys_out, values, values_out, n);
  const std::size_t most = sort_pairs_from_host_workspace_bytes(keys, keys_out, values, values_out, n);
  return {least, std::max(least, most / 7), std::max(least, most - 1), most};
}

/// In one schedule: the kernels are those of other sorts.
template <class Stream>
void add_from_host_test(const std::string& suite, const std::string& claim, const device_test_body<Stream>& body) {
  add_test_on<Stream>(test_device<Stream>::ways().front(), suite, claim, body);
}

template <class Key, class Stream>
void add_sort_from_host_type_contract(const std::string& name, std::size_t n) {
  for (const bool by_buffers : {false, true}) {
    const char* const claim = by_buffers ? "sorts_through_buffers" : "sorts";
    add_from_host_test<Stream>("sort_from_host/" + name, claim, [=](test_device<Stream>& d) {
      for (const char* distribution : {"uniform", "sorted", "reversed", "constant", "few_values", "runs", "specials"}) {
        for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
          const auto keys = random_keys<Key>(n, distribution);
          const auto places = sorted_places(keys, order, key_less<Key>);
          const auto bounds = bounds_of_pairs<Key>(static_cast<std::int64_t>(n));
          const std::size_t bound = bounds[(places[0] + (order == sort_order::descending)) % bounds.size()];
          SCOPED_TRACE(std::string(distribution) + ", device bytes " + std::to_string(bound));
          expect_sorted_from_host(d, keys, bound, {order, {}, by_buffers}, places);
        }
      }
    });
  }
}

template <class Stream>
void add_sort_from_host_contract(std::size_t n) {
  add_from_host_test<Stream>("sort_from_host", "sorts_with_any_device_memory", [=](test_device<Stream>& d) {
    const auto keys = random_keys<std::uint32_t>(n, "few_values");
    const auto places = sorted_places(keys, sort_order::ascending, key_less<std::uint32_t>);
    for (const std::size_t bound : bounds_of_pairs<std::uint32_t>(static_cast<std::int64_t>(n))) {
      for (const bool input_is_scratch : {false, true}) {
        SCOPED_TRACE(bound);
        expect_sorted_from_host(d, keys, bound, {sort_order::ascending, {}, input_is_scratch, input_is_scratch},
                                places);
      }
    }
  });
  add_from_host_test<Stream>("sort_from_host", "one_bucket_may_hold_nearly_all", [=](test_device<Stream>& d) {
    auto keys = random_keys<std::uint32_t>(n, "uniform");
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 97 != 0) keys[i] = 0x80000000u + keys[i] % 3;
    }
    const auto places = sorted_places(keys, sort_order::ascending, key_less<std::uint32_t>);
    expect_sorted_from_host(d, keys, bounds_of_pairs<std::uint32_t>(static_cast<std::int64_t>(n))[1], {}, places);
  });
  add_from_host_test<Stream>("sort_from_host", "compares_the_bits_that_are_asked_for", [=](test_device<Stream>& d) {
    const auto keys = random_keys<std::uint32_t>(n, "uniform");
    for (const bit_range bits : {bit_range{5, 9}, bit_range{7, 7}}) {
      const auto less = [=](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t mask = (1u << (bits.end - bits.begin)) - 1;
        return (a >> bits.begin & mask) < (b >> bits.begin & mask);
      };
      const auto places = sorted_places(keys, sort_order::ascending, less);
      expect_sorted_from_host(d, keys, bounds_of_pairs<std::uint32_t>(static_cast<std::int64_t>(n))[1],
                              {sort_order::ascending, bits}, places);
    }
  });
  add_from_host_test<
      Stream>("sort_from_host", "refuses_what_it_cannot_do_and_touches_nothing", [=](test_device<Stream>& d) {
    using key = std::uint32_t;
    const auto items = static_cast<std::int64_t>(n);
    host_array<key> in(random_keys<key>(n, "uniform")), out(n), values(n), values_out(n), room(2 * n);
    const std::size_t least = bounds_of_pairs<key>(items)[0];
    guarded_array<unsigned char, Stream> device(d, least);
    const workspace lent{device.data(), least};
    const host_scratch scratch{room.data(), 2 * n * sizeof(key)};
    const auto before = out.items();
    const auto answer = [&](workspace w, host_scratch s, const key* from, key* to, std::int64_t count, bit_range bits) {
      return static_cast<status>(sort_pairs_from_host(w, s, from, to, static_cast<const key*>(values.data()),
                                                      values_out.data(), count, sort_order::ascending, bits,
                                                      from_host_options{}, d.stream()));
    };
    const key* const from = in.data();
    EXPECT_EQ(answer(lent, scratch, from, out.data(), -1, {}), status::invalid_value);
    EXPECT_EQ(answer(lent, scratch, nullptr, out.data(), items, {}), status::invalid_value);
    EXPECT_EQ(answer(lent, scratch, from, nullptr, items, {}), status::invalid_value);
    EXPECT_EQ(answer(lent, scratch, from, out.data(), items, {3, 40}), status::invalid_value);
    EXPECT_EQ(answer(lent, {}, from, out.data(), items, {}), status::invalid_value);
    EXPECT_EQ(answer(lent, {room.data(), 2 * n * sizeof(key) - 1}, from, out.data(), items, {}), status::invalid_value);
    EXPECT_EQ(answer(lent, {out.data(), 2 * n * sizeof(key)}, from, out.data(), items, {}), status::invalid_value);
    EXPECT_EQ(answer(lent, scratch, from, in.data() + 1, items - 1, {}), status::invalid_value);
    EXPECT_EQ(answer({device.data(), least / 2}, scratch, from, out.data(), items, {}), status::memory_allocation);
    EXPECT_EQ(answer({}, scratch, from, out.data(), items, {}), status::memory_allocation);
    EXPECT_EQ(out.items(), before);
    EXPECT_EQ(answer({}, {}, nullptr, nullptr, 0, {}), status::success);
    EXPECT_EQ(answer(lent, scratch, from, out.data(), items, {}), status::success);
  });
}

/// Items of host memory that n chunks and one more or less begin with.
template <class Stream>
void add_sort_from_host_size_contract(std::size_t most) {
  add_from_host_test<Stream>("sort_from_host", "sorts_any_number", [=](test_device<Stream>& d) {
    for (std::size_t n = 0; n <= most; n = n < 3 ? n + 1 : n * 5 / 3 + 1) {
      const auto keys = random_keys<std::uint32_t>(n, n % 2 ? "few_values" : "uniform");
      const auto places = sorted_places(keys, sort_order::ascending, key_less<std::uint32_t>);
      const std::size_t bound = bounds_of_pairs<std::uint32_t>(static_cast<std::int64_t>(n))[n % 3];
      SCOPED_TRACE(bound);
      expect_sorted_from_host(d, keys, bound, {}, places);
    }
  });
}

template <class Stream>
bool add_sort_from_host_contracts(std::size_t n) {
  add_sort_from_host_type_contract<std::uint32_t, Stream>("u32", n);
  add_sort_from_host_contract<Stream>(n);
  add_sort_from_host_size_contract<Stream>(n);
  return true;
}

}  // namespace upsweep::test
