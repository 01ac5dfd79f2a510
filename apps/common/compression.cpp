#include "compression.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#if UPSWEEP_HAS_ZLIB
#include <zlib.h>
#endif
#if UPSWEEP_HAS_ZSTD
#include <zstd.h>
#endif

#include "failure.hpp"
#include "growing_array.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// A block that is being filled for a sink.
struct filled_block {
  const block_sink& sink;
  std::vector<std::byte> bytes = std::vector<std::byte>(unpacked_block_bytes);
  std::size_t filled = 0;

  void hand_over() {
    if (filled > 0) sink(bytes, std::exchange(filled, 0));
  }
};

[[noreturn, maybe_unused]] void lacks(const std::string& name, exit_code code, const char* program,
                                      const char* library) {
  fail(code,
       "{}: {} needs the library {}, which this program was built without; expected an uncompressed file (the "
       "program {} decompresses it)",
       name, program, library, program);
}
[[noreturn, maybe_unused]] void damaged(const std::string& name, const char* program, const char* what) {
  fail(exit_code::bad_input, "{}: expected data compressed by {}; {}", name, program, what);
}

#if UPSWEEP_HAS_ZLIB
void gunzip(const std::string& name, const byte_source& source, const block_sink& sink) {
  constexpr int of_gzip = 16 + MAX_WBITS;
  z_stream stream = {};
  if (inflateInit2(&stream, of_gzip) != Z_OK) fail(exit_code::device, "{}: zlib has no memory", name);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  filled_block out{sink};
  bool inside = true;
  for (std::span<const std::byte> in = source(); !in.empty(); in = source()) {
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream.avail_in = static_cast<uInt>(in.size());
    while (stream.avail_in > 0) {
      // Members may follow each other, and zeros the last one.
      if (!inside && *stream.next_in == 0) {
        ++stream.next_in;
        --stream.avail_in;
        continue;
      }
      if (!inside) inflateReset(&stream);
      inside = true;
      stream.next_out = reinterpret_cast<Bytef*>(out.bytes.data() + out.filled);
      stream.avail_out = static_cast<uInt>(out.bytes.size() - out.filled);
      const int result = inflate(&stream, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        damaged(name, "gzip", stream.msg != nullptr ? stream.msg : "it is damaged");
      }
      out.filled = out.bytes.size() - stream.avail_out;
      if (stream.avail_out == 0) out.hand_over();
      inside = result != Z_STREAM_END;
    }
  }
  out.hand_over();
  if (inside) damaged(name, "gzip", "it ends early");
}

class zlib_compressor : public compressor {
 public:
  zlib_compressor(const std::string& name, int window) : out_(block_bytes) {
    constexpr int level = 3, memory = 8;
    if (deflateInit2(&stream_, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK) {
      fail(exit_code::device, "{}: zlib has no memory", name);
    }
  }
  ~zlib_compressor() override { deflateEnd(&stream_); }

  void write(const std::byte* from, std::size_t bytes, const byte_sink& sink) override {
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t at = 0; at < bytes; at += std::min(most, bytes - at)) {
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from + at));
      stream_.avail_in = static_cast<uInt>(std::min(most, bytes - at));
      run(Z_NO_FLUSH, sink);
    }
  }
  void finish(const byte_sink& sink) override { run(Z_FINISH, sink); }

 private:
  void run(int flush, const byte_sink& sink) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      sink(out_.data(), out_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_ = {};
  std::vector<std::byte> out_;
};
#endif

