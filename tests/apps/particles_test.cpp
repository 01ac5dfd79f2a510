// The particle system: its frames against plain loops, its pictures, and what upsweep-particles says.
#include <cmath>
#include <cstdlib>

#include "particles_run.hpp"
#include "particles_support.hpp"
#include "splat_renderer.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using nlohmann::json;

const std::string particles = UPSWEEP_PARTICLES;

class particle_frames : public testing::TestWithParam<compact_method> {};

TEST_P(particle_frames, agree_with_plain_loops_while_the_population_grows_overflows_and_is_empty) {
  for (const bool sorts : {true, false}) {
    device_session device("sim");
    const auto how = options_of(GetParam(), sorts);
    particle_system system(device, changing_scene(), how, two_poses(sorts));
    plain_particles plain(changing_scene(), how, two_poses(sorts));
    bool was_full = false, was_empty = false, dropped = false;
    for (int f = 0; f < 180; ++f) {
      system.frame();
      plain.frame();
      const particle_snapshot s = system.snapshot();
      ASSERT_EQ(plain.first_difference(s), "");
      was_full |= s.state.live == how.capacity;
      was_empty |= f > 0 && s.state.live == 0;
      dropped |= s.state.wanted > s.state.emitted;
    }
    EXPECT_TRUE(was_full && was_empty && dropped);
  }
}

