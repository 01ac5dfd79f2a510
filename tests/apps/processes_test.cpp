// The programs under mpirun, on the sim: processes that sort or cull slices of one file.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "apps/support.hpp"

namespace upsweep::test {
namespace {

class processes : public in_scratch_folder {
 protected:
  void SetUp() override {
    if (std::string(UPSWEEP_MPIRUN).empty())
      GTEST_SKIP() << "there is no mpirun, or the programs were built without MPI";
  }
  static std::vector<std::string> mpirun(int n, const std::vector<std::string>& program) {
    std::vector<std::string> command{UPSWEEP_MPIRUN,    "-q", "--allow-run-as-root",
                                     "--oversubscribe", "-n", std::to_string(n)};
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }
  /// Two processes, of which the second runs after a line of shell.
  static std::vector<std::string> second_behind(const std::string& shell, const std::vector<std::string>& program) {
    std::vector<std::string> command = mpirun(1, program);
    command.insert(command.end(), {":", "-n", "1", "bash", "-c", shell + "; exec \"$@\"", "rank 1"});
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }
  void expect_done(const std::vector<std::string>& command) const {
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
  }
  /// One line, that code, and no file but those that were there.
  void expect_refused(const std::vector<std::string>& command, int code, const std::string& words) const {
    const auto before = files();
    const outcome result = run(command);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(files(), before);
  }
  /// Sorted by one process and by three, with the same flags: the same files.
  void expect_sorted_alike(const std::vector<std::string>& flags, const std::string& moved = "") const {
    std::vector<std::string> alone{sort, "--device", "sim", "--quiet", "--output", "alone.npy"}, with = alone;
    with[5] = "with.npy";
    with.push_back("--verify");
    for (const std::string& flag : flags) {
      alone.push_back(flag);
      with.push_back(flag);
    }
    if (!moved.empty()) {
      alone.insert(alone.end(), {"--payload", moved, "--payload-output", "alone_" + moved});
      with.insert(with.end(), {"--payload", moved, "--payload-output", "with_" + moved});
    }
    expect_done(alone);
    expect_done(mpirun(3, with));
    EXPECT_TRUE(slurp(file("with.npy")) == slurp(file("alone.npy"))) << testing::PrintToString(flags);
    if (moved.empty()) return;
    EXPECT_TRUE(slurp(file("with_" + moved)) == slurp(file("alone_" + moved)));
  }

  std::mt19937_64 random_{seed()};
};

TEST_F(processes, sort_slices_of_a_file) {
  std::vector<std::int32_t> keys(2003);
  for (std::int32_t& key : keys) key = static_cast<std::int32_t>(random_() % 200) - 100;
  std::vector<double> longs(1001);
  for (double& key : longs) key = static_cast<double>(random_() % 300) - 150;
  longs[7] = -0.0;
  spill(file("keys.npy"), npy_vector_bytes<std::int32_t>("<i4", keys));
  spill(file("moved.npy"), npy_vector_bytes<std::int32_t>("|V4", keys));
  spill(file("longs.npy"), npy_vector_bytes<double>("<f8", longs));
  spill(file("none.npy"), npy_vector_bytes<std::uint16_t>("<u2", {}));
  spill(file("one.npy"), npy_vector_bytes<std::uint16_t>("<u2", {7}));
  spill(file("keys.bin"), raw_all(keys));
  expect_sorted_alike({"--input", "keys.npy", "--descending"}, "moved.npy");
  expect_sorted_alike({"--input", "keys.npy", "--begin-bit", "2"});
  expect_sorted_alike({"--input", "longs.npy"});
  expect_sorted_alike({"--input", "longs.npy", "--argsort"});
  std::vector<std::int64_t> dates(501);
  for (std::int64_t& date : dates) date = static_cast<std::int64_t>(random_() % 9) - 4;
  std::vector<float> gaps(dates.begin(), dates.end());
  for (std::size_t i = 0; i < dates.size(); i += 5) dates[i] = INT64_MIN;
  for (std::size_t i = 0; i < gaps.size(); i += 5) gaps[i] = i % 2 == 0 ? NAN : -NAN;
  spill(file("dates.npy"), npy_vector_bytes<std::int64_t>("<M8[s]", dates));
  spill(file("gaps.npy"), npy_vector_bytes<float>("<f4", gaps));
  for (const std::string where : {"first", "last"}) {
    expect_sorted_alike({"--input", "gaps.npy", "--missing", where, "--descending"});
    expect_sorted_alike({"--input", "dates.npy", "--missing", where}, "gaps.npy");
  }
  expect_sorted_alike({"--input", "none.npy"});
  expect_sorted_alike({"--input", "one.npy"});
  expect_done({sort, "--device", "sim", "--quiet", "--type", "i32", "--input", "keys.bin", "--output", "alone.bin"});
  const outcome told = run(mpirun(2, {sort, "--device", "sim", "--type", "i32", "--input", "keys.bin", "--output",
                                      "with.bin", "--report", "r.json"}));
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.err.find("\nsorted   2,003 i32 keys, ascending, in "), std::string::npos) << told.err;
  EXPECT_TRUE(slurp(file("with.bin")) == slurp(file("alone.bin")));
  EXPECT_NE(slurp(file("r.json")).find("\"processes\": 2"), std::string::npos);
}

TEST_F(processes, cull_slices_of_a_file) {
  std::vector<float> rows(8 * 501);
  for (float& value : rows) value = static_cast<float>(random_() % 100) - 50;
  spill(file("rows.npy"), npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (501, 8), }", raw_all(rows)));
  spill(file("records.npy"), npy_bytes("{'descr': [('x', '<f4'), ('name', 'S4')], 'fortran_order': False, 'shape': "
                                       "(2004,), }",
                                       raw_all(rows)));
  const auto expect_culled_alike = [&](const std::string& input, const std::vector<std::string>& rule) {
    std::vector<std::string> alone{cull, "--device", "sim", "--quiet", "--input", input, "--output", "alone.npy"};
    alone.insert(alone.end(), rule.begin(), rule.end());
    std::vector<std::string> with = alone;
    with[7] = "with.npy";
    with.push_back("--verify");
    expect_done(alone);
    expect_done(mpirun(3, with));
    EXPECT_TRUE(slurp(file("with.npy")) == slurp(file("alone.npy"))) << input;
  };
  expect_culled_alike("rows.npy", {"--lifetime-above", "10"});
  expect_culled_alike("records.npy", {"--where", "x > 3"});
  expect_culled_alike("records.npy", {"--where", "x > 1000"});  // none is kept
  expect_refused(mpirun(2, {cull, "--input", "rows.npy", "--output", "o.npy", "--image", "i.png"}), 2,
                 "--image: given for");
}

/// The failure of any rank is one line and one exit code of all; no file is there that was not, and none is replaced.
TEST_F(processes, fail_together) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", std::vector<std::uint32_t>(5000, 1)));
  spill(file("old.npy"), "old");
  const auto sorts = [](const std::string& input, const std::string& output) {
    return std::vector<std::string>{sort, "--device", "sim", "--quiet", "--input", input, "--output", output};
  };
  expect_refused(mpirun(3, {sort, "--nonsense"}), 2, "--nonsense");
  expect_refused(mpirun(2, {sort, "--input", "keys.npy", "--output", "o.npy", "--gpus", "2", "--device", "sim"}), 2,
                 "--gpus: given for 2 processes");
  expect_refused(mpirun(2, {sort, "--quiet", "--device", "sim", "--input", "keys.npy", "--output", "-"}), 2,
                 "--output: got \"-\"");
  expect_refused(mpirun(3, sorts("none.npy", "o.npy")), 3, "none.npy: cannot open it");
  expect_refused(mpirun(2, sorts("keys.npy", "/dev/full")), 4,
                 "/dev/full: cannot write to it: No space left on device");
  // One of two: it cannot read, cannot write, is killed.
  std::filesystem::create_directory(file("away"));
  expect_refused(second_behind("cd away && ln -s ../old.npy .", sorts("keys.npy", file("old.npy"))), 3,
                 "keys.npy: cannot open it");
  expect_refused(second_behind("ulimit -f 4", sorts("keys.npy", "old.npy")), 4,
                 "old.npy: cannot write to it: File too large");
  const outcome killed = run(second_behind("kill -9 $$", sorts("keys.npy", "old.npy")));
  EXPECT_NE(killed.code, 0);
  EXPECT_EQ(slurp(file("old.npy")), "old");
  EXPECT_EQ(files(), (std::vector<std::string>{"away", "keys.npy", "old.npy"}));
}

