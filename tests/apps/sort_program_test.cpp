// upsweep-sort from file to file, and the two programs one after the other.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "support.hpp"

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
    expect_keys<std::uint8_t>("|u1", {u32.begin(), u32.end()});
    expect_keys<std::int8_t>("|i1", {u32.begin(), u32.end()});
    expect_keys<std::uint16_t>("<u2", {u32.begin(), u32.end()});
    expect_keys<std::int16_t>("<i2", {u32.begin(), u32.end()});
    expect_keys<std::int64_t>("<i8", {u64.begin(), u64.end()});
    expect_keys<double>("<f8", {f32.begin(), f32.end()});
  }
}

/// Of one device and of several ranks, all files are the same.
TEST_F(sort_program, several_ranks) {
  std::mt19937_64 random(seed());
  std::vector<std::int32_t> keys(3001);
  std::vector<double> speeds(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::int32_t>(random() % 200) - 100;
    speeds[i] = static_cast<double>(random());
  }
  spill(file("keys.npy"), npy_vector_bytes<std::int32_t>("<i4", keys));
  spill(file("speeds.npy"), npy_vector_bytes<double>("<f8", speeds));
  const auto sorted = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--input", "keys.npy", "--output", "out.npy", "--descending"});
    std::vector<std::string> with_payload = flags;
    with_payload.insert(with_payload.end(), {"--payload", "speeds.npy", "--payload-output", "moved.npy", "--runs",
                                             "runs.npy", "--report", "r.json"});
    expect_sorted(with_payload);
    std::string all = slurp(file("out.npy")) + slurp(file("moved.npy")) + slurp(file("runs.npy"));
    flags.push_back("--argsort");
    expect_sorted(flags);
    return all + slurp(file("out.npy"));
  };
  const std::string alone = sorted({});
  EXPECT_FALSE(json::parse(slurp(file("r.json"))).contains("gpus"));
  EXPECT_TRUE(sorted({"--gpus", "3"}) == alone);
  EXPECT_EQ(json::parse(slurp(file("r.json")))["gpus"], 3);
  spill(file("long.npy"), npy_vector_bytes<std::uint64_t>("<u8", {5, 1ull << 63, 7}));
  expect_sorted({"--input", "long.npy", "--output", "out.npy", "--gpus", "8"});

  const auto refused = [&](std::vector<std::string> flags, const std::string& word) {
    flags.insert(flags.begin(), {sort, "--input", "keys.npy", "--output", "never.npy"});
    const outcome result = run(flags);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
  };
  refused({"--gpus", "2", "--device", "cuda:1"}, "--device: got cuda:1");
  refused({"--gpus", "all", "--device", "sim"}, "--gpus: got all");
  refused({"--gpus", "0", "--device", "sim"}, "--gpus: got \"0\"");
  refused({"--gpus", "2", "--device", "sim", "--method", "onesweep"}, "--gpus: given with a method");
  refused({"--gpus", "2", "--device", "sim", "--by", "x"}, "--gpus: given for whole records");
  refused({"--gpus", "2", "--device", "sim", "--gpu-memory", "1MiB"}, "--gpus: given with --gpu-memory");
}

