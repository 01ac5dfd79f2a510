// Where sorted runs in host memory are cut into buckets. The host counts, the device compares: it sorts the items that
// the host gathers, and tells the new place of each.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/side_stream.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/from_host_plan.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An item of the runs.
struct run_item {
  std::int64_t run, index;
};

/// What ordering `count` items takes of device memory.
struct order_layout {
  workspace_layout layout;
  workspace_layout::slot<char> keys;
  workspace_layout::slot<std::uint32_t> places;
  std::size_t sort_bytes;

  template <class Sorter>
  order_layout(const Sorter& sorter, std::int64_t count)
      : keys(layout.add<char>(static_cast<std::size_t>(count) * sorter.key_bytes())),
        places(layout.add<std::uint32_t>(count)),
        sort_bytes(sorter.order_workspace_bytes(count)) {}
  std::size_t bytes() const { return layout.bytes() + sort_bytes; }
};

/// The cuts between buckets: bucket b has the items [at(b, r), at(b + 1, r)) of run r.
template <class Executor, class Sorter>
class from_host_cuts {
 public:
  from_host_cuts(const from_host_plan& plan, const Sorter& sorter, side_stream<Executor>& stream, workspace device,
                 const char* runs)
      : plan_(plan), sorter_(sorter), stream_(stream), device_(device), runs_(runs) {}

  std::int64_t at(std::int64_t cut, std::int64_t run) const { return window(cut, run).low; }
  std::int64_t items(std::int64_t bucket) const {
    std::int64_t sum = 0;
    for (std::int64_t r = 0; r < plan_.runs; ++r) sum += at(bucket + 1, r) - at(bucket, r);
    return sum;
  }

  status find() {
    const std::int64_t buckets = plan_.buckets();
    windows_.assign(static_cast<std::size_t>((buckets + 1) * plan_.runs), {0, 0});
    for (std::int64_t r = 0; r < plan_.runs; ++r) window(buckets, r) = {plan_.run_items(r), plan_.run_items(r)};
    cutting_.assign(static_cast<std::size_t>(buckets), {0, 0});
    status s = cut_by_samples();
    // As many cuts at a time as the device can order items for.
    const std::int64_t together = (std::max)(std::int64_t{1}, plan_.ordered / (plan_.runs + 1));
    for (std::int64_t cut = 1; cut < buckets && s == status::success; cut += together) {
      const std::int64_t end = (std::min)(buckets, cut + together);
      bool all_found = false;
      while (s == status::success && !all_found) s = narrow(cut, end, all_found);
    }
    return s;
  }

 private:
  /// The cut is at one of low .. high.
  struct window_type {
    std::int64_t low, high;
  };
  window_type& window(std::int64_t cut, std::int64_t run) {
    return windows_[static_cast<std::size_t>(cut * plan_.runs + run)];
  }
  const window_type& window(std::int64_t cut, std::int64_t run) const {
    return windows_[static_cast<std::size_t>(cut * plan_.runs + run)];
  }

