// JSON configs: strict reading, the schemas, and the command line laid over them.
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "common_config.hpp"
#include "json_file.hpp"
#include "schemas.hpp"
#include "support.hpp"
#include "text.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

using apps::json;

/// A program and what comes after it, between blanks.
std::vector<std::string> words_of(const std::string& program, const std::string& flags) {
  std::vector<std::string> words = {program};
  std::istringstream in(flags);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

class config : public in_scratch_folder {
 protected:
  /// Expects exit code 2 and one line on stderr that names the file, the place and what is valid.
  void expect_refused(const std::string& program, const std::string& text, const std::string& place,
                      const std::string& words) const {
    spill(file("c.json"), text);
    const outcome result = run({program, "--config", "c.json", "--input", "in", "--output", "out"});
    EXPECT_EQ(result.code, 2) << text << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    const std::string start = program.substr(program.rfind('/') + 1) + ": c.json: " + place;
    EXPECT_TRUE(result.err.starts_with(start)) << "expected: " << start << "\ngot: " << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << "expected: " << words << "\ngot: " << result.err;
  }
};

TEST_F(config, unknown_keys) {
  for (const std::string& program : {cull, sort}) {
    expect_refused(program, R"({"inputs": "a"})", "/inputs:", "unknown key \"inputs\"; expected one of");
    expect_refused(program, R"({"scan": {"strateg": "serial"}})",
                   "/scan/strateg:", "block, block_threads, items_per_thread");
    expect_refused(program, R"({"a/b~c": 1})", "/a~1b~0c:", "unknown key");
    expect_refused(program, R"({"\u0007\n": 1})", "/??:", "unknown key");
  }
  expect_refused(cull, R"({"keep": {"box": {"min": [0,0,0], "max": [1,1,1], "mid": 0}}})",
                 "/keep/box/mid:", "max, min");
  expect_refused(cull, R"({"descending": true})", "/descending:", "columns, delimiter, device, export");
  expect_refused(sort, R"({"keep": {}})", "/keep:", "argsort, begin_bit, by, column_types, columns");
}

TEST_F(config, values_that_could_be_taken_for_others) {
  for (const std::string& program : {cull, sort}) {
    const std::string deep(128, '[');
    expect_refused(program, R"({"a": )" + deep + std::string(128, ']') + "}", "/a/0/0", "deeper than 128 levels");
    expect_refused(program, R"({"a": )" + std::string(1000000, '['), "/a/0/0", "deeper than 128 levels");
    expect_refused(program, R"({"a": )" + deep.substr(1) + std::string(127, ']') + "}", "/a:", "unknown key");
    expect_refused(program, R"({"input": "k\u0000.npy"})", "/input:", "a NUL");
    expect_refused(program, R"({"in\u0000put": "k"})", "/:", "a NUL");
  }
  expect_refused(sort, R"({"end_bit": 9007199254740993})", "/end_bit:", "got 9007199254740993; expected at most 2^53");
  expect_refused(cull, R"({"keep": {"box": {"min": [0, -9007199254740993, 0]}}})", "/keep/box/min/1:", "2^53");
  expect_refused(cull, R"({"keep": {"lifetime": {"above": -123456789012345678901234567890}}})",
                 "/keep/lifetime/above:", "got -123456789012345678901234567890; expected at most 2^53");
  expect_refused(cull, R"({"keep": {"lifetime": {"above": 9007199254740993.0}}})", "/keep/lifetime/above:", "2^53");
  for (const std::string& program : {cull, sort}) {
    expect_refused(program, R"({"columns": {"npy": ["x", "y", "x"]}})", "/columns/npy:", "a name is given twice");
  }
  expect_refused(sort, R"({"columns": {"npy": ["x"]}})", "/columns:", "given without --by");
}

TEST_F(config, several_exports_of_one_property) {
  const outcome result = run({cull, "--print-config", "--export", "id=a", "--export", "z=b", "--export", "id=c"});
  EXPECT_EQ(json::parse(result.out)["export"], json::parse(R"({"properties": {"id": ["a", "c"], "z": "b"}})"));
  spill(file("printed.json"), result.out);
  EXPECT_EQ(run({cull, "--print-config", "--config", "printed.json"}).out, result.out);
}

TEST_F(config, names_end_as_what_is_written_does) {
  const auto refused = [&](const std::vector<std::string>& line, const std::string& said) {
    expect_failure(line, 2, said);
  };
  refused({cull, "generate", "--output", "g.npy"},
          "--output: g.npy ends in .npy, and .ply is written; expected a name that ends in .ply");
  refused({sort, "--input", "c.ply", "--output", "o.ply"}, "--input: c.ply has rows; expected --by PROPERTY too");
  refused({sort, "--input", "k.npy", "--output", "k.csv"}, "--output: k.csv ends in .csv, and .npy is written");
  refused({sort, "--input", "k", "--text", "--output", "k.npy"}, "--output: k.npy ends in .npy, and .txt is written");
  refused({sort, "--input", "k", "--type", "u8", "--output", "k.NPY"}, "--output: k.NPY ends in .npy, and .bin");
  refused({sort, "--input", "k", "--runs", "r.txt"}, "--runs: r.txt ends in .txt, and .npy is written");
  refused({cull, "--input", "k", "--output", "o", "--export", "id=id.csv"}, "--export: id.csv ends in .csv, and .npy");
  spill(file("in.ply"), "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n");
  refused({cull, "--input", "in.ply", "--output", "o.csv"},
          "--output: o.csv ends in .csv, and .ply is written, as in.ply is");
  EXPECT_EQ(run({sort, "--text", "--output", "k.csv", "--device", "sim"}, "2\n1\n").code, 0);
  EXPECT_EQ(run({sort, "--text", "--output", "sorted.keys", "--device", "sim"}, "2\n1\n").code, 0);
}

TEST_F(config, files_that_are_read_are_not_written) {
  spill(file("c.json"), "{}");
  spill(file("in.ply"), "ply");
  spill(file("in.npy"), "npy");
  std::filesystem::create_symlink("in.ply", file("link.ply"));
  const std::vector<std::string> usual = {cull, "--config", "c.json", "--input", "in.ply", "--output", "out.ply"};
  const auto refused = [&](std::vector<std::string> line, const std::vector<std::string>& more,
                           const std::string& said) {
    line.insert(line.end(), more.begin(), more.end());
    expect_failure(line, 2, said);
  };
  refused(usual, {"--report", "in.ply"}, "--report: in.ply is what --input reads");
  refused(usual, {"--report", "c.json"}, "--report: c.json is what --config reads");
  refused(usual, {"--export", "id=link.ply"}, "--export: link.ply is what --input reads");
  refused(usual, {"--export", "id=a", "--export", "x=a"}, "--export: a is what --export writes");
  refused({cull, "--config", "c.json", "--input", "in.ply", "--output", "c.json"}, {},
          "--output: c.json is what --config reads");
  refused({cull, "--input", "in.ply", "--output", "-"}, {"--report", "-"}, "--report: - is what --output writes");
  refused({sort, "--input", "in.npy", "--runs", "in.npy"}, {}, "--runs: in.npy is what --input reads");
  refused({sort, "--input", "k", "--payload", "in.ply", "--payload-output", "p"}, {"--output", "in.ply"},
          "--output: in.ply is what --payload reads");
  // A stream is written while the file is read; a pipe waits for ever for itself.
  const outcome appended = run({"/bin/sh", "-c", cull + " --input in.ply --output - >> in.ply; echo $? > code"});
  EXPECT_EQ(slurp(file("code")), "2\n") << appended.err;
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  refused({cull, "--input", "pipe", "--output", "pipe"}, {}, "--output: pipe is what --input reads");
  refused({sort, "--input", "pipe", "--runs", "pipe"}, {}, "--runs: pipe is what --input reads");
  spill(file("c.json"), R"({"report": "in.ply"})");
  refused(usual, {}, "c.json: /report: in.ply is what --input reads");
  EXPECT_EQ(slurp(file("in.ply")), "ply");
}

TEST_F(config, wrong_types_and_values) {
  expect_refused(cull, R"([])", "/:", "got []; expected an object");
  expect_refused(cull, R"({"verify": "yes"})", "/verify:", "got \"yes\"; expected true or false");
  expect_refused(cull, R"({"input": 5})", "/input:", "got 5; expected a file name");
  expect_refused(cull, R"({"scan": null})", "/scan:", "got null; expected an object");
  expect_refused(cull, R"({"scan": {"block_threads": 256.5}})", "/scan/block_threads:", "an integer from 32 to 1024");
  expect_refused(cull, R"({"scan": {"block_threads": 99999999999}})", "/scan/block_threads:", "an integer from 32");
  expect_refused(cull, R"({"device": "gpu"})", "/device:", "got \"gpu\"; expected auto, cuda, cuda:N or sim");
  expect_refused(cull, R"({"keep": {"box": {"min": [0,0,"a"], "max": [1,1,1]}}})",
                 "/keep/box/min/2:", "expected a number");
  expect_refused(cull, R"({"keep": {"box": {"min": [0,0], "max": [1,1,1]}}})", "/keep/box/min:", "three numbers");
  expect_refused(cull, R"({"keep": {"box": {"min": [0,2,0], "max": [1,1,1]}}})", "/keep/box/min/1:", "at most max");
  expect_refused(cull, R"({"keep": {"sphere": {"center": [0,0,0], "radius": -1}}})",
                 "/keep/sphere/radius:", "from 0 up");
  expect_refused(cull, R"({"keep": {"frustum": {"eye": [0,0,0]}}})", "/keep/frustum/target:", "got nothing");
  expect_refused(cull, R"({"keep": {"frustum": {"eye": [0,0,0], "target": [0,0,0]}}})",
                 "/keep/frustum/target:", "a target away from the eye");
  expect_refused(cull, R"({"keep": {"frustum": {"eye": [0,0,0], "target": [0,3,0]}}})",
                 "/keep/frustum/up:", "not along the view");
  expect_refused(cull, R"({"keep": {"frustum": {"eye": [0,0,0], "target": [1,0,0], "up": [0,0,0]}}})",
                 "/keep/frustum/up:", "not along the view");
  expect_refused(cull, R"({"keep": {"frustum": {"eye": [0,0,0], "target": [1,0,0], "near": 3, "far": 2}}})",
                 "/keep/frustum/far:", "more than near");
  expect_refused(cull, R"({"keep": {"frustum": {"eye": [0,0,0], "target": [1,0,0], "fov_y_degrees": 180}}})",
                 "/keep/frustum/fov_y_degrees:", "below 180");
  expect_refused(cull, R"({"export": {"depth": "d.npy"}})", "/export/depth:", "needs a camera");
  expect_refused(sort, R"({"payload": "p.npy"})", "/payload:", "--payload-output");
  expect_refused(sort, R"({"payload_output": "p.npy"})", "/payload_output:", "--payload too");
  expect_refused(sort, R"({"argsort": true, "payload": "p.npy", "payload_output": "q.npy"})",
                 "/argsort:", "one of the two");
  expect_refused(sort, R"({"payload": [], "payload_output": "q.npy"})",
                 "/payload:", "got []; expected a file name or 1");
  expect_refused(sort, R"({"payload": ["p.npy", ""], "payload_output": ["q.npy", "r.npy"]})",
                 "/payload/1:", "got \"\"; expected a file name");
  expect_refused(sort, R"({"payload": [1,2,3,4,5,6,7,8,9]})", "/payload", "");
  expect_refused(sort, R"({"payload": ["p.npy", "q.npy"], "payload_output": ["r.npy"]})",
                 "/payload_output:", "got 1 times, and --payload 2 times; expected one for each payload");
  expect_refused(sort, R"({"payload": ["-", "-"], "payload_output": ["q.npy", "r.npy"]})", "/payload:", "got \"-\"");
  expect_refused(sort, R"({"begin_bit": -1})", "/begin_bit:", "got -1; expected an integer from 0 to 64");
  expect_refused(sort, R"({"end_bit": 65})", "/end_bit:", "got 65; expected an integer from 0 to 64");
  expect_refused(sort, R"({"type": "f8"})", "/type:", "got \"f8\"; expected one of \"i8\", ");
  expect_refused(sort, R"({"type": "f16", "text": true})", "/type:", "got f16; expected an integer or a float of 32");
  expect_refused(sort, R"({"text": 1})", "/text:", "got 1; expected true or false");
  expect_refused(sort, R"({"runs": ""})", "/runs:", "expected a file name");
}

TEST_F(config, a_sort_of_many_arrays) {
  const outcome first =
      run(words_of(sort,
                   "--print-config --input k.bin --type i16 --end-bit 12 --runs r.npy --payload a.npy --payload b.npy "
                   "--payload-output c.npy --payload-output=d.npy"));
  ASSERT_EQ(first.code, 0) << first.err;
  json printed = json::parse(first.out);
  EXPECT_EQ(printed["payload"], json::parse(R"(["a.npy", "b.npy"])"));
  EXPECT_EQ(printed["payload_output"], json::parse(R"(["c.npy", "d.npy"])"));
  EXPECT_EQ(printed["type"], "i16");
  EXPECT_EQ(printed["begin_bit"], 0);
  EXPECT_EQ(printed["end_bit"], 12);
  EXPECT_EQ(printed["runs"], "r.npy");
  spill(file("printed.json"), first.out);
  EXPECT_EQ(run({sort, "--config", "printed.json", "--print-config"}).out, first.out);
  // One name stands for a list of one, and the flags replace the whole list.
  printed["payload"] = "e.npy";
  spill(file("printed.json"), printed.dump());
  const outcome second = run({sort, "--config", "printed.json", "--print-config", "--payload-output", "f.npy"});
  EXPECT_EQ(json::parse(second.out)["payload"], json::parse(R"(["e.npy"])")) << second.err;
  EXPECT_EQ(json::parse(second.out)["payload_output"], json::parse(R"(["f.npy"])"));
}

TEST_F(config, text_comes_and_goes_by_pipes_where_no_file_is_named) {
  const auto printed = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> line = {sort, "--print-config", "--text"};
    line.insert(line.end(), flags.begin(), flags.end());
    return json::parse(run(line).out);
  };
  EXPECT_EQ(printed({})["input"], "-");
  EXPECT_EQ(printed({})["output"], "-");
  EXPECT_EQ(printed({"--input", "k.txt"})["input"], "k.txt");
  EXPECT_EQ(printed({"--output", "k.txt"})["output"], "k.txt");
  EXPECT_FALSE(printed({"--runs", "r.npy"}).contains("output"));
}

