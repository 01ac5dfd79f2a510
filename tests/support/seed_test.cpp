// --sim-seed, UPSWEEP_SEED, and the line that says how to run a failed test again.
#include "support/seed.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace upsweep::test {
namespace {

TEST(seed, is_that_of_the_arguments_else_of_the_environment_else_1) {
  EXPECT_EQ(seed_by({}, nullptr), 1u);
  EXPECT_EQ(seed_by({}, "12"), 12u);
  EXPECT_EQ(seed_by({"--sim-seed", "7"}, "12"), 7u);
  EXPECT_EQ(seed_by({"--sim-seed=0"}, nullptr), 0u);
  EXPECT_EQ(seed_by({"--sim-seed=18446744073709551615"}, "no number"), 18446744073709551615u);
}

TEST(seed, must_be_a_number) {
  for (const char* bad : {"", "x", "-1", "1x", " 1", "0x10", "1.5", "18446744073709551616"}) {
    EXPECT_THROW(seed_by({"--sim-seed", bad}, nullptr), std::invalid_argument) << bad;
    EXPECT_THROW(seed_by({std::string("--sim-seed=") + bad}, nullptr), std::invalid_argument) << bad;
    EXPECT_THROW(seed_by({}, bad), std::invalid_argument) << bad;
  }
  EXPECT_THROW(seed_by({"--sim-seed"}, nullptr), std::invalid_argument);
  EXPECT_THROW(seed_by({"--sim-sead=3"}, nullptr), std::invalid_argument);
}

struct outcome {
  std::string output;
  int code;
};
outcome shell(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  outcome o;
  char piece[256];
  while (std::fgets(piece, sizeof piece, pipe)) o.output += piece;
  const int ended = pclose(pipe);
  o.code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return o;
}
/// This program; a shell's /proc/self is the shell.
std::string self() {
  return "/proc/" + std::to_string(getpid()) + "/exe";
}

TEST(seed_example, fails_when_told_to) {
  const char* const unless = std::getenv("UPSWEEP_TEST_FAILS_UNLESS_SEED_IS");
  if (unless != nullptr) {
    EXPECT_EQ(std::to_string(seed()), unless);
  }
}

TEST(seed, that_is_bad_ends_a_program_with_2_and_one_line) {
  const outcome flag = shell(self() + " --sim-seed=many");
  EXPECT_EQ(flag.code, 2);
  EXPECT_EQ(flag.output, "--sim-seed is a number below 2^64, not 'many'\n");
  const outcome environment = shell("UPSWEEP_SEED=-3 " + self());
  EXPECT_EQ(environment.code, 2);
  EXPECT_EQ(environment.output, "UPSWEEP_SEED is a number below 2^64, not '-3'\n");
}

TEST(seed, is_printed_with_the_command_that_runs_a_failed_test_again) {
  const std::string only = " --gtest_filter=seed_example.*:seed.must_be_a_number";
  const outcome passed =
      shell("UPSWEEP_TEST_FAILS_UNLESS_SEED_IS=41 UPSWEEP_SEED=5 " + self() + only + " --sim-seed 41");
  EXPECT_EQ(passed.code, 0) << passed.output;
  EXPECT_EQ(passed.output.find("again: "), std::string::npos) << passed.output;

  const outcome failed = shell("UPSWEEP_TEST_FAILS_UNLESS_SEED_IS=1 UPSWEEP_SEED=41 " + self() + only);
  EXPECT_EQ(failed.code, 1);
  const std::string words = "seed 41; again: ";
  const std::size_t at = failed.output.find(words);
  ASSERT_NE(at, std::string::npos) << failed.output;
  const std::string command = failed.output.substr(at + words.size(), failed.output.find('\n', at) - at - words.size());
  const outcome again = shell("UPSWEEP_TEST_FAILS_UNLESS_SEED_IS=2 " + command);
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.output.find("Running 1 test "), std::string::npos) << again.output;
  EXPECT_NE(again.output.find(words + command + "\n"), std::string::npos) << again.output;
}

}  // namespace
}  // namespace upsweep::test
