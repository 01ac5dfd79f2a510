// What the GPU has no room for, by --gpu-memory, and what the host has no memory for, by a limit.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "byte_array.hpp"
#include "key_file.hpp"
#include "records.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

class in_pieces : public in_scratch_folder {
 protected:
  in_pieces() {
    std::mt19937 random(seed());
    for (std::uint32_t& key : keys_) key = random() % 100;
    std::iota(ids_.begin(), ids_.end(), std::uint16_t{0});
    spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", keys_));
    spill(file("ids.npy"), npy_vector_bytes<std::uint16_t>("<u2", ids_));
  }
  outcome with(std::vector<std::string> command) const {
    command.insert(command.begin() + 1, {"--device", "sim", "--verify"});
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  static void expect_said(const outcome& result, const std::string& words) {
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }

  std::vector<std::uint32_t> keys_ = std::vector<std::uint32_t>(6000);
  std::vector<std::uint16_t> ids_ = std::vector<std::uint16_t>(6000);
};

TEST_F(in_pieces, keys_payloads_permutations_and_records_are_sorted) {
  const outcome result = with({sort, "--input", "keys.npy", "--output", "out.npy", "--payload", "ids.npy",
                               "--payload-output", "moved.npy", "--gpu-memory", "40 kB", "--report", "r.json"});
  expect_said(result, " through 39.1 KiB of the device's memory, ");
  EXPECT_EQ(nlohmann::json::parse(slurp(file("r.json")))["in_pieces_by"], 40000);
  std::stable_sort(ids_.begin(), ids_.end(), [&](auto a, auto b) { return keys_[a] < keys_[b]; });
  EXPECT_EQ(npy_elements<std::uint16_t>(slurp(file("moved.npy"))), ids_);
  with({sort, "--input", "keys.npy", "--output", "order.npy", "--argsort", "--gpu-memory", "40kB"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("order.npy"))),
            std::vector<std::uint32_t>(ids_.begin(), ids_.end()));
  std::string table = "key,id\n", expected = table;
  for (std::uint16_t id = 0; id < 3000; ++id) table += std::to_string(keys_[id]) + "," + std::to_string(id) + "\n";
  for (const std::uint16_t id : ids_) {
    if (id < 3000) expected += std::to_string(keys_[id]) + "," + std::to_string(id) + "\n";
  }
  spill(file("in.csv"), table);
  with({sort, "--input", "in.csv", "--output", "out.csv", "--by", "key", "--gpu-memory", "40KiB"});
  EXPECT_EQ(slurp(file("out.csv")), expected);
}

TEST_F(in_pieces, particles_are_culled) {
  ASSERT_EQ(run({cull, "generate", "--output", "in.ply", "--count", "3000"}).code, 0);
  for (const std::vector<std::string>& rule :
       {std::vector<std::string>{"--lifetime-above", "0"}, {"--where", "x > 0", "--rejected", "others.ply"}}) {
    std::vector<std::string> command = {cull, "--input", "in.ply", "--output", "whole.ply"};
    command.insert(command.end(), rule.begin(), rule.end());
    with(command);
    command[4] = "pieces.ply";
    command.insert(command.end(), {"--gpu-memory", "50KiB"});
    expect_said(with(command), " on the sim in 4 pieces, fused");
    EXPECT_EQ(slurp(file("pieces.ply")), slurp(file("whole.ply")));
  }
  expect_failure({cull, "--device", "sim", "--input", "in.ply", "--output", "out.ply", "--gpu-memory", "100B"}, 2,
                 "--gpu-memory: got 100 bytes; expected at least ");
  expect_failure(
      {cull, "--device", "sim", "--input", "in.ply", "--output", "out.ply", "--order", "any", "--gpu-memory", "50KiB"},
      2, " for hole_filling, which needs all particles at once, or another method");
  with({cull, "--input", "in.ply", "--output", "out.ply", "--order", "any", "--gpu-memory", "1MiB"});
}

TEST_F(in_pieces, what_cannot_be_is_said) {
  const std::vector<std::string> command = {sort,       "--device", "sim",     "--input",
                                            "keys.npy", "--output", "out.npy", "--gpu-memory"};
  const auto refused = [&](std::vector<std::string> flags, const std::string& words) {
    flags.insert(flags.begin(), command.begin(), command.end());
    expect_failure(flags, 2, words);
  };
  refused({"1kB"}, "--gpu-memory: got 1000 bytes; expected at least ");
  refused({"0B"}, "--gpu-memory: got 0B; expected bytes, as 2GiB or 500MB");
  refused({"much"}, "--gpu-memory: got \"much\"; expected an amount of the GPU");
  refused({"40kB", "--method", "onesweep"}, ", or the default method, which sorts in pieces");
  EXPECT_FALSE(std::filesystem::exists(file("out.npy")));
}

/// In a process of its own that may have `more` bytes of memory beyond what it has: 0 where `body` is true.
template <class Body>
int with_memory(std::size_t more, Body body) {
  const pid_t child = fork();
  if (child == 0) {
    std::size_t pages = 0, rest = 0;
    std::ifstream statm("/proc/self/statm");
    for (int i = 0; i < 5; ++i) statm >> rest;
    statm >> pages;
    const rlim_t most = pages * 4096 + more;
    const rlimit limit{most, most};
    _exit(setrlimit(RLIMIT_DATA, &limit) == 0 && body() ? 0 : 1);
  }
  int how = 1;
  waitpid(child, &how, 0);
  return how;
}

TEST_F(in_pieces, a_csv_that_memory_has_no_room_for_is_mapped) {
  constexpr std::size_t rows = 200000, width = 500;
  {
    std::ofstream csv(file("in.csv"), std::ios::binary);
    csv << "x,text\n";
    std::string row(width, ' ');
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string begin = std::to_string(i) + ",";
      std::copy(begin.begin(), begin.end(), row.begin());
      row.back() = '\n';
      csv << row;
    }
  }
  EXPECT_EQ(with_memory(std::size_t{50} << 20,
                        [&] {
                          apps::input_file in(file("in.csv"));
                          apps::particle_table table;
                          const apps::record_rows read = apps::read_csv(in, '\0', {false, {"x"}}, table);
                          return table.count == rows && read.row(rows - 1).size() == width &&
                                 table.columns.at(0).data.as<std::int64_t>()[rows - 1] == rows - 1;
                        }),
            0);
}

TEST_F(in_pieces, a_file_that_memory_has_no_room_for_is_mapped) {
  constexpr std::size_t bytes = std::size_t{100} << 20;
  spill(file("keys.bin"), "abcd");
  std::filesystem::resize_file(file("keys.bin"), bytes);
  {
    std::fstream end(file("keys.bin"), std::ios::in | std::ios::out | std::ios::binary);
    end.seekp(bytes - 4);
    end << "wxyz";
  }
  EXPECT_EQ(with_memory(std::size_t{50} << 20,
                        [&] {
                          apps::input_file in(file("keys.bin"));
                          const apps::npy_vector keys = apps::read_keys(in, apps::key_format::raw, scalar_type::u32);
                          const auto* const text = keys.data.as<char>();
                          return in.remaining() == 0 && std::string(text, 4) == "abcd" &&
                                 std::string(text + bytes - 4, 4) == "wxyz";
                        }),
            0);
  EXPECT_EQ(with_memory(std::size_t{50} << 20,
                        [&] {
                          apps::byte_array array(bytes);
                          array.data()[bytes - 1] = std::byte{7};
                          return array.bytes() == bytes && array.data()[bytes - 1] == std::byte{7};
                        }),
            0);
}

}  // namespace
}  // namespace upsweep::test
