// upsweep-bench plot: which charts it draws, what is in them, and how it fails.
#include <cmath>

#include "bench_support.hpp"

namespace upsweep::test {
namespace {

using apps::bench_record;
using apps::bench_row;
using apps::json;
using words = std::vector<std::string>;

const std::string variant = "decoupled_lookback/warp_scans/256x16";

/// A row of u32 whose subject moves this many GB/s, and takes 1.25 times as long as CUB.
bench_row row(apps::operation what, std::int64_t n, double rate = 100, const std::string& subject = variant) {
  const double ms = 8 * static_cast<double>(n) / rate / 1e6;
  bench_row row = plain_row(subject, ms);
  row.what = what;
  row.n = n;
  row.bytes = 8 * static_cast<std::uint64_t>(n);
  row.reference = "cub";
  row.reference_timing = {{"cub 64-bit", {ms / 1.25, ms / 1.25, ms / 1.25}, 4}};
  row.speedup = {{0.8, 0.79, 0.82}};
  return row;
}

bench_record scan_of(const std::vector<bench_row>& rows, const std::string& device = "NVIDIA H200") {
  bench_record record = record_of(rows);
  record.device.name = device;
  record.device.backend = device == "sim" ? "sim" : "cuda";
  return record;
}

class bench_plot : public in_scratch_folder {
 protected:
  words line(words names, const std::string& to) const {
    names.insert(names.begin(), {UPSWEEP_BENCH, "plot"});
    names.insert(names.end(), {"-o", to});
    return names;
  }
  void write(const std::string& name, const bench_record& record) const {
    spill(file(name), apps::to_json(record).dump());
  }
  /// Draws these, and returns what was printed.
  std::string plot(const words& names, const std::string& to) const {
    const outcome result = run(line(names, to));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  void expect_words(const std::string& chart, const words& texts) const {
    const std::string svg = slurp(file(chart));
    for (const std::string& text : texts) {
      EXPECT_NE(svg.find(">" + text), std::string::npos) << chart << " has no text that begins with: " << text;
    }
  }
  /// The charts of the folder, which are well-formed.
  words charts(const std::string& folder) const {
    words names, command = {"/usr/bin/env", "python3", "-c",
                            "import sys, xml.etree.ElementTree as t\nfor f in sys.argv[1:]:\n  t.parse(f)"};
    for (const auto& entry : std::filesystem::directory_iterator(file(folder))) {
      names.push_back(entry.path().filename().string());
      command.push_back(entry.path().string());
    }
    EXPECT_EQ(run(command).code, 0) << run(command).err;
    std::sort(names.begin(), names.end());
    return names;
  }
};

/// Those that draw; the others do without matplotlib.
class bench_charts : public bench_plot {
 protected:
  /// What a browser says of a page: errors of its console, and what is cut off on a screen 380 pixels wide. A copy of
  /// the page is asked by a script, whose answer is in the page's title.
  std::string browser_says(const std::string& browser, const std::string& page, const std::string& copy) const;

