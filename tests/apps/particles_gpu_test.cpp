// Frames on a GPU, in graphics memory, beside those of the sim; and what is left behind by many of them.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "particles_support.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

/// Why there is no GPU; empty where there is one, and after any other failure.
std::string why_no_gpu() {
  int gpus = 0;
  const cudaError_t e = cudaGetDeviceCount(&gpus);
  return e == cudaErrorNoDevice || e == cudaErrorInsufficientDriver ? "there is no GPU" : "";
}

/// By the name of a renderer.
class particles_on_the_gpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
    device_.emplace("cuda");
    try {
      made(true);
    } catch (const failure& why) {
      if (!is_missing_driver(why)) throw;
      GTEST_SKIP() << why.what();
    }
  }
  std::unique_ptr<renderer> made(bool sorts) {
    if (GetParam() == "software") return make_software_renderer(two_poses(sorts));
    const auto make = GetParam() == "vulkan" ? make_vulkan_renderer : make_opengl_renderer;
    return make(*device_, small_pictures(sorts));
  }

  std::optional<device_session> device_;
};

template <class Item>
bool are_same(const std::vector<Item>& one, const std::vector<Item>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(Item)) == 0;
}

void expect_same_particles(const particle_snapshot& gpu, const particle_snapshot& sim) {
  EXPECT_EQ(gpu.state.live, sim.state.live);
  EXPECT_EQ(gpu.state.emitted, sim.state.emitted);
  EXPECT_EQ(gpu.state.wanted, sim.state.wanted);
  EXPECT_EQ(gpu.draw.count, sim.draw.count);
  EXPECT_EQ(gpu.id, sim.id);
  EXPECT_EQ(gpu.order, sim.order);
  EXPECT_TRUE(are_same(gpu.position, sim.position));
  EXPECT_TRUE(are_same(gpu.velocity, sim.velocity));
  EXPECT_EQ(gpu.color, sim.color);
}

