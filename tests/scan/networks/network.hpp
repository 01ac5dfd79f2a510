// A block algorithm as the network that it is: every application of the operator in a run on the sim.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "scan/networks/traced_block.hpp"
#include "upsweep/scan/block/block_algorithms.cuh"
#include "upsweep/simt/sim_options.hpp"

namespace upsweep::test {

/// The sum of the values `first` to `last`; one thread has made it, by the application of that number.
struct traced_sum {
  int first, last;
  int thread;
  int application;  // -1: it is the thread's own value
};

struct application {
  traced_sum left, right;
  int thread;
  passed_points passed;  // by the thread, so far
};

struct network {
  std::string name;
  int threads;
  int barriers = 0;
  std::vector<application> applications;  // each after those that made its operands
  bool right = true;                      // operands adjoined, and every thread got its prefix

  /// The longest chain of applications.
  int span() const {
    std::vector<int> depth;
    for (const application& a : applications) {
      const auto of = [&](const traced_sum& s) { return s.application < 0 ? 0 : depth[std::size_t(s.application)]; };
      depth.push_back(1 + std::max(of(a.left), of(a.right)));
    }
    return depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
  }
};

/// Runs `body(block, storage)` on every thread of one block, always in the same order.
template <int Threads, class Storage, class Body>
void run_traced(const Body& body) {
  struct closure_type {
    const Body& body;
    std::vector<passed_points> passed;
  } closure{body, std::vector<passed_points>(Threads)};
  const sim::launch_request request{"traced block",
                                    1,
                                    1,
                                    Threads,
                                    sizeof(Storage),
                                    0,
                                    [](const void* c, sim::block_runtime& runtime, int thread) {
                                      auto& call = *static_cast<closure_type*>(const_cast<void*>(c));
                                      traced_block<Threads> block(runtime, thread,
                                                                  call.passed[static_cast<std::size_t>(thread)]);
                                      call.body(block, *static_cast<Storage*>(runtime.shared()), runtime);
                                    },
                                    &closure,
                                    sizeof closure,
                                    &body,
                                    sizeof body};
  sim_options options;
  options.os_threads = 1;
  if (sim::run(request, options) != status::success) throw std::runtime_error(sim_diagnostic());
}

/// The network over the first `valid` values.
template <class Algorithm>
network network_of(Algorithm, int valid = Algorithm::threads) {
  using storage = typename Algorithm::template temp_storage<traced_sum>;
  network n{std::string(name_of(Algorithm::name)), Algorithm::threads, 0, {}, true};
  run_traced<Algorithm::threads, storage>([&](auto& block, storage& s, sim::block_runtime&) {
    const int rank = block.thread_rank();
    const auto op = [&](const traced_sum& left, const traced_sum& right) {
      n.right = n.right && left.last + 1 == right.first && right.last < valid;
      n.applications.push_back({left, right, rank, block.passed()});
      return traced_sum{left.first, right.last, rank, static_cast<int>(n.applications.size()) - 1};
    };
    const auto result = Algorithm::scan(block, s, traced_sum{rank, rank, rank, -1}, op, valid);
    const auto covers = [](const traced_sum& sum, int last) { return sum.first == 0 && sum.last == last; };
    n.right = n.right && covers(result.aggregate, valid - 1);
    if (rank < valid) n.right = n.right && covers(result.inclusive, rank);
    if (rank < valid && rank > 0) n.right = n.right && covers(result.exclusive, rank - 1);
    n.barriers = block.passed().barriers;
  });
  return n;
}

/// Calls `visit(algorithm)` with an object of each block algorithm.
template <int Threads, class Visit>
void for_each_block_algorithm(Visit visit) {
  std::apply([&](auto... algorithm) { (visit(algorithm), ...); }, block_algorithms<Threads>{});
}

}  // namespace upsweep::test
