#include "cull_slices.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "cull_run.hpp"
#include "json_file.hpp"
#include "process_device.hpp"
#include "program.hpp"
#include "shared_output.hpp"
#include "slices.hpp"
#include "temporary_file.hpp"
#include "text.hpp"
#include "upsweep/version.hpp"

namespace upsweep::apps {
namespace {

/// What this rank has of the file, and what comes before the rows of an .npy file like it.
struct slice_of_file {
  byte_array all;  ///< rows, mapped
  particle_file particles;
  std::string descr;
  std::vector<std::uint64_t> shape;
  std::size_t row_bytes = 0;
};

void check_goes_by_slices(const cull_config& config, const command_line& line, const process_ranks& ranks) {
  const slice_checks checks(line, ranks);
  checks.refuse(config.inputs.size() > 1, "/input");
  checks.refuse(config.has_exports() && config.rejected.empty(), "/export");
  checks.refuse(!config.rejected.empty(), "/rejected");
  checks.refuse(!config.image.empty(), "/image");
  checks.refuse(!config.sort_by.empty(), "/sort/by");
  checks.refuse(!config.types.empty(), "/column_types");
  checks.refuse(config.common.device.starts_with("cuda:"), "/device");
  require_path(config.common.output, "--output", "/output");
  checks.check_is_file(config.common.input, "/input");
}

/// The rows of `rank`, of so many in all.
std::span<const std::byte> rows_of_rank(const slice_of_file& slice, const process_ranks& ranks) {
  const row_slice mine = slice_of_rank(static_cast<std::int64_t>(slice.shape[0]), ranks);
  if (mine.count == 0) return {};
  return {slice.all.data() + static_cast<std::size_t>(mine.begin) * slice.row_bytes,
          static_cast<std::size_t>(mine.count) * slice.row_bytes};
}

void read_slice(slice_of_file& slice, const cull_config& config, const process_ranks& ranks,
                const wanted_columns& wanted) {
  input_file file(config.common.input);
  particle_file& mine = slice.particles;
  if (begins_as_structures(file)) {
    const npy_structures said = read_npy_structures(file);
    slice.descr = said.descr;
    slice.shape = {said.count};
    slice.row_bytes = said.bytes;
    slice.all = file.take_mapped(static_cast<std::size_t>(file.remaining()));
    const auto rows = rows_of_rank(slice, ranks);
    mine.records.emplace();
    mine.records->descr = said.descr;
    mine.records->row_bytes = said.bytes;
    mine.records->bytes = byte_array::of_others(rows.data(), rows.size());
    mine.particles.count = slice_of_rank(static_cast<std::int64_t>(said.count), ranks).count;
    add_columns(said, mine.records->bytes, said.bytes, wanted, mine.particles);
  } else if (begins_as_npy(file)) {
    npy_header header = read_npy_header(file);
    if (header.fortran_order || header.shape.size() != 2) {
      fail(exit_code::bad_input, "{}: an array of {} dimensions{}; expected rows, (n, k) in C order", file.name(),
           header.shape.size(), header.fortran_order ? " in Fortran order" : "");
    }
    slice.descr = npy_descr(header.type);
    slice.shape = header.shape;
    slice.row_bytes = static_cast<std::size_t>(header.shape[1]) * size_of(header.type);
    slice.all = file.take_mapped(static_cast<std::size_t>(file.remaining()));
    const auto rows = rows_of_rank(slice, ranks);
    header.shape[0] =
        static_cast<std::uint64_t>(slice_of_rank(static_cast<std::int64_t>(header.shape[0]), ranks).count);
    input_file of_rank(config.common.input, rows);
    mine.particles = read_npy_table(of_rank, header, config.npy_columns);
    mine.npy = std::move(header);
  } else {
    fail(exit_code::bad_input, "{}: not an npy file; expected one, from which {} processes read slices", file.name(),
         ranks.ranks());
  }
  mine.bytes = file.size();
}

/// The bytes that an open file has by now.
byte_array bytes_of(int fd) {
  struct stat info = {};
  fstat(fd, &info);
  return byte_array::of_file(fd, 0, static_cast<std::size_t>(info.st_size));
}

}  // namespace

exit_code cull_slices(const cull_config& config, const command_line& line, process_ranks& ranks) {
  stopwatch total;
  std::optional<report_file> report;
  int gpu = -1;
  ranks.together([&] {
    check_goes_by_slices(config, line, ranks);
    gpu = gpu_of_process(config.common.device, ranks);
    if (ranks.rank() == 0) report.emplace(config.common.report);
  });
  check_gpus_of_all(gpu, ranks);
  shared_output output(ranks, config.common.output, line.origin("/output"));

  slice_of_file slice;
  byte_array part;  // an .npy file of this rank's survivors
  constexpr std::int64_t not_verified = -1;
  std::int64_t kept = 0;
  std::string device_name;
  ordered_json told;
  ranks.together([&] {
    device_session device(gpu < 0 ? "sim" : fmt::format("cuda:{}", gpu), config.common.gpu_memory);
    device_name = fmt::format("{} x {}", ranks.ranks(), device.name());
    check_runs_on(config.common.scan, device, line);
    const int fd = unnamed_file(output.name());
    const quiet_for_now quiet;
    cull_run run(
        config, line, device,
        [&](const wanted_columns& wanted) {
          read_slice(slice, config, ranks, wanted);
          return std::move(slice.particles);
        },
        fd);
    const exit_code code = run.run();
    told = run.report();
    kept = code == exit_code::ok ? run.kept() : not_verified;  // the run has said it
    if (kept == not_verified) return;
    part = bytes_of(fd);
    ::close(fd);
  });
  const std::vector<std::int64_t> all = ranks.all_of(kept);
  const bool are_verified = std::ranges::find(all, not_verified) == all.end();
  const std::int64_t before = std::accumulate(all.begin(), all.begin() + ranks.rank(), std::int64_t{0});
  const std::int64_t survivors = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  const std::uint64_t particles = slice.shape[0];
  const auto write_report = [&] {
    if (!report) return;
    told.erase("bytes_moved");  // of this rank alone
    told["device"] = device_name;
    told["processes"] = ranks.ranks();
    told["input"]["particles"] = particles;
    if (!are_verified) told["verified"] = false;
    told["output"] = {{"file", config.common.output}, {"particles", are_verified ? survivors : 0}};
    report->write(told);
  };
  if (!are_verified) {
    ranks.together([&] {
      write_report();
      throw failure(exit_code::not_verified, "");
    });
  }
  say("device   {}", device_name);
  say("kept     {} of {} particles, in {} slices", with_commas(static_cast<std::uint64_t>(survivors)),
      with_commas(particles), ranks.ranks());

  ranks.together([&] {
    slice.shape[0] = static_cast<std::uint64_t>(survivors);
    const std::string head = npy_header_bytes(slice.descr, false, slice.shape);
    const std::size_t bytes = static_cast<std::size_t>(kept) * slice.row_bytes;
    if (ranks.rank() == 0) output.write_at(0, head.data(), head.size());
    output.write_at(head.size() + static_cast<std::uint64_t>(before) * slice.row_bytes,
                    part.data() + (part.bytes() - bytes), bytes);
  });
  output.finish();
  output.commit();
  say("wrote    {}: in {} slices", output.name(), ranks.ranks());
  ranks.together(write_report);
  say("total    {:.0f} ms", total.lap());
  return exit_code::ok;
}

}  // namespace upsweep::apps
