// What a test enqueues on a stream of its own, beside others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scan/gpu_fixture.cuh"

namespace upsweep::test {

/// A stream, a workspace, and `found`: numbers in device memory, 0 at first, to which checks add what is wrong.
class lane_of_work {
 public:
  explicit lane_of_work(std::size_t numbers = 1) : found_(numbers) {
    EXPECT_TRUE(found_.ok());
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(found_.data(), 0, found_.bytes(), stream_), cudaSuccess);
  }
  lane_of_work(const lane_of_work&) = delete;
  lane_of_work& operator=(const lane_of_work&) = delete;
  ~lane_of_work() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }

  /// Once, before the workspace is used; all its bits are set.
  void allocate_workspace(std::size_t bytes) {
    work_.emplace(bytes);
    EXPECT_TRUE(work_->ok());
    fill_workspace(1, 0);
  }

  cudaStream_t stream() const { return stream_; }
  workspace work() const { return {work_->data(), work_->bytes()}; }
  unsigned long long* found() const { return found_.data(); }

  /// Enqueues other contents of the workspace by turns: 0 clears all bits, 1 sets them, 2 is noise that differs by
  /// `salt`, and later ones leave what is there.
  void fill_workspace(std::uint64_t turn, std::uint64_t salt) {
    if (turn < 2 && work_->bytes() > 0) {
      EXPECT_EQ(cudaMemsetAsync(work_->data(), turn == 0 ? 0x00 : 0xff, work_->bytes(), stream_), cudaSuccess);
    }
    if (turn == 2) {
      EXPECT_EQ(scramble(stream_, work_->data(), static_cast<std::int64_t>(work_->bytes()), salt), status::success);
    }
  }
  /// Waits, and expects that no check has found anything.
  void expect_right() {
    const std::size_t numbers = found_.bytes() / sizeof(unsigned long long);
    std::vector<unsigned long long> found(numbers, 1);
    EXPECT_EQ(cudaMemcpyAsync(found.data(), found_.data(), found_.bytes(), cudaMemcpyDeviceToHost, stream_),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(found, std::vector<unsigned long long>(numbers, 0));
  }

 private:
  device_array<unsigned long long> found_;
  std::optional<device_array<unsigned char>> work_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace upsweep::test