INSTANTIATE_TEST_SUITE_P(methods, particle_frames,
                         testing::Values(compact_method::fused, compact_method::vote_scan_compact,
                                         compact_method::hole_filling),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(particle_check, sees_what_differs) {
  device_session device("sim");
  const auto how = options_of(compact_method::fused, true);
  particle_system system(device, changing_scene(), how, two_poses(true));
  plain_particles plain(changing_scene(), how, two_poses(true));
  for (int f = 0; f < 20; ++f) {
    system.frame();
    plain.frame();
  }
  const particle_snapshot right = system.snapshot();
  ASSERT_EQ(plain.first_difference(right), "");
  const auto expect_seen = [&](const char* words, auto change) {
    particle_snapshot s = right;
    change(s);
    const std::string difference = plain.first_difference(s);
    EXPECT_NE(difference.find(words), std::string::npos) << difference;
  };
  expect_seen("number of particles", [](particle_snapshot& s) { ++s.state.live; });
  expect_seen("draw's count", [](particle_snapshot& s) { --s.draw.count; });
  expect_seen("id of particle 3", [](particle_snapshot& s) { ++s.id[3]; });
  expect_seen("particle 5", [](particle_snapshot& s) { s.position[5].y += 0.001f; });
  expect_seen("particle 6", [](particle_snapshot& s) { s.color[6] ^= 1; });
  expect_seen("order of depth", [](particle_snapshot& s) { std::swap(s.order[0], s.order[1]); });
}

TEST(pictures, a_disc_covers_the_pixels_whose_centers_it_has) {
  picture p(5, 4);
  p.disc(2.5f, 1.5f, 1.9f, {1, 1, 1}, 1, picture::blend::over);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(p.bytes()[static_cast<std::size_t>(i) * 3], i == 7 ? 255 : 0) << i;
  p.disc(2.5f, 1.5f, 1.9f, {1, 0, 0}, 0.5f, picture::blend::over);
  EXPECT_EQ(p.bytes()[7 * 3], 255);
  EXPECT_EQ(p.bytes()[7 * 3 + 1], 128);
  p.disc(2.5f, 1.5f, 1.9f, {0, 1, 0}, 1, picture::blend::add);
  EXPECT_EQ(p.bytes()[7 * 3 + 1], 255);
  p.disc(-50, 2, 20, {1, 1, 1}, 1, picture::blend::over);  // outside
  p.disc(4.9f, 3.9f, 1e6f, {0, 0, 0}, 1, picture::blend::over);
}

/// Takes frames by a renderer, and the last one's picture.
picture drawn_by(renderer& by, device_session& device, bool sorts) {
  particle_system system(device, changing_scene(), options_of(compact_method::fused, sorts), two_poses(sorts),
                         by.block());
  picture p = empty_picture(small_pictures(sorts));
  for (int f = 0; f < 50; ++f) {
    by.begin_frame();
    system.frame();
    by.end_frame();
    by.draw(system, f == 49 ? &p : nullptr);
  }
  return p;
}

/// Draws by both; skips where there is no driver of that kind.
void expect_drawn_as_by_software(std::unique_ptr<renderer> (*make)(device_session&, const renderer_options&)) {
  for (const bool sorts : {true, false}) {
    device_session device("sim");
    std::unique_ptr<renderer> by_gpu;
    try {
      by_gpu = make(device, small_pictures(sorts));
    } catch (const failure& why) {
      if (!is_missing_driver(why)) throw;
      GTEST_SKIP() << why.what();
    }
    const picture one = drawn_by(*by_gpu, device, sorts);
    const auto software = make_software_renderer(two_poses(sorts));
    const picture other = drawn_by(*software, device, sorts);
    double difference = 0;
    int lit = 0;
    for (std::size_t i = 0; i < one.bytes().size(); ++i) {
      difference += std::abs(int{one.bytes()[i]} - int{other.bytes()[i]});
      lit += other.bytes()[i] > 100;
    }
    EXPECT_GT(lit, 500);
    EXPECT_LT(difference / static_cast<double>(one.bytes().size()), 0.5);
    EXPECT_GE(by_gpu->draw_ms(0), 0);
    EXPECT_GE(by_gpu->largest_point(), 64);  // as Vulkan promises
  }
}

TEST(pictures, vulkan_draws_what_software_draws_and_its_layers_are_silent) {
  setenv("UPSWEEP_VULKAN_VALIDATION", "1", 1);
  expect_drawn_as_by_software(make_vulkan_renderer);
  unsetenv("UPSWEEP_VULKAN_VALIDATION");
}

TEST(pictures, opengl_draws_what_software_draws) {
  expect_drawn_as_by_software(make_opengl_renderer);
}

TEST(pictures, shaders_are_those_of_their_sources) {
  if (std::system("glslangValidator --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "glslangValidator is not installed (Debian: glslang-tools)";
  }
  const std::string made = testing::TempDir() + "upsweep_shaders.hpp", shaders = UPSWEEP_SHADERS;
  ASSERT_EQ(std::system((shaders + "/compile.sh " + made + " > /dev/null 2>&1").c_str()), 0);
  const auto code_of = [](const std::string& text) { return text.substr(text.find("particle_vert")); };
  // Another version of the compiler may make other code.
  if (slurp(made).find("0x0008000b") == std::string::npos) GTEST_SKIP() << "another version of glslang";
  EXPECT_EQ(code_of(slurp(made)), code_of(slurp(shaders + "/shaders.hpp"))) << shaders << "/compile.sh makes it";
}

class particles_program : public in_scratch_folder {
 protected:
  outcome ran(std::vector<std::string> words, int code = 0) {
    words.insert(words.begin(), {particles, "--device", "sim"});
    const outcome o = run(words);
    EXPECT_EQ(o.code, code) << o.err;
    return o;
  }
};

TEST_F(particles_program, writes_frames_an_animation_and_a_report) {
  if (!has_png()) GTEST_SKIP() << "built without libpng";
  ran({"--frames", "5", "--output-every", "2", "--output", "frames", "--video", "all.png", "--report", "r.json",
       "--size", "64", "48", "--verify"});
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(file("frames"))) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"frame_000000.png", "frame_000002.png", "frame_000004.png"}));
  const std::string still = slurp(file("frames/frame_000004.png")), moving = slurp(file("all.png"));
  EXPECT_EQ(still.substr(0, 24), std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x30", 24));
  EXPECT_EQ(moving.substr(0, 24), still.substr(0, 24));
  EXPECT_NE(moving.find(std::string("acTL\0\0\0\3", 8)), std::string::npos);
  // Two chunks a frame after the first, numbered.
  for (const char* chunk : {"fcTL\0\0\0\0", "fcTL\0\0\0\1", "fdAT\0\0\0\2", "fcTL\0\0\0\3", "fdAT\0\0\0\4"}) {
    EXPECT_NE(moving.find(std::string(chunk, 8)), std::string::npos);
  }
  const json report = json::parse(slurp(file("r.json")));
  EXPECT_EQ(report["times_ms"]["host_to_draw"].is_null(), false);  // of the frames without a picture
  EXPECT_EQ(report["particles"]["emitted"], 3000);
  EXPECT_EQ(report["verified"], true);
  for (const char* stage : {"emit_and_move", "compact", "sort", "draw", "host_to_enqueue"}) {
    EXPECT_LE(report["times_ms"][stage]["median"], report["times_ms"][stage]["p99"]) << stage;
  }
}