  void SetUp() override {
    static const bool can_draw = [this] {
      write("one.json", scan_of({row(apps::operation::scan, 1024)}));
      return run(line({"one.json"}, "one")).err.find("needs python3 with matplotlib") == std::string::npos;
    }();
    if (!can_draw) GTEST_SKIP() << "no matplotlib";
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
  using apps::operation;
  std::vector<bench_row> scan, compact, sort, survey;
  for (const std::int64_t n : {1 << 10, 1 << 12, 1 << 14}) {
    scan.insert(scan.end(), 2, row(operation::scan, n));
    scan.back().mode = apps::timing_mode::graph;
    for (const double kept : {0.01, 0.5}) {
      compact.push_back(row(operation::compact, n));
      compact.back().kept = kept;
    }
    sort.insert(sort.end(), 2, row(operation::sort, n));
    sort.back().type = scalar_type::u64;
    sort.back().value_type = scalar_type::u32;
    for (const std::string strategy : {"decoupled_lookback", "scan_then_propagate"}) {
      for (const int tile : {1, 2, 4, 8, 16}) {
        survey.push_back(row(operation::scan, n, 8.0 * tile, strategy + "/warp_scans/256x" + std::to_string(tile)));
      }
    }
    for (const char* other : {"serial", "cub 64-bit"}) survey.push_back(row(operation::scan, n, 100, other));
  }
  for (bench_row& r : survey) {
    r.reference.clear();
    r.reference_timing.reset();
    r.speedup.reset();
  }
  bench_record of_survey = record_of(survey);
  of_survey.command = "survey";
  write("scan.json", record_of(scan));
  write("compact.json", record_of(compact));
  write("sort.json", record_of(sort));
  write("survey.json", of_survey);
  const words records = {"scan.json", "compact.json", "sort.json", "survey.json"};
  const std::string printed = plot(records, "new/charts");
  const words expected = {"compact_speedup_cub.svg",     "compact_throughput_u32.svg",
                          "scan_speedup_cub.svg",        "scan_speedup_cub_graph.svg",
                          "scan_throughput_u32.svg",     "scan_throughput_u32_graph.svg",
                          "sort_speedup_cub.svg",        "sort_throughput_u32.svg",
                          "sort_throughput_u64_u32.svg", "survey_u32.svg"};
  EXPECT_EQ(charts("new/charts"), expected);
  plot(records, "again");
  for (const std::string& name : expected) {
    EXPECT_NE(printed.find("new/charts/" + name + "\n"), std::string::npos) << printed;
    const std::string svg = slurp(file("new/charts/" + name));
    EXPECT_EQ(svg, slurp(file("again/" + name))) << name;
    for (const std::string background : {"patch_1", "patch_2"}) {
      const std::size_t style = svg.find("style=\"", svg.find("id=\"" + background + "\""));
      EXPECT_EQ(svg.substr(style, 17), "style=\"fill: none") << name << background;
    }
  }
  expect_words("new/charts/scan_throughput_u32.svg",
               {"scan of u32: throughput<", "NVIDIA H200 · 2026-01-02", "copy, 1,000 GB/s<", "CUB<", "upsweep<",
                "one call at a time, L2 flushed before each · medians of 4 samples", "upsweep: " + variant});
  expect_words("new/charts/scan_throughput_u32_graph.svg", {"replays of a captured graph"});
  expect_words("new/charts/compact_throughput_u32.svg",
               {"1 % kept, upsweep<", "1 % kept, CUB<", "50 % kept, upsweep<", "50 % kept, CUB<"});
  expect_words("new/charts/sort_speedup_cub.svg", {"sort: speedup over CUB<", "u32<", "u64+u32<", "0.80<", "2¹⁰<"});
  expect_words("new/charts/survey_u32.svg",
               {"every scan variant, u32", "CPU loop<", "CUB<", "copy, 1,000 GB/s<", "decoupled_lookback/<",
                "warp_scans/256x16<", "scan_then_propagate/<", "and 4 more<"});
}

TEST_F(bench_charts, of_the_recorded_runs_are_those_that_the_readme_shows) {
  const std::string recorded = configs + "/bench/recorded/";
  words records;
  for (const char* name : {"h100_scan", "h100_compact", "h100_sort", "h200_survey"}) {
    records.push_back(recorded + name + ".json");
  }
  plot(records, "charts");
  for (const auto& entry : std::filesystem::directory_iterator(recorded + "charts")) {
    EXPECT_TRUE(std::filesystem::exists(file("charts/" + entry.path().filename().string()))) << entry.path();
  }
}

TEST_F(bench_charts, points_lie_where_they_were_measured) {
  write("scan.json", scan_of({row(apps::operation::scan, 1 << 12, 400), row(apps::operation::scan, 1 << 10, 100),
                              row(apps::operation::scan, 1 << 11, 200)}));
  plot({"scan.json"}, "charts");
  const std::string svg = slurp(file("charts/scan_throughput_u32.svg"));
  const auto frame = corners(svg, "patch_2"), line = corners(svg, "upsweep"), copy = corners(svg, "copy_1_000_gb_s");
  ASSERT_EQ(line.size(), 3u);
  ASSERT_EQ(copy.size(), 2u);
  ASSERT_GE(frame.size(), 4u);
  const double zero = frame[0].second;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR((zero - line[i].second) / (zero - copy[0].second), 0.1 * std::pow(2.0, double(i)), 1e-3);
  }
  EXPECT_NEAR(line[2].first - line[1].first, line[1].first - line[0].first, 1e-3);
  EXPECT_GT(line[1].first, line[0].first);
}

TEST_F(bench_charts, several_files_are_overlaid_and_told_apart_and_what_is_not_verified_is_marked) {
  bench_row bad = row(apps::operation::scan, 1024);
  bad.verified = false;
  write("h200.json", scan_of({row(apps::operation::scan, 1024)}));
  write("again.json", scan_of({bad}));
  write("a100.json", scan_of({row(apps::operation::scan, 1024)}, "NVIDIA A100"));
  write("sim.json", scan_of({row(apps::operation::scan, 1024)}, "sim"));
  plot({"h200.json", "a100.json", "sim.json"}, "devices");
  expect_words("devices/scan_throughput_u32.svg",
               {"upsweep, NVIDIA H200<", "upsweep, NVIDIA A100<", "CUB, NVIDIA A100<"});
  const std::string devices = slurp(file("devices/scan_throughput_u32.svg"));
  EXPECT_EQ(devices.find("sim"), std::string::npos);
  EXPECT_EQ(devices.find("not verified"), std::string::npos);
  expect_words("devices/scan_throughput_u32_sim.svg",
               {"scan of u32: throughput, sim<", "sim: kernels run thread by thread"});
  plot({"h200.json", "again.json"}, "files");
  expect_words("files/scan_throughput_u32.svg", {"upsweep, h200.json<", "upsweep, again.json<"});
  for (const char* chart : {"files/scan_throughput_u32.svg", "files/scan_speedup_cub.svg"}) {
    EXPECT_NE(slurp(file(chart)).find("hollow: not verified"), std::string::npos) << chart;
  }
}

TEST_F(bench_charts, name_the_cub_and_tell_two_apart) {
  bench_record record = scan_of({row(apps::operation::scan, 1024)});
  record.versions["cub"] = "3.0.1";
  write("old.json", record);
  plot({"old.json"}, "one");
  expect_words("one/scan_throughput_u32.svg", {"CUB 3.0.1<"});
  expect_words("one/scan_speedup_cub.svg", {"scan of u32: speedup over CUB 3.0.1<", "times as fast as CUB 3.0.1<"});
  record.versions["cub"] = "3.5.0";
  write("new.json", record);
  plot({"old.json", "new.json"}, "two");
  expect_words("two/scan_throughput_u32.svg", {"CUB 3.0.1, old.json<", "CUB 3.5.0, new.json<"});
  expect_words("two/scan_speedup_cub.svg", {"scan of u32: speedup over CUB<", "upsweep, old.json, over CUB 3.0.1<",
                                            "upsweep, new.json, over CUB 3.5.0<"});
}

TEST_F(bench_charts, odd_names_stay_inside_of_the_folder_and_the_file) {
  bench_row odd = row(apps::operation::scan, 1000);
  odd.reference = "../else";
  write("odd.json", scan_of({odd}, "GPU <&\"$x$\x01>"));
  plot({"odd.json"}, "charts");
  EXPECT_EQ(charts("charts"), (words{"scan_speedup_else.svg", "scan_throughput_u32.svg"}));
  EXPECT_FALSE(std::filesystem::exists(file("else")) || std::filesystem::exists(file("../else")));
  expect_words("charts/scan_throughput_u32.svg", {"GPU &lt;&amp;\"$x$?&gt; · 2026-01-02", "1,000<"});

  bench_row empty = plain_row("x", 1);
  empty.subject.samples = 0;
  write("empty.json", scan_of({empty}));
  expect_failure(line({"empty.json"}, "charts"), 3, "empty.json: nothing in it can be drawn");
}

std::string bench_charts::browser_says(const std::string& browser, const std::string& page,
                                       const std::string& copy) const {
  std::string text = slurp(page);
  const std::string script = R"js(<script>addEventListener('load', () => {
    const wrong = [];
    for (const d of document.querySelectorAll('details')) d.open = true;
    document.body.style.width = '380px';
    if (document.body.scrollWidth > 380) wrong.push('the page is ' + document.body.scrollWidth + ' pixels wide');
    for (const e of document.querySelectorAll('h1, h2, p, li, summary')) {
      if (e.scrollWidth > e.clientWidth + 1) wrong.push('cut: ' + e.textContent);
    }
    for (const svg of document.querySelectorAll('svg')) {
      const all = svg.getBoundingClientRect();
      for (const t of svg.querySelectorAll('text')) {
        const r = t.getBoundingClientRect();
        if (r.left < all.left - 1 || r.right > all.right + 1 || r.top < all.top - 1 || r.bottom > all.bottom + 1)
          wrong.push('cut in a chart: ' + t.textContent);
      }
    }
    const hover = document.querySelectorAll('svg g > title').length;
    document.title = wrong.length + ' wrong, ' + hover + ' numbers: ' + wrong.join('; ');
  });</script></body>)js";
  text.replace(text.rfind("</body>"), 7, script);
  spill(copy, text);
  const outcome said = run({browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                            "--virtual-time-budget=10000", "--dump-dom", "file://" + copy});
  EXPECT_EQ(said.err.find("CONSOLE"), std::string::npos) << said.err;
  const std::size_t title = said.out.find("<title>"), end = said.out.find("</title>");
  return title == std::string::npos ? "no page: " + said.err : said.out.substr(title + 7, end - title - 7);
}

