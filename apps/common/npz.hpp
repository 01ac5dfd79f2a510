// NumPy's .npz files: arrays with a row for each particle, and whatever else lies in the archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byte_array.hpp"
#include "input_file.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"
#include "ply.hpp"
#include "records.hpp"

namespace upsweep::apps {

/// A member of an archive.
struct npz_member {
  std::string name;  ///< as the archive has it
  bool is_deflated = false;
  byte_array bytes;         ///< all of it, a view
  bool is_of_rows = false;  ///< an array with a row for each particle
  std::string descr = {};   ///< of such an array, the type of an element
  std::vector<std::uint64_t> shape = {};
  std::size_t row_bytes = 0;
  byte_array rows = {};  ///< in C order
};

struct npz_archive {
  byte_array bytes;     ///< what is stored lies here
  byte_array unpacked;  ///< what was deflated, all together, so that many of them are not more than memory has room for
  std::vector<npz_member> members;
};

/// Reads an archive that has an .npy file. Rows are those of the first array that is wanted by its name or by that of a
/// column of it, else of arrays of the length that most have. A wanted array `a` of one dimension, or (n, 1), becomes
/// the column "a", of more "a_0", "a_1" and so on, of structures "a.x" for a field x. Other members are kept as they
/// are; `notices` tell of arrays among them.
npz_archive read_npz(input_file& file, const wanted_columns& wanted, particle_table& particles,
                     std::vector<std::string>& notices);

/// Writes the archive with `count` rows of each array, those at `origins`.
void write_npz(output_file& file, const npz_archive& archive, std::int64_t count, const row_origins& origins);

}  // namespace upsweep::apps
