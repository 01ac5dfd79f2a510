// Zip archives, as NumPy makes them: members that are stored or deflated, of any size. What is deflated needs zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byte_array.hpp"
#include "output_file.hpp"

namespace upsweep::apps {

/// A file in an archive.
struct zip_member {
  std::string name;
  bool is_deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;            ///< of what was put in
  std::span<const std::byte> packed;  ///< as it lies in the archive
};

/// Whether bytes begin as an archive does.
bool begins_as_zip(std::span<const std::byte> first);

/// The members of an archive that is all in memory, in the order of its directory. Fails with exit_code::bad_input, and
/// names the file, where it is damaged or has what NumPy does not make: encryption, other compressions, a name twice.
std::vector<zip_member> zip_members(const std::string& file, std::span<const std::byte> archive);

/// What was put in: where it is stored, a view of the archive, else of `room`, as many bytes. Fails as zip_members
/// does.
byte_array unpacked(const std::string& file, const zip_member& member, std::span<std::byte> room);

/// Writes an archive to a file, member by member.
class zip_writer {
 public:
  explicit zip_writer(output_file& file) : file_(file) {}
  /// `parts` are the bytes, one after the other.
  void add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts, bool deflate);
  /// The directory. Nothing may be added after it.
  void finish();

 private:
  struct entry {
    zip_member member;
    std::uint64_t packed_bytes = 0, at = 0;
  };
  void write(std::string_view text);

  output_file& file_;
  std::uint64_t written_ = 0;
  std::vector<entry> entries_;
};

}  // namespace upsweep::apps