TEST_F(bench_charts, of_a_report_are_one_page_with_their_numbers) {
  const std::string recorded = configs + "/bench/recorded/";
  const words records = {recorded + "h100_scan.json", recorded + "h100_compact_methods.json"};
  words command = {UPSWEEP_BENCH, "report", "-o", "report.html"};
  command.insert(command.end(), records.begin(), records.end());
  const outcome made = run(command);
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string page = slurp(file("report.html"));
  for (const char* part : {"<h2>scan of u32: throughput</h2>", "<title>upsweep, n = 2²⁸: 2,929 GB/s, 733 µs</title>",
                           "<td>2,929 GB/s, 733 µs</td>", "prefers-color-scheme: dark", "width=device-width",
                           "h100_scan.json", "<td>1.29 (1.28 to 1.3)</td>"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  for (const char* part : {"src=", "<script", "@import", "url(http", "href=\"http"}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
  const outcome browser = run({"/bin/sh", "-c", "command -v chromium || command -v google-chrome"});
  if (browser.code != 0) GTEST_SKIP() << "no chromium, to look at the page";
  const std::string said =
      browser_says(browser.out.substr(0, browser.out.find('\n')), file("report.html"), file("asked.html"));
  EXPECT_EQ(said.substr(0, 9), "0 wrong, ") << said;
  EXPECT_GT(std::stoi(said.substr(9)), 100) << said;
}

TEST_F(bench_plot, what_cannot_be_drawn_is_said_before_anything_is_made) {
  write("good.json", scan_of({row(apps::operation::scan, 1024)}));
  write("empty.json", record_of({}));
  spill(file("text.json"), "{\"program\": ");
  const struct {
    words names;
    std::string to;
    int code;
    const char* said;
  } mistakes[] = {{{"none.json"}, "charts", 3, "none.json: cannot open it"},
                  {{"good.json", "text.json"}, "charts", 3, "text.json: expected JSON"},
                  {{"empty.json"}, "charts", 3, "empty.json: /rows: "},
                  {{"good.json"}, "good.json", 4, "good.json: cannot create the directory"},
                  {{"good.json"}, "good.json/in", 4, "good.json/in: cannot create the directory"},
                  {{}, "charts", 2, "record"},
                  {{"good.json", "--paint"}, "charts", 2, "--paint"}};
  for (const auto& [names, to, code, said] : mistakes) expect_failure(line(names, to), code, said);
  EXPECT_FALSE(std::filesystem::exists(file("charts")));
  expect_failure({UPSWEEP_BENCH, "plot", "good.json"}, 2, "--output");
  expect_failure({UPSWEEP_BENCH, "report", "good.json"}, 2, "--output");
  expect_failure({UPSWEEP_BENCH, "report", "empty.json", "-o", "r.html"}, 3, "empty.json: /rows: ");
  expect_failure({UPSWEEP_BENCH, "report", "good.json", "-o", "good.json"}, 2, "good.json");
}

TEST_F(bench_plot, says_what_python_lacks_or_says) {
  write("good.json", scan_of({row(apps::operation::scan, 1024)}));
  const auto expect_said = [&](const std::string& variable, int code, const std::string& said) {
    words command = line({"good.json"}, "charts");
    command.insert(command.begin(), {"/usr/bin/env", variable + "=" + folder_.string()});
    expect_failure(command, code, said);
  };
  spill(file("matplotlib.py"), "raise ImportError('not here')\n");
  expect_said("PYTHONPATH", 2, "needs python3 with matplotlib");
  expect_said("PYTHONPATH", 2, "apt-get install python3-matplotlib");
  spill(file("python3"), "#!/bin/sh\necho first >&2\necho 'last words' >&2\nexit 1\n");
  std::filesystem::permissions(file("python3"), std::filesystem::perms::owner_all);
  expect_said("PATH", 5, "internal error: python3: status 1: last words");
}

}  // namespace
}  // namespace upsweep::test
