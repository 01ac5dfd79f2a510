// upsweep-bench validate: over the library all is right, over a faulty one the first wrong element is named.
#include <cstdlib>

#include "support.hpp"
#include "text.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

using words = std::vector<std::string>;

words with(const std::string& program, const words& flags) {
  words command = {program, "validate", "--device", "sim"};
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

class validate : public in_scratch_folder {
 protected:
  ~validate() override { unsetenv("UPSWEEP_TEST_FAULT"); }

  /// Over the library, on the sim.
  outcome over_library(const words& flags) const { return run(with(UPSWEEP_BENCH, flags)); }
  /// Over a library with this fault.
  outcome over_fault(const std::string& fault, const words& flags) const {
    setenv("UPSWEEP_TEST_FAULT", fault.c_str(), 1);
    return run(with(FAULTY_BENCH, flags));
  }
  void expect_wrong(const std::string& fault, const words& flags, const std::string& said) const {
    const outcome result = over_fault(fault, flags);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_NE(result.err.find(said), std::string::npos) << "expected: " << said << "\ngot: " << result.err;
  }
};

/// The rest of the line that begins with `word`.
std::string line_after(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(word)) return line.substr(word.size());
  }
  return {};
}

/// The cases and the passed ones of an operation in the table.
std::string counts(const std::string& table, const std::string& operation) {
  std::istringstream in(line_after(table, operation + " "));
  std::string cases, passed;
  in >> cases >> passed;
  return cases + " " + passed;
}

/// The flags of a printed command, after "upsweep-bench validate --device sim".
words flags_of(const std::string& command) {
  std::istringstream in(command);
  words flags;
  for (std::string word; in >> word;) flags.push_back(word.starts_with('\'') ? word.substr(1, word.size() - 2) : word);
  EXPECT_GT(flags.size(), 4u) << command;
  return flags.size() > 4 ? words(flags.begin() + 4, flags.end()) : words();
}

TEST_F(validate, finds_the_library_right_and_counts_the_cases) {
  const outcome result = over_library({"--n", "31"});
  EXPECT_EQ(result.code, 0) << result.err;
  const std::size_t variants = runtime::scan_variants().size();
  const auto all_of = [](std::size_t cases) { return std::to_string(cases) + " " + std::to_string(cases); };
  // Sizes 0, 1, 31. Scans: 5 types, 2 kinds, and by the default variant 2 distributions.
  const std::size_t scans = (variants + 1) * 3 * 5 * 2;
  EXPECT_EQ(counts(result.out, "scan"), all_of(scans));
  // By the default variant 2 distributions, 5 shares, 1 type by flags and 5 by value.
  // Then 2 types in place and parted, 4 ways of 8 layouts of which one has all shares, 3 numbers of buckets.
  const std::size_t forms = 2 * 2 * 5 + 4 * (5 + 7) + 3;
  const std::size_t compactions = 3 * 2 * 5 * (1 + 5) + (variants - 1) * 3 + 3 * forms;
  EXPECT_EQ(counts(result.out, "compact"), all_of(compactions));
  // By the default variant 4 types, keys and pairs, 2 orders, 6 distributions; by 3 methods 1.
  const std::size_t sorts = 3 * 4 * 2 * 2 * (6 + 3) + (variants - 1) * 3;
  EXPECT_EQ(counts(result.out, "sort"), all_of(sorts));
  EXPECT_EQ(line_after(result.err, "device   "), "sim: the kernels on this CPU; times are not GPU times");
  EXPECT_NE(line_after(result.err, "checked  ")
                .find(apps::with_commas(scans + compactions + sorts) + " cases up to n = 31, seed 1"),
            std::string::npos);
  EXPECT_EQ(result.err.find("wrong"), std::string::npos) << result.err;
  // A word every ten seconds, also where there is no terminal.
  const std::string time = line_after(result.err, "checked  ");
  const double seconds = std::stod(time.substr(time.rfind(" in ") + 4));
  EXPECT_EQ(result.err.find("so far   ") != std::string::npos, seconds > 10.5) << result.err;
}