TEST_F(sort_program, many_files_each_become_one_in_a_folder) {
  spill(file("a.csv"), "t,n\n3,x\n1,y\n");
  spill(file("b.csv"), "u,n\n3,z\n");
  spill(file("c.csv"), "t,n\n2,p\n0,q\n1,r\n");
  const outcome result = run({sort, "--input", "a.csv", "b.csv", "c.csv", "--output", "out", "--by", "t", "--device",
                              "sim", "--verify", "--report", "r.json"});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_NE(
      result.err.find("all      2 of 3 files sorted\nupsweep-sort: 1 of 3 files failed:\n  b.csv: no property \"t\""),
      std::string::npos)
      << result.err;
  EXPECT_EQ(slurp(file("out/a.csv")), "t,n\n1,y\n3,x\n");
  EXPECT_EQ(slurp(file("out/c.csv")), "t,n\n0,q\n1,r\n2,p\n");
  EXPECT_FALSE(std::filesystem::exists(file("out/b.csv")));
  const json reports = json::parse(slurp(file("r.json")));
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1]["output"]["rows"], 3);
  // Places of another kind of file have another ending; keys alone go the same way.
  expect_sorted({"--input", "a.csv", "c.csv", "--output", "places", "--by", "t", "--argsort"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("places/c.npy"))), (std::vector<std::uint32_t>{1, 2, 0}));
  spill(file("k.npy"), npy_vector_bytes<std::uint32_t>("<u4", {3, 1}));
  spill(file("l.npy"), npy_vector_bytes<float>("<f4", {0.5f, -1}));
  expect_sorted({"--input", "k.npy", "l.npy", "--output", "out"});
  EXPECT_EQ(npy_elements<float>(slurp(file("out/l.npy"))), (std::vector<float>{-1, 0.5f}));

  const auto refused = [&](std::vector<std::string> flags, const std::string& word) {
    flags.insert(flags.begin(), {sort, "--input", "k.npy", "l.npy"});
    const outcome wrong = run(flags);
    EXPECT_EQ(wrong.code, 2) << wrong.err;
    EXPECT_NE(wrong.err.find(word), std::string::npos) << wrong.err;
  };
  refused({"--output", "one.npy"}, "--output: one.npy: expected a folder, for the 2 files of --input");
  refused({"--output", "out", "--runs", "r.npy"}, "--input: got several files, and runs to write too");
  refused({"./k.npy", "--output", "out"}, "--output: out/k.npy is what --output writes");
}

TEST_F(sort_program, some_bits_of_the_keys) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", {0x1203, 0x0102, 0xf101, 0x0200}));
  expect_sorted({"--input", "keys.npy", "--output", "out.npy", "--begin-bit", "8", "--end-bit", "12"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("out.npy"))),
            (std::vector<std::uint32_t>{0x0102, 0xf101, 0x1203, 0x0200}));
  expect_sorted({"--input", "keys.npy", "--output", "out.npy", "--begin-bit", "12", "--report", "r.json"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("out.npy"))),
            (std::vector<std::uint32_t>{0x0102, 0x0200, 0x1203, 0xf101}));
  EXPECT_EQ(json::parse(slurp(file("r.json")))["bits"], json::parse("[12, 32]"));
  expect_sorted({"--input", "keys.npy", "--output", "out.npy", "--begin-bit", "5", "--end-bit", "5", "--argsort"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("out.npy"))), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  const outcome nothing = run({sort, "--input", "keys.npy", "--output", "-", "--begin-bit", "5", "--end-bit", "5"});
  EXPECT_NE(nothing.err.find("note     no bit is compared"), std::string::npos) << nothing.err;
  // The zeros' code is 0x80000000 in both directions, so that of 2.0f, 0xc0000000 or 0x3fffffff, is after it or
  // before.
  spill(file("floats.npy"), npy_vector_bytes<float>("<f4", {0.0f, 2.0f, -0.0f}));
  for (const auto& [direction, first] : {std::pair{"--descending=false", "0 2 1"}, {"--descending", "1 0 2"}}) {
    expect_sorted({"--input", "floats.npy", "--output", "out.npy", "--begin-bit", "30", "--end-bit", "32", "--argsort",
                   direction});
    std::string order;
    for (const std::uint32_t place : npy_elements<std::uint32_t>(slurp(file("out.npy")))) {
      order += (order.empty() ? "" : " ") + std::to_string(place);
    }
    EXPECT_EQ(order, first) << direction;
  }
}

