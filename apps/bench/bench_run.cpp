#include "bench_run.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <new>

#include "axes.hpp"
#include "gpu_facts.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "references.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/runtime.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

std::string shape_text(const problem_shape& shape) {
  return fmt::format("{} {}{}{}, n = {}, {}", operation_names[static_cast<int>(shape.what)], name_of(shape.type),
                     shape.value_type ? " with " : "", shape.value_type ? name_of(*shape.value_type) : "", shape.n,
                     shape.distribution);
}

survey_cost cost_per_item(const scan_variant& v, scalar_type type, std::int64_t n) {
  const scan_cost cost = runtime::cost_of(v, type, n);
  const auto items = static_cast<double>(n);
  return {cost.passes, cost.work / items, cost.bytes / items};
}

}  // namespace

bench_run::bench_run(const bench_config& config, operation what, device_session& device)
    : config_(config), device_(device), measurer_(device, config.measuring, timer_for(device)) {
  shape_.what = what;
  const bool gpu = device.where() == runtime::backend::cuda;
  const gpu_facts facts = gpu ? facts_of_gpu() : gpu_facts{};
  record_.time = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  record_.device = {device.name(),  gpu ? "cuda" : "sim", facts.compute_capability, facts.multiprocessors,
                    facts.l2_bytes, facts.memory_bytes,   facts.max_clock_mhz};
  record_.versions = {{"upsweep", version_string}, {"compiler", __VERSION__}};
  if (gpu) {
    record_.versions.update({{"cub", cub_version()},
                             {"thrust", thrust_version()},
                             {"cuda_runtime", facts.runtime},
                             {"cuda_driver", facts.driver}});
    measure_copy();
  }
  record_.settings = to_json(config);
  record_.settings["flushed_bytes"] = measurer_.flushed_bytes();
}

void bench_run::measure_copy() {
  const std::size_t bytes = std::min(std::size_t{1} << 30, device_.free_bytes() / 4);
  const auto from = device_.allocate(bytes, "a copy"), to = device_.allocate(bytes, "a copy");
  const contender copy{.name = "copy", .call = [&] { return device_.copy_async(to.data(), from.data(), bytes); }};
  bench_row row;
  measurer_.compare(copy, nullptr, row);
  record_.copy_bytes = bytes;
  record_.copy_gb_per_s = 2.0 * static_cast<double>(bytes) / row.subject.ms.median / 1e6;
}

void bench_run::against_references(const bench_axes& axes) {
  over_shapes(axes, [&](problem& p) {
    for (const scan_variant& v : axes.variants) {
      if (!takes(v)) continue;
      const contender call = p.ours(v);
      measurer_.warm_up(call);
      for (const timing_mode mode : modes()) {
        if (mode == timing_mode::graph && !call.capturable) continue;
        const side ours = checked(measurer_.in_mode(call, mode));
        for (const std::string& kind : axes.references) {
          if (kind.empty()) {
            measure(ours, nullptr, kind, mode, std::nullopt);
          } else if (const side* theirs = reference(p, kind, mode)) {
            measure(ours, theirs, kind, mode, std::nullopt);
          }
        }
      }
    }
  });
}

void bench_run::survey(const bench_axes& axes) {
  const bool gpu = device_.where() == runtime::backend::cuda;
  const timing_mode mode = modes().front();
  over_shapes(axes, [&](problem& p) {
    for (const scan_variant& v : axes.variants) {
      if (!takes(v)) continue;
      const side* theirs = gpu ? reference(p, "cub", mode) : nullptr;
      measure(checked(p.ours(v)), theirs, theirs ? "cub" : "", mode, cost_per_item(v, shape_.type, shape_.n));
    }
    const bool has_serial = std::ranges::count(axes.variants, scan_strategy::serial, &scan_variant::strategy) > 0;
    for (const char* kind : {"serial", "copy"}) {
      if (has_serial && kind == std::string_view("serial")) continue;
      if (const side* alone = reference(p, kind, mode)) measure(*alone, nullptr, "", mode, std::nullopt);
    }
  });
}

bool bench_run::takes(const scan_variant& v) {
  if (!has_variants(shape_.what)) return true;
  const std::int64_t most = most_items(shape_, v);
  if (shape_.n <= most) return true;
  bar_->done();
  say("{}: left out: {} takes {} items", shape_text(shape_), variant_name(v), most);
  return false;
}

