// Keys as .npy files, as bare numbers in a file, and as text.
#pragma once

#include <cstdint>
#include <string>

#include "input_file.hpp"
#include "npy.hpp"
#include "output_file.hpp"

namespace upsweep::apps {

enum class key_format { npy, raw, text };

/// What an .npy file, or one of bare numbers, has from its current position on.
struct keys_ahead {
  scalar_type type = scalar_type::u32;
  std::int64_t count = 0;
  bool big_endian = false;
  std::string descr = {};  ///< as of npy_vector
};
/// Reads what comes before the keys. `type` is that of bare numbers. Not for text.
keys_ahead read_key_header(input_file& file, key_format format, scalar_type type);

/// Reads keys of that type; of an .npy file the type is its own. raw: little endian numbers, one after the other.
/// text: a number a line; blanks around it and blank lines are passed over.
npy_vector read_keys(input_file& file, key_format format, scalar_type type);

/// Writes numbers. Text has as many digits as reading them back needs; the bits of a NaN are lost in it.
///   descr  of an .npy file, what the numbers mean; empty: they are numbers
void write_keys(output_file& file, key_format format, scalar_type type, const void* data, std::int64_t count,
                const std::string& descr = "");

}  // namespace upsweep::apps
