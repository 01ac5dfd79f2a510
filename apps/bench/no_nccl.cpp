#include "across.hpp"

namespace upsweep::apps {

std::vector<across_row> measure_across(int, const std::vector<std::int64_t>&, int, std::string&) {
  return {};
}

int gpus_for_across() {
  return 0;
}

}  // namespace upsweep::apps
