// What the programs do not read, and what makes it into what they do.
#pragma once

#include <string_view>

#include "input_file.hpp"

namespace upsweep::apps {

/// Fails with exit_code::bad_input where the first bytes are those of a format that is known and not read: says what it
/// is, what is expected, and how it can be converted.
void refuse_foreign_format(input_file& file, std::string_view expected);

/// The same of files that have properties, and fails where the file is no text.
void refuse_foreign(input_file& file);

}  // namespace upsweep::apps
