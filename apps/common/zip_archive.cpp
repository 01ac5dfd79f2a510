// The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "zip_archive.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "compression.hpp"
#include "failure.hpp"

namespace upsweep::apps {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                        large_end_mark = 0x06064b50, large_locator_mark = 0x07064b50;
constexpr std::size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, large_end_bytes = 56, locator_bytes = 20;
constexpr std::uint16_t stored = 0, deflated = 8;
/// A number of 32 bits that stands for one of 64 bits elsewhere.
constexpr std::uint64_t is_elsewhere = 0xffffffff;
constexpr std::uint16_t large_field = 1;  ///< the extra field that has those

[[noreturn]] void damaged(const std::string& file, std::string_view what) {
  fail(exit_code::bad_input, "{}: a zip archive that is damaged: {}", file, what);
}

/// Numbers of an archive, read in turn.
class zip_numbers {
 public:
  zip_numbers(const std::string& file, std::span<const std::byte> bytes) : file_(file), rest_(bytes) {}

  template <class Number>
  Number next() {
    Number number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > rest_.size()) damaged(file_, "it ends early");
    const auto taken = rest_.first(static_cast<std::size_t>(bytes));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  const std::string& file_;
  std::span<const std::byte> rest_;
};

std::span<const std::byte> from(const std::string& file, std::span<const std::byte> archive, std::uint64_t at) {
  if (at > archive.size()) damaged(file, "it ends early");
  return archive.subspan(static_cast<std::size_t>(at));
}

bool has_mark(std::span<const std::byte> archive, std::size_t at, std::uint32_t mark) {
  return at + sizeof mark <= archive.size() && std::memcmp(archive.data() + at, &mark, sizeof mark) == 0;
}

struct directory {
  std::uint64_t entries = 0, at = 0;
};

directory directory_of(const std::string& file, std::span<const std::byte> archive) {
  // A comment of up to 64 KiB may come after the last record.
  constexpr std::size_t longest_comment = 65535;
  if (archive.size() < end_bytes) damaged(file, "it ends early");
  const std::size_t least = archive.size() - std::min(archive.size(), end_bytes + longest_comment);
  std::optional<std::size_t> end;
  for (std::size_t at = archive.size() - end_bytes + 1; at-- > least && !end;) {
    if (has_mark(archive, at, end_mark)) end = at;
  }
  if (!end) damaged(file, "it ends early");
  zip_numbers numbers(file, archive.subspan(*end + 10));
  const auto entries = numbers.next<std::uint16_t>();
  numbers.next<std::uint32_t>();
  const auto at = numbers.next<std::uint32_t>();
  if (*end < locator_bytes || !has_mark(archive, *end - locator_bytes, large_locator_mark)) return {entries, at};
  zip_numbers locator(file, archive.subspan(*end - locator_bytes + 8));
  const auto large_at = locator.next<std::uint64_t>();
  const auto large = from(file, archive, large_at);
  if (!has_mark(large, 0, large_end_mark)) damaged(file, "its directory is not where it should be");
  zip_numbers large_numbers(file, large);
  large_numbers.take(32);
  const auto large_entries = large_numbers.next<std::uint64_t>();
  large_numbers.next<std::uint64_t>();
  return {large_entries, large_numbers.next<std::uint64_t>()};
}

/// Takes what is of 64 bits from the extra fields of a member.
void take_large(const std::string& file, std::span<const std::byte> extra,
                std::initializer_list<std::uint64_t*> numbers) {
  zip_numbers fields(file, extra);
  while (fields.left() >= 4) {
    const auto kind = fields.next<std::uint16_t>();
    const auto bytes = fields.take(fields.next<std::uint16_t>());
    if (kind != large_field) continue;
    zip_numbers of_field(file, bytes);
    for (std::uint64_t* const number : numbers) {
      if (*number == is_elsewhere) *number = of_field.next<std::uint64_t>();
    }
    return;
  }
}

zip_member next_member(const std::string& file, std::span<const std::byte> archive, zip_numbers& central) {
  if (central.next<std::uint32_t>() != central_mark) damaged(file, "its directory is not where it should be");
  central.next<std::uint32_t>();  // versions
  const auto flags = central.next<std::uint16_t>();
  const auto how = central.next<std::uint16_t>();
  central.next<std::uint32_t>();  // time
  zip_member member;
  member.crc = central.next<std::uint32_t>();
  std::uint64_t packed = central.next<std::uint32_t>();
  member.bytes = central.next<std::uint32_t>();
  const auto name_bytes = central.next<std::uint16_t>();
  const auto extra_bytes = central.next<std::uint16_t>();
  const auto comment_bytes = central.next<std::uint16_t>();
  central.take(8);
  std::uint64_t at = central.next<std::uint32_t>();
  const auto name = central.take(name_bytes);
  member.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  take_large(file, central.take(extra_bytes), {&member.bytes, &packed, &at});
  central.take(comment_bytes);

  constexpr std::uint16_t is_encrypted = 1;
  if ((flags & is_encrypted) != 0 || (how != stored && how != deflated)) {
    fail(exit_code::bad_input, "{}: {}: {}; expected members that are stored or deflated, as numpy.savez writes", file,
         member.name, (flags & is_encrypted) != 0 ? "encrypted" : fmt::format("compressed by method {}", how));
  }
  member.is_deflated = how == deflated;
  zip_numbers local(file, from(file, archive, at));
  if (local.next<std::uint32_t>() != local_mark) damaged(file, member.name + " is not where the directory says");
  local.take(local_bytes - 8);
  const auto lengths = from(file, archive, at + local_bytes - 4);
  zip_numbers local_lengths(file, lengths);
  const auto local_name_bytes = local_lengths.next<std::uint16_t>();
  const auto local_extra_bytes = local_lengths.next<std::uint16_t>();
  local_lengths.take(local_name_bytes);
  local_lengths.take(local_extra_bytes);
  member.packed = local_lengths.take(packed);
  // Deflate makes a byte of at most 1032.
  constexpr std::uint64_t most_from_a_byte = 1032;
  const bool is_right = member.is_deflated ? member.bytes / most_from_a_byte <= packed + 1 : member.bytes == packed;
  if (!is_right) damaged(file, fmt::format("{} has {} bytes in {}", member.name, member.bytes, packed));
  return member;
}

template <class Number>
void put(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::uint32_t or_elsewhere(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min(number, is_elsewhere));
}

/// The bytes of a head that the local and the central one share, from the version on.
std::string shared_head(const zip_member& member, std::uint64_t packed_bytes, std::size_t extra_bytes) {
  constexpr std::uint16_t version = 45, names_are_utf8 = 0x800, first_of_january_1980 = 0x21;
  std::string text;
  put(text, version);
  put(text, names_are_utf8);
  put(text, member.is_deflated ? deflated : stored);
  put(text, std::uint16_t{0});
  put(text, first_of_january_1980);
  put(text, member.crc);
  put(text, or_elsewhere(packed_bytes));
  put(text, or_elsewhere(member.bytes));
  put(text, static_cast<std::uint16_t>(member.name.size()));
  put(text, static_cast<std::uint16_t>(extra_bytes));
  return text;
}

/// The numbers that are too large for 32 bits.
std::string large_numbers(std::initializer_list<std::uint64_t> numbers) {
  std::string large;
  for (const std::uint64_t number : numbers) {
    if (number >= is_elsewhere) put(large, number);
  }
  if (large.empty()) return large;
  std::string text;
  put(text, large_field);
  put(text, static_cast<std::uint16_t>(large.size()));
  return text + large;
}

}  // namespace

