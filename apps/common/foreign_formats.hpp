// What the programs do not read, and what makes it into what they do.
#pragma once

#include "input_file.hpp"

namespace upsweep::apps {

/// Fails with exit_code::bad_input where the file is no text: says what it is, by its first bytes, and how it can be
/// converted, as far as that is known.
void refuse_foreign(input_file& file);

}  // namespace upsweep::apps
