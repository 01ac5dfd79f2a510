// The commands of upsweep-bench that measure.
#include <algorithm>
#include <vector>

#include "bench_run.hpp"
#include "commands.hpp"
#include "named_files.hpp"
#include "primitives.hpp"
#include "program.hpp"
#include "schemas.hpp"
#include "tables.hpp"

namespace upsweep::apps {
namespace {

std::string about_measure(operation what, bool survey) {
  const std::string common =
      "\n\nEach row: samples of both sides in turn, by GPU events on a cold L2 cache, until the median of their ratios "
      "is\n"
      "known to +-1 % or --max-seconds are over. Results are checked first. On the sim the clock is the CPU's, and "
      "the\n"
      "reference the loop of the CPU. The table goes to standard output unless a file does.\n"
      "Exit status: 0 done, 1 a result was wrong, 2 usage or config, 4 cannot write, 5 GPU, 130 interrupted.\n";
  if (survey) {
    return "Runs every scan variant over sizes, beside CUB, a plain copy and the loop of the CPU.\n\nExamples:\n"
           "  upsweep-bench survey\n"
           "  upsweep-bench survey --n 2^10..2^28 --type u32,f32 --json survey.json\n"
           "  upsweep-bench plot survey.json -o charts" +
           common;
  }
  switch (what) {
    case operation::scan:
      return "Times exclusive sums against CUB.\n\nExamples:\n"
             "  upsweep-bench scan\n"
             "  upsweep-bench scan --n 2^10..2^28 --type u32,u64,f32 --json scan.json\n"
             "  upsweep-bench scan --type u8,u16,f16,bf16 --n 2^26,2^28,2^30\n"
             "  upsweep-bench scan --method default,reproducible --type f32,f64 --reference cub,copy --n 2^26,2^28\n"
             "  upsweep-bench scan --variant all --reference cub,thrust,copy --n 2^24 --markdown -" +
             common;
    case operation::compact:
      return "Times stream compaction (the elements between two bounds) against CUB.\n\nExamples:\n"
             "  upsweep-bench compact\n"
             "  upsweep-bench compact --kept 1,10,50,90 --n 2^10..2^28 --json compact.json\n"
             "  upsweep-bench compact --distribution clustered --type u64 --reference cub,thrust\n"
             "  upsweep-bench compact --method fused,vote_scan_compact --n 2^28\n\n"
             "Rates of vote_scan_compact count all that it reads and writes." +
             common;
    case operation::flagged:
      return "Times stream compaction by byte flags, of structures and of several arrays, against CUB.\n\nExamples:\n"
             "  upsweep-bench flagged\n"
             "  upsweep-bench flagged --n 2^26 --distribution bytes_4,bytes_16,bytes_64,arrays_8 --kept 10,50\n"
             "  upsweep-bench flagged --method hole_filling --reference stable --kept 95 --distribution bytes_64" +
             common;
    case operation::partition:
      return "Times stream compaction that keeps the other elements too, in a second array, against CUB, which "
             "leaves\nthem behind, in reverse order.\n\nExamples:\n"
             "  upsweep-bench partition --n 2^20,2^28 --type u32,u64 --kept 10,50,90" +
             common;
    case operation::split:
      return "Times stable splits of u32 into buckets against a radix sort by CUB of as many bits.\n\nExamples:\n"
             "  upsweep-bench split --n 2^20,2^28 --distribution buckets_2,buckets_16,buckets_256" +
             common;
    case operation::by_key:
      return "Times exclusive sums by key (u32 by u32, u64 by u64) against CUB.\n\nExamples:\n"
             "  upsweep-bench by_key --n 2^24..2^28 --distribution lengths_8,lengths_1000,one" +
             common;
    case operation::segmented:
      return "Times exclusive sums of segments (by offsets of 64 bits) against CUB's by key of the same segments or,\n"
             "from CUB 3.5 on, its segmented scan, whichever is faster."
             "\n\nExamples:\n"
             "  upsweep-bench segmented --n 2^24..2^28 --distribution lengths_8,lengths_1000,one" +
             common;
    case operation::axis:
      return "Times exclusive sums down the columns of an array, or along its rows, against a copy.\n\nExamples:\n"
             "  upsweep-bench axis --n 2^28 --type f32 --distribution columns_2,columns_33,columns_1000,rows_100" +
             common;
    case operation::sort:
      break;
    default: {
      const primitive& p = primitive_of(what);
      return fmt::format("{}\n\nExamples:\n  upsweep-bench {} {}", p.about, operation_names[static_cast<int>(what)],
                         p.options) +
             common;
    }
  }
  return "Times ascending radix sorts against CUB.\n\nExamples:\n"
         "  upsweep-bench sort\n"
         "  upsweep-bench sort --type u32,u64,f32 --values none,u32 --n 2^10..2^28 --json sort.json\n"
         "  upsweep-bench sort --distribution uniform,zipf,entropy_3,bits_16,constant --n 2^24" +
         common;
}

exit_code measure(operation what, bool survey, int argc, const char* const* argv) {
  command_line line(argv[0], about_measure(what, survey), bench_schema);
  add_bench_options(line, what, survey);
  if (!line.parse(argc, argv)) return exit_code::ok;
  const bench_config config = bench_config_from(line, what, survey);
  if (line.print_config()) {
    print_config(to_json(config));
    return exit_code::ok;
  }
  check_files({{line.config_path(), "--config"}}, {{config.json_file, line.origin("/json"), ".json"},
                                                   {config.csv_file, line.origin("/csv"), ".csv"},
                                                   {config.markdown_file, line.origin("/markdown"), ".md"}});
  const bool is_on_stdout = config.json_file == "-" || config.csv_file == "-" || config.markdown_file == "-";
  device_session device(config.device);
  bench_axes axes = axes_from(config, what, survey, device.where(), line);
  std::erase_if(axes.variants, [&](const scan_variant& v) { return !device.runs(v); });
  if (axes.variants.empty()) {
    fail(exit_code::usage, "{}: got \"{}\", which {} cannot run; expected another variant", line.origin("/variant"),
         config.variants, device.name());
  }
  report_file json_file(config.json_file), csv_file(config.csv_file), markdown_file(config.markdown_file);

  bench_run run(config, what, device);
  if (survey) {
    run.survey(axes);
  } else {
    run.against_references(axes);
  }
  bench_record& record = run.record();
  record.command = survey ? "survey" : operation_names[static_cast<int>(what)];
  record.argv = {"upsweep-bench", record.command};
  record.argv.insert(record.argv.end(), argv + 1, argv + argc);
  // The table first: it is there even where a file cannot be written.
  if (!is_on_stdout) print_text(table_text(record));
  json_file.write_text(record_text(record));
  csv_file.write_text(csv_text(record));
  markdown_file.write_text(markdown_text(record));
  return run.outcome();
}

}  // namespace

exit_code measure_command(operation what, int argc, const char* const* argv) {
  return measure(what, false, argc, argv);
}

exit_code survey_command(int argc, const char* const* argv) {
  return measure(operation::scan, true, argc, argv);
}

}  // namespace upsweep::apps
