// Tests of the run-time calls, on the sim and, where there is one, on the GPU.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "upsweep/simt/runtime.hpp"

namespace upsweep::test {

inline constexpr const char* device_names[] = {"sim", "cuda"};
inline std::string device_name(const testing::TestParamInfo<const char*>& which) {
  return which.param;
}

/// Devices by name; the GPU's tests skip where there is none.
class on_device : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string why;
    device_ = runtime::open_device(GetParam(), why);
    if (!device_) GTEST_SKIP() << why;
  }
  template <class T>
  runtime::buffer upload(const std::vector<T>& items) {
    runtime::buffer b(*device_, items.size() * sizeof(T));
    EXPECT_TRUE(b.ok());
    EXPECT_EQ(device_->copy(b.data(), items.data(), b.bytes()), status::success);
    return b;
  }
  template <class T>
  std::vector<T> download(const runtime::buffer& b) {
    std::vector<T> items(b.bytes() / sizeof(T));
    EXPECT_EQ(device_->copy(items.data(), b.data(), b.bytes()), status::success);
    EXPECT_EQ(device_->synchronize(), status::success);
    return items;
  }

  std::unique_ptr<runtime::device> device_;
};

}  // namespace upsweep::test