#if UPSWEEP_HAS_ZSTD
void unzstd(const std::string& name, const byte_source& source, const block_sink& sink) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) fail(exit_code::device, "{}: zstd has no memory", name);
  filled_block out{sink};
  std::size_t left = 0;
  for (std::span<const std::byte> in = source(); !in.empty(); in = source()) {
    ZSTD_inBuffer from = {in.data(), in.size(), 0};
    bool is_full = true;
    while (from.pos < from.size || (is_full && left != 0)) {
      ZSTD_outBuffer to = {out.bytes.data(), out.bytes.size(), out.filled};
      left = ZSTD_decompressStream(stream.get(), &to, &from);
      if (ZSTD_isError(left)) damaged(name, "zstd", ZSTD_getErrorName(left));
      out.filled = to.pos;
      is_full = to.pos == to.size;
      if (is_full) out.hand_over();
    }
  }
  out.hand_over();
  if (left != 0) damaged(name, "zstd", "it ends early");
}

std::uint32_t little_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << 8 * i;
  return value;
}

/// Where the frame that begins with `header` ends, by the sizes of its blocks; nothing where it is not one.
std::optional<std::uint64_t> end_of_zstd_frame(std::uint64_t at, std::span<const std::byte> header,
                                               const byte_reader& read) {
  constexpr std::size_t magic_bytes = 4, size_bytes = 4, checksum_bytes = 4;
  if (header.size() < magic_bytes + size_bytes) return {};
  const std::uint32_t magic = little_endian(header.first(magic_bytes));
  if ((magic & 0xfffffff0) == 0x184d2a50) {
    return at + magic_bytes + size_bytes + little_endian(header.subspan(magic_bytes, size_bytes));
  }
  if (magic != 0xfd2fb528) return {};
  const auto says = std::to_integer<unsigned>(header[magic_bytes]);
  const bool is_one_segment = (says & 0x20) != 0, has_checksum = (says & 4) != 0;
  constexpr std::array<std::uint64_t, 4> dictionary_bytes = {0, 1, 2, 4}, content_bytes = {0, 2, 4, 8};
  at += magic_bytes + 1 + (is_one_segment ? 0 : 1) + dictionary_bytes[says & 3] + content_bytes[says >> 6];
  if (is_one_segment && says >> 6 == 0) ++at;
  for (bool is_last = false; !is_last;) {
    std::array<std::byte, 3> block;
    if (read(at, block.data(), block.size()) != block.size()) return {};
    const std::uint32_t word = little_endian(block);
    const std::uint32_t kind = word >> 1 & 3, bytes = word >> 3;
    constexpr std::uint32_t one_byte_repeated = 1, reserved = 3;
    if (kind == reserved) return {};
    is_last = (word & 1) != 0;
    at += block.size() + (kind == one_byte_repeated ? 1 : bytes);
  }
  return at + (has_checksum ? checksum_bytes : 0);
}

class zstd_compressor : public compressor {
 public:
  explicit zstd_compressor(const std::string& name)
      : stream_(ZSTD_createCStream(), ZSTD_freeCStream), out_(block_bytes) {
    if (!stream_) fail(exit_code::device, "{}: zstd has no memory", name);
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);  // as the program zstd does
  }
  void write(const std::byte* from, std::size_t bytes, const byte_sink& sink) override {
    ZSTD_inBuffer in = {from, bytes, 0};
    while (in.pos < in.size) run(in, ZSTD_e_continue, sink);
  }
  void finish(const byte_sink& sink) override {
    ZSTD_inBuffer in = {nullptr, 0, 0};
    while (run(in, ZSTD_e_end, sink) != 0) {
    }
  }

 private:
  std::size_t run(ZSTD_inBuffer& in, ZSTD_EndDirective how, const byte_sink& sink) {
    ZSTD_outBuffer to = {out_.data(), out_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(stream_.get(), &to, &in, how);
    if (ZSTD_isError(left)) fail(exit_code::device, "zstd: {}", ZSTD_getErrorName(left));
    sink(out_.data(), to.pos);
    return left;
  }

  std::unique_ptr<ZSTD_CStream, std::size_t (*)(ZSTD_CStream*)> stream_;
  std::vector<std::byte> out_;
};
#endif

}  // namespace

