#include "scan/networks/drawing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <vector>

#include "scan/networks/shared_traffic.hpp"

namespace upsweep::test {
namespace {

// Pixels.
constexpr int column_width = 13, margin = 24, head = 78, row_height = 12, barrier_height = 12, legend_height = 58;

/// Who made the left operand.
enum class origin { thread, warp, block };
constexpr std::array<const char*, 3> origin_colours = {"#d4781c", "#3f87d9", "#c4489c"};
constexpr std::array<const char*, 3> origin_words = {"the same thread", "another lane of its warp", "another warp"};
constexpr const char* grey = "#7d8590";

origin origin_of(const application& a) {
  if (a.left.thread == a.thread) return origin::thread;
  return a.left.thread / warp_size == a.thread / warp_size ? origin::warp : origin::block;
}

/// The applications of one row need nothing of each other; between two barriers, and one of each thread at most. Lanes
/// of a warp do not run ahead of each other past a collective.
struct row {
  int barriers;
  int widest = 0;  // the distance that an operand comes from
  int top = 0, bottom = 0;
};

/// The step of each application between two barriers, as early as may be.
std::vector<int> steps_of(const network& n) {
  struct progress {
    passed_points passed;
    int floor = 0, next = 0;  // the first step that is allowed, and the first after those taken
  };
  std::vector<progress> warps(static_cast<std::size_t>(n.threads / warp_size)), threads(std::size_t(n.threads));
  std::vector<int> step;
  for (const application& a : n.applications) {
    progress& warp = warps[static_cast<std::size_t>(a.thread / warp_size)];
    progress& thread = threads[static_cast<std::size_t>(a.thread)];
    if (warp.passed.barriers != a.passed.barriers) warp = {a.passed};
    if (thread.passed.barriers != a.passed.barriers) thread = {a.passed};
    if (warp.passed.meetings < a.passed.meetings) warp = {a.passed, warp.next, warp.next};

    int s = std::max(warp.floor, thread.next);
    for (const traced_sum& operand : {a.left, a.right}) {
      if (operand.application < 0) continue;
      const auto made = static_cast<std::size_t>(operand.application);
      if (n.applications[made].passed.barriers == a.passed.barriers) s = std::max(s, step[made] + 1);
    }
    step.push_back(s);
    thread.next = s + 1;
    warp.next = std::max(warp.next, s + 1);
  }
  return step;
}

struct rows {
  std::vector<row> all;
  std::vector<std::size_t> of_application;
  std::vector<int> barrier_lines;
  int bottom = head;

