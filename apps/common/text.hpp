// Words and numbers as people read them.
#pragma once

#include <cstdint>
#include <optional>
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

/// "2GiB", "1.5 MB", "700B" or "700" as bytes: KiB, MiB, GiB, TiB by 1024, kB, MB, GB, TB by 1000. Nothing for others.
std::optional<std::uint64_t> bytes_of(std::string_view text);

/// The words of a line, between blanks and tabulators. They point into the line.
std::vector<std::string_view> words_of(std::string_view line);

/// A whole number as people write it: 1000, 1e6, 2.5e6, 2^20. Nothing where it is none, or not one of the type.
std::optional<std::int64_t> whole_number(std::string_view text);

/// The word that `wrong` was most likely to be: the one that the fewest changes of a letter, or swaps of two, lead to.
/// Empty when none is like it.
std::string nearest_word(std::string_view wrong, const std::vector<std::string>& words);

/// "a, b, c"; the rest of a long list is counted.
std::string list_text(const std::vector<std::string>& words);

}  // namespace upsweep::apps
