#include "particle_file.hpp"

#include <algorithm>

#include "compression.hpp"
#include "failure.hpp"
#include "foreign_formats.hpp"
#include "zip_archive.hpp"

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
  if (npz) return "npz";
  if (records) return records->is_csv() ? "CSV" : "npy of structures";
  return fmt::format("PLY, {}", name_of(ply->encoding));
}

bool particle_file::needs_origins() const {
  return records || npz || std::any_of(others.begin(), others.end(), [&](const ply_rows& rows) {
           return vertex_use_of(ply->elements[rows.element]) != vertex_use::none;
         });
}

particle_file read_particles(const std::string& path, const read_options& options,
                             const std::vector<named_output>& outputs) {
  input_file file(path);
  particle_file result;
  const auto check_endings = [&](const char* format) {
    for (const named_output& output : outputs) check_ending(output, format, ", as " + file.name() + " is one");
  };
  file.pass_byte_order_mark();
  if (begins_as_structures(file)) {
    check_endings(".npy");
    result.records = read_npy_records(file, options.wanted, result.particles);
  } else if (starts_with(file, "\x93NUMPY")) {
    check_endings(".npy");
    result.npy = read_npy_header(file);
    result.particles = read_npy_table(file, *result.npy, options.npy_columns);
  } else if (begins_as_zip(file.ahead(4))) {
    result.npz = read_npz(file, options.wanted, result.particles, result.notices);
    check_endings(".npz");  // other archives are none, whatever the output is called
  } else if (starts_with(file, "ply")) {
    check_endings(".ply");
    ply_file ply = read_ply(file, options.keep_others);
    result.ply = std::move(ply.header);
    result.particles = std::move(ply.particles);
    result.others = std::move(ply.others);
    result.notices = std::move(ply.notices);
  } else {
    const std::string_view name = without_compression(path);
    refuse_foreign(file, path == "-" || options.delimiter != '\0' || name.ends_with(".csv") || name.ends_with(".tsv") ||
                             name.ends_with(".txt"));
    for (const std::string_view ending : {".ply", ".npy", ".npz"}) {
      if (!without_compression(path).ends_with(ending)) continue;
      fail(exit_code::bad_input, "{}: does not begin as {} does; expected that, or CSV under another name", file.name(),
           ending);
    }
    check_endings(".csv");
    result.records = read_csv(file, options.delimiter, options.wanted, result.particles, options.types);
  }
  if (!options.types.empty() && !(result.records && result.records->is_csv())) {
    fail(exit_code::usage, "{}: {}, which has its own types; expected CSV with --column-types", path, result.format());
  }
  result.bytes = file.size();
  return result;
}

std::vector<std::string> write_particles(output_file& file, const particle_file& like, const particle_table& particles,
                                         const row_origins& origins) {
  if (like.records) {
    write_records(file, *like.records, particles.count, origins);
    return {};
  }
  if (like.npz) {
    write_npz(file, *like.npz, particles.count, origins);
    return {};
  }
  if (like.ply) return write_ply(file, *like.ply, particles, like.others, origins);
  write_npy_table(file, like.npy->fortran_order, particles);
  return {};
}

}  // namespace upsweep::apps
