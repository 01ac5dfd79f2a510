// upsweep-bench validate: proves the library on the user's own device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <regex>
#include <tuple>
#include <type_traits>

#include "arguments.hpp"
#include "commands.hpp"
#include "named_files.hpp"
#include "program.hpp"
#include "text.hpp"
#include "validation.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about_validate =
    "Proves scan, compaction and sort on your own device: every variant at odd sizes, between canaries, on workspaces "
    "of noise.\n\n"
    "Examples:\n"
    "  upsweep-bench validate\n"
    "  upsweep-bench validate --max-seconds 15                the small cases of every operation\n"
    "  upsweep-bench validate --device cuda:1 --n 268435456 --seed 7\n"
    "  upsweep-bench validate --only stress/ --rounds 1000\n"
    "  upsweep-bench validate --only 'scan/decoupled_lookback/.*/f64/'\n\n"
    "The cases passed come to standard output; each that failed is a line on standard error, where every ten seconds "
    "a\n"
    "line says how far it is. Small cases come first.\n"
    "Exit status: 0 all right, 1 something was wrong, 2 usage, 5 GPU, 130 interrupted.\n";

/// What became of the cases of one operation.
struct tally {
  std::string operation;
  std::size_t cases = 0;  ///< that ran
  std::size_t passed = 0;
};

std::string operation_of(const validate_case& c) {
  return c.name.substr(0, c.name.find('/'));
}

class validate_run {
 public:
  explicit validate_run(const validate_settings& settings) : context_{settings, device_session(settings.device)} {
    validate_settings& s = context_.settings;
    const bool sim = context_.device.where() == runtime::backend::sim;
    if (s.n == 0) s.n = sim ? std::int64_t{1} << 16 : std::int64_t{1} << 22;
    if (s.rounds == 0) s.rounds = sim ? 2 : 10;
    if (!s.dump.empty()) dump_.emplace(s.dump);
    say("device   {}", context_.device.name());
    add_scan_cases(cases_, context_);
    add_compact_cases(cases_, context_);
    add_sort_cases(cases_, context_);
    add_stress_cases(cases_, context_);
    keep_only(s.only);
  }

  exit_code run() {
    for (const validate_case& c : cases_) {
      total_ += weight(c);
      tally_of(c);
    }
    in_turns();
    progress bar("validating", total_);
    context_.goes_on = [&] {
      if (seconds() > next_word_) say_how_far(bar);
      return seconds() < context_.settings.max_seconds;
    };
    for (const validate_case& c : cases_) {
      if (!context_.goes_on() && ran_ >= tallies_.size()) break;
      run_case(c, bar);
    }
    bar.done();
    print_tallies();
    const bool all = ran_ == cases_.size();
    say("checked  {}{} cases up to n = {}, seed {}, in {:.1f} s{}", all ? "" : with_commas(ran_) + " of ",
        with_commas(cases_.size()), all ? context_.settings.n : largest_, context_.settings.seed, seconds(),
        all ? "" : ", all that there was time for");
    if (first_failed_.empty()) return exit_code::ok;
    say("repeat   {}", command_of(first_failed_));
    say("upsweep-bench: validate: {} of {} cases are wrong", failed_, ran_);
    return exit_code::not_verified;
  }

 private:
  /// What a case costs beside its elements is about what this many elements cost.
  static std::uint64_t weight(const validate_case& c) { return static_cast<std::uint64_t>(c.n * c.calls) + 16384; }

  void keep_only(const std::string& only) {
    if (only.empty()) return;
    const std::regex pattern(only);
    std::erase_if(cases_, [&](const validate_case& c) { return !std::regex_search(c.name, pattern); });
    if (cases_.empty()) {
      fail(exit_code::usage, "--only: no case up to n = {} matches \"{}\"; expected part of a name such as {}",
           context_.settings.n, only, "scan/decoupled_lookback/warp_scans/256x16/u32/exclusive/random/n=33");
    }
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  /// By size, and of one size one case of every operation after the other, so that all have been tried soon.
  void in_turns() {
    std::map<std::pair<std::string, std::int64_t>, std::size_t> of_that_size;
    std::vector<std::tuple<std::int64_t, std::size_t, std::size_t>> order;  // size, turn and place
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      order.emplace_back(cases_[i].n, of_that_size[{operation_of(cases_[i]), cases_[i].n}]++, i);
    }
    std::ranges::sort(order);
    std::vector<validate_case> sorted;
    for (const auto& [n, turn, place] : order) sorted.push_back(std::move(cases_[place]));
    cases_ = std::move(sorted);
  }

  tally& tally_of(const validate_case& c) {
    const std::string operation = operation_of(c);
    const auto found = std::ranges::find(tallies_, operation, &tally::operation);
    return found != tallies_.end() ? *found : tallies_.emplace_back(tally{operation});
  }

  /// What is known so far, a line every ten seconds.
  void say_how_far(progress& bar) {
    bar.done();
    next_word_ = seconds() + 10;
    const std::string verdict = failed_ == 0 ? "all right" : fmt::format("{} wrong", failed_);
    say("so far   {} of {} cases, up to n = {}: {}; {:.0f} % in {:.0f} s", with_commas(ran_),
        with_commas(cases_.size()), largest_, verdict, 100 * static_cast<double>(done_) / static_cast<double>(total_),
        seconds());
  }

