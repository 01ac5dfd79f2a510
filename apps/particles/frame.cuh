// One frame of the particle system, always by the same launches, so that a CUDA graph can hold it: emit, move, take out
// the dead, sort by depth. Only the device knows how many particles there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "frame.hpp"
#include "frame_kernels.cuh"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/variant_spine.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::apps {

inline std::array<soa_array, 4> in_place(const particle_arrays& p) {
  return {soa_array{p.position, p.position, sizeof(vec4f)}, soa_array{p.velocity, p.velocity, sizeof(vec4f)},
          soa_array{p.id, p.id, sizeof(std::uint32_t)}, soa_array{p.color, p.color, sizeof(std::uint32_t)}};
}

/// Calls f with the method of compaction, and whether it reads n in device memory and writes the draw's arguments.
template <class F>
auto with_method(const frame_plan& plan, runtime::stream s, F f) {
  const detail::variant_spine spine{s, plan.method.scan};
  switch (plan.method.method) {
    case compact_method::vote_scan_compact:
      return f(vote_scan_compact(spine), std::false_type{});
    case compact_method::hole_filling:
      return f(hole_filling(spine), std::true_type{});
    case compact_method::fused:
      break;
  }
  return f(default_compact_policy{}, std::true_type{});
}

/// Bytes of workspace of a frame.
inline std::size_t frame_workspace(const frame_plan& plan, runtime::stream s) {
  const auto arrays = in_place(plan.particles);
  const std::size_t compacted =
      with_method(plan, s, [&](const auto& method, auto) { return method.workspace_bytes(arrays, plan.capacity); });
  if (!plan.sorts) return compacted;
  const device_count<std::int64_t> live{nullptr, plan.capacity};
  const std::size_t sorted = argsort_workspace_bytes(static_cast<const float*>(nullptr), plan.particles.order, live);
  return compacted > sorted ? compacted : sorted;
}

/// Enqueues a frame. `mark(stage)` is called after each stage.
template <class Stream, class Mark>
status enqueue_frame(const frame_plan& plan, Stream stream, runtime::stream opaque, Mark mark) {
  auto executor = executor_of(stream);
  const particle_arrays& p = plan.particles;
  const std::int64_t most = executor.multiprocessors() * 16, all = ceil_div(plan.capacity, 256);
  const std::int64_t blocks = all < most ? all : most;
  const frame_state* const state = plan.state;

  // How many are emitted: as far as there is room after state->live.
  status s =
      executor.launch(1, begin_frame_kernel{}, plan.what, plan.capacity, plan.path, plan.poses, plan.state, p.view);
  if (s != status::success) return s;
  // Moves those before state->live, and writes the new ones after them, up to state->born.
  s = executor.launch(blocks, advance_kernel{}, plan.what, state, p);
  if (s != status::success) return s;
  mark(frame_stage::advance);

  const auto arrays = in_place(p);
  const auto vote = detail::vote_of(by_index{is_alive{p.position, state}});
  select_results results(&plan.state->live);  // where the next frame reads the count
  s = with_method(plan, opaque, [&](const auto& method, auto by_device_count) {
    if constexpr (by_device_count) {
      results.indirect.draw = &p.draw->count;  // the last tile writes it
      const device_count<std::int64_t> born{&plan.state->born, plan.capacity};
      return method.run(executor, plan.work, arrays, born, vote, results);
    } else {
      const status moved = method.run(executor, plan.work, arrays, plan.capacity, vote, results);
      return moved != status::success ? moved : executor.launch(1, draw_count_kernel{}, state, p.draw);
    }
  });
  if (s != status::success) return s;
  mark(frame_stage::compact);

  if (plan.sorts) {
    s = executor.launch(blocks, depth_kernel{}, state, p, plan.depth);
    if (s != status::success) return s;
    s = static_cast<status>(argsort(plan.work, static_cast<const float*>(plan.depth), p.order,
                                    device_count<std::int64_t>{&state->live, plan.capacity}, sort_order::descending,
                                    bit_range{}, stream));
    if (s != status::success) return s;
  }
  mark(frame_stage::sort);
  return status::success;
}

}  // namespace upsweep::apps
