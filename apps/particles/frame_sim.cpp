#include <chrono>

#include "frame.cuh"

namespace upsweep::apps {
namespace {

using clock = std::chrono::steady_clock;

class sim_frame_program final : public frame_program {
 public:
  sim_frame_program(const frame_plan& plan, runtime::stream on) : plan_(plan), on_(on) {}

  status run() override {
    clock::time_point last = clock::now();
    const sim_stream stream{static_cast<const sim_options*>(on_.handle)};
    return enqueue_frame(plan_, stream, on_, [&](frame_stage stage) {
      const clock::time_point now = clock::now();
      ms_[static_cast<std::size_t>(stage)] = std::chrono::duration<float, std::milli>(now - last).count();
      last = now;
    });
  }
  status times(std::array<float, frame_stage_names.size()>& ms) override {
    ms = ms_;
    return status::success;
  }

 private:
  frame_plan plan_;
  runtime::stream on_;
  std::array<float, frame_stage_names.size()> ms_ = {};
};

}  // namespace

std::size_t frame_workspace_bytes(const frame_plan& plan, runtime::stream s) {
  return s.where == runtime::backend::cuda ? cuda_frame_workspace_bytes(plan, s) : frame_workspace(plan, s);
}

std::unique_ptr<frame_program> make_frame_program(const frame_plan& plan, runtime::stream on, status& s) {
  if (on.where == runtime::backend::cuda) return make_cuda_frame_program(plan, on, s);
  s = status::success;
  return std::make_unique<sim_frame_program>(plan, on);
}

}  // namespace upsweep::apps
