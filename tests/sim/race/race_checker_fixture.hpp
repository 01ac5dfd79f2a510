// What tests of the race checker share: kernels with one rule broken each, which it must name, beside the same kernels
// as they should be, on which it must be silent. A comment of the form "// #name" marks a line that a report shall
// name.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "sim/sim_kernel.hpp"
#include "support/guarded_array.hpp"

namespace upsweep::test {

/// "file:line" of the line of the caller's file that ends with the mark.
inline std::string line_of(const std::string& mark, const char* file = __builtin_FILE()) {
  std::ifstream source(file);
  std::string text;
  for (int line = 1; std::getline(source, text); ++line) {
    if (text.ends_with("// #" + mark)) return std::string(file) + ":" + std::to_string(line);
  }
  return "no line has the mark " + mark;
}

/// Keeps a read whose value nobody needs.
template <class T>
void use(T value) {
  asm volatile("" ::"m"(value));
}

using device = test_device<sim_stream>;

/// The sim with all blocks in flight, in one order.
class race_checker_test : public testing::TestWithParam<sim_order> {
 protected:
  race_checker_test() : options_(quiet(GetParam())), device_({"sim", options_}) {
    options_.resident_blocks = 8;
    if (GetParam() == sim_order::reversed) options_.blocks_backwards = true;
  }

  template <class Kernel>
  void expect_silence(grid g, const Kernel& k) {
    ASSERT_EQ(launch(options_, g, k), status::success) << sim_diagnostic();
  }
  /// The report says all that.
  template <class Kernel>
  void expect_report(grid g, const Kernel& k, const std::vector<std::string>& parts) {
    const std::string report = diagnostic_of(options_, g, k);
    for (const std::string& part : parts) EXPECT_TRUE(says(report, part));
  }
  template <class T>
  guarded_array<T, sim_stream> array(const std::vector<T>& items) {
    return {device_, items};
  }
  template <class T>
  guarded_array<T, sim_stream> empty_array(std::size_t n) {
    return {device_, n};
  }

  sim_options options_;
  device device_;
};

inline std::string name_of_order(const testing::TestParamInfo<sim_order>& order) {
  return order.param == sim_order::in_order ? "in_order" : order.param == sim_order::reversed ? "reversed" : "random";
}

}  // namespace upsweep::test
