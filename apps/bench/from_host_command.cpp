// upsweep-bench from_host: what goes from host memory through the device and back, beside the copies alone.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "arguments.hpp"
#include "axes.hpp"
#include "byte_array.hpp"
#include "checks.hpp"
#include "commands.hpp"
#include "device_session.hpp"
#include "grid.hpp"
#include "host_memory.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "text.hpp"
#include "upsweep/sort/runtime.hpp"
#include "upsweep/version.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_from_host =
    "Times sort, scan and selection of u32 in host memory, of more than may be on the device, beside plain copies.\n\n"
    "Examples:\n"
    "  upsweep-bench from_host\n"
    "  upsweep-bench from_host --n 2^33 --gpu-memory 16GiB --samples 1 --json from_host.json\n\n"
    "Host memory is pinned, of which there must be 8 bytes an item. The sort makes two trips, for which its input is "
    "the\n"
    "scratch; scans and selections, of half of the items, make one, and are measured on GPUs alone.\n"
    "\"of copies\": the rate each way over that of copies both ways at once in the same run.\n"
    "Exit status: 0 done, 1 a result was wrong, 2 usage, 4 cannot write, 5 GPU.\n";

struct from_host_choice {
  std::string device = "auto", count = "2^28", memory, distribution = "uniform", json_path;
  int samples = 3;
};

bool parse_from_host(int argc, const char* const* argv, from_host_choice& chosen) {
  CLI::App app;
  describe_program(app, "upsweep-bench from_host", about_from_host);
  app.add_option("--device", chosen.device, "auto (a GPU, else the sim), cuda, cuda:N or sim")->type_name("DEVICE");
  app.add_option("--n", chosen.count, "How many items (default 2^28; on the sim 2^16)")->type_name("N");
  app.add_option("--gpu-memory", chosen.memory, "Device memory that is used (default: a quarter of the items' bytes)")
      ->type_name("SIZE");
  app.add_option("--distribution", chosen.distribution, "Of the keys, as list tells")->capture_default_str();
  app.add_option("--samples", chosen.samples, "How often each is timed; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", chosen.json_path, "Write what was measured as JSON")->type_name("FILE");
  return parse_arguments(app, argc, argv);
}

/// Host memory that is pinned where there is a GPU.
class host_items {
 public:
  host_items(runtime::backend where, std::int64_t n) : on_gpu_(where == runtime::backend::cuda) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(std::uint32_t);
    if (on_gpu_) {
      if (pin_host_memory(&data_, bytes) != status::success) data_ = nullptr;
    } else {
      data_ = std::malloc(bytes);
    }
    if (data_ == nullptr) throw out_of_memory(fmt::format("out of host memory: {} to be pinned", bytes_text(bytes)));
  }
  host_items(const host_items&) = delete;
  host_items& operator=(const host_items&) = delete;
  ~host_items() { on_gpu_ ? unpin_host_memory(data_) : std::free(data_); }
  std::uint32_t* data() const { return static_cast<std::uint32_t*>(data_); }

 private:
  bool on_gpu_;
  void* data_ = nullptr;
};

struct measured {
  std::string what;
  double seconds = 0;
  std::uint64_t bytes = 0;  ///< each way
  std::string wrong;
  double rate() const { return static_cast<double>(bytes) / seconds / 1e9; }
};

class from_host_run {
 public:
  from_host_run(device_session& device, const from_host_choice& chosen, std::int64_t n)
      : device_(device),
        chosen_(chosen),
        n_(n),
        bytes_(static_cast<std::size_t>(n) * sizeof(std::uint32_t)),
        memory_(device.allocate(memory_bytes(), "what goes through it")),
        in_(device.where(), n),
        out_(device.where(), n),
        input_(bytes_) {
    make_keys(chosen.distribution, scalar_type::u32, 1, input_.data(), n);
  }

  std::vector<measured> measure() {
    copies("copies up", bytes_, 0);
    copies("copies down", 0, bytes_);
    copies("copies both ways", bytes_, bytes_);
    const upsweep::workspace w = memory_.as_workspace();
    take(
        "sort", 2 * bytes_,
        [&] {
          return runtime::sort_from_host(w, input_as_scratch, in_.data(), out_.data(), {}, n_, scalar_type::u32,
                                         sort_order::ascending, {}, {}, device_.stream());
        },
        [&] { return check_sorted_keys(scalar_type::u32, input_.data(), out_.data(), n_); });
    if (device_.where() == runtime::backend::cuda) {
      take(
          "scan", bytes_, [&] { return sums_from_host(w, in_.data(), out_.data(), n_); },
          [&] { return check_sum(scalar_type::u32, false, input_.data(), out_.data(), n_); });
      const std::uint32_t low = 0, middle = std::uint32_t{1} << 31;
      std::int64_t kept = 0;
      take(
          "select", bytes_, [&] { return select_below_from_host(w, in_.data(), out_.data(), &kept, n_, middle); },
          [&] { return check_select(scalar_type::u32, input_.data(), n_, &low, &middle, out_.data(), kept); });
      copies("copies both ways", bytes_, bytes_);
    }
    return rows_;
  }
  std::size_t device_bytes() const { return memory_.bytes(); }