compression compression_of(std::span<const std::byte> first) {
  const auto begins = [&](std::initializer_list<int> bytes) {
    return first.size() >= bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), first.begin(), [](int a, std::byte b) { return std::byte(a) == b; });
  };
  if (begins({0x1f, 0x8b, 8})) return compression::gzip;
  if (begins({0x28, 0xb5, 0x2f, 0xfd})) return compression::zstd;
  // pzstd puts a frame to be skipped, of one of 16 kinds, before each other one.
  for (int kind = 0x50; kind < 0x60; ++kind) {
    if (begins({kind, 0x2a, 0x4d, 0x18})) return compression::zstd;
  }
  return compression::none;
}

compression compression_of_name(std::string_view path) {
  if (path.ends_with(".gz")) return compression::gzip;
  if (path.ends_with(".zst")) return compression::zstd;
  return compression::none;
}

std::string_view without_compression(std::string_view path) {
  return compression_of_name(path) == compression::none ? path : path.substr(0, path.rfind('.'));
}

void decompress(compression how, [[maybe_unused]] const std::string& name, [[maybe_unused]] const byte_source& source,
                [[maybe_unused]] const block_sink& sink) {
  switch (how) {
    case compression::gzip:
#if UPSWEEP_HAS_ZLIB
      return gunzip(name, source, sink);
#else
      lacks(name, exit_code::bad_input, "gzip", "zlib");
#endif
    case compression::zstd:
#if UPSWEEP_HAS_ZSTD
      return unzstd(name, source, sink);
#else
      lacks(name, exit_code::bad_input, "zstd", "libzstd");
#endif
    case compression::none:
      break;
  }
}

std::optional<std::uint64_t> unpacked_bytes_of_zstd([[maybe_unused]] std::uint64_t packed,
                                                    [[maybe_unused]] const byte_reader& read) {
#if UPSWEEP_HAS_ZSTD
  // A block of at least 4 bytes makes at most 128 KiB.
  constexpr std::uint64_t most_from_a_byte = std::uint64_t{1} << 15;
  std::uint64_t all = 0;
  for (std::uint64_t at = 0; at < packed;) {
    std::array<std::byte, 18> header;  // the longest one
    const std::size_t got = read(at, header.data(), header.size());
    const unsigned long long bytes = ZSTD_getFrameContentSize(header.data(), got);
    const std::optional<std::uint64_t> end = end_of_zstd_frame(at, {header.data(), got}, read);
    if (bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes == ZSTD_CONTENTSIZE_ERROR || !end || *end > packed) return {};
    if (bytes / most_from_a_byte > *end - at) return {};
    all += bytes;
    at = *end;
  }
  return all;
#else
  return {};
#endif
}

// A setting of the library that is called experimental: it has been there, and the same, since 1.4.5.
#if UPSWEEP_HAS_ZSTD && ZSTD_VERSION_NUMBER >= 10405
bool can_decompress_into() {
  return true;
}

void decompress_zstd_into(std::span<std::byte> to, const std::string& name, const byte_source& source,
                          const std::function<void(std::size_t)>& reached) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  constexpr ZSTD_dParameter output_stays = ZSTD_d_experimentalParam2;
  if (!stream || ZSTD_isError(ZSTD_DCtx_setParameter(stream.get(), output_stays, 1))) {
    fail(exit_code::device, "{}: zstd has no memory", name);
  }
  ZSTD_outBuffer out = {to.data(), to.size(), 0};
  std::size_t before = 0, left = 0;  // bytes of the frames in front
  for (std::span<const std::byte> in = source(); !in.empty(); in = source()) {
    ZSTD_inBuffer from = {in.data(), in.size(), 0};
    while (from.pos < from.size) {
      left = ZSTD_decompressStream(stream.get(), &out, &from);
      if (ZSTD_isError(left)) damaged(name, "zstd", ZSTD_getErrorName(left));
      if (left == 0) {
        before += out.pos;
        out = {to.data() + before, to.size() - before, 0};
      }
    }
    reached(before + out.pos);
  }
  if (left != 0) damaged(name, "zstd", "it ends early");
}
#else
bool can_decompress_into() {
  return false;
}