TEST_F(sort_program, runs_of_equal_keys) {
  const auto runs = [&] { return npy_elements<std::uint64_t>(slurp(file("runs.npy"))); };
  spill(file("keys.npy"), npy_vector_bytes<float>("<f4", {2, -0.0f, 1, 0, 2, 2}));
  expect_sorted({"--input", "keys.npy", "--runs", "runs.npy", "--report", "r.json"});
  EXPECT_EQ(runs(), (std::vector<std::uint64_t>{0, 2, 2, 3, 3, 6}));
  EXPECT_NE(slurp(file("runs.npy")).find("'<u8', 'fortran_order': False, 'shape': (3, 2)"), std::string::npos);
  EXPECT_EQ(json::parse(slurp(file("r.json")))["runs"], json::parse(R"({"file": "runs.npy", "count": 3})"));
  expect_sorted({"--input", "keys.npy", "--output", "order.npy", "--runs", "runs.npy", "--argsort", "--descending"});
  EXPECT_EQ(runs(), (std::vector<std::uint64_t>{0, 3, 3, 4, 4, 6}));
  spill(file("keys.npy"), npy_vector_bytes<std::int16_t>("<i2", {0x21, 0x11, 0x22}));
  expect_sorted({"--input", "keys.npy", "--output", "out.npy", "--runs", "runs.npy", "--begin-bit", "4"});
  EXPECT_EQ(runs(), (std::vector<std::uint64_t>{0, 1, 1, 3}));
  spill(file("keys.npy"), npy_vector_bytes<std::int16_t>("<i2", {}));
  expect_sorted({"--input", "keys.npy", "--runs", "runs.npy"});
  EXPECT_EQ(runs(), (std::vector<std::uint64_t>{}));
  EXPECT_NE(slurp(file("runs.npy")).find("'shape': (0, 2)"), std::string::npos);
}

TEST_F(sort_program, floats_of_16_bits) {
  // 1, -2, the zeros, an infinity and NaNs.
  spill(file("keys.npy"),
        npy_vector_bytes<std::uint16_t>("<f2", {0x3c00, 0x0000, 0xc000, 0x7e00, 0x8000, 0xfe00, 0x0001, 0x7c00}));
  expect_sorted({"--input", "keys.npy", "--output", "out.npy"});
  EXPECT_EQ(npy_elements<std::uint16_t>(slurp(file("out.npy"))),
            (std::vector<std::uint16_t>{0xfe00, 0xc000, 0x0000, 0x8000, 0x0001, 0x3c00, 0x7c00, 0x7e00}));
  EXPECT_NE(slurp(file("out.npy")).find("'<f2'"), std::string::npos);
  spill(file("keys.bin"), raw_all<std::uint16_t>({0x3f80, 0x8000, 0xc000, 0x0000}));
  expect_sorted({"--type", "bf16", "--input", "keys.bin", "--output", "out.bin", "--descending"});
  EXPECT_EQ(slurp(file("out.bin")), raw_all<std::uint16_t>({0x3f80, 0x8000, 0x0000, 0xc000}));
}

TEST_F(sort_program, bare_numbers) {
  spill(file("keys.bin"), raw_all<std::int16_t>({3, -1, 2, -300}));
  expect_sorted({"--type", "i16", "--input", "keys.bin", "--output", "out.bin"});
  EXPECT_EQ(slurp(file("out.bin")), raw_all<std::int16_t>({-300, -1, 2, 3}));
  expect_sorted({"--type", "i16", "--input", "keys.bin", "--output", "out.bin", "--argsort"});
  EXPECT_EQ(slurp(file("out.bin")), raw_all<std::uint32_t>({3, 1, 2, 0}));
  const outcome piped =
      run({sort, "--device", "sim", "--type", "f64", "--input", "-", "--output", "-"}, raw_all<double>({0.5, -2}));
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out, raw_all<double>({-2, 0.5}));
}