 private:
  std::size_t memory_bytes() const {
    const std::size_t least = runtime::sort_from_host_least_bytes(n_, scalar_type::u32, {});
    if (chosen_.memory.empty()) return std::max(bytes_ / 4, least);
    const auto bytes = bytes_of(chosen_.memory);
    if (!bytes || *bytes < least) {
      fail(exit_code::usage, "--gpu-memory: got {}; expected at least {}, as 2GiB", chosen_.memory, bytes_text(least));
    }
    return static_cast<std::size_t>(*bytes);
  }

  /// Times `call` as often as asked, each time with a fresh input, and checks the last result.
  template <class Call, class Wrong>
  void take(const std::string& what, std::uint64_t bytes, Call call, Wrong wrong) {
    std::vector<double> seconds;
    for (int i = 0; i < chosen_.samples; ++i) {
      std::memcpy(in_.data(), input_.data(), bytes_);
      stopwatch watch;
      device_.check(call(), what.c_str());
      seconds.push_back(watch.lap() / 1000);
    }
    std::nth_element(seconds.begin(), seconds.begin() + chosen_.samples / 2, seconds.end());
    rows_.push_back({what, seconds[static_cast<std::size_t>(chosen_.samples / 2)], bytes, wrong()});
  }
  void copies(const std::string& what, std::size_t up, std::size_t down) {
    if (device_.where() != runtime::backend::cuda) return;
    // Pieces go to and from one half of the device's memory each, over and over.
    const std::size_t half = memory_.bytes() / 2;
    take(
        what, std::max(up, down),
        [&] {
          status s = status::success;
          for (std::size_t at = 0; at < bytes_ && s == status::success; at += half) {
            const std::size_t part = std::min(half, bytes_ - at);
            s = copy_both_ways(memory_.as<char>(), reinterpret_cast<const char*>(in_.data()) + at, up > 0 ? part : 0,
                               reinterpret_cast<char*>(out_.data()) + at, memory_.as<char>() + half,
                               down > 0 ? part : 0);
          }
          return s;
        },
        [] { return std::string(); });
  }

  device_session& device_;
  const from_host_choice& chosen_;
  const std::int64_t n_;
  const std::size_t bytes_;
  runtime::buffer memory_;
  host_items in_, out_;
  byte_array input_;
  std::vector<measured> rows_;
};

/// The rate of copies both ways at once, the mean of those before and after; 0 if there were none.
double rate_of_copies(const std::vector<measured>& rows) {
  double sum = 0;
  int count = 0;
  for (const measured& row : rows) {
    if (row.what != "copies both ways") continue;
    sum += row.rate();
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

exit_code from_host_command(int argc, const char* const* argv) {
  from_host_choice chosen;
  if (!parse_from_host(argc, argv, chosen)) return exit_code::ok;
  check_files({}, {{chosen.json_path, "--json", ".json"}});
  report_file report(chosen.json_path);
  device_session device(chosen.device);
  const bool on_sim = device.where() == runtime::backend::sim;
  const bool is_default = chosen.count == from_host_choice().count;
  const std::int64_t n = whole_number_of("--n", on_sim && is_default ? "2^16" : chosen.count, 1, std::int64_t{1} << 40);
  from_host_run run(device, chosen, n);
  const std::vector<measured> rows = run.measure();
  const double copies = rate_of_copies(rows);

  using enum grid::side;
  grid table;
  ordered_json document = {{"program", "upsweep-bench"},
                           {"command", "from_host"},
                           {"version", version_string},
                           {"device", device.name()},
                           {"n", n},
                           {"type", "u32"},
                           {"distribution", chosen.distribution},
                           {"gpu_memory", run.device_bytes()},
                           {"rows", ordered_json::array()}};
  bool all_right = true;
  for (const measured& row : rows) {
    table.put("what", left, row.what);
    table.put("ms", right, fmt::format("{:.1f}", row.seconds * 1000));
    table.put("G items/s", right, fmt::format("{:.3g}", static_cast<double>(n) / row.seconds / 1e9));
    table.put("GB/s each way", right, fmt::format("{:.3g}", row.rate()));
    table.put("of copies", right, copies > 0 ? fmt::format("{:.2f}", row.rate() / copies) : "");
    table.put("remarks", left, row.wrong);
    table.end_row();
    document["rows"].push_back(
        {{"what", row.what}, {"seconds", row.seconds}, {"bytes_each_way", row.bytes}, {"verified", row.wrong.empty()}});
    all_right = all_right && row.wrong.empty();
  }
  say("{}: {} items of u32, {}, through {} of device memory", device.name(), with_commas(static_cast<std::uint64_t>(n)),
      chosen.distribution, bytes_text(run.device_bytes()));
  print_text(table.aligned());
  report.write(document);
  return all_right ? exit_code::ok : exit_code::not_verified;
}

}  // namespace upsweep::apps