TEST_F(particles_program, draws_by_software_where_the_sim_or_nobody_else_draws) {
  if (!has_png()) GTEST_SKIP() << "built without libpng";
  const auto renderer_of = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--frames", "2", "--size", "32", "24", "--report", "r.json"});
    ran(words);
    return json::parse(slurp(file("r.json")))["renderer"].get<std::string>();
  };
  EXPECT_EQ(renderer_of({"--renderer", "auto", "--output", "a"}), "software");
  EXPECT_EQ(renderer_of({"--renderer", "none", "--video", "b.png"}), "software");
  EXPECT_EQ(renderer_of({"--renderer", "none"}), "none");
}

TEST_F(particles_program, has_ffmpeg_write_a_film) {
  if (run({"/bin/sh", "-c", "command -v ffmpeg && command -v ffprobe"}).code != 0) GTEST_SKIP() << "no ffmpeg";
  ran({"--frames", "7", "--video", "film.mp4", "--size", "65", "48"});
  const outcome film = run({"/bin/sh", "-c",
                            "ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames "
                            "-of csv=p=0 film.mp4"});
  EXPECT_EQ(film.out, "64,48,7\n") << film.err;
  EXPECT_EQ(run({"/bin/sh", "-c", "ls -A"}).out, "film.mp4\n");  // nothing is left beside it
  expect_failure({particles, "--device", "sim", "--frames", "7", "--video", "none/film.mp4"}, 4,
                 "none/film.mp4: ffmpeg");
  ran({"--frames", "2", "--video", "a:b.mp4", "--size", "64", "48"});
  EXPECT_EQ(files(), (std::vector<std::string>{"a:b.mp4", "film.mp4"}));
  expect_failure({particles, "--device", "sim", "--video", "film.mp4", "--size", "64", "1"}, 2, "film.mp4 of 64 x 1");
  expect_failure({particles, "--device", "sim", "--video", "film.xyz"}, 2, "--video: got film.xyz of 960 x 540");
}

TEST_F(particles_program, leaves_nothing_of_a_film_when_it_is_ended) {
  // Like ffmpeg, it opens its output late; this one not before its input has ended.
  spill(file("ffmpeg"),
        "#!/bin/sh\n[ -e tried ] && : > started\n: > tried\ncat > /dev/null\nfor last; do :; done\n: > "
        "\"${last#file:}\"\n");
  std::filesystem::permissions(file("ffmpeg"), std::filesystem::perms::owner_all);
  const outcome o =
      run({"/bin/sh", "-c",
           "PATH=$PWD:$PATH \"$0\" --device sim --frames 1000000 --video film.mp4 --size 64 48 & p=$!; "
           "while [ ! -e started ]; do sleep 0.05; done; kill -TERM $p; wait $p; c=$?; sleep 0.5; exit $c",
           particles});
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"ffmpeg", "started", "tried"}));
}