TEST_F(sort_program, text_from_and_to_pipes) {
  const auto sorted_text = [&](const std::string& text, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {sort, "--device", "sim", "--verify", "--text"});
    const outcome result = run(flags, text);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(sorted_text("10\n9\n-3\n+4", {}), "-3\n4\n9\n10\n");
  EXPECT_EQ(sorted_text("", {}), "");
  EXPECT_EQ(sorted_text("10\r\n 9\t\n", {"--descending"}), "10\n9\n");
  EXPECT_EQ(sorted_text("1e-3\n-inf\n0.1\nnan\n-0\n16777217\n", {"--type", "f32"}),
            "-inf\n-0\n0.001\n0.1\n16777216\nnan\n");
  EXPECT_EQ(sorted_text("0.1\n9007199254740993\n1e300\n", {"--type", "f64"}), "0.1\n9007199254740992\n1e+300\n");
  EXPECT_EQ(sorted_text("18446744073709551615\n0\n", {"--type", "u64"}), "0\n18446744073709551615\n");
  EXPECT_EQ(sorted_text("-128\n127\n0\n", {"--type", "i8", "--descending"}), "127\n0\n-128\n");
  EXPECT_EQ(sorted_text("30\n10\n20\n", {"--argsort"}), "1\n2\n0\n");
  // What editors and other systems leave.
  EXPECT_EQ(sorted_text("\xef\xbb\xbf"
                        "3\n\n1\n  \n2\n\n",
                        {}),
            "1\n2\n3\n");
  EXPECT_EQ(sorted_text("3\r1\r\r2\r", {}), "1\n2\n3\n");
  EXPECT_EQ(sorted_text("1\n-1e-46\n1e-46\n", {"--type", "f32"}), "-0\n0\n1\n");
  spill(file("ids.npy"), npy_vector_bytes<std::uint64_t>("<u8", {7, 8, 9}));
  spill(file("keys.txt"), "30\n10\n20\n");
  EXPECT_EQ(sorted_text("", {"--input", "keys.txt", "--payload", "ids.npy", "--payload-output", "ids_out.npy"}), "");
  EXPECT_EQ(npy_elements<std::uint64_t>(slurp(file("ids_out.npy"))), (std::vector<std::uint64_t>{8, 9, 7}));
}

/// What the help says first.
TEST_F(sort_program, the_first_example_of_the_help_runs) {
  const std::string help = run({sort, "--help"}).out;
  const std::string begin = "Examples:\n  ";
  const std::size_t at = help.find(begin) + begin.size();
  std::string example = help.substr(at, help.find('\n', at) - at);
  ASSERT_EQ(example, "seq 1000 | shuf | upsweep-sort --text");
  example.replace(example.rfind("upsweep-sort"), 12, sort);
  const outcome result = run({"/bin/sh", "-c", example});
  EXPECT_EQ(result.code, 0) << result.err;
  std::string expected;
  for (int i = 1; i <= 1000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(result.out, expected);
}

TEST_F(sort_program, refuses_more_keys_than_the_method_takes) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", std::vector<std::uint32_t>(4097)));
  const outcome result =
      run({sort, "--method", "single_block", "--device", "sim", "--input", "keys.npy", "--output", "sorted.npy"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--method: the method single_block takes 4096 keys, but got 4097; expected another method"),
            std::string::npos)
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(file("sorted.npy")));
}

TEST_F(sort_program, refuses_more_keys_than_the_scan_takes) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", std::vector<std::uint32_t>((1 << 22) + 1)));
  spill(file("quadratic.json"), R"({"scan": {"strategy": "naive_quadratic"}})");
  const outcome result =
      run({sort, "--config", "quadratic.json", "--device", "sim", "--input", "keys.npy", "--output", "sorted.npy"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("quadratic.json: /scan/strategy: the scan strategy naive_quadratic takes 4194304 elements "
                            "here, but got 4194305; expected another strategy"),
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

TEST_F(sort_program, payloads_of_every_size_move_together) {
  const std::vector<double> keys = {7, 1e40, 7, -0.5};
  const std::vector<std::uint32_t> order = {3, 0, 2, 1};
  spill(file("keys.npy"), npy_vector_bytes<double>("<f8", keys));
  std::vector<std::string> flags = {"--input", "keys.npy", "--output", "out.npy", "--report", "r.json"};
  struct array {
    std::string descr, shape;
    std::size_t row_bytes;
  };
  const std::vector<array> arrays = {{"|b1", "(4,)", 1},  {"<f2", "(4,)", 2},      {">u4", "(4,)", 4},
                                     {"<f8", "(4,)", 8},  {"<c16", "(4,)", 16},    {"<f4", "(4, 3)", 12},
                                     {"<U3", "(4,)", 12}, {"|S5", "(4, 1, 2)", 10}};
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    std::string data;
    for (std::size_t i = 0; i < 4 * arrays[a].row_bytes; ++i) data += static_cast<char>(a + i);
    const std::string number = std::to_string(a);
    const std::string dictionary =
        "{'descr': '" + arrays[a].descr + "', 'fortran_order': False, 'shape': " + arrays[a].shape + ", }";
    spill(file("in" + number), npy_bytes(dictionary, data));
    flags.insert(flags.end(), {"--payload", "in" + number, "--payload-output", "out" + number});
  }
  expect_sorted(flags);
  const json report = json::parse(slurp(file("r.json")));
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const std::string in = slurp(file("in" + std::to_string(a))), out = slurp(file("out" + std::to_string(a)));
    EXPECT_NE(out.find("'descr': '" + arrays[a].descr + "', 'fortran_order': False, 'shape': " + arrays[a].shape),
              std::string::npos)
        << out.substr(0, 100);
    const auto before = npy_elements<char>(in), after = npy_elements<char>(out);
    std::vector<char> expected;
    for (const std::uint32_t place : order) {
      const auto row = before.begin() + static_cast<std::ptrdiff_t>(place * arrays[a].row_bytes);
      expected.insert(expected.end(), row, row + static_cast<std::ptrdiff_t>(arrays[a].row_bytes));
    }
    EXPECT_EQ(after, expected) << arrays[a].descr;
    EXPECT_EQ(report["payloads"][a]["type"], arrays[a].descr);
    EXPECT_EQ(report["payloads"][a]["bytes"], 4 * arrays[a].row_bytes);
  }
  EXPECT_EQ(report["payloads"][5]["shape"], json::parse("[4, 3]"));
}