void decompress_zstd_into(std::span<std::byte>, const std::string& name, const byte_source&,
                          const std::function<void(std::size_t)>&) {
  lacks(name, exit_code::bad_input, "zstd", "libzstd");
}
#endif

std::unique_ptr<compressor> make_compressor(compression how, [[maybe_unused]] const std::string& name) {
  switch (how) {
    case compression::gzip:
#if UPSWEEP_HAS_ZLIB
      return std::make_unique<zlib_compressor>(name, 16 + MAX_WBITS);
#else
      lacks(name, exit_code::cannot_write, "gzip", "zlib");
#endif
    case compression::zstd:
#if UPSWEEP_HAS_ZSTD
      return std::make_unique<zstd_compressor>(name);
#else
      lacks(name, exit_code::cannot_write, "zstd", "libzstd");
#endif
    case compression::none:
      break;
  }
  return nullptr;
}

void inflate_raw(const std::string& name, [[maybe_unused]] std::span<const std::byte> from,
                 [[maybe_unused]] std::span<std::byte> to) {
#if UPSWEEP_HAS_ZLIB
  constexpr std::size_t most = std::size_t{1} << 30;
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(exit_code::device, "{}: zlib has no memory", name);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  // zlib counts by 32 bits. A byte more shows what goes on after `to`.
  Bytef one_more = 0;
  int result = Z_OK;
  for (std::size_t in = 0, out = 0; result == Z_OK;) {
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data() + in));
    stream.avail_in = static_cast<uInt>(std::min(most, from.size() - in));
    const bool is_full = out == to.size();
    stream.next_out = is_full ? &one_more : reinterpret_cast<Bytef*>(to.data() + out);
    stream.avail_out = is_full ? 1 : static_cast<uInt>(std::min(most, to.size() - out));
    const uInt in_before = stream.avail_in, out_before = stream.avail_out;
    result = inflate(&stream, Z_NO_FLUSH);
    in += in_before - stream.avail_in;
    out += out_before - stream.avail_out;
    if (out > to.size()) result = Z_DATA_ERROR;
    if (result == Z_STREAM_END && out == to.size()) return;
  }
  damaged(name, "zip", "it is damaged");
#else
  lacks(name, exit_code::bad_input, "zip", "zlib");
#endif
}

byte_array deflated_raw(const std::string& name, [[maybe_unused]] std::span<const std::span<const std::byte>> parts) {
#if UPSWEEP_HAS_ZLIB
  growing_array<std::byte> packed;
  const byte_sink sink = [&](const std::byte* from, std::size_t bytes) {
    const std::size_t before = packed.size(), all = before + bytes;
    if (all > packed.room()) packed.reserve(2 * all);
    packed.resize(all);
    if (bytes > 0) std::memcpy(packed.data() + before, from, bytes);
  };
  zlib_compressor compressor(name, -MAX_WBITS);
  for (const auto& part : parts) compressor.write(part.data(), part.size(), sink);
  compressor.finish(sink);
  return packed.take();
#else
  lacks(name, exit_code::cannot_write, "zip", "zlib");
#endif
}

std::uint32_t crc32_of(std::uint32_t before, std::span<const std::byte> bytes) {
#if UPSWEEP_HAS_ZLIB
  if (bytes.empty()) return before;
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
#else
  static const auto table = [] {
    std::array<std::uint32_t, 256> of_byte;
    for (std::uint32_t b = 0; b < 256; ++b) {
      std::uint32_t crc = b;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1) * 0xedb88320;
      of_byte[b] = crc;
    }
    return of_byte;
  }();
  std::uint32_t crc = ~before;
  for (const std::byte b : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<std::uint32_t>(b)) & 255];
  return ~crc;
#endif
}

}  // namespace upsweep::apps
