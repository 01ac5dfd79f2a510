// One run of upsweep-cull, from the files to the files.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cull.hpp"
#include "cull_config.hpp"
#include "output_file.hpp"
#include "particle_file.hpp"
#include "picture.hpp"
#include "program.hpp"

namespace upsweep::apps {

/// "1,234", of particles.
std::string count_text(const particle_table& particles);

/// Reads, culls, checks, sorts and writes what a config says. Files that are written are made at once, so that one that
/// cannot be is found before the work, and have their names when all of them are complete.
class cull_run {
 public:
  /// All of these outlive the run.
  cull_run(const cull_config& config, const command_line& line, device_session& device);
  /// The same of particles that `read` gives, with the columns that are wanted of it. They go to an open file that
  /// stays where it is.
  cull_run(const cull_config& config, const command_line& line, device_session& device,
           std::function<particle_file(const wanted_columns&)> read, int output);

  /// ok or not_verified; everything else is a failure.
  exit_code run();

  std::int64_t particles() const { return input_.particles.count; }
  std::int64_t kept() const { return survivors_.count; }
  /// What the config's camera sees of the particles, or one that sees all of them from outside: those that were kept,
  /// or with `before` all of them as if they were. Of a run that draws, when it has ended well.
  picture view(int width, bool from_outside, bool before) const;
  /// What was done, as --report writes it.
  ordered_json report() const;

 private:
  /// One more file that a run writes: what goes in, and where.
  struct export_job {
    export_job(std::string exported, bool of_property, const std::string& path)
        : what(std::move(exported)), is_property(of_property), file(path) {}
    std::string what;  ///< "depth", "indices", "mask" or the name of a property
    bool is_property;
    output_file file;
  };

  void read();
  void note_what_is_idle() const;
  void select(const cull_test& test);
  bool verify(const cull_test& test);
  bool agrees(const cull_test& test, const particle_table& selected);
  void drop(cull_test test);
  byte_array depths_of_survivors() const;
  exit_code sort();
  void write();
  void write_export(export_job& job);
  /// By the config's camera, and below that from outside.
  picture before_and_after() const;
  /// Of each particle of the input, whether it was kept.
  std::vector<std::uint8_t> mask() const;
  std::string method_text() const;

  const cull_config& config_;
  const command_line& line_;
  device_session& device_;
  std::function<particle_file(const wanted_columns&)> read_;  ///< instead of a file
  std::optional<output_file> output_, rejected_output_, image_;
  std::deque<export_job> exports_;
  particle_file input_;
  particle_table survivors_, rejected_;
  bool has_indices_ = false;
  table_column indices_, rejected_indices_;  ///< where each of them was in the input, if something asks for it
  std::optional<bool> verified_;             ///< of a run that is to be checked
  stopwatch total_;
  cull_times times_;
  cull_bytes moved_;
  double read_ms_ = 0, verify_ms_ = 0, sort_ms_ = 0, write_ms_ = 0;
};

}  // namespace upsweep::apps
