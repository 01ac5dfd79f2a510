// What the programs do not read, and what makes it into what they do.
#pragma once

#include <string_view>

#include "input_file.hpp"

namespace upsweep::apps {

/// Fails with exit_code::bad_input where the first bytes are those of a format that is known and not read: says what it
/// is, what is expected, and how it can be converted.
void refuse_foreign_format(input_file& file, std::string_view expected);

/// Whether the first bytes are text.
bool begins_as_text(input_file& file);

/// The same as refuse_foreign_format of files that have properties, and fails where the file is not text or, unless it
/// `may_have_one_column`, has no separator in its first line.
void refuse_foreign(input_file& file, bool may_have_one_column);

}  // namespace upsweep::apps
