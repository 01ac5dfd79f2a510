// Arrays of random items, the same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/internals.hpp"
#include "support/operators.hpp"
#include "support/seed.hpp"

namespace upsweep::test {

/// splitmix64
class random_source {
 public:
  explicit random_source(std::uint64_t salt) : state_(seed() * 0x9e3779b97f4a7c15u + salt) {}

  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return (*this)() % n; }

 private:
  std::uint64_t state_;
};

/// Floating-point items are small integers, so that sums of millions of them are exact in any order.
template <class T>
T random_item(random_source& random) {
  if constexpr (std::is_same_v<T, affine>) {
    return {random() | 1, random()};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(random.below(9)) - 4;
  } else {
    return static_cast<T>(random());
  }
}

template <class T>
std::vector<T> random_items(std::size_t n, std::uint64_t salt = 0) {
  random_source random(salt);
  std::vector<T> items(n);
  for (T& item : items) item = random_item<T>(random);
  return items;
}

/// Leaves at most `count` of them, in their order.
template <class T>
void keep_some(std::vector<T>& all, std::size_t count) {
  random_source random(all.size() + count);
  std::size_t left = all.size(), wanted = count;
  std::erase_if(all, [&](const T&) {
    const bool kept = random.below(left--) < wanted;
    wanted -= kept;
    return !kept;
  });
}

}  // namespace upsweep::test