TEST_F(validate, ends_when_its_time_is_up_with_the_small_cases_of_all_operations) {
  const outcome result = over_library({"--n", "33", "--max-seconds", "0.001"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* operation : {"scan", "compact", "sort"}) {
    const std::string ran = counts(result.out, operation);
    EXPECT_NE(ran, "0 0") << operation << "\n" << result.out;
  }
  EXPECT_NE(result.err.find(", all that there was time for"), std::string::npos) << result.err;
  const outcome stress = over_library({"--only", "^stress/default/u32/", "--rounds", "1000000", "--max-seconds", "1"});
  EXPECT_EQ(stress.code, 0) << stress.err;
}

TEST_F(validate, passes_many_tiles_and_stress) {
  const outcome result = over_library({"--n", "34000", "--rounds", "2", "--seed", std::to_string(seed()), "--only",
                                       "/128x8/(|flagged/|between/)u32.*n=(33793|34000)$"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(counts(result.out, "scan"), "4 4");
  EXPECT_EQ(counts(result.out, "compact"), "2 2");
  EXPECT_EQ(counts(result.out, "sort"), "2 2");
  EXPECT_EQ(counts(result.out, "stress"), "2 2") << result.out;
  const outcome forms =
      over_library({"--n", "9999", "--only", "^compact/(fused|vote_.*_place|hole_filling|partition|split)/.*n=9999$"});
  EXPECT_EQ(forms.code, 0) << forms.err;
  EXPECT_EQ(counts(forms.out, "compact"), "71 71");
}

TEST_F(validate, names_the_first_wrong_sum_and_how_to_repeat_it) {
  const outcome first = over_fault("sum", {"--n", "40", "--seed", "5", "--only", "^scan/.*/u32/.*ones"});
  EXPECT_EQ(first.code, 1);
  EXPECT_EQ(counts(first.out, "scan"), "12 4");
  const std::string wrong = line_after(first.err, "wrong    ");
  EXPECT_EQ(wrong,
            "scan/default/u32/exclusive/ones/n=31: seed 5: on a workspace of zeros: element 20 is 21; expected 20");
  EXPECT_NE(line_after(first.err, "upsweep-bench: ").find("8 of 12 cases are wrong"), std::string::npos);

  const outcome again = over_fault("sum", flags_of(line_after(first.err, "repeat   ")));
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(line_after(again.err, "wrong    "), wrong);
  EXPECT_EQ(counts(again.out, "scan"), "1 0");
}

TEST_F(validate, finds_every_fault) {
  const std::string one = "^scan/.*/u32/inclusive/ones/n=32$",
                    flagged = "^compact/.*/flagged/u32/random/kept=100%/n=32$";
  const struct {
    const char* fault;
    std::string n, only;
    const char* said;
  } faults[] = {{"behind", "32", one, "byte 0 behind the sums was written"},
                {"before", "32", one, "byte 4 before the sums was written"},
                {"workspace behind", "32", one, "byte 0 behind the workspace was written"},
                {"dirty", "32", one, "on a workspace of ones: element 20 is 22; expected 21"},
                {"sum", "4194305", "^scan/.*/inclusive/ones/n=4194305$", "on a workspace of noise: element 20 is"},
                {"sum", "140000", "^stress/.*/u64", "round 0, stream 0: call 0: element 20 is"},
                {"short", "32", flagged, "31 elements were kept; expected 32"},
                {"bit", "32", flagged, "element 31 is "},
                {"bit", "32", "^compact/.*/between/i32/random/kept=100%/n=32$", "element 31 is "},
                {"bit", "32", "^compact/fused/flagged/arrays_8/kept=50%/n=32$", "array 7: element "},
                {"bit", "32", "^compact/fused/in_place/u64/kept=100%/n=32$", "element 31 is "},
                {"unstable", "32", "^sort/.*/pairs/descending/constant/n=32$", "with the value 31; expected "},
                {"lost key", "32", "^sort/.*/keys/ascending/reversed/n=32$", "element 7 is "}};
  for (const auto& [fault, n, only, said] : faults) expect_wrong(fault, {"--n", n, "--only", only}, said);
  EXPECT_EQ(over_fault("none", {"--n", "33"}).code, 0);
}

TEST_F(validate, writes_the_tiles_around_the_first_wrong_element) {
  expect_wrong("dirty", {"--n", "33", "--only", "^scan/.*/u32/inclusive/ones/n=33$", "--dump", "tiles.txt"},
               "wrote    tiles.txt: ");
  EXPECT_EQ(slurp(file("tiles.txt")),
            "scan/default/u32/inclusive/ones/n=33: seed 1: on a workspace of ones: element 20 is 22; expected 21\n"
            "tile 0, elements from 0 on: partial 255\n"
            "tile 1, elements from 10 on: partial 255\n"
            "tile 2, elements from 20 on: partial 255\n");
  std::filesystem::remove(file("tiles.txt"));
  EXPECT_EQ(over_library({"--n", "1", "--only", "^scan/", "--dump", "tiles.txt"}).code, 0);
  EXPECT_EQ(files(), words{}) << "all is right";
}

TEST_F(validate, ends_with_5_when_a_call_fails_and_names_the_case) {
  const outcome result = over_fault("launch", {"--n", "32", "--only", "^compact/.*/u32/.*/n=32$"});
  EXPECT_EQ(result.code, 5);
  EXPECT_NE(line_after(result.err, "upsweep-bench: ").find("kept=0%/n=32: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("the call failed: cudaErrorLaunchFailure"), std::string::npos) << result.err;
  EXPECT_EQ(over_fault("launch", flags_of(line_after(result.err, "repeat   "))).code, 5);
}

TEST_F(validate, names_the_option_that_is_wrong) {
  const std::pair<words, const char*> mistakes[] = {
      {{"--n", "0"}, "--n: got 0; expected 1 to 4294967296"},
      {{"--seed", "-1"}, "--seed"},
      {{"--only", "("}, "--only: got \"(\"; expected a regular expression"},
      {{"--only", "merge/"}, "--only: no case up to n = 65536 matches \"merge/\""},
      {{"--max-seconds", "0"}, "--max-seconds: got 0; expected a number above 0"},
      {{"--fast"}, "--fast"}};
  for (const auto& [flags, said] : mistakes) expect_failure(with(UPSWEEP_BENCH, flags), 2, said);
  expect_failure({UPSWEEP_BENCH, "validate", "--device", "gpu"}, 2, "--device: got \"gpu\"; expected auto, cuda");
  expect_failure(with(UPSWEEP_BENCH, {"--dump", "none/tiles.txt"}), 4, "none/tiles.txt");
}

}  // namespace
}  // namespace upsweep::test