bool begins_as_zip(std::span<const std::byte> first) {
  return has_mark(first, 0, local_mark) || has_mark(first, 0, end_mark);
}

std::vector<zip_member> zip_members(const std::string& file, std::span<const std::byte> archive) {
  const directory where = directory_of(file, archive);
  zip_numbers central(file, from(file, archive, where.at));
  if (where.entries > central.left() / central_bytes) damaged(file, "its directory ends early");
  std::vector<zip_member> members;
  std::set<std::string> different;
  std::uint64_t packed = 0;
  for (std::uint64_t i = 0; i < where.entries; ++i) {
    members.push_back(next_member(file, archive, central));
    const zip_member& member = members.back();
    if (!different.insert(member.name).second) {
      fail(exit_code::bad_input, "{}: two members are called {}; expected different names", file, member.name);
    }
    // What overlaps could be more than any memory has room for.
    packed += member.packed.size();
    if (packed > archive.size()) damaged(file, "its members overlap");
  }
  return members;
}

byte_array unpacked(const std::string& file, const zip_member& member, std::span<std::byte> room) {
  byte_array bytes = byte_array::of_others(member.packed.data(), member.packed.size());
  if (member.is_deflated) {
    bytes = byte_array::of_others(room.data(), room.size());
    inflate_raw(file + ": " + member.name, member.packed, room);
  }
  if (crc32_of(0, {bytes.data(), bytes.bytes()}) != member.crc) {
    damaged(file, "the bytes of " + member.name + " do not have its checksum");
  }
  return bytes;
}

