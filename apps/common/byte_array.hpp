// Memory for one column: not initialised, movable. What the host has no memory for lies in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace upsweep::apps {

/// Ends a mapping that begins so many bytes before the data; without one, it gives memory back to the heap.
struct byte_array_release {
  std::size_t mapped = 0, in_front = 0, counted = 0;
  bool is_of_others = false;  ///< then nothing is to be done
  void operator()(std::byte* data) const;
};

/// Bytes whose content is whatever it was. Aligned for every scalar type, unless it is of_file or of_others.
class byte_array {
 public:
  byte_array() = default;
  /// Of the heap. Where that gives none, or large arrays would take nearly all that the system has, of a file without a
  /// name in $TMPDIR, or /tmp, that is mapped; out_of_memory, where that has no room either.
  explicit byte_array(std::size_t bytes);
  /// Of the heap alone; without data where the other would not take it from there.
  static byte_array in_memory(std::size_t bytes);
  /// The bytes of an open file from `offset` on, to be read only; without data where they cannot be mapped.
  static byte_array of_file(int fd, std::uint64_t offset, std::size_t bytes);
  /// Memory of the caller, which outlives it, to be read only.
  static byte_array of_others(const std::byte* data, std::size_t bytes) {
    return {const_cast<std::byte*>(data), bytes, {0, 0, 0, true}};
  }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Makes it one of so many bytes, with the first ones as they were; false where only a copy can do that. Of large
  /// arrays the pages move, not what is in them.
  bool resize_in_memory(std::size_t bytes);
  /// Forgets its content, so that a large array takes no memory until it is written again. What is of_others stays.
  void forget();
  /// Forgets what comes after so many bytes. Of a large array, memory that was never touched was never used.
  void shrink(std::size_t bytes) { bytes_ = bytes; }

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_.get());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_.get());
  }

 private:
  byte_array(std::byte* data, std::size_t bytes, byte_array_release how) : data_(data, how), bytes_(bytes) {}

  std::unique_ptr<std::byte[], byte_array_release> data_;
  std::size_t bytes_ = 0;
};

/// Makes the pages of memory that is about to be written, all at once where the system can: to meet them one by one
/// takes twice as long. They are of 2 MiB as long as the system makes those quickly. Returns how many bytes from there
/// on have pages now: more than asked for, where a large page goes on, but not more than `most`.
std::size_t make_pages(std::byte* from, std::size_t bytes, std::size_t most);

}  // namespace upsweep::apps
