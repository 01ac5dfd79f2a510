#include "clocks.hpp"

#include <algorithm>

namespace upsweep::race {
namespace {

void raise(std::vector<moment>& to, const std::vector<moment>& from) {
  if (to.size() < from.size()) to.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

}  // namespace

void block_view::join(const block_view& other) {
  all = std::max(all, other.all);
  raise(of, other.of);
}

message joined(const message& a, const message& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  std::vector<view_of_block> both;
  both.reserve(a->size() + b->size());
  bool is_a = true, is_b = true;
  auto x = a->begin(), y = b->begin();
  while (x != a->end() || y != b->end()) {
    if (y == b->end() || (x != a->end() && x->first < y->first)) {
      is_b = false;
      both.push_back(*x++);
    } else if (x == a->end() || y->first < x->first) {
      is_a = false;
      both.push_back(*y++);
    } else {
      if (x->second == y->second) {
        both.push_back(*x);
      } else {
        is_a = is_b = false;
        auto together = std::make_shared<block_view>(*x->second);
        together->join(*y->second);
        both.emplace_back(x->first, std::move(together));
      }
      ++x;
      ++y;
    }
  }
  if (is_a) return a;
  if (is_b) return b;
  return std::make_shared<const std::vector<view_of_block>>(std::move(both));
}

const block_view* view_in(const message& m, std::uint32_t block) {
  if (!m) return nullptr;
  const auto found = std::lower_bound(m->begin(), m->end(), block,
                                      [](const view_of_block& v, std::uint32_t number) { return v.first < number; });
  return found != m->end() && found->first == block ? found->second.get() : nullptr;
}

block_clocks::block_clocks(std::uint32_t block, int threads)
    : block_(block), actors_(static_cast<std::uint32_t>(threads)), thread_(static_cast<std::size_t>(threads)) {
  for (thread_clock& t : thread_) t.of.assign(thread_.size(), 0);
}

bool block_clocks::knows(int thread, std::uint32_t block, std::uint32_t actor, moment when) const {
  const thread_clock& t = thread_[static_cast<std::size_t>(thread)];
  if (block == block_) {
    if (actor == static_cast<std::uint32_t>(thread)) return true;
    if (actor < thread_.size() && when <= all_) return true;
    return actor < t.of.size() && when <= t.of[actor];
  }
  const block_view* const view = view_in(t.others, block);
  return view != nullptr && view->covers(actor, when);
}

void block_clocks::begin_next_moment(thread_clock& t) {
  t.of[static_cast<std::size_t>(&t - thread_.data())] = t.now;
  ++t.now;
}

void block_clocks::barrier() {
  message others;
  scratch_.assign(actors_, 0);
  for (const thread_clock& t : thread_) {
    all_ = std::max(all_, t.now);
    others = joined(others, t.others);
    for (std::size_t a = thread_.size(); a < t.of.size(); ++a) scratch_[a] = std::max(scratch_[a], t.of[a]);
  }
  for (thread_clock& t : thread_) {
    t.now = all_ + 1;
    t.wide = actors_ > thread_.size();
    t.others = others;
    if (t.wide) {
      t.of.resize(actors_, 0);
      std::copy(scratch_.begin() + static_cast<std::ptrdiff_t>(thread_.size()), scratch_.end(),
                t.of.begin() + static_cast<std::ptrdiff_t>(thread_.size()));
    }
  }
}

void block_clocks::warp_sync(int warp, lane_mask mask) {
  const auto first = static_cast<std::size_t>(warp) * warp_size;
  bool wide = false;
  message others;
  for (lane_mask left = mask; left != 0; left &= left - 1) {
    thread_clock& t = thread_[first + static_cast<std::size_t>(lowest_lane(left))];
    wide |= t.wide;
    begin_next_moment(t);
    others = joined(others, t.others);
  }
  // Without a wide lane the lanes know no more of other warps than the whole block does.
  const std::size_t begin = wide ? 0 : first, end = wide ? actors_ : first + warp_size;
  scratch_.assign(end, 0);
  for (lane_mask left = mask; left != 0; left &= left - 1) {
    const thread_clock& t = thread_[first + static_cast<std::size_t>(lowest_lane(left))];
    for (std::size_t a = begin; a < std::min(end, t.of.size()); ++a) scratch_[a] = std::max(scratch_[a], t.of[a]);
  }
  for (lane_mask left = mask; left != 0; left &= left - 1) {
    thread_clock& t = thread_[first + static_cast<std::size_t>(lowest_lane(left))];
    if (t.of.size() < end) t.of.resize(end, 0);
    std::copy(scratch_.begin() + static_cast<std::ptrdiff_t>(begin), scratch_.end(),
              t.of.begin() + static_cast<std::ptrdiff_t>(begin));
    t.wide = wide;
    t.others = others;
  }
}

message block_clocks::release(int thread) {
  thread_clock& t = thread_[static_cast<std::size_t>(thread)];
  begin_next_moment(t);
  std::vector<view_of_block> mine{{block_, std::make_shared<const block_view>(block_view{threads(), all_, t.of})}};
  return joined(t.others, std::make_shared<const std::vector<view_of_block>>(std::move(mine)));
}

void block_clocks::acquire(int thread, const message& m) {
  if (!m) return;
  thread_clock& t = thread_[static_cast<std::size_t>(thread)];
  const block_view* const mine = view_in(m, block_);
  if (mine != nullptr) {
    raise(t.of, mine->of);
    t.wide = true;
  }
  if (m->size() > (mine != nullptr ? 1u : 0u)) t.others = joined(t.others, m);
}

void block_clocks::learns(int thread, std::uint32_t actor, moment when) {
  thread_clock& t = thread_[static_cast<std::size_t>(thread)];
  if (t.of.size() <= actor) t.of.resize(actors_, 0);
  t.of[actor] = std::max(t.of[actor], when);
  t.wide = true;
}

}  // namespace upsweep::race
