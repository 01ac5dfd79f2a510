// An array of device memory between canaries, at any offset from an aligned address.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "support/internals.hpp"
#include "support/test_device.hpp"
#include "upsweep/simt/sim_observer.hpp"

namespace upsweep::test {

/// `n` items of T. `items()` and `expect_unchanged()` fail the test when a canary has died.
template <class T, class Stream>
class guarded_array {
 public:
  static constexpr std::size_t guard = 512;

  /// The items hold a pattern.
  guarded_array(const test_device<Stream>& device, std::size_t n, std::size_t offset_bytes = 0)
      : executor_(device.executor()), n_(n), at_(guard + offset_bytes), image_(at_ + n * sizeof(T) + guard) {
    for (std::size_t i = 0; i < image_.size(); ++i) image_[i] = static_cast<unsigned char>(i * 167 + 91);
    EXPECT_EQ(executor_.allocate(&memory_, image_.size()), status::success);
    upload();
    if (sim::observer* const who = observer()) {
      who->forbids(memory_, at_);
      who->forbids(data() + n_, guard);
    }
    forget();
  }
  guarded_array(const test_device<Stream>& device, const std::vector<T>& items, std::size_t offset_bytes = 0)
      : guarded_array(device, items.size(), offset_bytes) {
    set(items);
  }
  guarded_array(const guarded_array&) = delete;
  guarded_array& operator=(const guarded_array&) = delete;
  ~guarded_array() { EXPECT_EQ(executor_.deallocate(memory_), status::success); }

  /// What the items hold means nothing: no kernel may read them before it has written them.
  void forget() {
    if (sim::observer* const who = observer()) who->forgets(data(), n_ * sizeof(T));
  }

  T* data() const { return reinterpret_cast<T*>(static_cast<unsigned char*>(memory_) + at_); }
  std::size_t size() const { return n_; }

  void set(const std::vector<T>& items) {
    ASSERT_EQ(items.size(), n_);
    if (n_ > 0) std::memcpy(image_.data() + at_, items.data(), n_ * sizeof(T));
    upload();
  }
  void set_bytes(const std::vector<unsigned char>& bytes) {
    ASSERT_EQ(bytes.size(), n_ * sizeof(T));
    std::copy(bytes.begin(), bytes.end(), image_.begin() + static_cast<std::ptrdiff_t>(at_));
    upload();
  }

  /// What the array holds once the stream's work is done.
  std::vector<T> items() {
    const std::vector<unsigned char> now = download();
    const auto same = [&](std::size_t from, std::size_t to) {
      return std::equal(now.begin() + static_cast<std::ptrdiff_t>(from), now.begin() + static_cast<std::ptrdiff_t>(to),
                        image_.begin() + static_cast<std::ptrdiff_t>(from));
    };
    EXPECT_TRUE(same(0, at_)) << "memory in front of an array was written";
    EXPECT_TRUE(same(at_ + n_ * sizeof(T), now.size())) << "memory behind an array was written";
    std::vector<T> result(n_);
    if (n_ > 0) std::memcpy(static_cast<void*>(result.data()), now.data() + at_, n_ * sizeof(T));
    return result;
  }
  void expect_guards() { static_cast<void>(items()); }
  /// The array and its canaries hold what they were given.
  void expect_unchanged() { EXPECT_TRUE(download() == image_) << "memory was written that should not have been"; }

 private:
  static sim::observer* observer() { return std::is_same_v<Stream, sim_stream> ? sim::current_observer() : nullptr; }

  void upload() {
    EXPECT_EQ(executor_.copy(memory_, image_.data(), image_.size()), status::success);
    EXPECT_EQ(executor_.synchronize(), status::success);
  }
  std::vector<unsigned char> download() {
    std::vector<unsigned char> now(image_.size());
    EXPECT_EQ(executor_.synchronize(), status::success);
    EXPECT_EQ(executor_.copy(now.data(), memory_, now.size()), status::success);
    EXPECT_EQ(executor_.synchronize(), status::success);
    return now;
  }

  decltype(executor_of(Stream{})) executor_;
  std::size_t n_, at_;
  std::vector<unsigned char> image_;
  void* memory_ = nullptr;
};

/// Compares arrays and shows the first difference only.
template <class T>
testing::AssertionResult same_items(const std::vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size()) {
    return testing::AssertionFailure() << got.size() << " items, expected " << expected.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i]) continue;
    return testing::AssertionFailure() << "item " << i << " of " << got.size() << " is "
                                       << testing::PrintToString(got[i]) << ", expected "
                                       << testing::PrintToString(expected[i]);
  }
  return testing::AssertionSuccess();
}

}  // namespace upsweep::test
