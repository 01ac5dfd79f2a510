// What the programs say when the library fails or is wrong.
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "generate.hpp"
#include "ply.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

class faulty_library : public in_scratch_folder {
 protected:
  faulty_library() {
    const apps::particle_table cloud = apps::generate_cloud(1000, 3);
    apps::output_file out(file("cloud.ply"));
    apps::write_ply(out, apps::make_ply_header(apps::ply_encoding::binary_little_endian, cloud), cloud);
    out.commit();
    spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", {3, 1, 3, 2, 3, 1}));
    spill(file("result"), "old");
  }
  ~faulty_library() override { unsetenv("UPSWEEP_TEST_FAULT"); }

  void expect_cull(const std::string& fault, int code, const std::string& words) const {
    setenv("UPSWEEP_TEST_FAULT", fault.c_str(), 1);
    expect_failure({FAULTY_CULL, "--input", "cloud.ply", "--output", "result", "--lifetime-above", "0", "--verify",
                    "--report", "report.json", "--device", "sim"},
                   code, words);
    EXPECT_EQ(slurp(file("result")), "old") << fault;
  }
  void expect_sort(const std::string& fault, int code, const std::string& words,
                   const std::vector<std::string>& flags = {"--argsort"}) const {
    setenv("UPSWEEP_TEST_FAULT", fault.c_str(), 1);
    std::vector<std::string> command = {FAULTY_SORT, "--input",  "keys.npy", "--output",
                                        "result",    "--verify", "--device", "sim"};
    command.insert(command.end(), flags.begin(), flags.end());
    expect_failure(command, code, words);
    EXPECT_EQ(slurp(file("result")), "old") << fault;
  }
};

TEST_F(faulty_library, a_wrong_selection_is_not_written) {
  expect_cull("bit", 1, "but its property \"id\" differs");
  EXPECT_EQ(nlohmann::json::parse(slurp(file("report.json")))["verified"], false);
  expect_cull("short", 1, "is missing");
}

TEST_F(faulty_library, a_selection_that_fails_ends_with_5) {
  expect_cull("launch", 5, "selecting failed: cudaErrorLaunchFailure");
  expect_cull("count", 5, "selected 1001 of 1000 particles");
  expect_cull("memory", 5, "out of host memory: 32.0 PiB for the workspace");
  expect_cull("stacks", 5, "out of host memory: no room for selecting");
  EXPECT_EQ(files(), (std::vector<std::string>{"cloud.ply", "keys.npy", "result"}));
}

TEST_F(faulty_library, a_right_selection_passes) {
  setenv("UPSWEEP_TEST_FAULT", "none", 1);
  const outcome result = run({FAULTY_CULL, "--input", "cloud.ply", "--output", "result", "--lifetime-above", "0",
                              "--verify", "--device", "sim"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(slurp(file("result")), "old");
}

TEST_F(faulty_library, a_wrong_order_is_not_written) {
  expect_sort("unstable", 1, "place 0 of the result is 5; expected 1");
}

TEST_F(faulty_library, no_wrong_payload_is_written) {
  spill(file("wide.npy"), npy_bytes("{'descr': '<u8', 'fortran_order': False, 'shape': (6,), }",
                                    raw_all<std::uint64_t>({0, 1, 2, 3, 4, 5})));
  spill(file("ids.npy"), npy_vector_bytes<std::uint32_t>("<u4", {0, 1, 2, 3, 4, 5}));
  const std::vector<std::string> flags = {"--payload", "ids.npy",  "--payload-output", "ids_out.npy",
                                          "--payload", "wide.npy", "--payload-output", "wide_out.npy",
                                          "--runs",    "runs.npy"};
  expect_sort("bit", 1, "value 5 of payload 2 is 0400000000000001; expected 0400000000000000", flags);
  expect_sort("unstable", 1, "value 0 of payload 1 is 05000000; expected 01000000", flags);
  EXPECT_EQ(files(), (std::vector<std::string>{"cloud.ply", "ids.npy", "keys.npy", "result", "wide.npy"}));
}

TEST_F(faulty_library, a_sort_that_fails_ends_with_5) {
  expect_sort("launch", 5, "sorting failed: cudaErrorLaunchFailure", {});
  expect_sort("launch", 5, "sorting in pieces failed: cudaErrorLaunchFailure", {"--gpu-memory", "20B"});
  expect_sort("unstable", 1, "place 0 of the result is 5; expected 1", {"--argsort", "--gpu-memory", "20B"});
  expect_sort("memory", 5, "out of host memory: 32.0 PiB for the workspace");
}

TEST_F(faulty_library, a_right_order_passes) {
  setenv("UPSWEEP_TEST_FAULT", "none", 1);
  const outcome result =
      run({FAULTY_SORT, "--input", "keys.npy", "--output", "result", "--verify", "--argsort", "--device", "sim"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("result"))), (std::vector<std::uint32_t>{1, 5, 3, 0, 2, 4}));
}

}  // namespace
}  // namespace upsweep::test