TEST_F(config, unknown_variants) {
  for (const std::string& program : {cull, sort}) {
    expect_refused(program, R"({"scan": {"strategy": "lookback"}})",
                   "/scan/strategy:", R"(got "lookback"; expected one of "default", "serial", )");
    expect_refused(program, R"({"scan": {"strategy": "decoupled_lookback", "block": "warps"}})",
                   "/scan/block:", R"(got "warps"; expected one of "kogge_stone", )");
    expect_refused(program, R"({"scan": {"strategy": "decoupled_lookback", "items_per_thread": 61}})", "/scan:",
                   "no scan by decoupled_lookback warp_scans 256 x 61 was compiled; expected a tile of 256 x 16, ");
  }
}

TEST_F(config, a_tile_alone_is_one_of_look_back) {
  const auto scan_of = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> line = {sort, "--print-config", "--input", "i.npy"};
    line.insert(line.end(), flags.begin(), flags.end());
    return json::parse(run(line).out)["scan"];
  };
  EXPECT_EQ(scan_of({}), json::parse(R"({"strategy": "default"})"));
  EXPECT_EQ(scan_of({"--block-threads", "512"}),
            json::parse(R"({"strategy": "decoupled_lookback", "block": "warp_scans", "block_threads": 512,
                            "items_per_thread": 16})"));
}

