// What a program says of packed files when it was built without zlib and zstd.
#include "support.hpp"

namespace upsweep::test {
namespace {

class without_libraries : public in_scratch_folder {
 protected:
  static std::vector<std::string> command(const std::string& input, const std::string& output) {
    return {PLAIN_CULL, "--input", input, "--output", output, "--where", "x > 0", "--device", "sim"};
  }
};

TEST_F(without_libraries, a_packed_input_names_what_is_missing) {
  spill(file("points.csv.gz"), "\x1f\x8b\x08" + std::string(30, '\0'));
  expect_failure(command("points.csv.gz", "kept.csv"), 3,
                 "points.csv.gz: gzip needs the library zlib, which this program was built without; expected an "
                 "uncompressed file (the program gzip decompresses it)");
  spill(file("points.ply.zst"), "\x28\xb5\x2f\xfd" + std::string(30, '\0'));
  expect_failure(command("points.ply.zst", "kept.ply"), 3,
                 "points.ply.zst: zstd needs the library libzstd, which this program was built without; expected an "
                 "uncompressed file (the program zstd decompresses it)");
  EXPECT_EQ(files(), (std::vector<std::string>{"points.csv.gz", "points.ply.zst"}));
}

TEST_F(without_libraries, a_packed_output_names_what_is_missing) {
  spill(file("points.csv"), "x,y\n1,2\n-1,3\n");
  expect_failure(command("points.csv", "kept.csv.gz"), 4, "kept.csv.gz: gzip needs the library zlib");
  expect_failure(command("points.csv", "kept.csv.zst"), 4, "kept.csv.zst: zstd needs the library libzstd");
  EXPECT_EQ(files(), (std::vector<std::string>{"points.csv"}));
}

TEST_F(without_libraries, what_is_not_packed_is_read_and_written) {
  spill(file("points.csv"), "x,y\n1,2\n-1,3\n");
  const outcome result = run(command("points.csv", "kept.csv"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(slurp(file("kept.csv")), "x,y\n1,2\n");
}

}  // namespace
}  // namespace upsweep::test
