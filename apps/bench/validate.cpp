// upsweep-bench validate: proves the library on the user's own device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <regex>

#include "arguments.hpp"
#include "commands.hpp"
#include "program.hpp"
#include "text.hpp"
#include "validation.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* about =
    "Proves scan, compaction and sort on your own device: every variant at odd sizes, between canaries, on workspaces "
    "of noise.\n\n"
    "Examples:\n"
    "  upsweep-bench validate\n"
    "  upsweep-bench validate --device cuda:1 --n 268435456 --seed 7\n"
    "  upsweep-bench validate --only stress/ --rounds 1000\n"
    "  upsweep-bench validate --only 'scan/decoupled_lookback/.*/f64/'\n\n"
    "The cases passed come to standard output; each that failed is a line on standard error.\n"
    "Exit status: 0 all right, 1 something was wrong, 2 usage, 5 GPU, 130 interrupted.\n";

/// What became of the cases of one operation.
struct tally {
  std::string operation;
  std::size_t cases = 0;
  std::size_t passed = 0;
};

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
    stopwatch watch;
    for (const validate_case& c : cases_) total_ += weight(c);
    progress bar("validating", total_);
    for (const validate_case& c : cases_) run_case(c, bar);
    bar.done();
    print_tallies();
    say("checked  {} cases up to n = {}, seed {}, in {:.1f} s", with_commas(cases_.size()), context_.settings.n,
        context_.settings.seed, watch.lap() / 1000);
    if (first_failed_.empty()) return exit_code::ok;
    say("repeat   {}", command_of(first_failed_));
    say("upsweep-bench: validate: {} of {} cases are wrong", failed_, cases_.size());
    return exit_code::not_verified;
  }

 private:
  /// What a case costs beside its elements is about what this many elements cost.
  static std::uint64_t weight(const validate_case& c) { return static_cast<std::uint64_t>(c.n) + 16384; }

  void keep_only(const std::string& only) {
    if (only.empty()) return;
    const std::regex pattern(only);
    std::erase_if(cases_, [&](const validate_case& c) { return !std::regex_search(c.name, pattern); });
    if (cases_.empty()) {
      fail(exit_code::usage, "--only: no case up to n = {} matches \"{}\"; expected part of a name such as {}",
           context_.settings.n, only, "scan/decoupled_lookback/warp_scans/256x16/u32/exclusive/random/n=33");
    }
  }

  void run_case(const validate_case& c, progress& bar) {
    const std::string operation = c.name.substr(0, c.name.find('/'));
    if (tallies_.empty() || tallies_.back().operation != operation) tallies_.push_back({operation});
    std::string wrong;
    try {
      wrong = c.run(context_);
    } catch (const failure& error) {
      bar.done();
      say("repeat   {}", command_of(c.name));
      throw failure(error.code(), fmt::format("validate: {}: {}", c.name, error.what()));
    }
    ++tallies_.back().cases;
    if (wrong.empty()) {
      ++tallies_.back().passed;
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
  std::uint64_t total_ = 0, done_ = 0;
  std::size_t failed_ = 0;
  std::string first_failed_;
};

void check_pattern(const std::string& only) {
  try {
    static_cast<void>(std::regex(only));
  } catch (const std::regex_error& error) {
    fail(exit_code::usage, "--only: came \"{}\"; expected a regular expression: {}", only, error.what());
  }
}

}  // namespace

exit_code validate_command(int argc, const char* const* argv) {
  validate_settings settings;
  CLI::App app;
  describe_program(app, argv[0], about);
  app.add_option("--device", settings.device, "auto, cuda, cuda:N or sim")->capture_default_str();
  app.add_option("--seed", settings.seed, "Of the data and of the noise in workspaces")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--n", settings.n, "The largest size (default: 2^22 on a GPU, 2^16 on the sim)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
  app.add_option("--rounds", settings.rounds, "Of each case of stress (default: 10 on a GPU, 2 on the sim)")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--only", settings.only, "Only the cases whose name has a match of this regular expression");
  app.add_option("--dump", settings.dump,
                 "Write the tiles' states around the first wrong element of the first look-back scan that is wrong; no "
                 "file when all is right");
  if (!parse_arguments(app, argc, argv)) return exit_code::ok;
  check_pattern(settings.only);
  return validate_run(settings).run();
}

}  // namespace upsweep::apps
