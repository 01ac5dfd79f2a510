// Compiled with -fsanitize=thread, so that every access of the kernels calls access_recorder.cpp. They use an operator
// of their own: of an inline function that other sources use too, a linker might keep a copy that calls nothing.
#include "scan/networks/shared_traffic.hpp"

#include "scan/networks/access_recorder.hpp"
#include "scan/networks/network.hpp"

namespace upsweep::test {
namespace {

struct sum {
  std::uint32_t operator()(const std::uint32_t& a, const std::uint32_t& b) const { return a + b; }
};

}  // namespace

std::vector<shared_traffic> shared_traffic_of_u32() {
  std::vector<shared_traffic> all;
  for_each_block_algorithm<measured_threads>([&](auto algorithm) {
    using algorithm_type = decltype(algorithm);
    using storage = typename algorithm_type::template temp_storage<std::uint32_t>;
    std::vector<block_scan_result<std::uint32_t>> results(measured_threads);  // used, so that all of them are read
    begin_recording(measured_threads);
    run_traced<measured_threads, storage>([&](auto& block, storage& s, sim::block_runtime& runtime) {
      record_thread(runtime, block.thread_rank(), block.passed());
      results[static_cast<std::size_t>(block.thread_rank())] =
          algorithm_type::scan(block, s, 1u, sum{}, measured_threads);
    });
    all.push_back(end_recording());
  });
  return all;
}

}  // namespace upsweep::test
