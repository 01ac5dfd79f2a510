#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <set>

#include "axes.hpp"
#include "checks.hpp"
#include "upsweep/scan/runtime.hpp"
#include "validation.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

constexpr int calls_in_a_row = 8;
constexpr int gpu_streams = 4;

struct stress_input {
  scan_variant variant;
  scalar_type type;
  std::int64_t n;
};

/// One stream's part: the same scan several times in a row, by the same workspace, into an output each.
class stressed_stream {
 public:
  stressed_stream(device_session& device, const stress_input& s, const byte_array& items)
      : device_(device),
        s_(s),
        in_(device, "the items", items.bytes()),
        work_(device, "the workspace", runtime::scan_workspace_bytes(s.n, s.type, s.variant)) {
    in_.write(items.data());
    for (int i = 0; i < calls_in_a_row; ++i) outputs_.emplace_back(device, "the sums", items.bytes());
  }

  void prepare(std::uint64_t noise) {
    work_.write(content::noise, noise);
    for (guarded_buffer& out : outputs_) out.write_canaries();
  }

  /// As the last call of the round left it, once it was checked.
  const guarded_buffer& work() const { return work_; }

  /// Does not wait.
  void call(std::size_t i) {
    const status s = runtime::inclusive_sum(work_.as_workspace(), in_.data(), outputs_[i].data(), s_.n, s_.type,
                                            s_.variant, device_.stream());
    device_.check(s, "the call");
  }

  /// Waits. "" or what is wrong.
  std::string check(const byte_array& items) {
    work_.read();
    if (std::string wrong = work_.damage(); !wrong.empty()) return wrong;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      outputs_[i].read();
      std::string wrong = check_sum(s_.type, false, items.data(), outputs_[i].host(), s_.n);
      if (wrong.empty()) wrong = outputs_[i].damage();
      if (!wrong.empty()) return fmt::format("call {}: {}", i, wrong);
    }
    return {};
  }

 private:
  device_session& device_;
  stress_input s_;
  guarded_buffer in_;
  guarded_buffer work_;
  std::vector<guarded_buffer> outputs_;
};

std::string validate_stress(validate_context& context, const stress_input& s) {
  const validate_settings& settings = context.settings;
  byte_array items(static_cast<std::size_t>(s.n) * size_of(s.type));
  make_scan_items("random", s.type, settings.seed, items.data(), s.n);
  std::deque<device_session> sessions;
  const int streams = context.device.where() == runtime::backend::cuda ? gpu_streams : 1;
  for (int i = 0; i < streams; ++i) sessions.emplace_back(settings.device);
  std::vector<stressed_stream> stressed;
  for (device_session& session : sessions) stressed.emplace_back(session, s, items);

  for (int round = 0; round < settings.rounds && (round == 0 || context.goes_on()); ++round) {
    for (stressed_stream& stream : stressed) stream.prepare(settings.seed + static_cast<std::uint64_t>(round));
    for (std::size_t i = 0; i < calls_in_a_row; ++i) {
      for (stressed_stream& stream : stressed) stream.call(i);
    }
    for (std::size_t i = 0; i < stressed.size(); ++i) {
      const std::string wrong = stressed[i].check(items);
      if (wrong.empty()) continue;
      context.keep_tiles(s.variant, s.type, s.n, stressed[i].work(), wrong);
      return fmt::format("round {}, stream {}: {}", round, i, wrong);
    }
  }
  return {};
}

}  // namespace

void add_stress_cases(std::vector<validate_case>& cases, const validate_context& context) {
  for (const scan_variant& v : variants_on(context.device)) {
    if (v != scan_variant{} && v.strategy != scan_strategy::decoupled_lookback) continue;
    const std::int64_t tile = std::int64_t{v.block_threads} * v.items_per_thread;
    for (const scalar_type type : runtime::scan_types()) {
      // Past one window of tiles, and many of them; or as many as there may be.
      std::set<std::int64_t> sizes;
      for (const std::int64_t n : {33 * tile + 1, std::int64_t{1000003}}) sizes.insert(std::min(n, context.settings.n));
      if (*sizes.begin() < 2 * tile) continue;
      for (const std::int64_t n : sizes) {
        const stress_input s{v, type, n};
        cases.push_back({fmt::format("stress/{}/{}/n={}", variant_name(v), name_of(type), n), n,
                         [s](validate_context& c) { return validate_stress(c, s); },
                         calls_in_a_row * context.settings.rounds});
      }
    }
  }
}

}  // namespace upsweep::apps
