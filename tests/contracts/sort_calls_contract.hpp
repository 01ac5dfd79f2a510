// Every way of calling a sort, and all contracts of keys and calls, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "contracts/sort_keys_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "upsweep/sort/device/cluster_sort.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"

namespace upsweep::test {

/// argsort, arrays of values, runs, sorts between two buffers, counts in device memory.
template <class Policy, class Stream>
void add_sort_call_contract(const std::string& suite, const std::vector<std::size_t>& sizes) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  const auto small_keys = [](std::size_t n) {
    auto keys = keys_of_random_bits<std::uint32_t>(n);
    for (auto& k : keys) k %= 1000;
    return keys;
  };

  add("argsort_gives_places", [=](device& d) {
    for (const std::size_t n : sizes) {
      const auto keys = small_keys(n);
      guarded_array<std::uint32_t, Stream> in(d, keys);
      guarded_array<std::uint64_t, Stream> out(d, n);
      const auto count = static_cast<std::int64_t>(n);
      const std::size_t bytes = argsort_workspace_bytes<Policy>(in.data(), out.data(), count, sort_order::descending);
      guarded_array<unsigned char, Stream> work(d, bytes, 1);
      ASSERT_EQ(static_cast<status>(argsort<Policy>(workspace{work.data(), bytes},
                                                    static_cast<const std::uint32_t*>(in.data()), out.data(), count,
                                                    sort_order::descending, {}, d.stream())),
                status::success)
          << d.message();
      const auto places = places_by(keys, std::greater<>{});
      EXPECT_TRUE(same_items(out.items(), std::vector<std::uint64_t>(places.begin(), places.end())));
      in.expect_unchanged();
      work.expect_guards();
      EXPECT_EQ(static_cast<status>(argsort<Policy>(workspace{work.data(), bytes - 1},
                                                    static_cast<const std::uint32_t*>(in.data()), out.data(), count,
                                                    sort_order::descending, {}, d.stream())),
                status::invalid_value);
    }
  });
  add("two_buffers_need_no_scratch", [=](device& d) {
    for (const std::size_t n : sizes) {
      for (const bit_range bits : {bit_range{}, {0, 8}, {3, 20}, {5, 5}}) {
        const auto keys = small_keys(n);
        const int width = bits.end < 0 ? 32 : bits.end - bits.begin;
        const auto part = [&](std::uint32_t k) { return width == 32 ? k : k >> bits.begin & ((1u << width) - 1); };
        const auto places = places_by(keys, [&](std::uint32_t a, std::uint32_t b) { return part(a) < part(b); });
        std::vector<std::uint32_t> values(n), expected;
        std::iota(values.begin(), values.end(), 0u);
        for (const std::uint32_t p : places) expected.push_back(keys[p]);
        guarded_array<std::uint32_t, Stream> keys_a(d, keys), keys_b(d, n), values_a(d, values), values_b(d, n);
        double_buffer<std::uint32_t> k{keys_a.data(), keys_b.data()}, v{values_a.data(), values_b.data()};
        const auto count = static_cast<std::int64_t>(n);
        const std::size_t bytes = sort_pairs_workspace_bytes<Policy>(k, v, count, sort_order::ascending, bits);
        guarded_array<unsigned char, Stream> work(d, bytes, 1);
        ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(workspace{work.data(), bytes}, k, v, count,
                                                         sort_order::ascending, bits, d.stream())),
                  status::success)
            << d.message();
        EXPECT_EQ(k.current == keys_a.data(), v.current == values_a.data());
        EXPECT_TRUE(same_items((k.current == keys_a.data() ? keys_a : keys_b).items(), expected));
        EXPECT_TRUE(same_items((v.current == values_a.data() ? values_a : values_b).items(), places));
        for (auto* array : {&keys_a, &keys_b, &values_a, &values_b}) array->expect_guards();
        work.expect_guards();
      }
    }
  });
  add("wide_values_between_two_buffers_need_no_scratch", [=](device& d) {
    for (const std::size_t n : sizes) {
      const auto keys = small_keys(n);
      const auto values = keys_of_random_bits<wide_words>(n);
      std::vector<wide_words> expected;
      for (const std::uint32_t p : places_by(keys, std::less<>{})) expected.push_back(values[p]);
      const auto count = static_cast<std::int64_t>(n);
      const std::size_t least =
          sort_pairs_workspace_bytes<Policy>(double_buffer<std::uint32_t>{}, double_buffer<wide_words>{}, count);
      if (n > 20000) {
        EXPECT_LT(least, n * sizeof(std::uint32_t));
      }
      // With more they go by their places.
      for (const std::size_t bytes : {least, least + 8 * n, least + 12 * n}) {
        guarded_array<std::uint32_t, Stream> keys_a(d, keys), keys_b(d, n);
        guarded_array<wide_words, Stream> values_a(d, values), values_b(d, n);
        guarded_array<unsigned char, Stream> work(d, bytes, 1);
        double_buffer<std::uint32_t> k{keys_a.data(), keys_b.data()};
        double_buffer<wide_words> v{values_a.data(), values_b.data()};
        ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(workspace{work.data(), bytes}, k, v, count,
                                                         sort_order::ascending, bit_range{}, d.stream())),
                  status::success)
            << d.message();
        const auto got = (v.current == values_a.data() ? values_a : values_b).items();
        EXPECT_TRUE(same_items(bytes_of(got), bytes_of(expected))) << bytes << " bytes";
        for (auto* array : {&keys_a, &keys_b}) array->expect_guards();
        for (auto* array : {&values_a, &values_b}) array->expect_guards();
        work.expect_guards();
      }
    }
  });
  add("arrays_that_overlap_are_refused_and_not_touched", [=](device& d) {
    constexpr std::int64_t n = 600, runs = 100;
    guarded_array<std::uint32_t, Stream> keys(d, n), keys_to(d, n), a(d, n), b(d, n), c(d, n);
    guarded_array<unsigned char, Stream> work(d, 1 << 20);
    const workspace w{work.data(), work.size()};
    const std::uint32_t* const from = keys.data();
    const auto refused = [](auto answer) { EXPECT_EQ(static_cast<status>(answer), status::invalid_value); };
    for (const bit_range bits : {bit_range{}, {0, 8}, {4, 4}}) {
      const auto pairs = [&](std::uint32_t* to, const std::uint32_t* values, std::uint32_t* values_to) {
        refused(sort_pairs<Policy>(w, from, to, values, values_to, n, sort_order::ascending, bits, d.stream()));
      };
      pairs(keys_to.data(), a.data(), keys.data());
      pairs(keys_to.data(), a.data(), keys.data() + (n - 1));
      pairs(keys_to.data(), a.data(), keys_to.data());
      pairs(a.data(), a.data(), b.data());
      refused(argsort<Policy>(w, from, keys.data(), n, sort_order::ascending, bits, d.stream()));
      const auto rows = [&](const auto&... arrays) {
        refused(sort_with_values<Policy>(w, from, keys_to.data(), std::tuple{arrays...}, n, sort_order::ascending, bits,
                                         d.stream()));
      };
      rows(value_array{a.data(), a.data()});
      rows(value_array{a.data(), keys.data()});
      rows(value_array{a.data(), keys_to.data() + (n - 1)});
      rows(value_array{keys_to.data(), a.data()});
      rows(value_array{a.data(), b.data()}, value_array{b.data(), c.data()});
      rows(value_array{a.data(), b.data()}, value_array{c.data(), b.data() + (n - 1)});
      double_buffer<std::uint32_t> k{keys.data(), keys_to.data()}, v{a.data(), keys.data()};
      refused(sort_pairs<Policy>(w, k, v, n, sort_order::ascending, bits, d.stream()));
      v = {keys_to.data(), a.data()};
      refused(sort_pairs<Policy>(w, k, v, n, sort_order::ascending, bits, d.stream()));
      // Counts among what is written, and none.
      for (std::uint32_t* const count : {keys_to.data() + 7, static_cast<std::uint32_t*>(nullptr)}) {
        refused(sort_keys<Policy>(w, from, keys_to.data(),
                                  device_count<std::uint64_t>{reinterpret_cast<std::uint64_t*>(count), n},
                                  sort_order::ascending, bits, d.stream()));
      }
    }
    const auto starts = [&](auto count, std::uint32_t* begins, std::uint32_t* ends) {
      refused(run_starts(from, run_arrays<std::uint32_t>{begins, ends, runs}, count, key_digits<std::uint32_t>{}, {},
                         d.stream()));
    };
    starts(n, keys.data(), a.data());
    starts(n, a.data(), a.data() + (runs - 1));
    starts(device_count<std::uint64_t>{nullptr, n}, a.data(), b.data());
    for (auto* array : {&keys, &keys_to, &a, &b, &c}) array->expect_unchanged();
    work.expect_unchanged();
  });
  add("arrays_of_any_width_follow_the_keys", [=](device& d) {
    for (const std::size_t n : sizes) {
      const auto keys = small_keys(n);
      const auto places = places_by(keys, std::less<>{});
      const auto bytes_in = keys_of_random_bits<std::uint8_t>(n);
      const auto numbers_in = keys_of_random_bits<double>(n);
      const auto words_in = keys_of_random_bits<words_key>(n);
      const auto wide_in = keys_of_random_bits<wide_words>(n);
      guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, n);
      guarded_array<std::uint8_t, Stream> a_in(d, bytes_in), a_out(d, n);
      guarded_array<double, Stream> b_in(d, numbers_in), b_out(d, n);
      guarded_array<words_key, Stream> c_in(d, words_in), c_out(d, n);
      guarded_array<wide_words, Stream> d_in(d, wide_in), d_out(d, n), pairs_out(d, n);
      const auto count = static_cast<std::int64_t>(n);
      const std::tuple arrays{value_array{a_in.data(), a_out.data()}, value_array{b_in.data(), b_out.data()},
                              value_array{c_in.data(), c_out.data()}, value_array{d_in.data(), d_out.data()}};
      const std::size_t bytes =
          sort_with_values_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), arrays, count);
      guarded_array<unsigned char, Stream> work(d, bytes, 1);
      ASSERT_EQ(static_cast<status>(sort_with_values<Policy>(workspace{work.data(), bytes},
                                                             static_cast<const std::uint32_t*>(keys_in.data()),
                                                             keys_out.data(), arrays, count, {}, {}, d.stream())),
                status::success)
          << d.message();
      const auto expect_followed = [&](auto& got, const auto& from) {
        auto expected = from;
        for (std::size_t i = 0; i < n; ++i) expected[i] = from[places[i]];
        EXPECT_TRUE(same_items(bytes_of(got.items()), bytes_of(expected)));
      };
      expect_followed(keys_out, keys);
      expect_followed(a_out, bytes_in);
      expect_followed(b_out, numbers_in);
      expect_followed(c_out, words_in);
      expect_followed(d_out, wide_in);
      work.expect_guards();

      // With room for it, rows of whole words are brought together first.
      guarded_array<words_key, Stream> e_out(d, n);
      guarded_array<wide_words, Stream> f_out(d, n), g_out(d, n);
      const std::size_t more = bytes + 512 + n * 64;
      guarded_array<unsigned char, Stream> large_work(d, more, 1);
      const auto sort_packed = [&](const auto& packed, workspace given) {
        ASSERT_EQ(static_cast<status>(sort_with_values<Policy>(given, static_cast<const std::uint32_t*>(keys_in.data()),
                                                               keys_out.data(), packed, count, {}, {}, d.stream())),
                  status::success)
            << d.message();
        large_work.expect_guards();
      };
      const workspace large{large_work.data(), more};
      sort_packed(std::tuple{value_array{c_in.data(), e_out.data()}, value_array{d_in.data(), f_out.data()}}, large);
      expect_followed(e_out, words_in);
      expect_followed(f_out, wide_in);
      for (const workspace given : {large, workspace{work.data(), bytes}}) {
        sort_packed(std::tuple{value_array{d_in.data(), f_out.data()}, value_array{d_in.data(), g_out.data()}}, given);
        expect_followed(f_out, wide_in);
        expect_followed(g_out, wide_in);
      }
      work.expect_guards();

      // Pairs with wide values, the places of which are sorted.
      const std::size_t of_pairs =
          sort_pairs_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), d_in.data(), pairs_out.data(), count);
      guarded_array<unsigned char, Stream> pairs_work(d, of_pairs, 1);
      ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(workspace{pairs_work.data(), of_pairs},
                                                       static_cast<const std::uint32_t*>(keys_in.data()),
                                                       keys_out.data(), static_cast<const wide_words*>(d_in.data()),
                                                       pairs_out.data(), count, {}, {}, d.stream())),
                status::success)
          << d.message();
      expect_followed(pairs_out, wide_in);
      pairs_work.expect_guards();
    }
  });
  add("runs_begin_and_end_where_keys_differ", [=](device& d) {
    for (const std::size_t n : sizes) {
      auto keys = small_keys(n);
      std::sort(keys.begin(), keys.end());
      constexpr std::int64_t runs = 900;  // keys go up to 1000
      std::vector<std::int32_t> begins(runs), ends(runs);
      for (std::size_t i = 0; i < n; ++i) {
        if (keys[i] >= runs) continue;
        if (i == 0 || keys[i - 1] != keys[i]) begins[keys[i]] = static_cast<std::int32_t>(i);
        ends[keys[i]] = static_cast<std::int32_t>(i + 1);
      }
      guarded_array<std::uint32_t, Stream> in(d, keys);
      guarded_array<std::int32_t, Stream> begins_out(d, runs), ends_out(d, runs);
      const auto answer = [&](std::int64_t count, bit_range bits) {
        return static_cast<status>(run_starts(static_cast<const std::uint32_t*>(in.data()),
                                              run_arrays<std::int32_t>{begins_out.data(), ends_out.data(), runs}, count,
                                              key_digits<std::uint32_t>{}, bits, d.stream()));
      };
      EXPECT_EQ(answer(-1, {}), status::invalid_value);
      EXPECT_EQ(answer(1, {5, 5}), status::invalid_value);
      begins_out.expect_unchanged();
      ASSERT_EQ(answer(static_cast<std::int64_t>(n), {}), status::success) << d.message();
      EXPECT_TRUE(same_items(begins_out.items(), begins));
      EXPECT_TRUE(same_items(ends_out.items(), ends));
    }
  });
  add("takes_a_count_of_the_device", [=](device& d) {
    const std::size_t n = sizes.back();
    const auto keys = small_keys(n);
    for (const std::size_t count : {std::size_t{0}, n / 3, n + 5}) {
      guarded_array<std::uint32_t, Stream> in(d, keys), out(d, n);
      guarded_array<std::uint64_t, Stream> counts(d, std::vector<std::uint64_t>{count});
      const std::vector<std::uint32_t> before = out.items();
      const auto bound = static_cast<std::int64_t>(n);
      const device_count counted(counts.data(), bound);
      const std::size_t bytes = sort_keys_workspace_bytes<Policy>(in.data(), out.data(), counted);
      guarded_array<unsigned char, Stream> work(d, bytes, 1);
      ASSERT_EQ(static_cast<status>(sort_keys<Policy>(workspace{work.data(), bytes},
                                                      static_cast<const std::uint32_t*>(in.data()), out.data(), counted,
                                                      sort_order::ascending, {}, d.stream())),
                status::success)
          << d.message();
      const auto end = static_cast<std::ptrdiff_t>(std::min(n, count));
      std::vector<std::uint32_t> expected(keys.begin(), keys.begin() + end);
      std::sort(expected.begin(), expected.end());
      expected.insert(expected.end(), before.begin() + end, before.end());
      EXPECT_TRUE(same_items(out.items(), expected)) << count;
    }
  });
}