  void run_case(const validate_case& c, progress& bar) {
    std::string wrong;
    try {
      wrong = c.run(context_);
    } catch (const failure& error) {
      bar.done();
      say("repeat   {}", command_of(c.name));
      throw failure(error.code(), fmt::format("validate: {}: {}", c.name, error.what()));
    }
    tally& counts = tally_of(c);
    ++counts.cases;
    ++ran_;
    largest_ = std::max(largest_, c.n);
    if (wrong.empty()) {
      ++counts.passed;
    } else {
      bar.done();
      say("wrong    {}: seed {}: {}", c.name, context_.settings.seed, wrong);
      if (failed_++ == 0) first_failed_ = c.name;
      if (!context_.tiles.empty()) dump(c.name, wrong);
    }
    bar.reach(done_ += weight(c));
  }

  /// Writes the tiles, once.
  void dump(const std::string& name, const std::string& wrong) {
    if (dumped_) return;
    dumped_ = true;
    dump_->write(fmt::format("{}: seed {}: {}\n{}", name, context_.settings.seed, wrong, context_.tiles));
    dump_->commit();
    say("wrote    {}: {}", dump_->name(), bytes_text(dump_->bytes_written()));
  }

  void print_tallies() const {
    output_file out("-");
    out.write(fmt::format("{:<10}{:>9}{:>9}\n", "operation", "cases", "passed"));
    for (const tally& t : tallies_) out.write(fmt::format("{:<10}{:>9}{:>9}\n", t.operation, t.cases, t.passed));
    out.commit();
  }

  std::string command_of(const std::string& name) const {
    const validate_settings& s = context_.settings;
    return fmt::format("upsweep-bench validate --device {} --seed {} --n {} --rounds {} --only '^{}$'", s.device,
                       s.seed, s.n, s.rounds, name);
  }

  validate_context context_;
  std::vector<validate_case> cases_;
  std::vector<tally> tallies_;
  std::optional<output_file> dump_;
  bool dumped_ = false;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_word_ = 10;
  std::uint64_t total_ = 0, done_ = 0;
  std::int64_t largest_ = 0;
  std::size_t ran_ = 0, failed_ = 0;
  std::string first_failed_;
};

void check_device(const std::string& device) {
  if (std::regex_match(device, std::regex("auto|sim|cuda(:[0-9]{1,4})?"))) return;
  fail(exit_code::usage, "--device: got \"{}\"; expected auto, cuda, cuda:N or sim", device);
}

void check_pattern(const std::string& only) {
  constexpr std::size_t longest = 1000;  // std::regex nests its calls as the expression nests
  if (only.size() > longest) {
    fail(exit_code::usage, "--only: {} characters; expected at most {}", only.size(), longest);
  }
  try {
    static_cast<void>(std::regex(only));
  } catch (const std::regex_error& error) {
    fail(exit_code::usage, "--only: got \"{}\"; expected a regular expression: {}", only, error.what());
  }
}

}  // namespace

exit_code validate_command(int argc, const char* const* argv) {
  validate_settings settings;
  CLI::App app;
  describe_program(app, argv[0], about_validate);
  app.add_option("--device", settings.device, "auto, cuda, cuda:N or sim")->capture_default_str()->type_name("DEVICE");
  const auto add_number = [&](const std::string& flag, auto& number, std::int64_t least, std::int64_t most,
                              const std::string& help) {
    const auto take = [&number, flag, least, most](const std::string& text) {
      number = static_cast<std::remove_reference_t<decltype(number)>>(whole_number_of(flag, text, least, most));
    };
    app.add_option_function<std::string>(flag, take, help)->type_name("N");
  };
  add_number("--seed", settings.seed, 0, std::int64_t{1} << 53,
             "Seed of the data and of the noise in workspaces (default: 1)");
  add_number("--n", settings.n, 1, std::int64_t{1} << 32, "The largest size (default: 2^22 on a GPU, 2^16 on the sim)");
  add_number("--rounds", settings.rounds, 1, 1000000,
             "Rounds of each stress case (default: 10 on a GPU, 2 on the sim)");
  app.add_option("--max-seconds", settings.max_seconds,
                 "Start no case after this many seconds; small cases come first (default: none)")
      ->type_name("S");
  app.add_option("--only", settings.only, "Only the cases whose name has a match of this regular expression")
      ->type_name("REGEX");
  app.add_option("--dump", settings.dump,
                 "Write the tiles' states around the first wrong element of the first look-back scan that is wrong; no "
                 "file when all is right")
      ->type_name("FILE");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;
  check_pattern(settings.only);
  check_device(settings.device);
  check_files({}, {{settings.dump, "--dump", ".txt"}, {"-", "the table"}});
  if (!(settings.max_seconds > 0)) {
    fail(exit_code::usage, "--max-seconds: got {}; expected a number above 0", settings.max_seconds);
  }
  return validate_run(settings).run();
}

}  // namespace upsweep::apps
