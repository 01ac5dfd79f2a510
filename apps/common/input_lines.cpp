// An input file as lines of text.
#include <algorithm>
#include <cstring>

#include "failure.hpp"
#include "input_file.hpp"

namespace upsweep::apps {

void input_file::pass_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  const auto bytes = ahead(mark.size());
  if (bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0) consume(mark.size());
}

/// Where the first line of `text` ends, of which so many characters were searched before; null when it goes on.
const char* input_file::find_line_end(std::string_view text, std::size_t searched, bool is_rest) {
  if (line_end_ != '\0') {
    return static_cast<const char*>(std::memchr(text.data() + searched, line_end_, text.size() - searched));
  }
  const std::size_t at = text.find_first_of("\r\n", searched > 0 ? searched - 1 : 0);
  if (at == text.npos || (text[at] == '\r' && at + 1 == text.size() && !is_rest)) return nullptr;
  line_end_ = text[at] == '\r' && text.substr(at + 1, 1) != "\n" ? '\r' : '\n';
  return text.data() + text.find(line_end_, at);
}

std::optional<std::string_view> input_file::line(std::size_t longest) {
  if (ahead(1).empty()) return std::nullopt;
  std::size_t searched = 0;
  for (std::size_t wanted = 1;;) {
    const auto bytes = ahead(wanted);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool is_rest = is_complete_ && text.size() == remaining();
    const char* const found = find_line_end(text, searched, is_rest);
    const std::size_t length = found != nullptr ? static_cast<std::size_t>(found - text.data()) : text.size();
    if (length > longest) {
      fail(exit_code::bad_input, "{}: line {} is longer than {} characters", name_, line_number_ + 1, longest);
    }
    if (found != nullptr || is_rest) {
      consume(length + (found != nullptr ? 1 : 0));
      ++line_number_;
      return text.substr(0, length > 0 && text[length - 1] == '\r' ? length - 1 : length);
    }
    searched = text.size();
    wanted = 2 * text.size();
  }
}

std::string_view input_file::lines_ahead(std::size_t about, std::size_t longest) {
  for (std::size_t wanted = about;; wanted *= 2) {
    const auto bytes = ahead(wanted);
    const bool is_rest = is_complete_ && bytes.size() == remaining() && bytes.size() <= wanted;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), wanted));
    if (is_rest) return text;
    if (line_end_ == '\0') static_cast<void>(find_line_end(text, 0, is_rest));
    const std::size_t last = line_end_ == '\0' ? text.npos : text.rfind(line_end_);
    if (last != text.npos) return text.substr(0, last + 1);
    if (text.size() > longest) {
      fail(exit_code::bad_input, "{}: line {} is longer than {} characters", name_, line_number_ + 1, longest);
    }
  }
}

void input_file::consume_lines(std::size_t bytes, std::uint64_t lines) {
  consume(bytes);
  line_number_ += lines;
}

}  // namespace upsweep::apps
