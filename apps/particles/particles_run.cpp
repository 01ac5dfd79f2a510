#include "particles_run.hpp"

#include <optional>

#include "frame_files.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "renderer.hpp"
#include "text.hpp"
#include "upsweep/compact/runtime.hpp"

namespace upsweep::apps {
namespace {

/// The calls of a frame by which the host enqueues it.
constexpr std::array<std::string_view, 4> host_calls = {"wait", "launch", "signal", "draw"};
/// The device's times are read of one frame in so many: reading waits, and a host that has waited is slow to enqueue.
constexpr std::int64_t timed_frames = 8;

class particles_run {
 public:
  particles_run(const particles_config& config, const command_line& line)
      : config_(config),
        path_(camera_path(config)),
        device_(config.common.device),
        report_(config.common.report),
        files_(config, line) {
    check_runs_on(config.common.scan, device_, line);
    check_takes(config.common.scan, runtime::select_max_items(config.how.method), config.how.capacity, line);
    renderer_ = make_renderer();
    if (!renderer_ && is_for_show()) say("note     nothing is drawn: there is no display, --output or --video");
    if (config.common.verify) plain_.emplace(config.what, config.how, path_);
    say("device   {}", device_.name());
    say("draws    {}", renderer_ ? renderer_->name() : "nothing");
    system_.emplace(device_, config.what, config.how, path_, renderer_ ? renderer_->block() : nullptr);
    if (renderer_) {
      rehearse();
      note_largest_point();
    }
  }

  exit_code run() {
    try {
      return run_frames();
    } catch (const std::exception& error) {
      // Destructors wait for the device, which may wait for a draw.
      const failure why = failure_of(error);
      if (renderer_ && !renderer_->ends()) give_up(why.what(), why.code());
      throw;
    }
  }

 private:
  exit_code run_frames() {
    progress bar("frames", static_cast<std::uint64_t>(config_.frames));
    for (std::int64_t f = 0; f < config_.frames; ++f) {
      frame(f);
      if (!problem_.empty()) {
        complain("upsweep-particles: not verified: {}", problem_);
        return exit_code::not_verified;
      }
      bar.reach(static_cast<std::uint64_t>(f + 1));
      ++frames_;
      if (f == 0) free_in_front_ = device_.free_bytes();
      if (files_.is_closed()) break;
    }
    note_times(0);
    if (renderer_) renderer_->finish();
    last_ = system_->state();
    free_behind_ = device_.free_bytes();
    const std::uint64_t dropped = last_.wanted - last_.emitted;
    say("frames   {}: {} particles emitted, {} live, {} had no room", frames_, with_commas(last_.emitted),
        with_commas(static_cast<std::uint64_t>(last_.live)), with_commas(dropped));
    if (config_.common.verify) say("checked  every particle of every frame agrees with plain CPU code");
    files_.commit();
    report_.write(report());
    return exit_code::ok;
  }

  /// Whether nothing but pictures can come of the run.
  bool is_for_show() const {
    return config_.renderer != renderer_kind::none && config_.common.report.empty() && !config_.common.verify;
  }

  std::unique_ptr<renderer> make_renderer() {
    const renderer_options how = {config_.how.capacity, config_.width, config_.height, config_.how.sorts,
                                  frame_background};
    switch (config_.renderer) {
      case renderer_kind::vulkan:
        return make_vulkan_renderer(device_, how);
      case renderer_kind::opengl:
        return make_opengl_renderer(device_, how);
      case renderer_kind::automatic:
        if (!config_.wants_pictures() || device_.where() == runtime::backend::sim) break;
        try {
          return make_vulkan_renderer(device_, how);
        } catch (const failure& why) {
          say("note     {}", why.what());
        }
        break;
      case renderer_kind::none:
      case renderer_kind::software:
        break;
    }
    if (!config_.wants_pictures()) return nullptr;
    return make_software_renderer(path_);
  }

  /// All poses have the same lens.
  void note_largest_point() const {
    const float most = renderer_->largest_point(), pixels = path_.front().pixels;
    if (pixels <= most * path_.front().near) return;
    say("note     particles nearer to the camera than {:.2g} are drawn too small: this driver's points end at {:.0f} "
        "pixels",
        pixels / most, most);
  }

