#include "compact_calls.hpp"

bool calls_of_the_sim(upsweep::workspace w, const int* in, int* out, const unsigned char* flags, std::int64_t* count) {
  return calls::compactions(w, in, out, flags, count, upsweep::sim_stream{});
}