TEST_F(config, duplicate_keys) {
  for (const std::string& program : {cull, sort}) {
    expect_refused(program, R"({"verify": true, "verify": true})", "/verify:", "twice");
    expect_refused(program, R"({"scan": {"block": "warp_scans"}, "device": "sim", "scan": {}})", "/scan:", "twice");
    expect_refused(program, R"({"scan": {"block": "warp_scans", "block": "warp_scans"}})", "/scan/block:", "twice");
    expect_refused(program, R"({"x": [0, {"a": 1}, {"a": [[]], "b": 0, "a": 2}]})", "/x/2/a:", "twice");
  }
}

TEST_F(config, equal_keys_of_different_objects_are_no_duplicates) {
  EXPECT_EQ(apps::parse_config("c", R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})")["b"][1]["a"], 2);
}

TEST_F(config, malformed_json) {
  for (const std::string text : {"", "{", "nul", "{\"verify\": true,}", "{\"verify\" true}", "{} {}", "{\"x\": 1e999}",
                                 "{\"x\": \"\xff\"}", "// comment\n{}", "{\"a\nb\": 1}"}) {
    expect_refused(cull, text, "expected JSON; ", "");
  }
  expect_failure({cull, "--config", "missing.json"}, 2, "missing.json: cannot open it");
  expect_failure({cull, "--config", "."}, 2, ".: a directory");
}