TEST_F(sort_program, every_config_runs_as_it_is) {
  std::vector<std::uint32_t> keys(30000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", keys));
  std::sort(keys.begin(), keys.end());
  for (const std::string& path : configs_in({"sort", "variants"})) {
    SCOPED_TRACE(path);
    expect_sorted({"--config", path, "--input", "keys.npy", "--output", "out.npy", "--report", "r.json"});
    EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("out.npy"))), keys);
    const json report = json::parse(slurp(file("r.json")));
    EXPECT_EQ(report["verified"], true);
    EXPECT_EQ(report["input"]["keys"], 30000);
    const json scan = json::parse(slurp(path))["scan"];
    EXPECT_EQ(report["scan"], scan);
    EXPECT_EQ(report["method"], scan["strategy"] == "default" ? "default" : "upsweep_downsweep");
  }
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

/// The keys are a pipe into which nobody writes, so the program waits with its outputs begun.
TEST_F(sort_program, an_interrupt_leaves_all_old_outputs_alone) {
  ASSERT_EQ(mkfifo(file("keys.npy").c_str(), 0600), 0);
  for (const std::string name : {"out.npy", "moved.npy", "runs.npy"}) spill(file(name), "old " + name);
  const std::string command = sort +
                              " --device sim --input keys.npy --output out.npy --runs runs.npy"
                              " --payload in.npy --payload-output moved.npy";
  const outcome result =
      run({"/bin/sh", "-c", command + " & exec 3>keys.npy; kill -TERM $!; wait $!; echo $?"});  // opens when it reads
  EXPECT_EQ(result.out, "130\n") << result.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"keys.npy", "moved.npy", "out.npy", "runs.npy"}));
  for (const std::string name : {"out.npy", "moved.npy", "runs.npy"}) EXPECT_EQ(slurp(file(name)), "old " + name);
}

