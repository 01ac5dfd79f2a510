// A sort from host memory to host memory through a device that has less: runs that are sorted go down, and buckets of
// all runs come up and are sorted again. Every item goes up twice and down twice, both ways at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/host_pipeline.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/from_host_cuts.cuh"
#include "upsweep/sort/device/from_host_plan.hpp"
#include "upsweep/sort/host_scratch.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An array of the sort in host memory: the first holds the keys.
struct host_column {
  const char* in;
  char* out;
  char* runs;  ///< where its sorted runs lie between the trips; may be `in`
  std::size_t item_bytes;
};

// A Sorter sorts what is on the device:
//   key_bytes(), item_bytes()                bytes of a key, and of an item of all columns
//   workspace_bytes(n)                       and never less for more
//   sort(stream, workspace, in, out, n)      in[c] and out[c]: column c
//   order_workspace_bytes(n)
//   order(stream, workspace, keys, places, n)  places[i]: which key is at place i, u32

/// The device's memory while chunks go through it.
struct chunk_layout {
  workspace_layout layout;
  std::vector<workspace_layout::slot<char>> in[2], out[2];

  template <class Columns>
  chunk_layout(const Columns& columns, int sets, std::int64_t items) {
    for (int set = 0; set < sets; ++set) {
      for (const host_column& c : columns) {
        in[set].push_back(layout.add<char>(c.item_bytes * static_cast<std::size_t>(items)));
        out[set].push_back(layout.add<char>(c.item_bytes * static_cast<std::size_t>(items)));
      }
    }
  }
  template <class Columns, class Sorter>
  static std::size_t bytes(const Columns& columns, int sets, std::int64_t items, const Sorter& sorter) {
    return items == 0 ? 0 : chunk_layout(columns, sets, items).layout.bytes() + sorter.workspace_bytes(items);
  }
};

/// Most items that a chunk has: places of 32 bits tell them apart.
inline constexpr std::int64_t most_chunk_items = std::int64_t{1} << 31;

/// Bytes of device memory with which n items go up and down once.
template <class Sorter>
std::size_t one_trip_bytes(std::span<const host_column> columns, std::int64_t n, const Sorter& sorter) {
  return chunk_layout::bytes(columns, 1, n, sorter);
}

/// How n items are sorted with so much device memory.
template <class Sorter>
from_host_plan plan_from_host(std::span<const host_column> columns, std::int64_t n, std::size_t device_bytes,
                              const Sorter& sorter, const from_host_options& options) {
  if (n <= most_chunk_items && one_trip_bytes(columns, n, sorter) <= device_bytes) {
    from_host_plan all;
    all.n = all.room = all.chunk = n;
    all.runs = 1;
    return all;
  }
  const std::int64_t most = (std::min)(n, most_chunk_items);
  const std::int64_t room = largest_that(
      most, [&](std::int64_t items) { return chunk_layout::bytes(columns, 2, items, sorter) <= device_bytes; });
  const std::int64_t ordered = largest_that(
      most, [&](std::int64_t items) { return items == 0 || order_layout(sorter, items).bytes() <= device_bytes; });
  // Of more chunks, less goes one way alone: the first one up, the last one down.
  constexpr std::int64_t good_chunks = 64;
  const auto least = static_cast<std::int64_t>(options.least_chunk_bytes / sorter.item_bytes()) + 1;
  const std::int64_t good = (std::max)(ceil_div(n, good_chunks), least);
  if (good < room) {
    const from_host_plan by_good = from_host_plan::with_room(n, good, ordered);
    if (by_good.room > 0) return by_good;
  }
  return from_host_plan::with_room(n, room, ordered);
}

/// The least device memory with which n items can be sorted.
template <class Sorter>
std::size_t least_bytes_from_host(std::span<const host_column> columns, std::int64_t n, const Sorter& sorter) {
  const std::size_t enough = one_trip_bytes(columns, (std::min)(n, most_chunk_items), sorter);
  const std::int64_t steps = static_cast<std::int64_t>(enough / workspace_layout::alignment) + 1;
  const std::int64_t too_few = largest_that(steps, [&](std::int64_t step) {
    const auto bytes = static_cast<std::size_t>(step) * workspace_layout::alignment;
    return plan_from_host(columns, n, bytes, sorter, {}).room == 0;
  });
  return (std::min)(enough, static_cast<std::size_t>(too_few + 1) * workspace_layout::alignment);
}