TEST_F(particles_program, shows_a_window_where_there_is_a_display) {
  const std::vector<std::string> shown = {particles, "--device", "sim",      "--frames", "4",     "--size",
                                          "64",      "48",       "--window", "--report", "r.json"};
  std::vector<std::string> words = {"/usr/bin/env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY"};
  words.insert(words.end(), shown.begin(), shown.end());
  const outcome without = run(words);
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_NE(without.err.find("note     no window: "), std::string::npos) << without.err;
  // By itself, where there is a display, if by name alone, and nothing to write.
  const auto notes = [&](const char* display, std::vector<std::string> more) {
    std::vector<std::string> command = {"/usr/bin/env", "-u", "WAYLAND_DISPLAY", display, particles, "--device", "sim"};
    more.insert(more.end(), {"--frames", "1"});
    command.insert(command.end(), more.begin(), more.end());
    return run(command).err.find("note     no window: ") != std::string::npos;
  };
  EXPECT_TRUE(notes("DISPLAY=:4711", {}));
  EXPECT_FALSE(notes("DISPLAY=", {}));
  EXPECT_FALSE(notes("DISPLAY=:4711", {"--report", "r.json"}));
  EXPECT_FALSE(notes("DISPLAY=:4711", {"--renderer", "none"}));
  if (without.err.find("built without GLFW") != std::string::npos) GTEST_SKIP() << "built without GLFW";
  if (run({"/bin/sh", "-c", "command -v xvfb-run && command -v xauth"}).code != 0) GTEST_SKIP() << "no xvfb-run";
  for (const std::string renderer : {"software", "opengl"}) {
    words = {"/usr/bin/env", "-u", "WAYLAND_DISPLAY", "xvfb-run", "-a"};
    words.insert(words.end(), shown.begin(), shown.end());
    words.insert(words.end(), {"--renderer", renderer});
    const outcome seen = run(words);
    EXPECT_EQ(seen.code, 0) << seen.out << seen.err;
    EXPECT_EQ((seen.out + seen.err).find("no window"), std::string::npos) << seen.out << seen.err;
    EXPECT_EQ(json::parse(slurp(file("r.json")))["frames"], 4);
  }
#if defined(FAULTY_GRAPHICS)
  const std::vector<std::string> fault = {"/usr/bin/env", "LD_PRELOAD=" FAULTY_GRAPHICS,
                                          "UPSWEEP_FAULT=glGetString 1 0"};
  words.insert(words.begin() + 5, fault.begin(), fault.end());
  const outcome nameless = run(words);
  EXPECT_EQ(nameless.code, 0) << nameless.out << nameless.err;
  EXPECT_NE((nameless.out + nameless.err).find("window   unknown"), std::string::npos) << nameless.out << nameless.err;
#endif
}

#if defined(FAULTY_GRAPHICS)
struct graphics_fault {
  std::string fault;
  const char* said;
  const char* result = "output";  ///< what the program is to write
};

class faulty_graphics : public in_scratch_folder {
 protected:
  /// Draws five frames by it, without a fault and then with each.
  void expect_failures_of(const std::string& renderer, const std::vector<graphics_fault>& faults) {
    if (!has_png()) GTEST_SKIP() << "built without libpng";
    const std::vector<std::string> draw = {particles,  "--device", "sim",    "--renderer", renderer,
                                           "--frames", "5",        "--size", "64",         "48"};
    const outcome without = run(draw);
    if (without.code != 0) GTEST_SKIP() << without.err;
    for (const graphics_fault& f : faults) {
      std::vector<std::string> words = {"/usr/bin/env", "LD_PRELOAD=" FAULTY_GRAPHICS, "UPSWEEP_FAULT=" + f.fault};
      words.insert(words.end(), draw.begin(), draw.end());
      words.insert(words.end(), {std::string("--") + f.result, f.result});
      expect_failure(words, 5, f.said);
    }
    EXPECT_EQ(files(), std::vector<std::string>{"output"});  // no part of a report
  }
};

/// A call of the second frame or a later one, where `a_draw` calls of it belong to each draw.
std::string in_frames(const std::string& function, int a_draw, const std::string& result) {
  return fmt::format("{} {} {}", function, a_draw * (rehearsed_draws + 1) + 2, result);
}

