#include <chrono>

#include "contender.hpp"

namespace upsweep::apps {
namespace {

class host_timer final : public call_timer {
 public:
  status time(const contender& c, bool, call_sample& sample) override {
    if (c.prepare) {
      if (const status s = c.prepare(); s != status::success) return s;
    }
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const status s = c.call();
    sample = {std::chrono::duration<double, std::milli>(clock::now() - begin).count() / c.calls, 0};
    return s;
  }

  status capture(const contender&, int, std::optional<contender>&) override { return status::success; }
};

}  // namespace

std::unique_ptr<call_timer> make_host_timer() {
  return std::make_unique<host_timer>();
}

}  // namespace upsweep::apps