/// One sort of host memory, from its arguments to its end.
template <class Executor, class Sorter>
class from_host_sort {
 public:
  from_host_sort(const Executor& beside, workspace device, std::span<const host_column> columns,
                 const from_host_plan& plan, const Sorter& sorter, const from_host_options& options)
      : pipeline_(beside, options),
        device_(device),
        columns_(columns),
        plan_(plan),
        sorter_(sorter),
        options_(options),
        layout_(columns, plan.runs == 1 ? 1 : 2, plan.room) {}

  status run() {
    status s = pipeline_.open();
    if (s == status::success) s = sort_runs();
    if (s != status::success || plan_.runs == 1) return s;
    from_host_cuts<Executor, Sorter> cuts(plan_, sorter_, pipeline_.kernels(), device_, columns_[0].runs);
    s = cuts.find();
    return s == status::success ? sort_buckets(cuts) : s;
  }

 private:
  char* in(std::int64_t chunk, std::size_t column) const {
    return layout_.layout.at(device_, layout_.in[chunk % 2][column]);
  }
  char* out(std::int64_t chunk, std::size_t column) const {
    return layout_.layout.at(device_, layout_.out[chunk % 2][column]);
  }
  status sort(side_stream<Executor>& stream, std::int64_t chunk, std::int64_t items) {
    std::vector<void*> from, to;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      from.push_back(in(chunk, c));
      to.push_back(out(chunk, c));
    }
    const status s = sorter_.sort(stream, layout_.layout.rest(device_), from.data(), to.data(), items);
    done_ += static_cast<std::uint64_t>(items) * sorter_.item_bytes();
    const auto trips = static_cast<std::uint64_t>(plan_.runs == 1 ? 1 : 2);
    if (options_.progress != nullptr) {
      options_.progress(options_.progress_context, done_,
                        trips * static_cast<std::uint64_t>(plan_.n) * sorter_.item_bytes());
    }
    return s;
  }

  /// The host memory of one side of a trip.
  template <class Side>
  std::vector<memory_use> all_of(Side side) const {
    std::vector<memory_use> all;
    for (const host_column& c : columns_) {
      all.push_back({side(c), static_cast<std::size_t>(plan_.n) * c.item_bytes, false});
    }
    return all;
  }

  /// copy(column, offset of its first byte in host memory, bytes) of items of all columns.
  template <class Copy>
  status each_column(std::int64_t first, std::int64_t items, Copy copy) const {
    status s = status::success;
    for (std::size_t c = 0; c < columns_.size() && s == status::success; ++c) {
      const std::size_t bytes = columns_[c].item_bytes;
      s = copy(c, static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(items) * bytes);
    }
    return s;
  }

  /// The first trip: chunks of the input become sorted runs. There is one run where all fit, and that is the output.
  status sort_runs() {
    const auto to_runs = [this](const host_column& c) { return plan_.runs == 1 ? c.out : c.runs; };
    const status served = pipeline_.serve(all_of([](const host_column& c) { return c.in; }), all_of(to_runs));
    if (served != status::success) return served;
    return pipeline_.run(
        plan_.runs,
        [&](copy_queue<Executor>& queue, std::int64_t i) {
          return each_column(i * plan_.chunk, plan_.run_items(i),
                             [&](std::size_t c, std::size_t host, std::size_t bytes) {
                               return queue.to_device(in(i, c), columns_[c].in + host, bytes);
                             });
        },
        [&](side_stream<Executor>& stream, std::int64_t i) { return sort(stream, i, plan_.run_items(i)); },
        [&](copy_queue<Executor>& queue, std::int64_t i) {
          return each_column(i * plan_.chunk, plan_.run_items(i),
                             [&](std::size_t c, std::size_t host, std::size_t bytes) {
                               return queue.to_host(to_runs(columns_[c]) + host, out(i, c), bytes);
                             });
        });
  }

  /// The second trip: of each bucket the pieces of all runs, in their order, are sorted and go where they belong.
  status sort_buckets(const from_host_cuts<Executor, Sorter>& cuts) {
    const std::int64_t buckets = plan_.buckets();
    std::vector<std::int64_t> begins(static_cast<std::size_t>(buckets) + 1, 0);
    const auto begin = [&](std::int64_t bucket) { return begins[static_cast<std::size_t>(bucket)]; };
    for (std::int64_t b = 0; b < buckets; ++b) begins[static_cast<std::size_t>(b) + 1] = begin(b) + cuts.items(b);
    const status served = pipeline_.serve(all_of([](const host_column& c) { return c.runs; }),
                                          all_of([](const host_column& c) { return c.out; }));
    if (served != status::success) return served;
    return pipeline_.run(
        buckets,
        [&](copy_queue<Executor>& queue, std::int64_t b) {
          status s = status::success;
          // Column after column, so that the pieces of one adjoin on the device.
          for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::size_t bytes = columns_[c].item_bytes;
            char* to = in(b, c);
            for (std::int64_t r = 0; r < plan_.runs && s == status::success; ++r) {
              const std::int64_t from = cuts.at(b, r), items = cuts.at(b + 1, r) - from;
              if (items == 0) continue;
              const std::size_t piece = static_cast<std::size_t>(items) * bytes;
              s = queue.to_device(to, columns_[c].runs + static_cast<std::size_t>(r * plan_.chunk + from) * bytes,
                                  piece);
              to += piece;
            }
          }
          return s;
        },
        [&](side_stream<Executor>& stream, std::int64_t b) { return sort(stream, b, begin(b + 1) - begin(b)); },
        [&](copy_queue<Executor>& queue, std::int64_t b) {
          return each_column(begin(b), begin(b + 1) - begin(b),
                             [&](std::size_t c, std::size_t host, std::size_t bytes) {
                               return queue.to_host(columns_[c].out + host, out(b, c), bytes);
                             });
        });
  }

  host_pipeline<Executor> pipeline_;
  workspace device_;
  std::span<const host_column> columns_;
  from_host_plan plan_;
  const Sorter& sorter_;
  from_host_options options_;
  chunk_layout layout_;
  std::uint64_t done_ = 0;
};

