// upsweep-bench plot: which charts it draws, what stands in them, and how it fails.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "commands.hpp"
#include "python.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::exit_code;
using apps::failure;
using nlohmann::json;

constexpr double copy_rate = 4000;
const std::string variant = "decoupled_lookback/warp_scans/256x16";

/// What a call takes at `rate` GB/s.
json side(const std::string& name, double bytes, double rate) {
  const double ms = bytes / rate / 1e6;
  return {{"name", name},  {"samples", 3},       {"median_ms", ms}, {"low_ms", ms},
          {"high_ms", ms}, {"items_per_s", 1.0}, {"gb_per_s", rate}};
}

/// A row of u32 whose subject takes 1.25 times as long as CUB.
json row(const std::string& operation, std::int64_t n, const std::string& subject = variant) {
  const std::int64_t bytes = 8 * n;
  const double rate = 10.0 * std::log2(static_cast<double>(n));
  return {{"operation", operation},
          {"n", n},
          {"type", "u32"},
          {"distribution", "random"},
          {"mode", "cold"},
          {"bytes", bytes},
          {"subject", side(subject, static_cast<double>(bytes), rate)},
          {"reference", "cub"},
          {"reference_timing", side("cub 64-bit", static_cast<double>(bytes), 1.25 * rate)},
          {"speedup", {{"median", 0.8}, {"low", 0.79}, {"high", 0.82}}},
          {"discarded", 0},
          {"stable", true},
          {"verified", true}};
}

json record(const std::string& command, const json& rows, const std::string& device = "NVIDIA H200") {
  return {{"program", "upsweep-bench"},
          {"format", 2},
          {"command", command},
          {"argv", json::array()},
          {"time", "2026-11-20T12:00:00Z"},
          {"device",
           {{"name", device},
            {"backend", device == "sim" ? "sim" : "cuda"},
            {"compute_capability", "9.0"},
            {"multiprocessors", 132},
            {"l2_bytes", 1},
            {"memory_bytes", 1},
            {"max_clock_mhz", 1980}}},
          {"versions", json::object()},
          {"settings", json::object()},
          {"copy_gb_per_s", copy_rate},
          {"copy_bytes", 1 << 30},
          {"rows", rows}};
}

/// A row without a reference.
json alone(json full) {
  for (const char* key : {"reference", "reference_timing", "speedup"}) full.erase(key);
  return full;
}