void zip_writer::write(std::string_view text) {
  file_.write(text);
  written_ += text.size();
}

void zip_writer::add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts, bool deflate) {
  entry added;
  added.at = written_;
  added.member.name = name;
  added.member.is_deflated = deflate;
  for (const auto& part : parts) {
    added.member.crc = crc32_of(added.member.crc, part);
    added.member.bytes += part.size();
  }
  byte_array packed;
  if (deflate) packed = deflated_raw(file_.name(), {parts.begin(), parts.size()});
  added.packed_bytes = deflate ? packed.bytes() : added.member.bytes;
  // The local head has both sizes of 64 bits, or none.
  const bool is_large = added.member.bytes >= is_elsewhere || added.packed_bytes >= is_elsewhere;
  std::string extra, head;
  if (is_large) {
    put(extra, large_field);
    put(extra, std::uint16_t{16});
    put(extra, added.member.bytes);
    put(extra, added.packed_bytes);
  }
  put(head, local_mark);
  head += shared_head(added.member, added.packed_bytes, extra.size());
  if (is_large) {
    constexpr std::size_t sizes_at = 18;
    head.replace(sizes_at, 8, std::string(8, '\xff'));
  }
  write(head + name + extra);
  if (deflate) {
    file_.write(packed.data(), packed.bytes());
  } else {
    for (const auto& part : parts) file_.write(part.data(), part.size());
  }
  written_ += added.packed_bytes;
  entries_.push_back(std::move(added));
}

void zip_writer::finish() {
  const std::uint64_t begin = written_;
  for (const entry& e : entries_) {
    const std::string extra = large_numbers({e.member.bytes, e.packed_bytes, e.at});
    std::string text;
    put(text, central_mark);
    put(text, std::uint16_t{45});
    text += shared_head(e.member, e.packed_bytes, extra.size());
    put(text, std::uint16_t{0});  // no comment
    put(text, std::uint32_t{0});  // disk, and no text
    put(text, std::uint32_t{0});  // attributes
    put(text, or_elsewhere(e.at));
    write(text + e.member.name + extra);
  }
  const std::uint64_t end = written_, bytes = end - begin, entries = entries_.size();
  std::string text;
  if (begin >= is_elsewhere || bytes >= is_elsewhere || entries >= 65535) {
    put(text, large_end_mark);
    put(text, std::uint64_t{large_end_bytes - 12});
    put(text, std::uint16_t{45});
    put(text, std::uint16_t{45});
    put(text, std::uint64_t{0});
    for (const std::uint64_t number : {entries, entries, bytes, begin}) put(text, number);
    put(text, large_locator_mark);
    put(text, std::uint32_t{0});
    put(text, end);
    put(text, std::uint32_t{1});
  }
  put(text, end_mark);
  put(text, std::uint32_t{0});
  put(text, static_cast<std::uint16_t>(std::min<std::uint64_t>(entries, 65535)));
  put(text, static_cast<std::uint16_t>(std::min<std::uint64_t>(entries, 65535)));
  put(text, or_elsewhere(bytes));
  put(text, or_elsewhere(begin));
  put(text, std::uint16_t{0});
  write(text);
}

}  // namespace upsweep::apps
