// Particles in whichever format their file has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "named_files.hpp"
#include "npy.hpp"
#include "npz.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"
#include "ply.hpp"
#include "records.hpp"

namespace upsweep::apps {

/// A file's particles, and what is needed to write a file of the same kind. Exactly one of `ply`, `npy`, `npz` and
/// `records` is there.
struct particle_file {
  std::optional<ply_header> ply;
  std::optional<npy_header> npy;
  std::optional<npz_archive> npz;
  std::optional<record_rows> records;
  particle_table particles;
  std::vector<ply_rows> others;  ///< of a PLY file, the rows of other elements
  std::vector<std::string> notices;
  std::uint64_t bytes = 0;

  /// "PLY, ascii", say, "npy", "npz", "npy of structures" or "CSV".
  std::string format() const;
  /// Whether it takes the places of particles in the file to write some of them.
  bool needs_origins() const;
};

/// How files are read.
struct read_options {
  std::vector<std::string> npy_columns = usual_npy_columns();  ///< names of the columns of a .npy file
  bool keep_others = true;                                     ///< faces, edges and other elements of a PLY file
  wanted_columns wanted = {};  ///< of CSV, .npz and .npy of structures, whose rows are kept as they are
  char delimiter = '\0';       ///< of CSV; see read_csv
  column_types types = {};     ///< of CSV, which no other file may be then
};

/// Reads a PLY, .npy, .npz or CSV file, told apart by their first bytes; text is CSV. Fails with exit_code::bad_input
/// for what is none of them, and says what it is and how it could be converted where that is known. `outputs` name the
/// files that will be written: another extension than the format's fails with exit_code::usage.
particle_file read_particles(const std::string& path, const read_options& options,
                             const std::vector<named_output>& outputs);

/// Writes `particles`, which have the columns of `like`, as a file of its format. They were at `origins` in it; what
/// refers to them keeps its meaning, or goes: returns what has gone, a line each.
std::vector<std::string> write_particles(output_file& file, const particle_file& like, const particle_table& particles,
                                         const row_origins& origins = {});

}  // namespace upsweep::apps