  /// order_[i]: which of the items is at place i; equal ones as they are listed.
  status order(const std::vector<run_item>& items) {
    const std::size_t key_bytes = sorter_.key_bytes();
    keys_.resize(items.size() * key_bytes);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto item = static_cast<std::size_t>(items[i].run * plan_.chunk + items[i].index);
      std::memcpy(keys_.data() + i * key_bytes, runs_ + item * key_bytes, key_bytes);
    }
    const auto count = static_cast<std::int64_t>(items.size());
    const order_layout l(sorter_, count);
    char* const keys = l.layout.at(device_, l.keys);
    std::uint32_t* const places = l.layout.at(device_, l.places);
    order_.resize(items.size());
    status s = stream_.executor.copy(keys, keys_.data(), keys_.size());
    if (s == status::success) s = sorter_.order(stream_, l.layout.rest(device_), keys, places, count);
    if (s == status::success) s = stream_.executor.copy(order_.data(), places, order_.size() * sizeof(std::uint32_t));
    const status waited = stream_.executor.synchronize();
    return s != status::success ? s : waited;
  }

  /// The samples at which buckets begin, and between which samples of each run these are.
  status cut_by_samples() {
    std::vector<run_item> samples;
    samples.reserve(static_cast<std::size_t>(plan_.samples()));
    for (std::int64_t r = 0; r < plan_.runs; ++r) {
      for (std::int64_t i = 0; i < plan_.run_items(r); i += plan_.stride) samples.push_back({r, i});
    }
    const status s = order(samples);
    if (s != status::success) return s;
    std::vector<std::int64_t> seen(static_cast<std::size_t>(plan_.runs), 0);
    for (std::size_t rank = 0; rank < samples.size(); ++rank) {
      const run_item sample = samples[order_[rank]];
      const auto cut = static_cast<std::int64_t>(rank) / plan_.bucket_samples;
      if (rank > 0 && static_cast<std::int64_t>(rank) % plan_.bucket_samples == 0) {
        cutting_[static_cast<std::size_t>(cut)] = sample;
        for (std::int64_t r = 0; r < plan_.runs; ++r) {
          const std::int64_t before = seen[static_cast<std::size_t>(r)];
          const std::int64_t low = before == 0 ? 0 : (before - 1) * plan_.stride + 1;
          const std::int64_t high = before == 0 ? 0 : (std::min)(before * plan_.stride, plan_.run_items(r));
          window(cut, r) = r == sample.run ? window_type{sample.index, sample.index} : window_type{low, high};
        }
      }
      ++seen[static_cast<std::size_t>(sample.run)];
    }
    return status::success;
  }

  /// Orders a few items of each window of the cuts [begin, end) together with the samples at which they cut. Items of
  /// one run are listed together, runs in their order, so that equal ones are told apart.
  status narrow(std::int64_t begin, std::int64_t end, bool& all_found) {
    struct probe {
      std::int64_t cut;
      bool is_sample;
    };
    const std::int64_t cuts = end - begin;
    const std::int64_t most =
        std::clamp((plan_.ordered - cuts) / (cuts * plan_.runs), std::int64_t{1}, std::int64_t{8});
    std::vector<run_item> items;
    std::vector<probe> probes;
    for (std::int64_t r = 0; r < plan_.runs; ++r) {
      for (std::int64_t cut = begin; cut < end; ++cut) {
        const run_item sample = cutting_[static_cast<std::size_t>(cut)];
        if (sample.run == r) {
          items.push_back(sample);
          probes.push_back({cut, true});
          continue;
        }
        const window_type w = window(cut, r);
        const std::int64_t open = w.high - w.low, count = (std::min)(most, open);
        for (std::int64_t i = 1; i <= count; ++i) {
          items.push_back({r, w.low + open * i / (count + 1)});
          probes.push_back({cut, false});
        }
      }
    }
    all_found = static_cast<std::int64_t>(items.size()) == cuts;
    if (all_found) return status::success;
    const status s = order(items);
    if (s != status::success) return s;
    std::vector<std::uint32_t> rank(items.size()), rank_of_sample(static_cast<std::size_t>(cuts));
    for (std::size_t i = 0; i < items.size(); ++i) rank[order_[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (probes[i].is_sample) rank_of_sample[static_cast<std::size_t>(probes[i].cut - begin)] = rank[i];
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (probes[i].is_sample) continue;
      window_type& w = window(probes[i].cut, items[i].run);
      if (rank[i] < rank_of_sample[static_cast<std::size_t>(probes[i].cut - begin)]) {
        w.low = (std::max)(w.low, items[i].index + 1);
      } else {
        w.high = (std::min)(w.high, items[i].index);
      }
    }
    return status::success;
  }

  const from_host_plan plan_;
  const Sorter& sorter_;
  side_stream<Executor>& stream_;
  workspace device_;
  const char* runs_;
  std::vector<window_type> windows_;
  std::vector<run_item> cutting_;  ///< of each bucket but the first, its first item
  std::vector<char> keys_;
  std::vector<std::uint32_t> order_;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
