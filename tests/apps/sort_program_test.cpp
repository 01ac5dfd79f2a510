// upsweep-sort from file to file, and the two programs one after the other.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "support.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

using nlohmann::json;

class sort_program : public in_scratch_folder {
 protected:
  void expect_sorted(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {sort, "--device", "sim", "--verify"});
    const outcome result = run(flags);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
  }

  template <class T>
  void expect_keys(const std::string& descr, std::vector<T> keys) const {
    spill(file("keys.npy"), npy_vector_bytes<T>(descr, keys));
    std::stable_sort(keys.begin(), keys.end());
    expect_sorted({"--input", "keys.npy", "--output", "up.npy"});
    EXPECT_EQ(npy_elements<T>(slurp(file("up.npy"))), keys);
    EXPECT_NE(slurp(file("up.npy")).find("'" + descr + "'"), std::string::npos);
    std::stable_sort(keys.begin(), keys.end(), std::greater<>());
    expect_sorted({"--input", "keys.npy", "--output", "down.npy", "--descending"});
    EXPECT_EQ(npy_elements<T>(slurp(file("down.npy"))), keys);
  }
};

TEST_F(sort_program, keys_of_every_type) {
  std::mt19937_64 random(seed());
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 50000u}) {
    std::vector<std::uint32_t> u32(n);
    std::vector<std::int32_t> i32(n);
    std::vector<std::uint64_t> u64(n);
    std::vector<float> f32(n);
    for (std::size_t i = 0; i < n; ++i) {
      u32[i] = static_cast<std::uint32_t>(random());
      i32[i] = static_cast<std::int32_t>(random());
      u64[i] = random();
      f32[i] =
          std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())), static_cast<int>(random() % 100) - 50);
    }
    expect_keys<std::uint32_t>("<u4", u32);
    expect_keys<std::int32_t>("<i4", i32);
    expect_keys<std::uint64_t>("<u8", u64);
    expect_keys<float>("<f4", f32);
  }
}

TEST_F(sort_program, refuses_more_keys_than_the_scan_takes) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", std::vector<std::uint32_t>((1 << 22) + 1)));
  spill(file("quadratic.json"), R"({"scan": {"strategy": "naive_quadratic"}})");
  const outcome result =
      run({sort, "--config", "quadratic.json", "--device", "sim", "--input", "keys.npy", "--output", "sorted.npy"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("quadratic.json: /scan/strategy: the scan strategy naive_quadratic takes 4194304 elements "
                            "here, and 4194305 came; expected another strategy"),
            std::string::npos)
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(file("sorted.npy")));
}

TEST_F(sort_program, equal_keys_keep_their_order) {
  const std::vector<float> keys = {1.0f, -0.0f, 0.0f, 1.0f, -0.0f};
  spill(file("keys.npy"), npy_vector_bytes<float>("<f4", keys));
  expect_sorted({"--input", "keys.npy", "--output", "order.npy", "--argsort"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("order.npy"))), (std::vector<std::uint32_t>{1, 2, 4, 0, 3}));
  EXPECT_NE(slurp(file("order.npy")).find("'<u4'"), std::string::npos);
  expect_sorted({"--input", "keys.npy", "--output", "order.npy", "--argsort", "--descending"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("order.npy"))), (std::vector<std::uint32_t>{0, 3, 1, 2, 4}));
}

TEST_F(sort_program, payload_moves_with_its_keys) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint64_t>("<u8", {7, std::uint64_t{1} << 40, 7, 0}));
  for (const std::string type : {"<u4", "<i4"}) {
    spill(file("payload.npy"), npy_vector_bytes<std::uint32_t>(type, {10, 11, 12, 13}));
    expect_sorted({"--input", "keys.npy", "--output", "keys_out.npy", "--payload", "payload.npy", "--payload-output",
                   "payload_out.npy"});
    EXPECT_EQ(npy_elements<std::uint64_t>(slurp(file("keys_out.npy"))),
              (std::vector<std::uint64_t>{0, 7, 7, std::uint64_t{1} << 40}));
    EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("payload_out.npy"))),
              (std::vector<std::uint32_t>{13, 10, 12, 11}));
    EXPECT_NE(slurp(file("payload_out.npy")).find("'" + type + "'"), std::string::npos);
  }
  expect_sorted({"--input", "keys.npy", "--payload", "payload.npy", "--payload-output", "payload.npy"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("payload.npy"))), (std::vector<std::uint32_t>{13, 10, 12, 11}));
}