TEST_F(config, the_command_line_overrides_the_file) {
  spill(file("c.json"), R"({"device": "sim", "verify": true, "keep": {"lifetime": {"above": 1},
    "box": {"min": [0,0,0], "max": [1,1,1]}}, "scan": {"strategy": "scan_then_propagate", "block": "brent_kung"}})");
  const outcome result =
      run(words_of(cull,
                   "--config c.json --print-config --box -1 -2 -3 4 5 6 --lifetime-above -0.5 --block warp_scans "
                   "--export a=b=c --export=0=d --verify=false --input i.ply"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json printed = json::parse(result.out);
  EXPECT_EQ(printed["keep"],
            json::parse(R"({"lifetime": {"above": -0.5}, "box": {"min": [-1,-2,-3], "max": [4,5,6]}})"));
  EXPECT_EQ(printed["scan"]["strategy"], "scan_then_propagate");
  EXPECT_EQ(printed["scan"]["block"], "warp_scans");
  EXPECT_EQ(printed["export"], json::parse(R"({"properties": {"a": "b=c", "0": "d"}})"));
  EXPECT_EQ(printed["device"], "sim");
  EXPECT_EQ(printed["verify"], false);
  EXPECT_EQ(printed["input"], "i.ply");
}

TEST_F(config, what_is_printed_is_a_config_that_prints_the_same) {
  for (const std::string& program : {cull, sort, std::string(UPSWEEP_PARTICLES)}) {
    const std::string folder = program == cull ? "cull" : program == sort ? "sort" : "particles";
    for (const std::string& path : configs_in({folder, "variants"})) {
      const outcome first = run({program, "--config", path, "--print-config"});
      ASSERT_EQ(first.code, 0) << first.err;
      spill(file("printed.json"), first.out);
      const outcome second = run({program, "--config", "printed.json", "--print-config"});
      EXPECT_EQ(second.code, 0) << second.err;
      EXPECT_EQ(second.out, first.out);
    }
  }
}

TEST_F(config, mistakes_on_the_command_line_name_the_flag) {
  const std::vector<std::string> files = {"--input", "in.ply", "--output", "out.ply"};
  const auto refused = [&](const std::string& program, std::vector<std::string> words, const std::string& expected) {
    words.insert(words.begin(), program);
    words.insert(words.end(), files.begin(), files.end());
    expect_failure(words, 2, expected);
  };
  refused(cull, {"--colour", "red"}, "unknown option --colour (--help");
  refused(cull, {"stray", "--uotput", "x"}, "unknown option --uotput; did you mean --output? (--help");
  refused(cull, {"--lifetime-abov=3"}, "unknown option --lifetime-abov; did you mean --lifetime-above?");
  refused(sort, {"--desc"}, "unknown option --desc; did you mean --descending?");
  refused(sort, {"a.csv", "-1"}, "unexpected arguments a.csv -1; files are named by --input and --output");
  refused(cull, {"--image", "o.jpg"}, "--image: o.jpg ends in .jpg, and .png is written; expected a name that ends in");
  refused(cull, {"--sphere", "1", "2"}, "--sphere: given with 2 values; expected 4: X Y Z RADIUS");
  expect_failure({cull, "--input", "in.ply", "--output"}, 2, "--output: given without a value; expected FILE");
  refused(cull, {"--device", "gpu"}, "--device: got \"gpu\"");
  refused(cull, {"--order", "sorted"}, "--order: got \"sorted\"");
  refused(cull, {"--method", "hole_filling"}, "--method: hole_filling does not keep the order");
  refused(cull, {"--method", "fused", "--block", "raking"}, "--block: fused has no scan");
  refused(cull, {"--lifetime-above", "long"}, "--lifetime-above: got \"long\"; expected a finite number");
  refused(cull, {"--lifetime-above", "9007199254740993"},
          "--lifetime-above: got 9007199254740993; expected a number that a double holds exactly, such as "
          "9007199254740992");
  refused(cull, {"--lifetime-above", "9007199254740993.0"}, "--lifetime-above: got 9007199254740993.0; expected a");
  refused(cull, {"--verify=maybe"}, "--verify: got \"maybe\"; expected true or false");
  const outcome both = run({cull, "--config", "-", "--input", "-", "--output", "o"}, "{}");
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("--config: got \"-\"; expected a file"), std::string::npos) << both.err;
  expect_failure({sort, "--input", "k.npy", "--argsort", "--runs", "r.npy"}, 2, "--argsort: given without a place");
  refused(cull, {"--eye", "0", "0", "0", "--target", "0", "1", "0"}, "--up: got 0 1 0; expected a vector other");
  refused(cull, {"--strategy", "hillis_steele", "--block", "raking"}, "--block: given for hillis_steele, which has no");
  refused(sort, {"--method", "onesweep", "--block", "raking"}, "--block: onesweep has no scan");
  refused(cull, {"--sphere", "0", "0", "0", "-1"}, "--sphere: got -1");
  refused(cull, {"--sphere", "0", "0", "0"}, "--sphere");
  refused(cull, {"--sphere", "0", "0", "inf", "1"}, "--sphere: got \"inf\"");
  refused(cull, {"--box", "1", "0", "0", "0", "1", "1"}, "--box: got 1; expected at most max");
  refused(cull, {"--eye", "0", "0", "1"}, "--target: got nothing");
  refused(cull, {"--export", "id"}, "--export: got \"id\"");
  refused(cull, {"--export", "id=out.ply"}, "--export: out.ply is what --output writes");
  refused(cull, {"--report", "./out.ply"}, "./out.ply is what --output writes");
  refused(cull, {"--block-threads", "97"}, "--block-threads: no scan by decoupled_lookback warp_scans 97 x 16");
  refused(cull, {"--input", "twice.ply"}, "--input");
  refused(sort, {"--strategy", "quick"}, "--strategy: got \"quick\"");
  refused(sort, {"--argsort", "--payload", "p", "--payload-output", "q"}, "--argsort");
  expect_failure({cull, "--device"}, 2, "--device");
  expect_failure({cull}, 2, "--input is missing");
  expect_failure({cull, "--input", "a.ply"}, 2, "--output is missing");
  expect_failure({sort, "--output", "a.npy"}, 2, "--input is missing");
  expect_failure({cull, "generate"}, 2, "--output: got nothing");
  expect_failure({cull, "generate", "--output", "a.ply", "--count", "-1"}, 2, "--count: got -1");
}