TEST_F(sort_program, failures_have_their_codes) {
  spill(file("keys.npy"), npy_vector_bytes<std::uint32_t>("<u4", {3, 1, 2}));
  spill(file("two.npy"), npy_vector_bytes<std::uint32_t>("<u4", {1, 2}));
  spill(file("rows.npy"),
        npy_bytes("{'descr': '|S9', 'fortran_order': False, 'shape': (3, 9999)}", std::string(3 * 9 * 9999, 'x')));
  spill(file("complex.npy"),
        npy_bytes("{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", std::string(24, 'x')));
  spill(file("keys.bin"), "1234567");
  spill(file("keys.txt"), "12\n1 2\n");
  const auto failing = [&](const std::vector<std::string>& flags, int code, const std::string& words) {
    std::vector<std::string> command = {sort, "--device", "sim"};
    command.insert(command.end(), flags.begin(), flags.end());
    expect_failure(command, code, words);
  };
  failing({"--input", "none.npy", "--output", "o.npy"}, 3, "none.npy: cannot open it");
  failing({"--input", "complex.npy", "--output", "o.npy"}, 3, "complex.npy: npy header: unknown element type '<c8'");
  failing({"--input", "keys.npy", "--output", "o.bin", "--type", "u32"}, 3,
          "keys.npy: an npy file; expected bare numbers of type u32");
  failing({"--input", "keys.bin", "--output", "o.bin", "--type", "u16"}, 3,
          "keys.bin: 7 bytes; expected a multiple of 2, the bytes of a u16");
  failing({"--input", "keys.bin", "--output", "o.npy"}, 3, "keys.bin: only 7 bytes; expected an npy file");
  spill(file("keys.parquet"), "PAR1....");
  failing({"--input", "keys.parquet", "--output", "o.npy"}, 3,
          "a Parquet file, which is not read; expected an npy file, or --by");
  failing({"--input", "keys.txt", "--text"}, 3,
          "keys.txt: line 2: got \"1 2\"; expected one number of type i64 (--type names another, as f64)");
  spill(file("large.txt"), "1\n1e39\n");
  failing({"--input", "large.txt", "--text", "--type", "f32"}, 3,
          "large.txt: line 2: got \"1e39\", which is out of range; expected one number of type f32");
  std::filesystem::remove(file("large.txt"));
  failing({"--input", "keys.npy", "--output", "o.npy", "--end-bit", "33"}, 2,
          "--end-bit: got 33; expected at most 32, the bits of u32");
  failing({"--input", "keys.npy", "--output", "o.npy", "--begin-bit", "9", "--end-bit", "8"}, 2,
          "--begin-bit: got 9; expected at most 8, where the bits end");
  failing({"--input", "keys.npy", "--payload", "rows.npy", "--payload-output", "o.npy"}, 3,
          "rows.npy: values of 89991 bytes; expected 1 to 65536");
  failing({"--input", "keys.npy", "--runs", "o.npy", "--payload", "two.npy", "--payload-output", "o.npy"}, 2,
          "--payload-output: o.npy is what --runs writes");
  failing({"--input", "keys.npy", "--output", "-", "--runs", "-"}, 2, "--runs: - is what --output writes");
  failing({"--input", "keys.npy", "--output", "o.npy", "--payload", "keys.npy"}, 2, "--payload: given without a place");
  failing({"--input", "keys.npy", "--output", "o.npy", "--runs", "/dev/full"}, 4, "/dev/full: cannot write to it");
  failing({"--input", "keys.npy", "--payload", "two.npy", "--payload-output", "o.npy"}, 3,
          "two.npy: 2 values; expected 3, one for each key of keys.npy");
  failing({"--input", "keys.npy", "--output", "missing/o.npy"}, 4, "missing/o.npy");
  failing({"--input", "keys.npy", "--output", "/dev/full"}, 4, "/dev/full: cannot write to it");
  failing({"--input", "keys.npy", "--output", "o.npy", "--payload", "keys.npy", "--payload-output", "o.npy"}, 2,
          "--payload-output: o.npy is what --output writes");
  failing({"--input", "-", "--output", "o.npy", "--payload", "-", "--payload-output", "p.npy"}, 2,
          "--payload: got \"-\"");
  expect_failure({sort, "--input", "keys.npy", "--output", "o.npy", "--device", "cuda:999"}, 5, "--device cuda:999");
  EXPECT_EQ(files(), (std::vector<std::string>{"complex.npy", "keys.bin", "keys.npy", "keys.parquet", "keys.txt",
                                               "rows.npy", "two.npy"}));
}

TEST_F(sort_program, what_is_no_key_is_called_by_its_name) {
  const auto refused = [&](const std::string& input, const std::string& bytes, const std::string& words) {
    spill(file(input), bytes);
    expect_failure({sort, "--device", "sim", "--input", input, "--output", "o.npy"}, 3, input + words);
  };
  refused("kept.png", "\x89PNG\r\n....", ": a PNG picture, which is not read; expected an npy file");
  refused("table", "x,y\n1,2\n3,4\n", ": text; expected an npy file, --by NAME for PLY and CSV");
  refused("numbers", std::string(12, '\1'), ": neither npy nor text; expected an npy file");
  refused("rows.npy",
          npy_bytes("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,)}", "12345678"),
          ": an npy file of structures; add --by FIELD, of a, b");
  expect_failure({sort, "--device", "sim", "--input", "table", "--output", "o", "--by", "x:desc"}, 2,
                 "--by: expected ascending or descending after the colon; got desc");
}

