#include "csv_rows.hpp"

#include <atomic>
#include <vector>

#include "share_rows.hpp"

namespace upsweep::apps {
namespace {

bool is_blank_row(std::string_view row) {
  return row.empty() || (static_cast<unsigned char>(row.front()) <= ' ' && without_blanks(without_end(row)).empty());
}

/// How many rows there are, the first ones tell about; one alone may be far shorter than most.
///   bytes  of the rows so far
///   left   bytes after them
void make_room(growing_array<std::uint64_t>& ends, std::size_t rows, std::size_t bytes, std::size_t left) {
  constexpr std::size_t first_rows = 1024;
  if (rows != first_rows) return;
  const std::size_t row_bytes = std::max<std::size_t>(1, bytes * 3 / 4 / first_rows);
  ends.reserve(ends.size() + left / row_bytes + 2);
}

/// The rows of a share, of text without quotes.
struct rows_of_share {
  growing_array<std::uint64_t> ends;
  std::uint64_t lines = 0, blank_end = 0;  ///< what lies before the first row, up to there

  /// Of rows that begin from `first` on, but not from `last` on. `is_complete`: the text ends with its last row.
  void find(std::string_view text, std::size_t first, std::size_t last, bool is_complete) {
    const std::size_t begin = first;
    while (first < last) {
      const std::size_t found = text.find('\n', first);
      if (found == text.npos && !is_complete) return;
      const std::size_t end = found == text.npos ? text.size() : found + 1;
      ++lines;
      if (!is_blank_row(text.substr(first, end - first))) {
        ends.push_back(end);
        make_room(ends, ends.size(), end - begin, last - end);
      } else {
        (ends.size() > 0 ? ends.back() : blank_end) = end;
      }
      first = end;
    }
  }
};

}  // namespace

void csv_reader::see(std::string_view text, bool is_complete, std::size_t busy) {
  const std::string_view more = text.substr(text_.size());
  std::atomic<bool> has_zeros = false, has_quotes = false;
  share_rows(
      more.size(),
      [&](std::size_t first, std::size_t last) {
        // Each block is looked through twice while it is near.
        constexpr std::size_t block = std::size_t{1} << 16;
        for (; first < last; first += block) {
          const std::string_view part = more.substr(first, std::min(block, last - first));
          if (part.find('\0') != part.npos) has_zeros = true;
          if (!has_quotes && part.find('"') != part.npos) has_quotes = true;
        }
      },
      least_share_, busy);
  busy_ = busy;
  if (has_zeros) {
    fail(exit_code::bad_input, "{}: byte {} is 0; expected text", file_, text.find('\0', text_.size()));
  }
  has_quotes_ |= has_quotes;
  text_ = text;
  is_complete_ = is_complete;
}

void csv_reader::find_rows_in_turn(growing_array<std::uint64_t>& ends) {
  const std::size_t begin = at_, before = ends.size();
  for (std::string_view row = next_row(); !row.empty(); row = next_row()) {
    if (is_blank_row(row)) {
      ends.back() = at_;
      continue;
    }
    ends.push_back(at_);
    make_room(ends, ends.size() - before, at_ - begin, text_.size() - at_);
  }
}

void csv_reader::find_rows(growing_array<std::uint64_t>& ends) {
  if (has_quotes_) return find_rows_in_turn(ends);
  // Each share has the rows that begin in its bytes.
  const std::size_t begin = at_, bytes = text_.size() - at_, count = shares_of(bytes, least_share_, busy_);
  std::vector<rows_of_share> shares(count);
  const auto first_of = [&](std::size_t share) {
    if (share == 0) return begin;
    const std::size_t found = text_.find('\n', begin + bytes * share / count - 1);
    return found == text_.npos ? text_.size() : found + 1;
  };
  share_rows(
      count,
      [&](std::size_t share, std::size_t) {
        shares[share].find(text_, first_of(share), first_of(share + 1), is_complete_);
      },
      1, busy_);
  std::size_t rows = ends.size();
  for (const rows_of_share& share : shares) rows += share.ends.size();
  if (rows > ends.room()) ends.reserve(std::max(rows, is_complete_ ? 0 : ends.room() / 4 * 5));
  for (const rows_of_share& share : shares) {
    line_ += share.lines;
    if (share.blank_end > 0) ends.back() = share.blank_end;
    const std::size_t before = ends.size();
    ends.resize(before + share.ends.size());
    if (share.ends.size() > 0) {
      std::memcpy(ends.data() + before, share.ends.data(), share.ends.size() * sizeof(std::uint64_t));
    }
    at_ = ends.back();
  }
}

}  // namespace upsweep::apps