TEST_F(config, whole_numbers_are_those_that_people_write) {
  const std::pair<std::string, std::int64_t> numbers[] = {{"1000", 1000},    {"1e6", 1000000}, {"2.5e3", 2500},
                                                          {"2^20", 1 << 20}, {"+7", 7},        {"-3", -3}};
  for (const auto& [text, number] : numbers) EXPECT_EQ(apps::whole_number(text), number) << text;
  for (const std::string text :
       {"", "1.5", "1e400", "2^63", "2^-1", "2^", "0x10", " 1", "1e20", "9223372036854775808"}) {
    EXPECT_EQ(apps::whole_number(text), std::nullopt) << text;
  }
  EXPECT_EQ(run({cull, "generate", "--output", "a.ply", "--count", "1e2"}).code, 0);
  EXPECT_NE(slurp(file("a.ply")).find("element vertex 100\n"), std::string::npos);
  EXPECT_EQ(apps::parse_config("c", R"({"a": [1e3, 0.5]})").dump(), R"({"a":[1000,0.5]})");
  expect_failure({cull, "generate", "--output", "a.ply", "--count", "1e-2"}, 2,
                 "--count: got \"1e-2\"; expected a whole number, as 1000, 1e6 or 2^20");
}

TEST(serial_scan, runs_on_the_sim_alone) {
  apps::command_line line("program", "", apps::cull_schema);
  line.add_common();
  const char* const argv[] = {"program", "--strategy", "serial"};
  ASSERT_TRUE(line.parse(3, argv));
  const scan_variant serial = apps::common_config_from(line.document(), line).scan;
  EXPECT_EQ(serial.strategy, scan_strategy::serial);
  EXPECT_NO_THROW(apps::check_runs_on(serial, runtime::backend::sim, line));
  EXPECT_NO_THROW(apps::check_runs_on(scan_variant{}, runtime::backend::cuda, line));
  try {
    apps::check_runs_on(serial, runtime::backend::cuda, line);
    FAIL();
  } catch (const apps::failure& error) {
    EXPECT_EQ(error.code(), apps::exit_code::usage);
    EXPECT_TRUE(std::string(error.what()).starts_with("--strategy: ")) << error.what();
  }
}

