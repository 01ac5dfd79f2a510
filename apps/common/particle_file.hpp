// Particles in whichever format their file has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "named_files.hpp"
#include "npy.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"
#include "ply.hpp"

namespace upsweep::apps {

/// A file's particles, and what is needed to write a file of the same kind. Exactly one of `ply` and `npy` is there.
struct particle_file {
  std::optional<ply_header> ply;
  std::optional<npy_header> npy;
  particle_table particles;
  std::vector<ply_rows> others;  ///< of a PLY file, the rows of other elements
  std::vector<std::string> notices;
  std::uint64_t bytes = 0;

  /// "PLY, ascii", "PLY, binary_little_endian" or "npy".
  std::string format() const;
};

/// How files are read.
struct read_options {
  std::vector<std::string> npy_columns;  ///< names of the columns of a .npy file
  bool keep_others = true;               ///< faces, edges and other elements of a PLY file
};

/// Reads a PLY or .npy file, told apart by their first bytes. `outputs` name the files that will be written: another
/// extension than the format's fails with exit_code::usage.
particle_file read_particles(const std::string& path, const read_options& options,
                             const std::vector<named_output>& outputs);

/// Writes `particles`, which have the columns of `like`, as a file of its format. They stood at `origins` in it; what
/// refers to them keeps its meaning, or goes: returns what has gone, a line each.
std::vector<std::string> write_particles(output_file& file, const particle_file& like, const particle_table& particles,
                                         const row_origins& origins = {});

}  // namespace upsweep::apps