TEST_P(particles_on_the_gpu, agree_with_those_of_the_sim_in_ids_counts_order_and_picture) {
  int most = 0;
  double sum = 0, channels = 0;
  for (const bool sorts : {true, false}) {
    const auto how = options_of(compact_method::fused, sorts);
    const auto by = made(sorts), software = make_software_renderer(two_poses(sorts));
    device_session sim("sim");
    particle_system on_gpu(*device_, changing_scene(), how, two_poses(sorts), by->block());
    particle_system on_sim(sim, changing_scene(), how, two_poses(sorts));
    for (int f = 0; f < 180; ++f) {
      SCOPED_TRACE(f);
      by->begin_frame();
      on_gpu.frame();
      on_sim.frame();
      by->finish();
      expect_same_particles(on_gpu.snapshot(), on_sim.snapshot());
      by->end_frame();
      picture one = empty_picture(small_pictures(sorts)), other = one;
      by->draw(on_gpu, &one);
      software->draw(on_sim, &other);
      for (std::size_t i = 0; i < one.bytes().size(); ++i) {
        const int difference = std::abs(int{one.bytes()[i]} - int{other.bytes()[i]});
        most = std::max(most, difference);
        sum += difference;
      }
      channels += static_cast<double>(one.bytes().size());
      ASSERT_FALSE(HasFailure());
    }
  }
  // Of 255. Each of the discs that lie over a pixel, of up to 600, is rounded by itself.
  EXPECT_LE(most, GetParam() == "software" ? 0 : 24);
  EXPECT_LE(sum / channels, 0.1);
  RecordProperty("most", most);
  RecordProperty("mean", std::to_string(sum / channels));
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}
std::int64_t resident_bytes() {
  std::int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST_P(particles_on_the_gpu, leave_nothing_behind_in_10000_frames) {
  const auto by = made(true);
  particle_system system(*device_, changing_scene(), options_of(compact_method::fused, true), two_poses(true),
                         by->block());
  const auto frames = [&](int count) {
    for (int f = 0; f < count; ++f) {
      by->begin_frame();
      system.frame();
      by->end_frame();
      picture p = empty_picture(small_pictures(true));
      by->draw(system, f % 50 == 49 ? &p : nullptr);
    }
    by->finish();
    device_->check(device_->synchronize(), "the frames");
  };
  frames(100);
  const std::size_t free = device_->free_bytes();
  const std::int64_t resident = resident_bytes();
  const std::ptrdiff_t files = open_files();
  frames(9900);
  EXPECT_GE(device_->free_bytes(), free);  // more, where another program has freed some
  EXPECT_EQ(open_files(), files);
  EXPECT_LE(resident_bytes() - resident, 4 << 20);  // 400 bytes a frame
  EXPECT_EQ(system.state().frame, 10000u);
}

TEST_P(particles_on_the_gpu, free_what_they_have_taken) {
  const auto take_and_free = [&] {
    const auto by = made(true);
    particle_system system(*device_, changing_scene(), options_of(compact_method::fused, true), two_poses(true),
                           by->block());
    by->begin_frame();
    system.frame();
    by->end_frame();
    picture p = empty_picture(small_pictures(true));
    by->draw(system, &p);
  };
  for (int i = 0; i < 3; ++i) take_and_free();
  const std::size_t free = device_->free_bytes();
  const std::ptrdiff_t files = open_files();
  for (int i = 0; i < 10; ++i) take_and_free();
  EXPECT_GE(device_->free_bytes(), free);
  EXPECT_EQ(open_files(), files);
}

INSTANTIATE_TEST_SUITE_P(by, particles_on_the_gpu, testing::Values("software", "vulkan", "opengl"),
                         [](const auto& info) { return info.param; });

#if defined(FAULTY_GRAPHICS)
class faults_on_the_gpu : public in_scratch_folder {
 protected:
  /// Draws 80 frames by it, without a fault and then with each: of the first calls, and of those after 70 draws.
  void expect_failures_of(const std::string& renderer, const std::vector<std::pair<const char*, const char*>>& faults) {
    if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
    const std::vector<std::string> draw = {UPSWEEP_PARTICLES, "--device", "cuda",   "--renderer", renderer,
                                           "--frames",        "80",       "--size", "64",         "48"};
    const outcome without = run(draw);
    if (is_missing_driver(failure(exit_code::device, without.err))) GTEST_SKIP() << without.err;
    ASSERT_EQ(without.code, 0) << without.err;
    for (const auto& [fault, said] : faults) {
      std::vector<std::string> words = {"/usr/bin/env", "LD_PRELOAD=" FAULTY_GRAPHICS,
                                        std::string("UPSWEEP_FAULT=") + fault};
      words.insert(words.end(), draw.begin(), draw.end());
      words.insert(words.end(), {"--report", "report.json"});
      expect_failure(words, 5, said);
    }
    EXPECT_EQ(files(), std::vector<std::string>());
  }
};

TEST_F(faults_on_the_gpu, of_vulkan_end_with_5_and_a_sentence) {
  expect_failures_of("vulkan", {{"vkCreateDevice 1 -3", "Vulkan: opening the device failed"},
                                {"vkAllocateMemory 1 -2", "failed: out of device memory (-2)"},
                                {"vkQueueSubmit 71 -4", "Vulkan: drawing failed: the device is lost (-4)"},
                                {"vkWaitSemaphores 2 -4", "the device is lost (-4)"},
                                {"vkQueueSubmit 3 0", "has not drawn a frame in 10 seconds"},
                                {"vkQueueSubmit 71 0", "has not drawn a frame in 10 seconds"}});
}

/// It has a number of CUDA's, too.
TEST_F(faults_on_the_gpu, a_device_of_egl_that_tells_no_uuid_is_found) {
  if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
  std::vector<std::string> draw = {UPSWEEP_PARTICLES, "--device", "cuda",   "--renderer", "opengl",
                                   "--frames",        "3",        "--size", "64",         "48"};
  const outcome without = run(draw);
  if (is_missing_driver(failure(exit_code::device, without.err))) GTEST_SKIP() << without.err;
  ASSERT_EQ(without.code, 0) << without.err;
  const std::vector<std::string> fault = {"/usr/bin/env", "LD_PRELOAD=" FAULTY_GRAPHICS,
                                          "UPSWEEP_FAULT=eglQueryDeviceBinaryEXT 1 0"};
  draw.insert(draw.begin(), fault.begin(), fault.end());
  const outcome o = run(draw);
  EXPECT_EQ(o.code, 0) << o.err;
}

TEST_F(faults_on_the_gpu, of_opengl_end_with_5_and_a_sentence) {
  expect_failures_of("opengl", {{"vkCreateDevice 1 -3", "Vulkan: opening the device failed"},
                                {"vkAllocateMemory 1 -2", "failed: out of device memory (-2)"},
                                {"glImportMemoryFdEXT 1 0", "cannot import the memory from Vulkan"},
                                {"glImportSemaphoreFdEXT 1 0", "cannot import the timeline semaphore from Vulkan"},
                                {"glNamedBufferStorageMemEXT 1 0", "cannot import a buffer from Vulkan"},
                                {"glDrawElementsIndirect 71 0", "drawing failed (error 0x500)"},
                                {"glGetGraphicsResetStatus 140 33363", "the context is lost, by a draw"},
                                {"glGetGraphicsResetStatus 140 33365", "the context is lost, by a reset"}});
}
#endif

}  // namespace
}  // namespace upsweep::test