TEST_F(config, shells_complete_every_option) {
  for (const std::string& program : {cull, sort}) {
    for (const std::string shell : {"bash", "zsh", "fish"}) {
      const outcome script = run({program, "--completion", shell});
      EXPECT_EQ(script.code, 0) << script.err;
      EXPECT_EQ(script.err, "");
      for (const std::string flag : {"report", "items-per-thread", "delimiter"}) {
        EXPECT_NE(script.out.find((shell == "fish" ? "-l " : "--") + flag), std::string::npos) << script.out;
      }
      if (shell == "bash") {
        const outcome completed = run({"/bin/bash", "-c",
                                       script.out + "COMP_WORDS=(x --rep); COMP_CWORD=1; _upsweep_" +
                                           (program == cull ? "cull" : "sort") + "; echo \"${COMPREPLY[@]}\""});
        EXPECT_EQ(completed.out, "--report\n") << completed.err;
      }
    }
  }
  expect_failure({sort, "--completion", "csh"}, 2, "--completion: got \"csh\"; expected bash, zsh or fish");
}

TEST_F(config, man_has_every_option) {
  for (const std::string& program : {cull, sort}) {
    const outcome page = run({program, "--man-page"}), help = run({program, "--help"});
    EXPECT_EQ(page.code, 0) << page.err;
    EXPECT_EQ(page.out.substr(0, 14), program == cull ? ".TH UPSWEEP-CU" : ".TH UPSWEEP-SO");
    std::size_t options = 0;
    for (std::size_t at = help.out.find("\n  --"); at != std::string::npos; at = help.out.find("\n  --", at + 1)) {
      std::string flag = help.out.substr(at + 3, help.out.find_first_of(" \n", at + 3) - at - 3);
      for (std::size_t dash = 0; (dash = flag.find('-', dash)) != std::string::npos; dash += 2) flag.insert(dash, "\\");
      EXPECT_NE(page.out.find(".TP\n\\fB" + flag + "\\fR"), std::string::npos) << flag;
      ++options;
    }
    EXPECT_GT(options, 20u);
    // What man would complain about goes to stderr.
    if (run({"/bin/sh", "-c", "command -v groff"}).code == 0) {
      const std::string path = file("page.1");
      std::ofstream(path) << page.out;
      const outcome shown = run({"/bin/sh", "-c", "groff -man -Tascii -ww " + path + " >/dev/null"});
      EXPECT_EQ(shown.err, "");
    }
  }
}

