#include "scan_calls.hpp"

bool calls_of_the_sim(upsweep::workspace w, const int* in, std::int64_t* out, const int* keys) {
  return calls::scans(w, in, out, keys, upsweep::sim_stream{});
}
