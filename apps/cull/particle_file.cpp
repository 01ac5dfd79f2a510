#include "particle_file.hpp"

#include <algorithm>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

bool starts_with(input_file& file, std::string_view magic) {
  const auto bytes = file.ahead(magic.size());
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin(),
                                                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

}  // namespace

std::string particle_file::format() const {
  if (npy) return "npy";
  return ply->encoding == ply_encoding::ascii ? "PLY, ascii" : "PLY, binary_little_endian";
}

particle_file read_particles(const std::string& path, const std::vector<std::string>& npy_columns,
                             const named_output& output) {
  input_file file(path);
  particle_file result;
  file.pass_byte_order_mark();
  if (starts_with(file, "\x93NUMPY")) {
    check_ending(output, ".npy", ", as " + file.name() + " is one");
    result.npy = read_npy_header(file);
    result.particles = read_npy_table(file, *result.npy, npy_columns);
  } else if (starts_with(file, "ply")) {
    check_ending(output, ".ply", ", as " + file.name() + " is one");
    ply_file ply = read_ply(file);
    result.ply = std::move(ply.header);
    result.particles = std::move(ply.particles);
    result.notices = std::move(ply.notices);
  } else {
    fail(exit_code::bad_input, "{}: neither PLY nor npy; expected \"ply\" or \"\\x93NUMPY\" as its first bytes",
         file.name());
  }
  result.bytes = file.size();
  return result;
}

void write_particles(output_file& file, const particle_file& like, const particle_table& particles) {
  if (like.npy) {
    write_npy_table(file, like.npy->fortran_order, particles);
  } else {
    write_ply(file, *like.ply, particles);
  }
}

}  // namespace upsweep::apps
