// Words and numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::apps {

/// `text` as one printable line: control characters become '?', and the middle of a very long text becomes "...".
std::string one_line(std::string_view text);

/// 1234567 as "1,234,567".
std::string with_commas(std::uint64_t number);

/// 1610612736 as "1.5 GiB".
std::string bytes_text(std::uint64_t bytes);

/// "a, b, c"; the rest of a long list is counted.
std::string list_text(const std::vector<std::string>& words);

}  // namespace upsweep::apps