TEST_F(sort_program, every_config_runs_as_it_is) {
  std::vector<std::uint32_t> keys(30000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", keys));
  std::sort(keys.begin(), keys.end());
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/sort")) {
    SCOPED_TRACE(entry.path().string());
    expect_sorted(
        {"--config", entry.path().string(), "--input", "keys.npy", "--output", "out.npy", "--report", "r.json"});
    EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("out.npy"))), keys);
    const json report = json::parse(slurp(file("r.json")));
    EXPECT_EQ(report["verified"], true);
    EXPECT_EQ(report["input"]["keys"], 30000);
    const json scan = json::parse(slurp(entry.path().string()))["scan"];
    EXPECT_EQ(report["scan"], scan);
    EXPECT_EQ(report["method"], scan["strategy"] == "default" ? "default" : "upsweep_downsweep");
    ++count;
  }
  EXPECT_GE(count, runtime::scan_variants().size());
}

TEST_F(sort_program, survivors_by_depth) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "50000"}).code, 0);
  const outcome culled =
      run({cull, "--config", configs + "/cull/demo.json", "--device", "sim", "--input", "cloud.ply", "--output",
           "seen.ply", "--export", "id=ids.npy", "--export-depth", "depth.npy", "--export", "z=z.npy"});
  ASSERT_EQ(culled.code, 0) << culled.err;
  expect_sorted(
      {"--input", "depth.npy", "--output", "sorted.npy", "--payload", "ids.npy", "--payload-output", "order.npy"});
  const auto depth = npy_elements<float>(slurp(file("depth.npy")));
  const auto z = npy_elements<float>(slurp(file("z.npy")));
  const auto ids = npy_elements<std::uint32_t>(slurp(file("ids.npy")));
  const auto order = npy_elements<std::uint32_t>(slurp(file("order.npy")));
  ASSERT_GT(ids.size(), 1000u);
  ASSERT_EQ(depth.size(), ids.size());
  std::vector<std::size_t> expected(ids.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) { return depth[a] < depth[b]; });
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_EQ(depth[i], static_cast<float>(30.0 - static_cast<double>(z[i]))) << "demo.json looks along -z from z = 30";
    ASSERT_EQ(order[i], ids[expected[i]]) << i;
  }
}

TEST_F(sort_program, failures_have_their_codes) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", {3, 1, 2}));
  spill(file("two.npy"), npy_vector_bytes<std::uint32_t>("<u4", {1, 2}));
  spill(file("wide.npy"), npy_vector_bytes<std::uint64_t>("<u8", {1, 2, 3}));
  spill(file("double.npy"), npy_vector_bytes<double>("<f8", {1, 2, 3}));
  const auto failing = [&](const std::vector<std::string>& flags, int code, const std::string& words) {
    std::vector<std::string> command = {sort, "--device", "sim"};
    command.insert(command.end(), flags.begin(), flags.end());
    expect_failure(command, code, words);
  };
  failing({"--input", "none.npy", "--output", "o.npy"}, 3, "none.npy: cannot open it");
  failing({"--input", "double.npy", "--output", "o.npy"}, 3,
          "double.npy: elements of type f64; expected one of u32, i32, u64, f32");
  failing({"--input", "keys.npy", "--payload", "two.npy", "--payload-output", "o.npy"}, 3,
          "two.npy: 2 values; expected 3, one for each key of keys.npy");
  failing({"--input", "keys.npy", "--payload", "wide.npy", "--payload-output", "o.npy"}, 3,
          "wide.npy: elements of type u64");
  failing({"--input", "keys.npy", "--output", "missing/o.npy"}, 4, "missing/o.npy");
  failing({"--input", "keys.npy", "--output", "/dev/full"}, 4, "/dev/full: cannot write to it");
  failing({"--input", "keys.npy", "--output", "o.npy", "--payload", "keys.npy", "--payload-output", "o.npy"}, 2,
          "two outputs");
  failing({"--input", "-", "--output", "o.npy", "--payload", "-", "--payload-output", "p.npy"}, 2,
          "--payload: came \"-\"");
  expect_failure({sort, "--input", "keys.npy", "--output", "o.npy", "--device", "cuda:999"}, 5, "--device cuda:999");
  EXPECT_EQ(files(), (std::vector<std::string>{"double.npy", "keys.npy", "two.npy", "wide.npy"}));
}

}  // namespace
}  // namespace upsweep::test