TEST_F(sort_program, records_are_sorted_by_their_properties) {
  const auto ply = [](int count, const std::string& rows) {
    return "ply\nformat ascii 1.0\nelement vertex " + std::to_string(count) +
           "\nproperty float x\nproperty int id\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n" +
           rows;
  };
  spill(file("in.ply"), ply(4, "1 5\n-0.5 6\n1 7\n-0.5 8\n3 0 1 2\n"));
  expect_sorted({"--input", "in.ply", "--output", "out.ply", "--by", "x,id:descending"});
  EXPECT_EQ(slurp(file("out.ply")), ply(4, "-0.5 8\n-0.5 6\n1 7\n1 5\n3 3 1 2\n"));
  expect_sorted({"--input", "in.ply", "--output", "out.ply", "--by", "id", "--descending", "--top", "3"});
  EXPECT_EQ(slurp(file("out.ply")).find("element face 0"), slurp(file("out.ply")).find("element face"));
  const outcome said = run(
      {sort, "--device", "sim", "--input", "in.ply", "--output", "out.ply", "--by", "x,id:ascending", "--descending"});
  EXPECT_NE(said.err.find("sorted   4 rows by x:descending, id:ascending, in"), std::string::npos) << said.err;
  expect_sorted({"--input", "in.ply", "--output", "order.npy", "--by", "x:descending,id", "--argsort", "--top", "2"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("order.npy"))), (std::vector<std::uint32_t>{0, 2}));

  spill(file("in.csv"), "t,name\n2,bob\n-1.5,ann\n2,cy\n");
  spill(file("c.json"), R"({"by": ["t:descending"], "top": 10})");
  expect_sorted({"--config", "c.json", "--input", "in.csv", "--output", "out.csv", "--report", "r.json"});
  EXPECT_EQ(slurp(file("out.csv")), "t,name\n2,bob\n2,cy\n-1.5,ann\n");
  EXPECT_EQ(json::parse(slurp(file("r.json")))["output"]["rows"], 3);

  const auto refused = [&](std::vector<std::string> flags, int code, const std::string& words) {
    flags.insert(flags.begin(), {sort, "--device", "sim"});
    expect_failure(flags, code, words);
  };
  refused({"--input", "in.csv", "--output", "o.csv", "--by", "nam"}, 3,
          "no property \"nam\" of numbers, which --by names");
  refused({"--input", "in.csv", "--output", "o.csv", "--by", "name"}, 3, "line 2: column \"name\": got \"bob\"");
  refused({"--input", "in.csv", "--output", "o.ply", "--by", "t"}, 2, "o.ply ends in .ply, and .csv is written");
  refused({"--input", "in.csv", "--output", "o.csv", "--by", "t,"}, 2, "--by: got an empty name");
  refused({"--input", "in.csv", "--output", "o.csv", "--by", "t", "--type", "u8"}, 2,
          "--type: given for whole records");
  refused({"--input", "in.csv", "--output", "o.csv", "--by", "t", "--text"}, 2, "--text: given with --by");
}

TEST_F(sort_program, columns_of_npy_are_called_as_the_other_program_calls_them) {
  const std::string name = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 9)}";
  std::vector<float> rows(27);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
  for (const std::size_t at : {1u, 10u, 19u, 8u, 17u, 26u}) rows[at] = -rows[at];
  std::string data(rows.size() * sizeof(float), '\0');
  std::memcpy(data.data(), rows.data(), data.size());
  spill(file("in.npy"), npy_bytes(name, data));
  const auto order_by = [&](const std::string& by, const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags{"--input", "in.npy", "--output", "order.npy", "--argsort", "--by", by};
    flags.insert(flags.end(), more.begin(), more.end());
    expect_sorted(flags);
    return npy_elements<std::uint32_t>(slurp(file("order.npy")));
  };
  const std::vector<std::uint32_t> up{0, 1, 2}, down{2, 1, 0};
  EXPECT_EQ(order_by("x"), up);
  for (const char* falling : {"y", "column1", "column8", "id:descending"})
    EXPECT_EQ(order_by(falling), down) << falling;
  spill(file("names.json"), R"({"columns": {"npy": ["a", "column0"]}})");
  EXPECT_EQ(order_by("a", {"--config", "names.json"}), up);
  EXPECT_EQ(order_by("column0", {"--config", "names.json"}), down);
  const std::string printed = run({sort, "--print-config", "--config", "names.json", "--by", "a"}).out;
  EXPECT_EQ(json::parse(printed)["columns"], json::parse(R"({"npy": ["a", "column0"]})"));
  for (const std::string& program : {cull, sort}) {
    std::vector<std::string> line{program, "--device", "sim", "--input", "in.npy", "--output", "o.npy"};
    line.insert(line.end(), {program == cull ? "--sort-by" : "--by", "w"});
    expect_failure(line, 3, "it has x, y, z, vx, vy, vz, lifetime, id, column8");
  }
}

