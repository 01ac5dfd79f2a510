#include <algorithm>
#include <bit>
#include <thread>
#include <type_traits>
#include <vector>

#include "failure.hpp"
#include "key_rank.hpp"
#include "sorting.hpp"

namespace upsweep::apps {
namespace {

template <class Key>
bool same_bits(Key a, Key b) {
  using bits = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

template <class Key>
struct key_only {
  Key key;
};

template <class Key>
struct key_and_value {
  Key key;
  std::uint32_t value;
};

/// std::stable_sort of pieces side by side, then merged pair by pair.
template <class Item, class Less>
void stable_sort_on_all_cores(std::vector<Item>& items, Less less) {
  constexpr std::size_t smallest_piece = std::size_t{1} << 18;
  std::size_t pieces = 1;
  while (pieces < 16 && pieces < std::thread::hardware_concurrency() && items.size() / pieces > smallest_piece)
    pieces *= 2;
  const auto start = [&](std::size_t piece) { return static_cast<std::ptrdiff_t>(items.size() * piece / pieces); };
  const auto for_each_piece = [&](std::size_t step, auto&& work) {
    std::vector<std::jthread> threads;
    for (std::size_t piece = 0; piece < pieces; piece += step) threads.emplace_back(work, piece);
  };
  for_each_piece(1, [&](std::size_t piece) {
    std::stable_sort(items.begin() + start(piece), items.begin() + start(piece + 1), less);
  });
  std::vector<Item> merged(pieces > 1 ? items.size() : 0);
  for (std::size_t width = 1; width < pieces; width *= 2) {
    for_each_piece(2 * width, [&](std::size_t piece) {
      const auto middle = items.begin() + start(piece + width);
      std::merge(items.begin() + start(piece), middle, middle, items.begin() + start(piece + 2 * width),
                 merged.begin() + start(piece), less);
    });
    items.swap(merged);
  }
}

template <class Item>
void stable_sort_by_key(std::vector<Item>& items, sort_order order) {
  if (order == sort_order::ascending) {
    stable_sort_on_all_cores(items, [](const Item& a, const Item& b) { return rank_of(a.key) < rank_of(b.key); });
  } else {
    stable_sort_on_all_cores(items, [](const Item& a, const Item& b) { return rank_of(a.key) > rank_of(b.key); });
  }
}

template <class Key>
std::string difference_of_keys(const key_table& input, sort_order order, const key_table& sorted) {
  const Key* const keys = input.keys.data.as<Key>();
  std::vector<key_only<Key>> expected(static_cast<std::size_t>(input.keys.count));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = {keys[i]};
  stable_sort_by_key(expected, order);
  const Key* const got = sorted.keys.data.as<Key>();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (same_bits(expected[i].key, got[i])) continue;
    return fmt::format("key {} of the result is {}; expected {}", i, got[i], expected[i].key);
  }
  return {};
}

template <class Key>
std::string difference_of_pairs(const key_table& input, sort_order order, const key_table& sorted) {
  const Key* const keys = input.keys.data.as<Key>();
  const auto* const values = input.values.as<std::uint32_t>();
  std::vector<key_and_value<Key>> expected(static_cast<std::size_t>(input.keys.count));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = {keys[i], values[i]};
  stable_sort_by_key(expected, order);
  const Key* const got = sorted.keys.data.as<Key>();
  const auto* const got_values = sorted.values.as<std::uint32_t>();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (same_bits(expected[i].key, got[i]) && expected[i].value == got_values[i]) continue;
    return fmt::format("pair {} of the result is {} with {:#x}; expected {} with {:#x}", i, got[i], got_values[i],
                       expected[i].key, expected[i].value);
  }
  return {};
}

template <class Key>
std::string difference(const key_table& input, sort_order order, const key_table& sorted) {
  return input.has_values ? difference_of_pairs<Key>(input, order, sorted)
                          : difference_of_keys<Key>(input, order, sorted);
}

}  // namespace

std::string first_difference(const key_table& input, sort_order order, const key_table& sorted) {
  switch (input.keys.type) {
    case scalar_type::u32:
      return difference<std::uint32_t>(input, order, sorted);
    case scalar_type::i32:
      return difference<std::int32_t>(input, order, sorted);
    case scalar_type::u64:
      return difference<std::uint64_t>(input, order, sorted);
    case scalar_type::f32:
      return difference<float>(input, order, sorted);
    default:
      break;
  }
  fail(exit_code::bad_input, "keys of type {} cannot be checked", name_of(input.keys.type));
}

}  // namespace upsweep::apps
