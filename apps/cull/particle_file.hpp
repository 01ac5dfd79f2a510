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
  std::vector<std::string> notices;
  std::uint64_t bytes = 0;

  /// "PLY, ascii", "PLY, binary_little_endian" or "npy".
  std::string format() const;
};

/// Reads a PLY or .npy file, told apart by their first bytes. `output` names the file that will be written: another
/// extension than the format's fails with exit_code::usage.
particle_file read_particles(const std::string& path, const std::vector<std::string>& npy_columns,
                             const named_output& output);

/// Writes `particles`, which have the columns of `like`, as a file of its format.
void write_particles(output_file& file, const particle_file& like, const particle_table& particles);

}  // namespace upsweep::apps
