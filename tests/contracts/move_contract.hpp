// The one mover of words (scan/block/move_words.cuh) on any device: elements of many sizes, at any address, by routes
// that turn them round and leave some out.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/scan/block/move_words.cuh"

namespace upsweep::test {

/// Element i goes to place count - 1 - i; with Skips, every third stays behind.
template <bool Skips>
struct turning_route {
  int count;
  UPSWEEP_DEVICE std::int64_t from(int i) const { return i; }
  UPSWEEP_DEVICE std::int64_t to(int i) const { return count - 1 - i; }
  UPSWEEP_DEVICE bool keeps(int i) const requires Skips { return i % 3 != 0; }
};

/// ElementBytes, WordsApart: as of move_elements.
template <int AtOnce, bool Skips, int WordsApart, std::size_t ElementBytes>
struct move_test_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, detail::element_array array, int count) const {
    detail::move_elements<AtOnce, WordsApart, ElementBytes>(block, turning_route<Skips>{count}, array);
  }
};

/// `offset`: bytes between an address that suits every word, and the first element at either end.
template <int AtOnce, bool Skips, int WordsApart, std::size_t ElementBytes = 0, class Stream>
void moves(test_device<Stream>& d, std::size_t element_bytes, int count, std::size_t offset) {
  const std::size_t bytes = element_bytes * static_cast<std::size_t>(count);
  const auto items = random_items<std::uint8_t>(bytes + offset, 1);
  const guarded_array<std::uint8_t, Stream> from(d, items);
  guarded_array<std::uint8_t, Stream> to(d, bytes + offset);
  auto expected = to.items();
  for (int i = 0; i < count; ++i) {
    if (Skips && i % 3 == 0) continue;
    for (std::size_t b = 0; b < element_bytes; ++b) {
      expected[offset + static_cast<std::size_t>(count - 1 - i) * element_bytes + b] =
          items[offset + static_cast<std::size_t>(i) * element_bytes + b];
    }
  }
  const void* const in = from.data() + offset;
  void* const out = to.data() + offset;
  const std::uint32_t word = detail::widest_word(element_bytes, in, out);
  const detail::element_array array{in, out, static_cast<std::uint32_t>(element_bytes / word), word};
  const move_test_kernel<AtOnce, Skips, WordsApart, ElementBytes> kernel;
  ASSERT_EQ(d.executor().launch(1, kernel, array, count), status::success) << d.message();
  EXPECT_TRUE(same_items(to.items(), expected))
      << count << " elements of " << element_bytes << " bytes, " << offset << " bytes off";
}

template <class Stream>
void add_move_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("elements_of_any_size_and_address_go_by_their_route", [](device& d) {
    for (const std::size_t element_bytes : {1, 2, 3, 4, 6, 8, 12, 16, 20, 48, 63, 64, 65, 257, 4099}) {
      for (const int count : {0, 1, 63, 65, 300}) {
        if (element_bytes > 300 && count > 65) continue;
        moves<4, false, 1>(d, element_bytes, count, 0);
        moves<4, false, 4>(d, element_bytes, count, 0);
        moves<3, true, 0>(d, element_bytes, count, 0);
      }
      for (const std::size_t offset : {1, 2, 4, 8}) moves<2, true, 4>(d, element_bytes, 65, offset);
    }
  });
  add("elements_of_a_known_size_go_by_their_route", [](device& d) {
    for (const std::size_t offset : {0, 1, 2, 4, 8}) {
      moves<4, false, 0, 4>(d, 4, 300, offset);
      moves<4, true, 0, 12>(d, 12, 300, offset);
      moves<4, false, 0, 16>(d, 16, 300, offset);
      moves<4, true, 0, 65>(d, 65, 65, offset);
    }
  });
}

}  // namespace upsweep::test
