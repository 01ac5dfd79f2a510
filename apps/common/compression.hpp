// Files that are compressed by gzip or zstd. The libraries are optional: a program without one says so by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byte_array.hpp"

namespace upsweep::apps {

enum class compression { none, gzip, zstd };

/// By the first four bytes of a file, or as many as it has.
compression compression_of(std::span<const std::byte> first);
/// By the ending of a name: .gz or .zst.
compression compression_of_name(std::string_view path);
/// A name without such an ending.
std::string_view without_compression(std::string_view path);

/// The next bytes, valid until the next call; none at the end.
using byte_source = std::function<std::span<const std::byte>()>;
using byte_sink = std::function<void(const std::byte* from, std::size_t bytes)>;

/// Takes the first `bytes` bytes of a block. It may keep the block and leave another one of unpacked_block_bytes.
using block_sink = std::function<void(std::vector<std::byte>& block, std::size_t bytes)>;
inline constexpr std::size_t unpacked_block_bytes = std::size_t{1} << 19;

/// Decompresses everything that `source` gives into `sink`, full blocks and a last one. Fails with
/// exit_code::bad_input, and names the file, where it is damaged or the program has no library for it.
void decompress(compression how, const std::string& name, const byte_source& source, const block_sink& sink);

/// Whether decompress_zstd_into can be called.
bool can_decompress_into();
/// Decompresses everything that `source` gives to one place after the other, and tells `reached` how many bytes are
/// there. Fails as decompress does, also where there are more than `to` has room for.
void decompress_zstd_into(std::span<std::byte> to, const std::string& name, const byte_source& source,
                          const std::function<void(std::size_t)>& reached);

/// Puts the bytes from a place on into a buffer and returns how many; fewer at the end.
using byte_reader = std::function<std::size_t(std::uint64_t from, std::byte* to, std::size_t bytes)>;
/// How many bytes zstd would make of a file of `packed` bytes, where the file says so and that is possible; it may
/// still be damaged.
std::optional<std::uint64_t> unpacked_bytes_of_zstd(std::uint64_t packed, const byte_reader& read);

/// Decompresses a member of a zip archive into `to`, which it fills. Fails as decompress does.
void inflate_raw(const std::string& name, std::span<const std::byte> from, std::span<std::byte> to);
/// Parts, one after the other, as a member of a zip archive. Fails as make_compressor does.
byte_array deflated_raw(const std::string& name, std::span<const std::span<const std::byte>> parts);
/// The checksum of a zip archive, of bytes that come after those of `before`, 0 for none.
std::uint32_t crc32_of(std::uint32_t before, std::span<const std::byte> bytes);

/// Compresses what is written through it.
class compressor {
 public:
  virtual ~compressor() = default;
  virtual void write(const std::byte* from, std::size_t bytes, const byte_sink& sink) = 0;
  /// Everything has arrived; the rest goes to the sink.
  virtual void finish(const byte_sink& sink) = 0;
};

/// Null for none. Fails with exit_code::cannot_write, and names the file, where the program has no library for it.
std::unique_ptr<compressor> make_compressor(compression how, const std::string& name);

}  // namespace upsweep::apps
