// The drawings in scan/networks are those of today's code, and it applies the operator as often as it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "scan/networks/drawing.hpp"
#include "scan/networks/shared_traffic.hpp"

namespace upsweep::test {
namespace {

const std::filesystem::path folder = UPSWEEP_NETWORKS;

std::string committed(const std::string& name) {
  std::ifstream file(folder / name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// A page without what depends on the compiler that counted: its name, and the accesses and conflicts of each row.
std::string uncounted(const std::string& page) {
  const std::string unnamed = std::regex_replace(page, std::regex("as (GCC|Clang) [0-9]+ leaves"), "as it leaves");
  return std::regex_replace(unnamed, std::regex(R"( \| [0-9]+ \| [0-9]+ \|\n)"), " |\n");
}

TEST(networks, are_drawn_as_they_run_today) {
  const bool by_this_compiler =
      committed("README.md").find("as " + counting_compiler() + " leaves") != std::string::npos;
  std::set<std::string> expected, there;
  for (const auto& [name, content] : network_files()) {
    expected.insert(name);
    const bool same = by_this_compiler ? committed(name) == content : uncounted(committed(name)) == uncounted(content);
    // Not EXPECT_EQ, which would print both drawings.
    EXPECT_TRUE(same) << "scan/networks/" << name << " is not what the code does today; this draws it again:\n  "
                      << UPSWEEP_REDRAW;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) there.insert(entry.path().filename().string());
  EXPECT_EQ(there, expected) << "a file in scan/networks for each block algorithm, and no others";
}

template <int Threads>
void expect_declared_operations() {
  for_each_block_algorithm<Threads>([](auto algorithm) {
    using algorithm_type = decltype(algorithm);
    for (int valid = 1; valid <= Threads; ++valid) {
      const network n = network_of(algorithm, valid);
      SCOPED_TRACE(n.name + ", " + std::to_string(valid) + " of " + std::to_string(Threads) + " values");
      EXPECT_TRUE(n.right);
      EXPECT_EQ(static_cast<std::int64_t>(n.applications.size()), algorithm_type::operations(valid));
    }
  });
}

TEST(networks, have_as_many_applications_as_declared) {
  expect_declared_operations<32>();
  expect_declared_operations<64>();
  expect_declared_operations<256>();
}

/// Cycles that a warp loses when its lanes below `count` access words that lie `distance` apart.
int conflicts_of(int count, int distance) {
  std::array<int, 32> words{};
  for (int lane = 0; lane < count; ++lane) ++words[static_cast<std::size_t>(lane * distance % 32)];
  return count == 0 ? 0 : *std::max_element(words.begin(), words.end()) - 1;
}

TEST(networks, of_brent_kung_has_the_bank_conflicts_of_its_strides) {
  int expected = 0;
  for (int stride = 1; stride < measured_threads; stride *= 2) {
    for (const int calls : {measured_threads / (2 * stride), (measured_threads - stride) / (2 * stride)}) {
      for (int left = calls; left > 0; left -= 32) expected += 3 * conflicts_of(std::min(left, 32), 2 * stride);
    }
  }
  const std::vector<shared_traffic> traffic = shared_traffic_of_u32();
  std::size_t i = 0;
  for_each_block_algorithm<measured_threads>([&](auto algorithm) {
    const shared_traffic& t = traffic.at(i++);
    if (decltype(algorithm)::name != block_algorithm::brent_kung) return;
    EXPECT_EQ(t.conflicts, expected) << "two reads and a write of each level";
  });
}

}  // namespace
}  // namespace upsweep::test