/// Keys from what is not a pointer: counted ones, and those of an array that are changed while they are read.
template <class Policy, class Stream>
void add_key_iterator_contract(const std::string& suite, const std::vector<std::size_t>& sizes) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  const auto squares_of = [](std::size_t n) {
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = squares{}[static_cast<std::int64_t>(i)];
    return keys;
  };
  constexpr bit_range bits{2, 21};
  const auto less = [](std::uint32_t a, std::uint32_t b) { return (a >> 2) % (1 << 19) < (b >> 2) % (1 << 19); };

  add("reads_keys_from_any_iterator", [=](device& d) {
    for (const std::size_t n : sizes) {
      SCOPED_TRACE(n);
      const auto keys = squares_of(n);
      const auto places = places_by(keys, less);
      std::vector<std::uint32_t> values(n), sorted;
      std::iota(values.begin(), values.end(), 0u);
      for (const std::uint32_t p : places) sorted.push_back(keys[p]);
      const auto count = static_cast<std::int64_t>(n);
      guarded_array<std::uint32_t, Stream> out(d, n), values_in(d, values), values_out(d, n), rows_out(d, n);
      const auto check = [&](std::size_t bytes, auto call) {
        guarded_array<unsigned char, Stream> work(d, bytes, 3);
        ASSERT_EQ(static_cast<status>(call(workspace{work.data(), bytes})), status::success) << d.message();
        work.expect_guards();
        if (bytes == 0) return;
        EXPECT_EQ(static_cast<status>(call(workspace{work.data(), bytes - 1})), status::invalid_value);
      };
      const std::uint32_t* const from = values_in.data();
      check(sort_keys_workspace_bytes<Policy>(squares{}, out.data(), count, sort_order::ascending, bits),
            [&](workspace w) {
              return sort_keys<Policy>(w, squares{}, out.data(), count, sort_order::ascending, bits, d.stream());
            });
      EXPECT_TRUE(same_items(out.items(), sorted)) << "keys alone";
      check(sort_pairs_workspace_bytes<Policy>(squares{}, out.data(), from, values_out.data(), count,
                                               sort_order::ascending, bits),
            [&](workspace w) {
              return sort_pairs<Policy>(w, squares{}, out.data(), from, values_out.data(), count, sort_order::ascending,
                                        bits, d.stream());
            });
      EXPECT_TRUE(same_items(out.items(), sorted)) << "keys of pairs";
      EXPECT_TRUE(same_items(values_out.items(), places)) << "values";
      check(argsort_workspace_bytes<Policy>(squares{}, rows_out.data(), count, sort_order::ascending, bits),
            [&](workspace w) {
              return argsort<Policy>(w, squares{}, rows_out.data(), count, sort_order::ascending, bits, d.stream());
            });
      EXPECT_TRUE(same_items(rows_out.items(), places)) << "argsort";
      const std::tuple rows{value_array{from, values_out.data()}};
      check(sort_with_values_workspace_bytes<Policy>(squares{}, out.data(), rows, count, sort_order::ascending, bits),
            [&](workspace w) {
              return sort_with_values<Policy>(w, squares{}, out.data(), rows, count, sort_order::ascending, bits,
                                              d.stream());
            });
      EXPECT_TRUE(same_items(values_out.items(), places)) << "values by places";
      for (auto* array : {&out, &values_out, &rows_out}) array->expect_guards();
      values_in.expect_unchanged();
    }
  });
  add("an_empty_range_copies_from_an_iterator", [=](device& d) {
    const std::size_t n = sizes.front();
    guarded_array<std::uint32_t, Stream> out(d, n);
    const std::size_t bytes = sort_keys_workspace_bytes<Policy>(squares{}, out.data(), static_cast<std::int64_t>(n));
    guarded_array<unsigned char, Stream> work(d, bytes, 1);
    const auto answer = [&](std::uint32_t* to, std::int64_t count) {
      return static_cast<status>(sort_keys<Policy>(workspace{work.data(), bytes}, squares{}, to, count,
                                                   sort_order::ascending, bit_range{5, 5}, d.stream()));
    };
    EXPECT_EQ(answer(nullptr, 1), status::invalid_value);
    EXPECT_EQ(answer(out.data(), -1), status::invalid_value);
    out.expect_unchanged();
    EXPECT_EQ(answer(out.data(), static_cast<std::int64_t>(n)), status::success) << d.message();
    EXPECT_TRUE(same_items(out.items(), squares_of(n)));
  });
}

