// Scans along an axis of many items, past 2^32 too, and in a graph.
#include <cstdint>
#include <string>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "support/captured_graph.cuh"
#include "upsweep/scan/axis_scan.cuh"

namespace upsweep::test {
namespace {

/// Counts the items that an inclusive sum along the axis got wrong: each must be the one before it on its line, and the
/// item. The sums are right if and only if none is counted.
struct check_axis_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class T>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* in, const T* out, array_axis axis,
                                 unsigned long long* wrong) const {
    const std::int64_t n = axis.outer * axis.length * axis.inner;
    unsigned long long mine = 0;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < n;
         i += block.num_blocks() * block_threads) {
      const std::int64_t row = i / axis.inner % axis.length;
      const bool is_first = row == (axis.is_backward ? axis.length - 1 : 0);
      const T before = is_first ? T{} : out[axis.is_backward ? i + axis.inner : i - axis.inner];
      mine += out[i] != static_cast<T>(before + in[i]);
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

class axis_of_many_items : public gpu_test {
 protected:
  template <class T>
  void check(const array_axis& axis) {
    SCOPED_TRACE(std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " + std::to_string(axis.inner));
    const auto count = static_cast<std::size_t>(axis.items());
    const device_array<T> in(count), out(count);
    const device_array<unsigned char> work(inclusive_sum_axis_workspace_bytes(in.data(), out.data(), axis));
    const device_array<unsigned long long> wrong(1);
    if (!in.ok() || !out.ok() || !work.ok() || !wrong.ok()) GTEST_SKIP() << "this GPU has too little memory";
    ASSERT_EQ(scramble<T>(nullptr, in.data(), axis.items(), 1), status::success);
    ASSERT_EQ(cudaMemset(work.data(), 0xff, work.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
    const T* const from = in.data();
    ASSERT_EQ(inclusive_sum_axis({work.data(), work.bytes()}, from, out.data(), axis), cudaSuccess);
    ASSERT_EQ(cuda_executor(nullptr).launch(4096, check_axis_kernel{}, from, static_cast<const T*>(out.data()), axis,
                                            wrong.data()),
              status::success);
    unsigned long long count_wrong = 1;
    ASSERT_EQ(cudaMemcpy(&count_wrong, wrong.data(), sizeof count_wrong, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(count_wrong, 0u);
  }
};

TEST_F(axis_of_many_items, is_scanned_right_beyond_2_to_the_32) {
  const std::int64_t some = (std::int64_t{1} << 32) + 12345;
  for (const bool backward : {false, true}) {
    check<std::uint8_t>({1, some, 1, backward});
    check<std::uint8_t>({1, some / 3, 3, backward});
    check<std::uint8_t>({3, some / 3 / 1001, 1001, backward});
    check<std::uint8_t>({1, 5, some / 5, backward});
    check<std::uint8_t>({some / 77, 77, 1, backward});
    check<std::uint32_t>({1, some / 257, 257, backward});
    check<std::uint32_t>({some / 100'000, 100, 1000, backward});
  }
}

TEST_F(axis_of_many_items, is_scanned_right_for_widths_of_all_kinds) {
  for (const std::int64_t inner : {1, 2, 3, 17, 31, 32, 33, 100, 127, 128, 129, 255, 256, 257, 1000, 4096}) {
    const std::int64_t n = 10'000'000;
    check<std::uint32_t>({1, n / inner, inner});
    check<std::uint32_t>({1, n / inner, inner, true});
    check<std::uint64_t>({7, n / inner / 7, inner});
    check<std::uint16_t>({n / inner / 200, 200, inner});
  }
}

TEST_F(axis_of_many_items, is_scanned_right_in_each_replay_of_a_graph) {
  const array_axis axis{3, 20'011, 5};
  const auto count = static_cast<std::size_t>(axis.items());
  const device_array<std::uint32_t> in(count), out(count);
  const device_array<unsigned char> work(inclusive_sum_axis_workspace_bytes(in.data(), out.data(), axis));
  const device_array<unsigned long long> wrong(1);
  ASSERT_TRUE(in.ok() && out.ok() && work.ok() && wrong.ok());
  ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const std::uint32_t *from = in.data(), *to = out.data();
  {
    const captured_graph graph(stream, [&] {
      return inclusive_sum_axis({work.data(), work.bytes()}, from, out.data(), axis, stream);
    });
    for (std::uint64_t replay = 0; replay < 100; ++replay) {
      ASSERT_EQ(scramble<std::uint32_t>(stream, in.data(), axis.items(), replay), status::success);
      ASSERT_EQ(graph.launch(stream), cudaSuccess);
      ASSERT_EQ(cuda_executor(stream).launch(64, check_axis_kernel{}, from, to, axis, wrong.data()), status::success);
    }
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  unsigned long long count_wrong = 1;
  ASSERT_EQ(cudaMemcpy(&count_wrong, wrong.data(), sizeof count_wrong, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(count_wrong, 0u);
}

}  // namespace
}  // namespace upsweep::test
