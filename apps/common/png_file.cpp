#include <cstring>

#include "failure.hpp"
#include "picture.hpp"

#if defined(UPSWEEP_HAS_PNG)
#include <png.h>
#include <zlib.h>
#endif

namespace upsweep::apps {

#if defined(UPSWEEP_HAS_PNG)

namespace {

using bytes = std::vector<std::uint8_t>;

/// A whole file.
bytes encoded(const picture& p) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(p.width());
  image.height = static_cast<png_uint_32>(p.height());
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  bytes file(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t written = file.size();
  if (png_image_write_to_memory(&image, file.data(), &written, 0, p.bytes().data(), 0, nullptr) == 0) {
    fail(exit_code::cannot_write, "libpng cannot encode a picture of {} x {}: {}", p.width(), p.height(),
         image.message);
  }
  file.resize(written);
  return file;
}

void put_u32(bytes& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::uint8_t>(value >> shift));
}
void put_u16(bytes& to, std::uint16_t value) {
  to.push_back(static_cast<std::uint8_t>(value >> 8));
  to.push_back(static_cast<std::uint8_t>(value & 255));
}
std::uint32_t u32_at(const bytes& from, std::size_t i) {
  return static_cast<std::uint32_t>(from[i]) << 24 | static_cast<std::uint32_t>(from[i + 1]) << 16 |
         static_cast<std::uint32_t>(from[i + 2]) << 8 | from[i + 3];
}
constexpr std::size_t signature_bytes = 8, header_chunk_bytes = 25;

bytes chunk_of(const char* type, const bytes& data) {
  bytes all;
  put_u32(all, static_cast<std::uint32_t>(data.size()));
  all.insert(all.end(), type, type + 4);
  all.insert(all.end(), data.begin(), data.end());
  put_u32(all, static_cast<std::uint32_t>(::crc32(0, all.data() + 4, static_cast<uInt>(all.size() - 4))));
  return all;
}

/// How many frames there are, which are shown again and again.
bytes control_chunk(std::uint32_t frames) {
  bytes control;
  put_u32(control, frames);
  put_u32(control, 0);
  return chunk_of("acTL", control);
}

}  // namespace

bool has_png() {
  return true;
}

void write_png(output_file& file, const picture& p) {
  const bytes all = encoded(p);
  file.write(all.data(), all.size());
}

void animated_png::chunk(const char* type, const std::vector<std::uint8_t>& data) {
  const bytes all = chunk_of(type, data);
  file_.write(all.data(), all.size());
}

/// The chunks of a plain PNG file, with those between that the third edition of the PNG specification has for
/// animations: acTL after the header, fcTL before each frame, whose data are IDAT in the first and fdAT in
/// others.
void animated_png::add(const picture& p) {
  const bytes still = encoded(p);
  if (added_ == 0) file_.write(still.data(), signature_bytes);
  for (std::size_t at = signature_bytes; at + 12 <= still.size(); at += 12 + u32_at(still, at)) {
    const auto data = still.begin() + static_cast<std::ptrdiff_t>(at) + 8;
    bytes content(data, data + u32_at(still, at));
    const bool is_header = std::memcmp(&still[at + 4], "IHDR", 4) == 0;
    if (is_header && added_ == 0) {
      chunk("IHDR", content);
      const bytes control = control_chunk(frames_);
      file_.write(control.data(), control.size());
    }
    if (is_header) {
      bytes frame;
      put_u32(frame, sequence_++);
      put_u32(frame, static_cast<std::uint32_t>(p.width()));
      put_u32(frame, static_cast<std::uint32_t>(p.height()));
      put_u32(frame, 0);
      put_u32(frame, 0);
      put_u16(frame, 1);
      put_u16(frame, frames_a_second_);
      put_u16(frame, 0);
      chunk("fcTL", frame);
    } else if (std::memcmp(&still[at + 4], "IDAT", 4) == 0) {
      if (added_ == 0) {
        chunk("IDAT", content);
      } else {
        bytes numbered;
        put_u32(numbered, sequence_++);
        numbered.insert(numbered.end(), content.begin(), content.end());
        chunk("fdAT", numbered);
      }
    }
  }
  ++added_;
}

void animated_png::commit() {
  chunk("IEND", {});
  if (added_ > 0 && added_ != frames_) {
    const bytes control = control_chunk(added_);
    file_.rewrite(signature_bytes + header_chunk_bytes, std::as_bytes(std::span(control)));
  }
  file_.commit();
}

#else

bool has_png() {
  return false;
}
void write_png(output_file& file, const picture&) {
  fail(exit_code::cannot_write, "{}: this program was built without libpng", file.name());
}
void animated_png::add(const picture&) {
  fail(exit_code::cannot_write, "{}: this program was built without libpng", file_.name());
}
void animated_png::commit() {}

#endif

animated_png::animated_png(const std::string& path, std::uint32_t frames, std::uint16_t frames_a_second)
    : file_(path), frames_(frames), frames_a_second_(frames_a_second) {}

void require_png(const std::string& flag) {
  if (!has_png()) {
    fail(exit_code::usage, "{}: this program was built without libpng (Debian: libpng-dev), which pictures need", flag);
  }
}

}  // namespace upsweep::apps