template <class Stream>
bool add_sort_keys_contracts() {
  using few = single_block_sort<64, 6, 2>;
  add_key_type_contract<few, std::uint8_t, Stream>("u8", 300);
  add_key_type_contract<few, std::int8_t, Stream>("i8", 300);
  add_key_type_contract<few, std::int16_t, Stream>("i16", 300);
  add_key_type_contract<few, uint128, Stream>("u128", 300);
  add_key_type_contract<few, double, Stream>("f64", 300);
  add_key_type_contract<few, __half, Stream>("f16", 300);
  add_key_type_contract<few, __nv_bfloat16, Stream>("bf16", 300);
  add_key_type_contract<default_sort_policy, int128, Stream>("i128", 9000);
  add_key_order_contract<few, Stream>("orders/single_block", 200);
  add_key_order_contract<onesweep<onesweep_fixed<onesweep_tile<256, 9>>>, Stream>("orders/onesweep", 3000);
  add_key_order_contract<cluster_sort<256, 2, 1, 2>, Stream>("orders/cluster", 900);
  // By one block of either size, by a cluster, and by many tiles: pairs alone on the sim.
  const std::size_t many = std::is_same_v<Stream, sim_stream> ? 33000 : 70000;
  add_sort_call_contract<default_sort_policy, Stream>("calls/default", {900, 3000, 9000, many});
  add_key_iterator_contract<default_sort_policy, Stream>("iterators/default", {1, 900, 9000});
  add_key_iterator_contract<few, Stream>("iterators/single_block", {300});
  add_key_iterator_contract<onesweep<>, Stream>("iterators/onesweep", {3000});
  return true;
}

}  // namespace upsweep::test
