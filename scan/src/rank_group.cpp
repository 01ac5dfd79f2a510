#include "upsweep/simt/rank_group.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

namespace upsweep::inline UPSWEEP_ABI {

rank_group::rank_group(int ranks, rank_turns turns, std::uint64_t seed)
    : turns_(turns),
      members_(static_cast<std::size_t>(std::max(ranks, 1))),
      order_(members_.size()),
      random_(seed * 2 + 1) {
  std::iota(order_.begin(), order_.end(), 0);
  if (turns_ == rank_turns::reversed) std::reverse(order_.begin(), order_.end());
  begin();
}

void rank_group::begin() {
  const std::lock_guard lock(mutex_);
  for (member& m : members_) m.left = m.waits = false;
  arrived_ = left_ = 0;
  shuffle_turns();
  turn_ = order_.front();
}

/// Another order of the turns, where they are random (Fisher & Yates, by a multiplicative generator).
void rank_group::shuffle_turns() {
  if (turns_ != rank_turns::random) return;
  for (std::size_t i = order_.size(); i > 1; --i) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    std::swap(order_[i - 1], order_[(random_ >> 33) % i]);
  }
}

/// A rank that has not ended, and does not wait for others.
bool rank_group::can_go_on(int rank) const {
  const member& m = members_[static_cast<std::size_t>(rank)];
  return !m.left && !m.waits;
}

/// The turn goes to the next rank of the order that can go on; where none can, it stays until one does.
void rank_group::pass_turn() {
  if (!takes_turns()) return;
  const auto next = std::find_if(order_.begin(), order_.end(), [&](int rank) { return can_go_on(rank); });
  turn_ = next == order_.end() ? -1 : *next;
  changed_.notify_all();
}

void rank_group::enter(int rank) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return may_run(rank); });
}

void rank_group::leave(int rank) {
  const std::lock_guard lock(mutex_);
  members_[static_cast<std::size_t>(rank)].left = true;
  ++left_;
  if (arrived_ > 0) static_cast<void>(fail_locked(status::launch_failure));
  if (turn_ == rank || turn_ < 0) pass_turn();
}

/// All that wait go on, with the meeting or with the failure.
void rank_group::complete() {
  for (member& m : members_) m.waits = false;
  arrived_ = 0;
  shuffle_turns();
  changed_.notify_all();
}

status rank_group::fail_locked(status why) {
  if (failure_ == status::success) failure_ = why;
  complete();
  return failure_;
}

void rank_group::fail(status why) {
  const std::lock_guard lock(mutex_);
  static_cast<void>(fail_locked(why));
}

status rank_group::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

/// Looks for a moment whether the meeting with that number is complete: the others often come within microseconds,
/// and to sleep and to be woken takes tens of these.
void rank_group::look_out_for(std::uint64_t meeting) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
  while (meetings_ == meeting && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

status rank_group::meet(int rank, const void* mine, void* all, std::size_t bytes, duration limit) {
  std::unique_lock lock(mutex_);
  if (failure_ != status::success) return failure_;
  if (left_ > 0) return fail_locked(status::launch_failure);
  const std::uint64_t meeting = meetings_;
  const std::size_t turn = meeting % 2;
  const auto* const from = static_cast<const std::byte*>(mine);
  member& me = members_[static_cast<std::size_t>(rank)];
  me.brought[turn].assign(from, from + bytes);
  me.waits = true;
  if (++arrived_ == ranks()) {
    ++meetings_;
    complete();
  }
  if (takes_turns()) {
    pass_turn();
  } else {
    lock.unlock();
    look_out_for(meeting);
    lock.lock();
  }
  const bool came = changed_.wait_for(
      lock, limit, [&] { return (meetings_ > meeting || failure_ != status::success) && may_run(rank); });
  // A meeting that came about counts, even if a rank has failed since: the next one reports that.
  if (meetings_ == meeting) return came ? failure_ : fail_locked(status::launch_timeout);
  for (std::size_t r = 0; r < members_.size(); ++r) {
    const std::vector<std::byte>& brought = members_[r].brought[turn];
    if (brought.size() != bytes) return fail_locked(status::invalid_value);
    std::memcpy(static_cast<std::byte*>(all) + r * bytes, brought.data(), bytes);
  }
  return status::success;
}

void run_ranks(rank_group& group, const std::function<void(int)>& body) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(group.ranks()));
  std::vector<std::thread> threads;
  group.begin();
  for (int rank = 0; rank < group.ranks(); ++rank) {
    threads.emplace_back([&group, &body, &thrown, rank] {
      group.enter(rank);
      try {
        body(rank);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        group.fail(status::launch_failure);
      }
      group.leave(rank);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : thrown) {
    if (e) std::rethrow_exception(e);
  }
}

}  // namespace upsweep::inline UPSWEEP_ABI