TEST_F(sort_program, columns_of_csv_have_given_types) {
  spill(file("in.csv"), "x,id\n0.30000001,1\n0.3,2\n");
  const std::vector<std::string> command = {sort,     "--device", "sim",     "--verify", "--input",
                                            "in.csv", "--output", "out.csv", "--by",     "x"};
  EXPECT_EQ(run(command).code, 0);
  EXPECT_EQ(slurp(file("out.csv")), "x,id\n0.3,2\n0.30000001,1\n");
  std::vector<std::string> given = command;
  given.insert(given.end(), {"--column-types", "x:f32,id:u16"});
  EXPECT_EQ(run(given).code, 0);
  EXPECT_EQ(slurp(file("out.csv")), slurp(file("in.csv")));
  expect_failure({sort, "--input", "in.csv", "--output", "out.csv", "--column-types", "x:f32"}, 2,
                 "--column-types: given without --by; expected both");
}

TEST_F(sort_program, lines_move_as_they_came) {
  const auto sorted = [&](std::vector<std::string> flags, const std::string& lines) {
    flags.insert(flags.begin(), {sort, "--device", "sim", "--verify", "--text", "--whole-lines"});
    const outcome result = run(flags, lines);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(sorted({"--field", "3", "--delimiter", ","}, "a,b, 3 ,x\nc,,-1e2\nd,e,0.5,\n"),
            "c,,-1e2\nd,e,0.5,\na,b, 3 ,x\n");
  EXPECT_EQ(sorted({"--field", "2", "--descending", "--top", "2"}, "a   1 x\n  b\t7\nc 7 y"), "  b\t7\nc 7 y\n");
  EXPECT_EQ(sorted({}, "10\n\n9"), "9\n10\n\n");
  spill(file("in.txt"), "1 2\n3 four\n");
  expect_failure({sort, "--device", "sim", "--text", "--whole-lines", "--field", "2", "--input", "in.txt"}, 3,
                 "in.txt: line 2: got \"four\"; expected a number in field 2");
}

TEST_F(sort_program, the_first_keys_alone_and_keys_of_truths_and_dates) {
  spill(file("keys.npy"), npy_vector_bytes<std::int64_t>("<M8[s]", {5, -3, 9}));
  spill(file("ids.npy"), npy_vector_bytes<std::uint16_t>("<u2", {50, 30, 90}));
  expect_sorted({"--input", "keys.npy", "--output", "up.npy", "--payload", "ids.npy", "--payload-output", "out.npy",
                 "--top", "2"});
  const auto expect_vector = [&]<class T>(const std::string& name, const std::string& descr, std::vector<T> values) {
    EXPECT_NE(slurp(file(name)).find("'" + descr + "'"), std::string::npos) << name;
    EXPECT_EQ(npy_elements<T>(slurp(file(name))), values) << name;
  };
  expect_vector("up.npy", "<M8[s]", std::vector<std::int64_t>{-3, 5});
  expect_vector("out.npy", "<u2", std::vector<std::uint16_t>{30, 50});
  spill(file("keys.npy"), npy_vector_bytes<std::uint8_t>("|b1", {1, 0, 1}));
  expect_sorted({"--input", "keys.npy", "--output", "up.npy"});
  expect_vector("up.npy", "|b1", std::vector<std::uint8_t>{0, 1, 1});
}

}  // namespace
}  // namespace upsweep::test
