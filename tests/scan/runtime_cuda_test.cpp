#include "scan/runtime_contract.hpp"

namespace upsweep::test {
namespace {

class runtime_on_the_gpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    device_ = runtime::open_device("cuda", why);
    if (!device_) GTEST_SKIP() << "no GPU: " << why;
  }
  std::unique_ptr<runtime::device> device_;
};

TEST_F(runtime_on_the_gpu, sums_every_type_by_every_variant) {
  sums_every_type_by_every_variant(*device_, device_->get_stream());
}

TEST_F(runtime_on_the_gpu, scans_every_type_by_every_operator) {
  scans_every_type_by_every_operator(*device_, device_->get_stream());
}

TEST_F(runtime_on_the_gpu, scans_by_every_operator_on_both_sides_of_each_limit_of_the_default) {
  const std::size_t kib = 1 << 10, mib = 1 << 20;
  default_scans_around({8 * kib, 64 * kib, 128 * kib, 256 * kib, 2 * mib, 8 * mib, 16 * mib, 32 * mib}, *device_,
                       device_->get_stream());
}

TEST_F(runtime_on_the_gpu, nans_spoil_only_what_is_behind_them) {
  nans_spoil_only_what_is_behind_them(*device_, device_->get_stream());
}

TEST_F(runtime_on_the_gpu, sums_along_every_axis) {
  sums_along_every_axis(*device_, device_->get_stream());
}

TEST_F(runtime_on_the_gpu, answers_every_combination_as_why_not_supported_says) {
  answers_every_combination_as_why_not_supported_says(*device_, device_->get_stream());
}

TEST_F(runtime_on_the_gpu, refuses_what_it_cannot_do) {
  refuses_what_it_cannot_do(*device_);
}

TEST_F(runtime_on_the_gpu, shows_what_the_tiles_of_a_scan_have_published) {
  shows_what_the_tiles_of_a_scan_have_published(*device_);
}

TEST_F(runtime_on_the_gpu, copies_fills_and_measures) {
  copies_fills_and_measures(*device_);
}

TEST_F(runtime_on_the_gpu, says_when_there_is_not_enough_memory_and_goes_on) {
  const runtime::buffer b(*device_, std::size_t{1} << 50);
  EXPECT_EQ(b.state(), status::memory_allocation);
  EXPECT_FALSE(device_->message().empty());
  copies_fills_and_measures(*device_);
}

TEST_F(runtime_on_the_gpu, is_what_auto_finds) {
  std::string why;
  const auto d = runtime::open_device("auto", why);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->where(), runtime::backend::cuda);
  EXPECT_EQ(d->name(), device_->name());
}

}  // namespace
}  // namespace upsweep::test
