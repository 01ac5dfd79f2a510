#include <algorithm>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "failure.hpp"
#include "sorting.hpp"
#include "usable_cores.hpp"

namespace upsweep::apps {
namespace {

/// What is compared of a key, and where the key is in the input.
template <class Code, class Place>
struct ranked {
  Code code;
  Place place;
};

/// std::stable_sort of pieces side by side, then merged pair by pair.
template <class Item, class Less>
void stable_sort_on_all_cores(std::vector<Item>& items, Less less) {
  constexpr std::size_t smallest_piece = std::size_t{1} << 18;
  std::size_t pieces = 1;
  while (pieces < 16 && pieces < usable_cores() && items.size() / pieces > smallest_piece) pieces *= 2;
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

/// The first bytes of a row.
std::string row_text(const std::byte* row, std::size_t bytes) {
  constexpr std::size_t most = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(bytes, most); ++i) text += fmt::format("{:02x}", static_cast<unsigned>(row[i]));
  return bytes > most ? text + "..." : text;
}

/// Where values of the sorted table are not those of the places; empty when nowhere.
template <class Item>
std::string difference_of_values(const std::vector<Item>& expected, const key_table& input, const key_table& sorted) {
  for (std::size_t v = 0; v < input.values.size(); ++v) {
    const std::size_t bytes = input.values[v].row_bytes;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::byte* const right = input.values[v].data.data() + expected[i].place * bytes;
      const std::byte* const got = sorted.values[v].data.data() + i * bytes;
      if (std::memcmp(right, got, bytes) == 0) continue;
      return fmt::format("value {} of payload {} is {}; expected {}, in hexadecimal", i, v + 1, row_text(got, bytes),
                         row_text(right, bytes));
    }
  }
  return {};
}

template <class Item>
std::string difference_of_runs(const std::vector<Item>& expected, const std::vector<key_run>& runs) {
  std::size_t run = 0;
  for (std::size_t begin = 0; begin < expected.size(); ++run) {
    std::size_t end = begin + 1;
    while (end < expected.size() && expected[end].code == expected[begin].code) ++end;
    if (run >= runs.size()) return fmt::format("run {} is missing; expected {} to {}", run, begin, end);
    if (runs[run].begin != begin || runs[run].end != end) {
      return fmt::format("run {} is {} to {}; expected {} to {}", run, runs[run].begin, runs[run].end, begin, end);
    }
    begin = end;
  }
  return run == runs.size() ? std::string{} : fmt::format("{} runs; expected {}", runs.size(), run);
}

template <class Key, class Code, class Place>
std::string difference(const key_table& input, const key_order& how, const key_table& sorted,
                       const std::vector<key_run>* runs) {
  const Key* const keys = input.keys.data.as<Key>();
  std::vector<ranked<Code, Place>> expected(static_cast<std::size_t>(input.keys.count));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = {static_cast<Code>(compared_bits(keys[i], how)), static_cast<Place>(i)};
  }
  stable_sort_on_all_cores(expected, [](const auto& a, const auto& b) { return a.code < b.code; });
  if (sorted.places.bytes() > 0) {
    const auto* const got = sorted.places.as<std::uint32_t>();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (got[i] == expected[i].place) continue;
      return fmt::format("place {} of the result is {}; expected {}", i, got[i], expected[i].place);
    }
  } else {
    const Key* const got = sorted.keys.data.as<Key>();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Key& right = keys[expected[i].place];
      if (std::memcmp(&right, &got[i], sizeof(Key)) == 0) continue;
      return fmt::format("key {} of the result is {}; expected {}", i, number_of(got[i]), number_of(right));
    }
  }
  const std::string wrong_value = difference_of_values(expected, input, sorted);
  if (!wrong_value.empty() || runs == nullptr) return wrong_value;
  return difference_of_runs(expected, *runs);
}

}  // namespace

std::string first_difference(const key_table& input, const key_order& how, const key_table& sorted,
                             const std::vector<key_run>* runs) {
  std::string words;
  const bool known = visit_key_type(input.keys.type, [&]<class Key>(Key) {
    using code = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, std::uint64_t>;
    if (input.keys.count <= std::numeric_limits<std::uint32_t>::max()) {
      words = difference<Key, code, std::uint32_t>(input, how, sorted, runs);
    } else {
      words = difference<Key, std::uint64_t, std::uint64_t>(input, how, sorted, runs);
    }
  });
  if (!known) fail(exit_code::bad_input, "keys of type {} cannot be checked", name_of(input.keys.type));
  return words;
}

}  // namespace upsweep::apps
