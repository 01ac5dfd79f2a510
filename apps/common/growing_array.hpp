// An array that grows, and lies in a file where the host has no memory for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "byte_array.hpp"

namespace upsweep::apps {

template <class T>
class growing_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  T* data() { return array_.as<T>(); }
  const T* data() const { return array_.as<T>(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }

  /// Makes room for so many in all.
  void reserve(std::size_t items) {
    if (items * sizeof(T) <= array_.bytes() || array_.resize_in_memory(items * sizeof(T))) return;
    byte_array more(items * sizeof(T));
    if (size_ > 0) std::memcpy(more.data(), array_.data(), size_ * sizeof(T));
    array_ = std::move(more);
    made_ = size_ * sizeof(T);
  }
  /// How many it has room for.
  std::size_t room() const { return array_.bytes() / sizeof(T); }
  /// Of more items than before, the new ones are whatever they were. They are about to be written.
  void resize(std::size_t items) {
    reserve(items);
    if (constexpr std::size_t many = 65536 / sizeof(T); items > size_ + many) make_pages_for(items);
    size_ = items;
  }
  /// Makes the pages of so many items, for which there is room.
  void make_pages_for(std::size_t items) {
    made_ = std::max(made_, size_ * sizeof(T));
    if (items * sizeof(T) <= made_) return;
    made_ += make_pages(array_.data() + made_, items * sizeof(T) - made_, array_.bytes() - made_);
  }
  void push_back(T item) {
    constexpr std::size_t least = 512;
    if ((size_ + 1) * sizeof(T) > array_.bytes()) reserve(std::max(least, 2 * size_));
    data()[size_++] = item;
  }
  /// All of it; nothing is left.
  byte_array take() {
    if (array_.data() == nullptr) return byte_array(0);
    array_.shrink(std::exchange(size_, 0) * sizeof(T));
    made_ = 0;
    return std::exchange(array_, {});
  }

 private:
  byte_array array_;
  std::size_t size_ = 0;
  std::size_t made_ = 0;  ///< so many bytes, or those of the items, have pages
};

}  // namespace upsweep::apps