TEST_F(faulty_graphics, of_vulkan_end_with_5_and_a_sentence) {
  const std::string hang = in_frames("vkQueueSubmit", 1, "0");
  expect_failures_of(
      "vulkan",
      {{"vkCreateDevice 1 -3", "Vulkan: opening the device failed: the driver cannot be initialised (-3)"},
       {"vkAllocateMemory 1 -2", "failed: out of device memory (-2)"},
       {in_frames("vkQueueSubmit", 1, "-4"), "Vulkan: drawing failed: the device is lost (-4)"},
       {in_frames("vkWaitSemaphores", 1, "-4"), "Vulkan: waiting for the draw failed: the device is lost (-4)"},
       {"vkQueueSubmit 3 0", "has not drawn a frame in 10 seconds"},
       {hang, "has not drawn a frame in 10 seconds"},
       {hang, "has not drawn a frame in 10 seconds", "report"}});
}

/// In a process that has the fault: its second draw does not end.
TEST(hung_draw, DISABLED_is_no_matter_to_another_failure) {
  device_session device("sim");
  try {
    const auto by = make_vulkan_renderer(device, {600, 160, 120, true, {}});
    particle_system system(device, changing_scene(), options_of(compact_method::fused, true), two_poses(true),
                           by->block());
    by->draw(system, nullptr);
    EXPECT_TRUE(by->ends());
    by->draw(system, nullptr);
    EXPECT_FALSE(by->ends());
    throw failure(exit_code::cannot_write, "another failure");
  } catch (const failure& why) {
    EXPECT_STREQ(why.what(), "another failure");
  }
}

TEST_F(faulty_graphics, that_hang_do_not_hide_another_failure) {
  if (run({particles, "--device", "sim", "--renderer", "vulkan", "--frames", "1"}).code != 0)
    GTEST_SKIP() << "no Vulkan";
  const outcome o = run({"/usr/bin/env", "LD_PRELOAD=" FAULTY_GRAPHICS, "UPSWEEP_FAULT=vkQueueSubmit 2 0",
                         std::filesystem::read_symlink("/proc/self/exe"), "--gtest_filter=hung_draw.*",
                         "--gtest_also_run_disabled_tests"});
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  EXPECT_NE(o.out.find("1 test from 1 test suite ran"), std::string::npos) << o.out;
}

TEST_F(faulty_graphics, of_opengl_end_with_5_and_a_sentence) {
  const char* const status = "glGetGraphicsResetStatus";
  expect_failures_of("opengl",
                     {{in_frames(status, 2, "33363"), "the context is lost, by a draw of this program"},
                      {in_frames(status, 2, "33365"), "the context is lost, by a reset", "report"},
                      {in_frames("glDrawElementsIndirect", 1, "0"), "drawing failed (error 0x500)", "report"}});
}
#endif

TEST_F(particles_program, every_config_runs) {
  for (const std::string& path : configs_in({"particles"})) {
    SCOPED_TRACE(path);
    ran({"--config", path, "--frames", "3", "--verify", "--order", "any", "--sort", "none"});
    ran({"--config", path, "--frames", "3", "--verify", "--method", "vote_scan_compact", "--order", "stable", "--scan",
         "reduce_then_scan"});
  }
}

/// One splat in the middle of an empty picture, seen from in front.
TEST(splats, one_has_its_place_size_color_and_opacity) {
  splat_cloud cloud;
  cloud.place = {{0, 0, 0, 0.8f}, {0, 0, 40, 1}};  // the second one is behind the eye
  cloud.rotation = {{1, 0, 0, 0}, {1, 0, 0, 0}};
  cloud.scale = {{0.5f, 0.25f, 0.1f, 0}, {1, 1, 1, 0}};
  cloud.harmonics = {1.7724539f, 9, -1.7724539f, 9, 0, 9};  // red 1, green 0, blue a half
  const splat_view view{{0, 0, 10}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1}, 100, 0.1f, 64, 48};
  const plain_splats drawn = draw_plainly(cloud, view, 1000, {0, 0, 0});
  const auto at = [&](int x, int y, std::size_t c) {
    return int{drawn.drawn.bytes()[static_cast<std::size_t>(y * 64 + x) * 3 + c]};
  };
  // A distance of 10 and a focal length of 100: standard deviations of 5 and 2.5 pixels, a little more.
  const double xx = 25.3, yy = 6.55;
  for (const auto& [x, y] : {std::pair(32, 24), {37, 24}, {32, 27}, {28, 22}}) {
    const double dx = x + 0.5 - 32, dy = y + 0.5 - 24;
    const double alpha = 0.8 * std::exp(-0.5 * (dx * dx / xx + dy * dy / yy));
    EXPECT_NEAR(at(x, y, 0), 255 * alpha, 1.5) << x << ' ' << y;
    EXPECT_EQ(at(x, y, 1), 0);
    EXPECT_NEAR(at(x, y, 2), 127.5 * alpha, 1.5) << x << ' ' << y;
  }
  EXPECT_EQ(at(0, 0, 0), 0);
  for (const std::uint32_t s : drawn.sorted) EXPECT_EQ(s, 0u);
}