  /// Draws nothing a few times, as there are no particles yet. Drivers compile for the state that they meet, and get
  /// what they need for so many draws, in the first ones: milliseconds of the host, which no frame is to wait for.
  void rehearse() {
    for (int i = 0; i < rehearsed_draws; ++i) {
      renderer_->begin_frame();
      renderer_->end_frame();
      renderer_->draw(*system_, nullptr);
    }
    renderer_->finish();
  }

  /// Nothing waits here: the device may still have the last frame and its draw before it. What is written or checked
  /// is waited for.
  void frame(std::int64_t f) {
    stopwatch watch;
    std::array<double, host_calls.size()> ms = {};
    if (renderer_) renderer_->begin_frame();
    ms[0] = watch.lap();
    system_->frame();
    ms[1] = watch.lap();
    std::optional<particle_snapshot> left;
    if (plain_) {
      if (renderer_) renderer_->finish();
      left = system_->snapshot();  // before end_frame, which may take the memory from the device
    }
    watch.lap();
    if (renderer_) renderer_->end_frame();
    ms[2] = watch.lap();
    if (plain_) {
      plain_->frame();
      problem_ = plain_->first_difference(*left);
      if (!problem_.empty()) return;
    }
    std::optional<picture> p;
    if (renderer_) {
      if (files_.wants(f)) p.emplace(config_.width, config_.height, frame_background);
      watch.lap();
      renderer_->draw(*system_, p ? &*p : nullptr);
      ms[3] = p ? 0 : watch.lap();
    }
    host_.add(ms[0] + ms[1] + ms[2] + ms[3]);
    for (std::size_t i = 0; i < ms.size(); ++i) {
      if (host_calls[i] != "draw" || !p) calls_[i].add(ms[i]);  // not of a draw whose picture is waited for
    }
    if (p) files_.write(*p, f);
    if (f % timed_frames == timed_frames - 1) note_times(1);
  }

  /// Of the last frame, or of that before it.
  void note_times(std::size_t back) {
    if (config_.common.report.empty() || frames_ == 0) return;
    if (renderer_) draws_.add(renderer_->draw_ms(back));
    const auto ms = system_->stage_times(back);
    for (std::size_t i = 0; i < ms.size(); ++i) stages_[i].add(static_cast<double>(ms[i]));
  }

  ordered_json report() {
    ordered_json document = begun_report("upsweep-particles", device_);
    document["renderer"] = renderer_ ? renderer_->name() : "none";
    document["config"] = config_.document;
    document["frames"] = frames_;
    document["particles"] = {
        {"live", last_.live}, {"emitted", last_.emitted}, {"without_room", last_.wanted - last_.emitted}};
    document["verified"] = plain_ ? ordered_json(true) : ordered_json(nullptr);
    document["free_device_bytes"] = {{"behind_the_first_frame", free_in_front_}, {"behind_the_last", free_behind_}};
    ordered_json times = ordered_json::object();
    for (std::size_t i = 0; i < stages_.size(); ++i) times[std::string(frame_stage_names[i])] = stages_[i].to_json();
    times["draw"] = draws_.to_json();
    times["host_to_enqueue"] = host_.to_json();
    for (std::size_t i = 0; i < calls_.size(); ++i)
      times["host_to_" + std::string(host_calls[i])] = calls_[i].to_json();
    document["times_ms"] = times;
    return document;
  }

  const particles_config& config_;
  std::vector<camera_pose> path_;
  device_session device_;
  report_file report_;
  frame_files files_;
  std::unique_ptr<renderer> renderer_;
  std::optional<plain_particles> plain_;
  std::optional<particle_system> system_;
  std::array<samples, frame_stage_names.size()> stages_;
  samples draws_, host_;
  std::array<samples, host_calls.size()> calls_;
  frame_state last_ = {};
  std::int64_t frames_ = 0;
  std::size_t free_in_front_ = 0, free_behind_ = 0;
  std::string problem_;
};

}  // namespace

exit_code run_particles(const particles_config& config, const command_line& line) {
  check_files({{line.config_path(), "--config"}},
              {{config.common.report, line.origin("/report"), ".json"}, {config.video, line.origin("/video")}});
  return particles_run(config, line).run();
}

}  // namespace upsweep::apps
