// Ranks to test on: those of the sim, on threads that take turns in the order of the schedule.
#pragma once

#include <memory>
#include <vector>

#include "support/internals.hpp"
#include "support/test_device.hpp"
#include "upsweep/simt/communicator.hpp"

namespace upsweep::test {

class sim_ranks {
 public:
  using stream_type = sim_stream;
  using communicator = sim_communicator;

  /// `fails` fails at that step; nobody where it is below 0.
  sim_ranks(int ranks, const sim_options& options, bool reaches_peers, int fails = -1, int at_step = 0)
      : group_(ranks, turns_of(options), options.seed),
        reaches_peers_(reaches_peers),
        fails_(fails),
        at_step_(at_step) {
    for (int r = 0; r < ranks; ++r) {
      devices_.push_back(std::make_unique<test_device<sim_stream>>(test_device<sim_stream>::way{"", options}));
    }
  }

  int ranks() const { return group_.ranks(); }
  rank_group& group() { return group_; }
  test_device<sim_stream>& device(int rank) { return *devices_[static_cast<std::size_t>(rank)]; }

  /// From now on ranks reach what they share alone.
  void let_share() { must_share_ = true; }

  /// body(rank, communicator) on every rank.
  template <class Body>
  void run(Body body) {
    run_ranks(group_, [&](int rank) {
      sim_communicator comm(group_, rank, {reaches_peers_, rank == fails_ ? at_step_ : 0, must_share_});
      body(rank, comm);
    });
  }

 private:
  static rank_turns turns_of(const sim_options& options) {
    if (options.order == sim_order::reversed) return rank_turns::reversed;
    return options.order == sim_order::random ? rank_turns::random : rank_turns::in_order;
  }

  rank_group group_;
  bool reaches_peers_, must_share_ = false;
  int fails_, at_step_;
  std::vector<std::unique_ptr<test_device<sim_stream>>> devices_;
};

}  // namespace upsweep::test