/// Checks the arrays, and sorts them. Columns have their `in` and `out`. The caller's stream has been waited for.
template <class Executor, class Sorter>
status sort_from_host(const Executor& beside, workspace device, const host_scratch& scratch,
                      std::span<host_column> columns, std::int64_t n, const Sorter& sorter,
                      const from_host_options& options) {
  if (n <= 0) return n == 0 ? status::success : status::invalid_value;
  std::vector<memory_use> uses{{device.data, device.bytes, true}};
  const auto bytes_of = [n](const host_column& c) { return static_cast<std::size_t>(n) * c.item_bytes; };
  for (const host_column& c : columns) {
    if (c.in == nullptr || c.out == nullptr) return status::invalid_value;
    uses.push_back({c.in, bytes_of(c), false});
    uses.push_back({c.out, bytes_of(c), true});
  }
  const from_host_plan plan = plan_from_host(columns, n, device.data == nullptr ? 0 : device.bytes, sorter, options);
  if (plan.room == 0) return status::memory_allocation;
  if (plan.runs > 1) {
    std::size_t used = 0;
    for (host_column& c : columns) {
      c.runs = scratch.takes_input ? const_cast<char*>(c.in) : static_cast<char*>(scratch.data) + used;
      used += bytes_of(c);
    }
    if (!scratch.takes_input) {
      if (scratch.data == nullptr || scratch.bytes < used) return status::invalid_value;
      uses.push_back({scratch.data, used, true});
    }
  }
  if (!written_apart(uses)) return status::invalid_value;
  return from_host_sort<Executor, Sorter>(beside, device, columns, plan, sorter, options).run();
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