  explicit rows(const network& n) {
    const std::vector<int> step = steps_of(n);
    std::vector<int> steps(static_cast<std::size_t>(n.barriers) + 1);
    for (std::size_t i = 0; i < step.size(); ++i) {
      int& count = steps[static_cast<std::size_t>(n.applications[i].passed.barriers)];
      count = std::max(count, step[i] + 1);
    }
    std::vector<std::size_t> first;  // row, by barriers
    for (int b = 0; b <= n.barriers; ++b) {
      first.push_back(all.size());
      all.resize(all.size() + static_cast<std::size_t>(steps[static_cast<std::size_t>(b)]), row{b});
    }
    for (std::size_t i = 0; i < step.size(); ++i) {
      const application& a = n.applications[i];
      of_application.push_back(first[static_cast<std::size_t>(a.passed.barriers)] + static_cast<std::size_t>(step[i]));
      int& widest = all[of_application.back()].widest;
      widest = std::max(widest, a.right.last - a.left.last);
    }

    std::size_t next = 0;
    for (int b = 0; b <= n.barriers; ++b) {
      for (; next < all.size() && all[next].barriers == b; ++next) {
        all[next].top = bottom;
        all[next].bottom = bottom += row_height + all[next].widest * 6 / 5;
      }
      if (b < n.barriers) {
        barrier_lines.push_back(bottom + barrier_height / 2 + 2);
        bottom += barrier_height;
      }
    }
    bottom += row_height;
  }
};

int column(int value) {
  return margin + value * column_width;
}

std::string at(int x, int y) {
  return std::to_string(x) + ' ' + std::to_string(y);
}

std::string text(int x, int y, const std::string& words, const std::string& attributes = "") {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\"" + attributes + ">" + words +
         "</text>\n";
}

/// A path of lines in one colour; `style` says how.
std::string path(const std::string& d, const std::string& style) {
  return d.empty() ? "" : "<path d=\"" + d + "\" " + style + "/>\n";
}

std::string line_style(const std::string& colour) {
  return "stroke=\"" + colour + "\" stroke-width=\"1.3\"";
}
std::string dot_style(const std::string& colour, bool prefix) {
  return "stroke=\"" + colour + "\" stroke-linecap=\"round\" stroke-width=\"" + (prefix ? "8" : "4.5") + "\"";
}
std::string barrier_style() {
  return std::string("stroke=\"") + grey + "\" stroke-dasharray=\"6 4\"";
}

std::string counts(const network& n) {
  return std::to_string(n.threads) + " threads, one value each: " + std::to_string(n.applications.size()) +
         " operator calls, span " + std::to_string(n.span()) + ", " + std::to_string(n.barriers) +
         (n.barriers == 1 ? " barrier" : " barriers");
}

std::string legend(int top) {
  std::ostringstream out;
  int x = margin;
  for (std::size_t i = 0; i < origin_words.size(); ++i) {
    const std::string to = at(x, top - 10) + "L" + at(x + 14, top - 2);
    out << path("M" + to, line_style(origin_colours[i]))
        << path("M" + at(x + 14, top - 2) + "h0", dot_style(origin_colours[i], false));
    out << text(x + 24, top, std::string(i == 0 ? "left operand made by " : "by ") + origin_words[i]);
    x += i == 0 ? 310 : 220;
  }
  x = margin;
  top += 22;
  out << path("M" + at(x + 7, top - 4) + "h0", dot_style(grey, true)) << text(x + 24, top, "a prefix, from value 0 on");
  x += 310;
  out << path("M" + at(x + 7, top - 4) + "h0", dot_style(grey, false)) << text(x + 24, top, "any other sum");
  x += 220;
  out << path("M" + at(x - 6, top - 4) + "h24", barrier_style()) << text(x + 24, top, "barrier of the block");
  return out.str();
}

}  // namespace

std::string svg_of(const network& n) {
  const rows layout(n);
  const int width = column(n.threads - 1) + margin, height = layout.bottom + legend_height;
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height << "\" width=\"" << width
      << "\" height=\"" << height << "\" fill=\"none\">\n"
      << "<g fill=\"" << grey << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
      << text(margin, 22, n.name, " font-size=\"17\" font-weight=\"bold\"") << text(margin, 42, counts(n));
  std::string wires, brackets;
  for (int value = 0; value < n.threads; ++value) {
    wires += "M" + at(column(value), head - 6) + "V" + std::to_string(layout.bottom);
    if (value % warp_size == 0) {
      const int last = value + warp_size - 1;
      brackets += "M" + at(column(value) - 4, head - 10) + "H" + std::to_string(column(last) + 4);
      out << text((column(value) + column(last)) / 2, head - 15, "warp " + std::to_string(value / warp_size),
                  " text-anchor=\"middle\"");
    }
  }
  std::string barriers;
  for (const int y : layout.barrier_lines)
    barriers += "M" + at(margin / 2, y) + "H" + std::to_string(width - margin / 2);
  out << legend(layout.bottom + 22) << "</g>\n";
  out << path(wires, std::string("stroke=\"") + grey + "\" stroke-opacity=\".35\"")
      << path(brackets, std::string("stroke=\"") + grey + "\" stroke-width=\"2\"") << path(barriers, barrier_style());

  // What several threads do alike is one line with a number beside it.
  struct mark {
    std::size_t row;
    int to, from;
    bool prefix;
    auto operator<=>(const mark&) const = default;
  };
  struct makers {
    int count = 0;
    origin farthest = origin::thread;
  };
  std::map<mark, makers> marks;
  for (std::size_t i = 0; i < n.applications.size(); ++i) {
    const application& a = n.applications[i];
    makers& m = marks[{layout.of_application[i], a.right.last, a.left.last, a.left.first == 0}];
    ++m.count;
    m.farthest = std::max(m.farthest, origin_of(a));
  }
  std::array<std::string, 3> lines;
  std::array<std::array<std::string, 2>, 3> dots;
  std::string repeats;
  for (const auto& [m, made] : marks) {
    const row& r = layout.all[m.row];
    const auto by = static_cast<std::size_t>(made.farthest);
    lines[by] += "M" + at(column(m.from), r.top) + "L" + at(column(m.to), r.bottom);
    dots[by][m.prefix ? 1 : 0] += "M" + at(column(m.to), r.bottom) + "h0";
    if (made.count > 1) repeats += text(column(m.to) + 6, r.bottom - 3, "&#215;" + std::to_string(made.count));
  }
  for (std::size_t by = 0; by < lines.size(); ++by) {
    out << path(lines[by], line_style(origin_colours[by]));
    for (const bool prefix : {false, true}) {
      out << path(dots[by][prefix ? 1 : 0], dot_style(origin_colours[by], prefix));
    }
  }
  if (!repeats.empty()) {
    out << "<g fill=\"" << grey << "\" font-family=\"sans-serif\" font-size=\"11\">\n" << repeats << "</g>\n";
  }
  out << "</svg>\n";
  return out.str();
}

std::string counting_compiler() {
#if defined(__clang__)
  return "Clang " + std::to_string(__clang_major__);
#else
  return "GCC " + std::to_string(__GNUC__);
#endif
}

std::map<std::string, std::string> network_files() {
  std::map<std::string, std::string> files;
  std::string table, images;
  for_each_block_algorithm<64>([&](auto algorithm) {
    const network n = network_of(algorithm);
    files[n.name + ".svg"] = svg_of(n);
    images += "\n### `" + n.name + "`\n![the network of " + n.name + "](" + n.name + ".svg)\n";
  });
  const std::vector<shared_traffic> traffic = shared_traffic_of_u32();
  std::size_t row = 0;
  for_each_block_algorithm<measured_threads>([&](auto algorithm) {
    using storage = typename decltype(algorithm)::template temp_storage<std::uint32_t>;
    const network n = network_of(algorithm);
    const shared_traffic& t = traffic[row++];
    std::ostringstream line;
    line << "| `" << n.name << "` | " << n.applications.size() << " | " << n.span() << " | " << n.barriers << " | "
         << sizeof(storage) << " | " << t.accesses << " | " << t.conflicts << " |\n";
    table += line.str();
  });
  files["README.md"] =
      "# The networks of the block algorithms\n\n"
      "Drawn and measured in runs on the sim, by `cmake --build build/sim --target redraw_networks`, which writes this "
      "page.\n\n"
      "## Measured\n"
      "256 threads, one u32 each. Span: the longest chain of operator calls. Accesses: to shared memory, by a warp's "
      "lanes\ntogether. Conflicts: the cycles that they take beyond one each, because lanes want different words of "
      "one of the 32 banks;\nas " +
      counting_compiler() +
      " leaves the accesses, of which the compiler of the GPU may spare some.\n\n"
      "| block | operator calls | span | barriers | shared memory, bytes | accesses | conflicts |\n"
      "|---|---|---|---|---|---|---|\n" +
      table +
      "\n## Drawn\n"
      "Time goes down, one vertical line a value. A dot is a call of the operator: it stands where its result ends, "
      "and a line\nleads to it from where its left operand ends. The calls of a row need nothing of each other, and a "
      "thread makes one of them\nat most. \"\u00d72\": two threads make the same call.\n" +
      images;
  return files;
}

}  // namespace upsweep::test