void bench_run::over_shapes(const bench_axes& axes, const std::function<void(problem&)>& work) {
  std::vector<problem_shape> shapes;
  shape_.seed = static_cast<std::uint64_t>(config_.seed);
  record_.settings["axes"] = to_json(axes);
  for (const scalar_type type : axes.types) {
    for (const auto& values : axes.values) {
      for (const std::string& distribution : axes.distributions) {
        for (const double kept : axes.shares) {
          for (const std::int64_t n : axes.sizes) {
            for (const std::string& method : axes.methods) {
              shapes.push_back({shape_.what, n, type, values, method, distribution, kept, shape_.seed});
            }
          }
        }
      }
    }
  }
  const std::uint64_t steps_each = axes.variants.size() * std::max<std::size_t>(axes.references.size(), 1);
  bar_.emplace("measured", shapes.size() * steps_each);
  std::uint64_t before = 0;
  for (const problem_shape& shape : shapes) {
    shape_ = shape;
    try {
      const auto p = make_problem(device_, shape_);
      bytes_ = p->bytes();
      work(*p);
      references_.clear();
    } catch (const out_of_memory& error) {
      if (shapes.size() == 1) throw;
      cannot(exit_code::device, error.what());
    } catch (const std::bad_alloc&) {
      if (shapes.size() == 1) throw;
      cannot(exit_code::device, "out of host memory");
    } catch (const failure& error) {
      // What has been measured is kept.
      if (record_.rows.empty()) throw;
      cannot(error.code(), error.what());
      break;
    }
    references_.clear();  // where the work has failed
    before += steps_each;
    bar_->reach(steps_ = before);
  }
  bar_.reset();
  if (record_.rows.empty()) fail(outcome_, "nothing could be measured");
}

void bench_run::cannot(exit_code code, const char* why) {
  bar_->done();
  say("{}: {}", shape_text(shape_), why);
  outcome_ = code;
}

std::vector<timing_mode> bench_run::modes() const {
  std::vector<timing_mode> modes = {timing_mode::warm};
  if (config_.measuring.flush_l2 && device_.where() == runtime::backend::cuda) modes = {timing_mode::cold};
  if (times_graph(config_, shape_.n, device_.where())) modes.push_back(timing_mode::graph);
  return modes;
}

bench_run::side bench_run::checked(contender c) {
  const std::string wrong = c.check(c.call);
  if (!wrong.empty()) {
    say("{}: {}: wrong result: {}", shape_text(shape_), c.name, wrong);
    outcome_ = exit_code::not_verified;
  }
  return {std::move(c), wrong.empty()};
}

const bench_run::side* bench_run::reference(problem& p, const std::string& kind, timing_mode mode) {
  const auto [found, is_new] = references_.try_emplace({kind, mode});
  std::optional<side>& best = found->second;
  if (is_new) {
    std::vector<contender> ways = p.reference(kind);
    if (mode == timing_mode::graph) std::erase_if(ways, [](const contender& c) { return c.on_host || !c.capturable; });
    for (contender& c : ways) {
      measurer_.warm_up(c);
      c = measurer_.in_mode(c, mode);
    }
    if (!ways.empty()) best = checked(measurer_.fastest(ways, mode));
  }
  return best ? &*best : nullptr;
}

void bench_run::measure(const side& subject, const side* reference, const std::string& kind, timing_mode mode,
                        std::optional<survey_cost> cost) {
  bench_row row;
  row.what = shape_.what;
  row.n = shape_.n;
  row.type = shape_.type;
  row.value_type = shape_.value_type;
  row.distribution = shape_.distribution;
  if (is_selection(shape_.what)) row.kept = shape_.kept;
  row.mode = mode;
  row.bytes = bytes_;
  row.cost = cost;
  row.reference = kind;
  row.verified = subject.right && (!reference || reference->right);
  measurer_.compare(subject.who, reference ? &reference->who : nullptr, row);
  record_.rows.push_back(std::move(row));
  if (mode != timing_mode::graph) bar_->reach(++steps_);
}

}  // namespace upsweep::apps
