#include "tuning.hpp"

#include <algorithm>

#include "axes.hpp"
#include "bench_config.hpp"
#include "common_config.hpp"
#include "grid.hpp"
#include "measure.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "reproducible_sums.hpp"
#include "statistics.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/runtime.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

/// How many go on to the second round, and how much slower than the fastest they may be in the first.
constexpr std::size_t finalists = 6;
constexpr double slowest_finalist = 1.5;
constexpr std::size_t shown = 10;

/// The methods whose policy in C++ has no scan.
const std::pair<std::string_view, std::string_view> policies_without_scan[] = {
    {"onesweep", "onesweep<>"},
    {"single_block", "single_block_sort<512, 8, 4>"},
    {"cluster", "cluster_sort<512, 8, 4>"}};

std::string scan_policy_text(const scan_variant& v) {
  if (v.strategy == scan_strategy::default_scan) return "upsweep::default_scan_policy";
  if (v.strategy == scan_strategy::blelloch) return "upsweep::blelloch_sweeps<>";
  const std::string strategy = fmt::format("upsweep::{}", name_of(v.strategy));
  if (!has_tiles(v.strategy)) return strategy + "<>";
  if (v.strategy == scan_strategy::decoupled_lookback_pipelined) {
    return fmt::format("{}<{}, {}>", strategy, v.block_threads, v.items_per_thread);
  }
  return fmt::format("{}<upsweep::{}<{}>, {}>", strategy, name_of(v.block), v.block_threads, v.items_per_thread);
}

std::string text_of(const candidate& c) {
  return c.method == "default"      ? variant_name(c.scan)
         : c.scan == scan_variant{} ? c.method
                                    : c.method + "/" + variant_name(c.scan);
}

/// One tuning at work.
class tuner {
 public:
  tuner(device_session& device, const problem_shape& shape, double max_seconds)
      : device_(device),
        max_seconds_(max_seconds),
        measurer_(device, {}, timer_for(device)),
        mode_(device.where() == runtime::backend::cuda ? timing_mode::cold : timing_mode::warm) {
    result_.shape = shape;
    problem_ = make_problem(device, shape);
  }

  tuning run() {
    const std::vector<candidate> all = candidates_of(result_.shape.what, result_.shape.n, device_);
    {
      progress bar("timed", all.size());
      std::uint64_t done = 0;
      for (const candidate& c : all) {
        look_at(c);
        bar.reach(++done);
      }
    }
    const auto fastest = [&] {
      std::ranges::sort(result_.ranked, {}, [](const timed_candidate& c) { return c.ms.median; });
    };
    fastest();
    if (result_.ranked.empty()) fail(exit_code::not_verified, "nothing gave a right result");
    time_finalists();
    fastest();
    return std::move(result_);
  }

 private:
  contender contender_of(const candidate& c) {
    problem_->use_method(c.method);
    return problem_->ours(c.scan);
  }
  bool is_time_up() {
    seconds_ += watch_.lap() / 1000;
    return seconds_ > max_seconds_;
  }

  /// The median of a few calls.
  void look_at(const candidate& c) {
    if (c != candidate{} && is_time_up()) {
      ++result_.left_out;
      return;
    }
    try {
      const contender call = contender_of(c);
      if (call.call() == status::not_supported) return;
      const std::string wrong = call.check(call.call);
      if (!wrong.empty()) {
        say("{}: wrong result: {}", text_of(c), wrong);
        result_.verified = false;
        return;
      }
      result_.ranked.push_back({c, measurer_.in_turn({call}, mode_, 3)[0]});
      ++result_.timed;
    } catch (const out_of_memory&) {
      ++result_.left_out;
    }
  }

  /// The fastest ones and the default in turn; then the fastest of them and the default by the ratio of their times.
  void time_finalists() {
    std::vector<timed_candidate>& ranked = result_.ranked;
    const auto is_default = [](const timed_candidate& c) { return c.which == candidate{}; };
    const double most = slowest_finalist * ranked[0].ms.median;
    std::vector<std::size_t> chosen;
    std::vector<contender> calls;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      if (!is_default(ranked[i]) && (i >= finalists || ranked[i].ms.median > most)) continue;
      try {
        calls.push_back(contender_of(ranked[i].which));
        chosen.push_back(i);
      } catch (const out_of_memory&) {  // of all workspaces at once: the later ones are the slower ones
        break;
      }
    }
    const std::vector<interval> times = measurer_.in_turn(calls, mode_, 15);
    for (std::size_t i = 0; i < chosen.size(); ++i) ranked[chosen[i]].ms = times[i];

    std::size_t best = 0, standard = chosen.size();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (times[i].median < times[best].median) best = i;
      if (is_default(ranked[chosen[i]])) standard = i;
    }
    if (standard == chosen.size() || standard == best) return;
    bench_row row;
    row.mode = mode_;
    measurer_.compare(calls[best], &calls[standard], row);
    if (row.speedup->low <= 1.01) return;
    result_.best = ranked[chosen[best]].which;
    result_.speedup = *row.speedup;
  }

  device_session& device_;
  double max_seconds_, seconds_ = 0;
  stopwatch watch_;
  measurer measurer_;
  timing_mode mode_;
  std::unique_ptr<problem> problem_;
  tuning result_;
};

