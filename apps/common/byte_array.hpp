// Host memory for one column: not initialised, movable.
#pragma once

#include <cstddef>
#include <memory>

namespace upsweep::apps {

/// Bytes of host memory whose content is whatever it was. Aligned for every scalar type.
class byte_array {
 public:
  byte_array() = default;
  explicit byte_array(std::size_t bytes) : data_(std::make_unique_for_overwrite<std::byte[]>(bytes)), bytes_(bytes) {}

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Forgets what is behind so many bytes. Of a large array, memory that was never touched was never used.
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
  std::unique_ptr<std::byte[]> data_;
  std::size_t bytes_ = 0;
};

}  // namespace upsweep::apps