TEST_F(particles_program, draws_splats_as_plain_code_does) {
  ASSERT_EQ(run({particles, "generate-splats", "--output", "knot.ply", "--count", "3000"}).code, 0);
  spill(file("inside.json"), R"({"camera": {"eye": [3, 0, 0], "target": [0, 0, 0]}})");
  for (const std::string capacity : {"100000", "2000"}) {  // the second has room for some of the pairs alone
    ran({"--config", "inside.json", "--splats", "knot.ply", "--size", "150", "100", "--orbit", "40", "--frames", "2",
         "--verify", "--capacity", capacity, "--report", "r.json"});
    const json report = json::parse(slurp(file("r.json")));
    EXPECT_GT(report["splats"]["seen"], 1000);
    EXPECT_LT(report["splats"]["seen"], 3000);
    EXPECT_EQ(report["splats"]["pairs"] == report["splats"]["pairs_wanted"], capacity == "100000");
  }
  spill(file("three.ply"),
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
        "z\nend_header\n1 2 3\n");
  expect_failure({particles, "--splats", "three.ply"}, 3, "three.ply: no property \"opacity\"");
  expect_failure({particles, "--splats", "none.ply"}, 3, "none.ply");
  ASSERT_EQ(run({particles, "generate-splats", "--output", "empty.ply", "--count", "0"}).code, 0);
  expect_failure({particles, "--splats", "empty.ply"}, 3, "empty.ply: it has no splats");
  for (const auto& [flag, value] : {std::pair("--renderer", "none"), {"--seed", "3"}, {"--strategy", "blelloch"}}) {
    expect_failure({particles, "--splats", "knot.ply", flag, value}, 2, std::string(flag) + ": ");
  }
}

TEST_F(particles_program, mistakes_name_the_flag_or_the_place) {
  expect_failure({particles, "--method", "hole_filling"}, 2, "--method: hole_filling does not keep the order");
  expect_failure({particles, "--method", "fused", "--scan", "blelloch"}, 2, "fused has no scan");
  expect_failure({particles, "--renderer", "metal"}, 2, "--renderer: got \"metal\"");
  expect_failure({particles, "--capacity", "0"}, 2, "--capacity: got 0");
  spill(file("c.json"), R"({"emitters": [{"rate": 5}, {"rate": 5, "life": [2, 1]}]})");
  expect_failure({particles, "--config", "c.json"}, 2, "c.json: /emitters/1/life: got [2,1]");
  spill(file("c.json"), R"({"box": {"min": [0, 0, 0], "max": [1, 0, 1]}})");
  expect_failure({particles, "--config", "c.json"}, 2, "c.json: /box/min/1: got 0");
  spill(file("c.json"), R"({"camera": {"eye": [1, 1, 1], "target": [1, 1, 1]}})");
  expect_failure({particles, "--frames", "0", "--video", "zero.png"}, 2, "--frames: got 0");
  expect_failure({particles, "--config", "c.json"}, 2,
                 "c.json: /camera/target: got 1 1 1; expected a target away from the eye");
  expect_failure({"/usr/bin/env", "PATH=/nowhere", particles, "--video", "c.json"}, 2, "c.json");
  if (!has_png()) return;
  spill(file("taken"), "");
  expect_failure({particles, "--output", "taken"}, 4, "taken");
}

}  // namespace
}  // namespace upsweep::test