/// What is not verified is named on stderr and in the report, and nothing else is written.
TEST_F(processes, report_what_is_not_verified) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", std::vector<std::uint32_t>(5000, 1)));
  std::vector<float> rows(8 * 501, 1.0f);
  spill(file("rows.npy"), npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (501, 8), }", raw_all(rows)));
  const auto expect_told = [&](const std::string& program, const std::string& input, const std::string& fault,
                               const std::vector<std::string>& more) {
    std::vector<std::string> command{program, "--device", "sim",   "--quiet",  "--verify", "--input",
                                     input,   "--output", "o.npy", "--report", "r.json"};
    command.insert(command.end(), more.begin(), more.end());
    command = mpirun(2, command);
    const std::string module_folder = std::filesystem::path(sort).parent_path().string();
    command.insert(command.begin(),
                   {"/usr/bin/env", "UPSWEEP_TEST_FAULT=" + fault, "LD_LIBRARY_PATH=" + module_folder});
    const outcome result = run(command);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_NE(result.err.find("not verified, nothing was written"), std::string::npos) << result.err;
    EXPECT_NE(slurp(file("r.json")).find("\"verified\": false"), std::string::npos);
    EXPECT_EQ(files(), (std::vector<std::string>{"keys.npy", "r.json", "rows.npy"}));
    std::filesystem::remove(file("r.json"));
  };
  expect_told(FAULTY_SORT, "keys.npy", "written", {});
  expect_told(FAULTY_CULL, "rows.npy", "bit", {"--lifetime-above", "0"});
}

/// A program that finds no module says so, once.
using processes_without_mpi = in_scratch_folder;
TEST_F(processes_without_mpi, say_so_once) {
  std::filesystem::copy_file(sort, file("alone"));
  for (const char* rank : {"0", "1"}) {
    const outcome result = run({"/usr/bin/env", "OMPI_COMM_WORLD_SIZE=2", std::string("OMPI_COMM_WORLD_RANK=") + rank,
                                file("alone"), "--input", "x", "--output", "y"});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err.find("OMPI_COMM_WORLD_SIZE: got 2 processes, and MPI cannot be loaded") != std::string::npos,
              *rank == '0')
        << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), *rank == '0' ? 1 : 0) << result.err;
  }
  // A library of that name that is another one.
  std::ifstream maps("/proc/self/maps");
  std::string another;
  for (std::string word; maps >> word && another.empty();) {
    if (word.find("/libgcc_s") != word.npos) another = word;
  }
  ASSERT_NE(another, "");
  std::filesystem::copy_file(another, file("upsweep-mpi.so"));
  const outcome result =
      run({"/usr/bin/env", "OMPI_COMM_WORLD_SIZE=2", file("alone"), "--input", "x", "--output", "y"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("upsweep-mpi.so has no upsweep_mpi_begin; expected"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace upsweep::test