TEST_F(config, help_and_version) {
  for (const std::string& program : {cull, sort}) {
    const std::string name = program.substr(program.rfind('/') + 1);
    const outcome help = run({program, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("  --output FILE   "), std::string::npos) << help.out;
    EXPECT_LT(help.out.find(name, help.out.find("Examples:\n  ")), help.out.find("--config"));
    const outcome version = run({program, "--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with(name + " ")) << version.out;
  }
}

TEST(schema, names_what_the_library_has) {
  const json scan = json::parse(apps::scan_schema);
  EXPECT_EQ(json::parse(apps::cull_schema)["properties"]["scan"], scan);
  EXPECT_EQ(json::parse(apps::sort_schema)["properties"]["scan"], scan);
  EXPECT_EQ(scan["properties"]["strategy"]["enum"], json(scan_strategy_names));
  EXPECT_EQ(json::parse(apps::sort_schema)["properties"]["method"]["enum"], json(sort_method_names));
  for (const json& name : json::parse(apps::sort_schema)["properties"]["type"]["enum"]) {
    EXPECT_TRUE(scalar_type_named(name.get<std::string>()));
  }
  EXPECT_EQ(json::parse(apps::sort_schema)["properties"]["type"]["enum"].size(), runtime::sort_key_types().size());
  EXPECT_EQ(scan["properties"]["block"]["enum"], json(block_algorithm_names));
  EXPECT_EQ(json::parse(apps::cull_schema)["properties"]["method"]["enum"], json(compact_method_names));
  const json& names = scan["properties"];
  for (const scan_variant& v : runtime::scan_variants()) {
    if (!has_tiles(v.strategy)) continue;
    for (const auto& [key, value] :
         {std::pair("block_threads", v.block_threads), {"items_per_thread", v.items_per_thread}}) {
      EXPECT_LE(names[key]["minimum"].get<int>(), value);
      EXPECT_GE(names[key]["maximum"].get<int>(), value);
    }
  }
}

TEST(schema, every_leaf_says_what_it_expects) {
  std::vector<json> open = {json::parse(apps::cull_schema),   json::parse(apps::sort_schema),
                            json::parse(apps::record_schema), json::parse(apps::generate_schema),
                            json::parse(apps::bench_schema),  json::parse(apps::particles_schema)};
  int leaves = 0;
  while (!open.empty()) {
    const json schema = open.back();
    open.pop_back();
    EXPECT_TRUE(schema.contains("description")) << schema;
    ++leaves;
    if (schema.contains("properties")) {
      EXPECT_EQ(schema.at("additionalProperties"), false) << schema;
      for (const auto& [key, child] : schema["properties"].items()) open.push_back(child);
    }
    if (schema.contains("items")) open.push_back(schema["items"]);
  }
  EXPECT_GT(leaves, 40);
}

/// STRATEGY, STRATEGY_BLOCK, or with another tile than the default one STRATEGY_BLOCK_THREADSxITEMS.
std::string config_name_of(const scan_variant& v) {
  std::string name(name_of(v.strategy));
  if (!has_tiles(v.strategy)) return name;
  name += '_' + std::string(name_of(v.block));
  const scan_variant usual;
  const bool usual_tile = v.block_threads == usual.block_threads && v.items_per_thread == usual.items_per_thread;
  return usual_tile ? name : name + fmt::format("_{}x{}", v.block_threads, v.items_per_thread);
}

/// What the config of the variant holds.
std::string config_text_of(const scan_variant& v) {
  std::string scan = fmt::format(R"("strategy": "{}")", name_of(v.strategy));
  if (has_tiles(v.strategy)) {
    scan += fmt::format(R"(, "block": "{}", "block_threads": {}, "items_per_thread": {})", name_of(v.block),
                        v.block_threads, v.items_per_thread);
  }
  return fmt::format("{{\n  \"device\": \"{}\",\n  \"scan\": {{ {} }}\n}}\n",
                     v.strategy == scan_strategy::serial ? "sim" : "auto", scan);
}

/// Every file of configs/ that names of strategies and blocks make: its path there, and what it holds.
std::map<std::string, std::string> files_of_variants() {
  auto scan = apps::ordered_json::parse(apps::scan_schema);
  scan["properties"]["strategy"]["enum"] = scan_strategy_names;
  scan["properties"]["block"]["enum"] = block_algorithm_names;
  std::map<std::string, std::string> files = {{"schema/scan.schema.json", scan.dump(2) + "\n"}};
  for (const scan_variant& v : runtime::scan_variants()) {
    files["variants/" + config_name_of(v) + ".json"] = config_text_of(v);
  }
  return files;
}

/// With UPSWEEP_REWRITE_CONFIGS in its environment, it writes them first.
TEST(configs_of_variants, are_those_that_the_library_has) {
  std::set<std::string> expected;
  for (const auto& [name, text] : files_of_variants()) {
    const std::string path = configs + '/' + name;
    if (std::getenv("UPSWEEP_REWRITE_CONFIGS")) spill(path, text);
    EXPECT_TRUE(std::filesystem::exists(path) && slurp(path) == text)
        << path << " should hold\n"
        << text << "and this writes it:\n  " << UPSWEEP_REWRITE;
    if (name.starts_with("variants/")) expected.insert(path);
  }
  const auto there = configs_in({"variants"});
  EXPECT_EQ(std::set(there.begin(), there.end()), expected)
      << "a file in configs/variants for each scan variant, and no others";
}

}  // namespace
}  // namespace upsweep::test