std::string type_text(const problem_shape& shape) {
  return std::string(name_of(shape.type)) +
         (shape.value_type ? fmt::format(" with {}", name_of(*shape.value_type)) : std::string());
}

std::string where_text(const device_session& device, const gpu_facts& gpu) {
  if (device.where() == runtime::backend::sim) return "the sim";
  return fmt::format("{}, driver for CUDA {}", device.name(), gpu.driver);
}

}  // namespace

std::vector<candidate> candidates_of(operation what, std::int64_t n, const device_session& device) {
  std::vector<candidate> all;
  problem_shape shape;
  shape.what = what;
  for (const std::string_view method : methods_of(what)) {
    shape.method = method;
    // The default method with a variant is the method that has a scan with that variant.
    const bool all_variants = what == operation::scan || (method != "default" && takes_scan(what, method));
    // What gives other results, and what the default is.
    if (method == reproducible_method || method == name_of(compact_method::fused)) continue;
    for (const scan_variant& v : runtime::scan_variants()) {
      if (v.strategy == scan_strategy::serial) continue;  // a loop, which runs nowhere but on the sim
      if (!all_variants && v != scan_variant{}) continue;
      if (what == operation::sort && method == "cluster" && !device.has_clusters()) continue;
      if (device.runs(v) && n <= most_items(shape, v)) all.push_back({std::string(method), v});
    }
  }
  return all;
}

tuning tune(device_session& device, problem_shape shape, double max_seconds) {
  return tuner(device, shape, max_seconds).run();
}

std::string policy_text(operation what, const candidate& c) {
  for (const auto& [method, policy] : policies_without_scan) {
    if (c.method == method) return fmt::format("upsweep::{}", policy);
  }
  if (c.method != "default") return fmt::format("upsweep::{}<{}>", c.method, scan_policy_text(c.scan));
  return what == operation::scan ? scan_policy_text(c.scan)
                                 : fmt::format("upsweep::default_{}_policy", operation_names[static_cast<int>(what)]);
}

std::string tuning_text(const tuning& t) {
  const auto standard = std::ranges::find(t.ranked, candidate{}, &timed_candidate::which);
  grid table;
  for (std::size_t i = 0; i < t.ranked.size(); ++i) {
    const timed_candidate& c = t.ranked[i];
    if (i >= shown && c.which != candidate{}) continue;
    table.put("policy", grid::side::left, text_of(c.which));
    table.put("ms", grid::side::right, fmt::format("{:.4g}", c.ms.median));
    if (standard != t.ranked.end()) {
      table.put("against the default", grid::side::right, fmt::format("{:.2f}x", standard->ms.median / c.ms.median));
    }
    table.end_row();
  }
  std::string text =
      fmt::format("{} of {} {}, {} policies timed\n\n{}\n", operation_names[static_cast<int>(t.shape.what)], t.shape.n,
                  type_text(t.shape), t.timed, table.aligned());
  if (t.left_out > 0) text += fmt::format("{} were left out, as time or memory were too short\n", t.left_out);
  text += t.best == candidate{} ? std::string("the default is the best here, or as good as the best\n")
                                : fmt::format("{} is {:.2f} times as fast as the default ({:.2f} to {:.2f})\n",
                                              text_of(t.best), t.speedup.median, t.speedup.low, t.speedup.high);
  return text;
}

ordered_json tuning_json(const tuning& t, const device_session& device, const gpu_facts& gpu) {
  ordered_json found, config;
  found["operation"] = operation_names[static_cast<int>(t.shape.what)];
  found["n"] = t.shape.n;
  found["type"] = name_of(t.shape.type);
  if (t.shape.value_type) found["values"] = name_of(*t.shape.value_type);
  found["device"] = device.name();
  found["architecture"] = device.architecture();
  if (!gpu.driver.empty()) found["driver"] = gpu.driver;
  found["upsweep"] = version_string;
  found["speedup"] = t.speedup.median;
  config["tuned"] = found;
  const bool fuses = t.shape.what == operation::compact && t.best.method == "default";
  if (t.shape.what != operation::scan) config["method"] = fuses ? name_of(compact_method::fused) : t.best.method;
  config["scan"] = to_json(t.best.scan);
  return config;
}

std::string tuning_header(const tuning& t, const device_session& device, const gpu_facts& gpu) {
  const std::string name(operation_names[static_cast<int>(t.shape.what)]), sm = device.architecture();
  std::string text = fmt::format(
      "// The {} policy that upsweep-bench tune found for {} {}:\n"
      "// {:.2f} times as fast as the default on {}, upsweep {}.\n"
      "#pragma once\n\n",
      name, t.shape.n, type_text(t.shape), t.speedup.median, where_text(device, gpu), version_string);
  if (device.where() == runtime::backend::cuda) {
    text += fmt::format(
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != {}0\n"
        "#error \"tuned for {}: run upsweep-bench tune on a GPU of the architecture that this is compiled for\"\n"
        "#endif\n\n",
        sm.substr(sm.find('_') + 1), sm);
  }
  text += fmt::format(
      "#include \"upsweep/{0}/policy.hpp\"\n\n"
      "using tuned_{0}_policy = {1};\n",
      name, policy_text(t.shape.what, t.best));
  return text;
}

}  // namespace upsweep::apps