/// An environment variable that has another value while this object lives.
class changed_variable {
 public:
  changed_variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  changed_variable(const changed_variable&) = delete;
  changed_variable& operator=(const changed_variable&) = delete;
  ~changed_variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class bench_plot : public in_scratch_folder {
 protected:
  /// Runs the command on files of the folder and returns what it printed.
  std::string plot(const std::vector<std::string>& names, const std::string& to) const {
    std::vector<std::string> words = {"upsweep-bench plot"};
    for (const std::string& name : names) words.push_back(file(name));
    words.insert(words.end(), {"-o", file(to)});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    testing::internal::CaptureStdout();
    try {
      EXPECT_EQ(apps::plot_command(static_cast<int>(argv.size()), argv.data()), exit_code::ok);
    } catch (...) {
      EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "a failure names no chart";
      throw;
    }
    return testing::internal::GetCapturedStdout();
  }

  void expect_plot_fails(const std::vector<std::string>& names, const std::string& to, exit_code code,
                         const std::string& words) const {
    try {
      plot(names, to);
      FAIL() << "expected: " << words;
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }

  void write(const std::string& name, const json& document) const { spill(file(name), document.dump()); }

  void expect_words(const std::string& chart, const std::vector<std::string>& words) const {
    const std::string svg = slurp(file(chart));
    for (const std::string& word : words) {
      EXPECT_NE(svg.find(">" + word), std::string::npos) << chart << " has no text that begins with: " << word;
    }
  }

  /// All charts of the folder are well-formed.
  void expect_xml(const std::string& folder) const {
    const std::string parse =
        "import sys, xml.etree.ElementTree as t\nfor f in sys.argv[1:]:\n  t.parse(f)\nprint('ok')";
    std::vector<std::string> command = {"/usr/bin/env", "python3", "-c", parse};
    for (const std::string& name : charts(folder)) command.push_back(folder + "/" + name);
    const outcome parsed = run(command);
    EXPECT_EQ(parsed.out, "ok\n") << parsed.err;
  }

  std::vector<std::string> charts(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(file(folder))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

/// Those that draw; the others do without matplotlib.
class bench_charts : public bench_plot {
 protected:
  void SetUp() override {
    try {
      apps::run_python("import sys\ntry:\n  import matplotlib\nexcept ImportError as e:\n  sys.exit(78)\n", "",
                       "matplotlib", "python3-matplotlib");
    } catch (const failure& error) {
      GTEST_SKIP() << "no matplotlib: " << error.what();
    }
  }

  /// One record of each command.
  void write_records() const {
    json scan = json::array(), compact = json::array(), sort = json::array(), survey = json::array();
    for (const std::int64_t n : {1 << 10, 1 << 12, 1 << 14}) {
      scan.push_back(row("scan", n));
      scan.push_back(row("scan", n));
      scan.back()["mode"] = "graph";
      for (const double kept : {0.01, 0.5}) {
        compact.push_back(row("compact", n));
        compact.back()["kept"] = kept;
      }
      sort.push_back(row("sort", n));
      sort.push_back(row("sort", n));
      sort.back()["type"] = "u64";
      sort.back()["value_type"] = "u32";
      for (const std::string strategy : {"decoupled_lookback", "scan_then_propagate"}) {
        for (const int tile : {1, 2, 4, 8, 16}) {
          survey.push_back(alone(row("scan", n, strategy + "/warp_scans/256x" + std::to_string(tile))));
          survey.back()["subject"] = side(survey.back()["subject"]["name"], 8.0 * double(n), 8e-6 * double(n) * tile);
        }
      }
      for (const char* other : {"serial", "cub 64-bit"}) survey.push_back(alone(row("scan", n, other)));
    }
    write("scan.json", record("scan", scan));
    write("compact.json", record("compact", compact));
    write("sort.json", record("sort", sort));
    write("survey.json", record("survey", survey));
  }
};

/// The corners of the path of the element with this id, as (x, y), y downwards.
std::vector<std::pair<double, double>> corners(const std::string& svg, const std::string& id) {
  std::size_t at = svg.find("<g id=\"" + id + "\"");
  if (at == std::string::npos) {
    ADD_FAILURE() << "no element " << id;
    return {};
  }
  at = svg.find(" d=\"", at) + 4;
  std::istringstream path(svg.substr(at, svg.find('"', at) - at));
  std::vector<std::pair<double, double>> points;
  std::string letter;
  double x = 0, y = 0;
  while (path >> letter && letter != "z" && path >> x >> y) points.emplace_back(x, y);
  return points;
}

TEST_F(bench_charts, each_operation_and_type_has_its_charts) {
  write_records();
  const std::string printed = plot({"scan.json", "compact.json", "sort.json", "survey.json"}, "new/charts");
  const std::vector<std::string> expected = {"compact_speedup_cub.svg",     "compact_throughput_u32.svg",
                                             "scan_speedup_cub.svg",        "scan_speedup_cub_graph.svg",
                                             "scan_throughput_u32.svg",     "scan_throughput_u32_graph.svg",
                                             "sort_speedup_cub.svg",        "sort_throughput_u32.svg",
                                             "sort_throughput_u64_u32.svg", "survey_u32.svg"};
  EXPECT_EQ(charts("new/charts"), expected);
  std::istringstream lines(printed);
  std::vector<std::string> named;
  for (std::string line; std::getline(lines, line);) named.push_back(line);
  std::sort(named.begin(), named.end());
  ASSERT_EQ(named.size(), expected.size()) << printed;
  for (std::size_t i = 0; i < named.size(); ++i) EXPECT_EQ(named[i], file("new/charts/" + expected[i]));

  expect_words("new/charts/scan_throughput_u32.svg",
               {"scan of u32: throughput<", "NVIDIA H200 · 2026-11-20", "copy, 4,000 GB/s<", "CUB<", "upsweep<",
                "one call at a time, L2 flushed before each · medians of 3 samples", "upsweep: " + variant});
  expect_words("new/charts/scan_throughput_u32_graph.svg", {"replays of a captured graph"});
  expect_words("new/charts/compact_throughput_u32.svg",
               {"1 % kept, upsweep<", "1 % kept, CUB<", "50 % kept, upsweep<", "50 % kept, CUB<"});
  expect_words("new/charts/sort_speedup_cub.svg", {"sort: speedup over CUB<", "u32<", "u64+u32<", "0.80<", "2¹⁰<"});
  expect_words("new/charts/survey_u32.svg",
               {"every scan variant, u32", "CPU loop<", "CUB<", "copy, 4,000 GB/s<", "decoupled_lookback/<",
                "warp_scans/256x16<", "scan_then_propagate/<", "and 4 more<"});
}

TEST_F(bench_charts, of_the_recorded_runs_are_those_that_the_readme_shows) {
  std::vector<std::string> records;
  for (const char* name : {"scan", "compact", "sort", "survey"}) {
    const std::string file_name = std::string("h200_") + name + ".json";
    spill(file(file_name), slurp(configs + "/bench/recorded/" + file_name));
    records.push_back(file_name);
  }
  plot(records, "charts");
  int shown = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/bench/recorded/charts")) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(std::filesystem::exists(file("charts/" + name))) << name;
    ++shown;
  }
  EXPECT_GE(shown, 7);
}

TEST_F(bench_charts, are_xml_without_a_background_and_the_same_every_time) {
  write_records();
  const std::vector<std::string> records = {"scan.json", "compact.json", "sort.json", "survey.json"};
  plot(records, "a");
  plot(records, "b");
  ASSERT_EQ(charts("a"), charts("b"));
  ASSERT_GE(charts("a").size(), 10u);
  for (const std::string& name : charts("a")) {
    SCOPED_TRACE(name);
    const std::string svg = slurp(file("a/" + name));
    EXPECT_EQ(svg, slurp(file("b/" + name)));
    for (const std::string background : {"patch_1", "patch_2"}) {
      const std::size_t style = svg.find("style=\"", svg.find("id=\"" + background + "\""));
      EXPECT_EQ(svg.substr(style, 17), "style=\"fill: none") << background;
    }
    EXPECT_EQ(svg.find("<image"), std::string::npos);
  }
  expect_xml("a");
}

TEST_F(bench_charts, points_lie_where_they_were_measured) {
  json rows = json::array();
  for (const std::int64_t n : {1 << 12, 1 << 10, 1 << 11}) {
    rows.push_back(row("scan", n));
    rows.back()["subject"] = side(variant, 8.0 * static_cast<double>(n), static_cast<double>(n));
  }
  write("scan.json", record("scan", rows));
  plot({"scan.json"}, "charts");
  const std::string svg = slurp(file("charts/scan_throughput_u32.svg"));
  const auto frame = corners(svg, "patch_2");
  const auto line = corners(svg, "upsweep");
  const auto copy = corners(svg, "copy_4_000_gb_s");
  ASSERT_EQ(line.size(), 3u);
  ASSERT_EQ(copy.size(), 2u);
  ASSERT_GE(frame.size(), 4u);
  const double zero = frame[0].second;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR((zero - line[i].second) / (zero - copy[0].second), std::pow(2.0, 10.0 + double(i)) / copy_rate, 1e-3);
  }
  EXPECT_NEAR(line[2].first - line[1].first, line[1].first - line[0].first, 1e-3);
  EXPECT_GT(line[1].first, line[0].first);
}

TEST_F(bench_charts, what_is_not_verified_is_marked) {
  write("good.json", record("scan", json::array({row("scan", 1024)})));
  json bad = record("scan", json::array({row("scan", 1024)}));
  bad["rows"][0]["verified"] = false;
  write("bad.json", bad);
  plot({"good.json"}, "good");
  plot({"bad.json"}, "bad");
  EXPECT_EQ(slurp(file("good/scan_throughput_u32.svg")).find("not verified"), std::string::npos);
  EXPECT_NE(slurp(file("bad/scan_throughput_u32.svg")).find("hollow: not verified"), std::string::npos);
  EXPECT_NE(slurp(file("bad/scan_speedup_cub.svg")).find("hollow: not verified"), std::string::npos);
}

TEST_F(bench_charts, several_files_are_overlaid_and_told_apart) {
  write("h200.json", record("scan", json::array({row("scan", 1024)})));
  write("again.json", record("scan", json::array({row("scan", 1024)})));
  write("a100.json", record("scan", json::array({row("scan", 1024)}), "NVIDIA A100"));
  write("sim.json", record("scan", json::array({row("scan", 1024)}), "sim"));
  plot({"h200.json", "a100.json", "sim.json"}, "devices");
  expect_words("devices/scan_throughput_u32.svg",
               {"upsweep, NVIDIA H200<", "upsweep, NVIDIA A100<", "CUB, NVIDIA A100<"});
  EXPECT_EQ(slurp(file("devices/scan_throughput_u32.svg")).find("sim"), std::string::npos);
  expect_words("devices/scan_throughput_u32_sim.svg",
               {"scan of u32: throughput, sim<", "sim: kernels run thread by thread"});
  plot({"h200.json", "again.json"}, "files");
  expect_words("files/scan_throughput_u32.svg", {"upsweep, h200.json<", "upsweep, again.json<"});
}

TEST_F(bench_charts, odd_names_stay_inside_of_the_folder_and_the_file) {
  json odd = record("scan", json::array({row("scan", 1000)}), "GPU <&\"$x$\x01>");
  odd["rows"][0]["reference"] = "../else";
  write("odd.json", odd);
  plot({"odd.json"}, "charts");
  EXPECT_EQ(charts("charts"), (std::vector<std::string>{"scan_speedup_else.svg", "scan_throughput_u32.svg"}));
  EXPECT_EQ(files(), (std::vector<std::string>{"charts", "odd.json"}));
  expect_xml("charts");
  expect_words("charts/scan_throughput_u32.svg", {"GPU &lt;&amp;\"$x$?&gt; · 2026-11-20", "1,000<"});
}

TEST_F(bench_charts, nothing_to_draw) {
  json empty = record("scan", json::array({alone(row("scan", 1024))}));
  empty["rows"][0]["subject"] = {{"name", variant}, {"samples", 0}};
  write("empty.json", empty);
  expect_plot_fails({"empty.json"}, "charts", exit_code::bad_input, "empty.json: nothing in it can be drawn");
}

TEST_F(bench_plot, files_that_are_no_records) {
  spill(file("text.json"), "{\"program\": ");
  write("config.json", {{"scan", 1}});
  json document = record("scan", json::array());
  write("empty.json", document);
  document["format"] = 3;
  write("next.json", document);
  write("good.json", record("scan", json::array({row("scan", 1024)})));
  expect_plot_fails({"none.json"}, "charts", exit_code::bad_input, "none.json: cannot open it");
  expect_plot_fails({"good.json", "text.json"}, "charts", exit_code::bad_input, "text.json: expected JSON");
  expect_plot_fails({"config.json"}, "charts", exit_code::bad_input, "config.json: /");
  expect_plot_fails({"empty.json"}, "charts", exit_code::bad_input, "empty.json: /rows: ");
  expect_plot_fails({"next.json"}, "charts", exit_code::bad_input, "next.json: /format: ");
  EXPECT_FALSE(std::filesystem::exists(file("charts"))) << "nothing is made before the records are known to be good";
}

TEST_F(bench_plot, folders_that_cannot_be_made) {
  write("good.json", record("scan", json::array({row("scan", 1024)})));
  expect_plot_fails({"good.json"}, "good.json", exit_code::cannot_write, "good.json: cannot create the directory");
  expect_plot_fails({"good.json"}, "good.json/in", exit_code::cannot_write,
                    "good.json/in: cannot create the directory");
}

TEST_F(bench_plot, options_that_are_missing_or_unknown) {
  for (const std::vector<const char*>& argv : {std::vector{"upsweep-bench plot"},
                                               {"upsweep-bench plot", "a.json"},
                                               {"upsweep-bench plot", "-o", "x"},
                                               {"upsweep-bench plot", "a.json", "-o", "x", "--paint"}}) {
    try {
      apps::plot_command(static_cast<int>(argv.size()), argv.data());
      FAIL() << argv.back();
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), exit_code::usage) << error.what();
    }
  }
}

TEST_F(bench_plot, without_matplotlib_it_says_what_to_install) {
  write("good.json", record("scan", json::array({row("scan", 1024)})));
  std::filesystem::create_directory(file("modules"));
  spill(file("modules/matplotlib.py"), "raise ImportError('not here')\n");
  const changed_variable path("PYTHONPATH", file("modules"));
  expect_plot_fails({"good.json"}, "charts", exit_code::usage, "needs python3 with matplotlib");
  expect_plot_fails({"good.json"}, "charts", exit_code::usage, "apt-get install python3-matplotlib");
  EXPECT_TRUE(charts("charts").empty());
}

TEST_F(bench_plot, an_interpreter_that_breaks_is_an_internal_error) {
  write("good.json", record("scan", json::array({row("scan", 1024)})));
  spill(file("python3"), "#!/bin/sh\necho first >&2\necho 'last words' >&2\nexit 1\n");
  std::filesystem::permissions(file("python3"), std::filesystem::perms::owner_all);
  const changed_variable path("PATH", folder_.string());
  try {
    plot({"good.json"}, "charts");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "python3: status 1: last words");
  }
}

}  // namespace
}  // namespace upsweep::test
