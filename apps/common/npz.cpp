#include "npz.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "failure.hpp"
#include "npy.hpp"
#include "npy_dictionary.hpp"
#include "text.hpp"
#include "zip_archive.hpp"

namespace upsweep::apps {
namespace {

constexpr std::string_view npy_ending = ".npy";
/// What NumPy calls objects of Python.
constexpr std::string_view objects = "|O";

std::string array_name(const npz_member& member) {
  const bool has_ending = member.name.ends_with(npy_ending);
  return member.name.substr(0, member.name.size() - (has_ending ? npy_ending.size() : 0));
}

/// An array, before it is known whether it has rows of particles.
struct array {
  std::size_t member = 0;
  npy_dictionary said;
  std::size_t item = 0;
  npy_structures fields;  ///< of a row

  /// Else it may say any number of rows.
  bool has_bytes_in_rows() const {
    const auto& shape = said.shape;
    return item > 0 && !shape.empty() && std::find(shape.begin() + 1, shape.end(), std::uint64_t{0}) == shape.end();
  }
};

/// The numbers of a row, with the names that their columns get. Of rows of more numbers than there may be columns,
/// none.
npy_structures fields_of(const std::string& file, const std::string& name, const npy_dictionary& said) {
  npy_structures fields;
  if (said.descr.starts_with('[')) {
    npy_dictionary_parser(file, said.descr).structure(name + ".", fields);
    return fields;
  }
  std::uint64_t count = 1;
  for (std::size_t d = 1; d < said.shape.size() && count > 0 && count <= most_columns; ++d) count *= said.shape[d];
  const bool is_array = said.shape.size() > 1 && count != 1;
  const npy_dictionary_parser parser(file, said.descr);
  const std::size_t item = parser.bytes_of(said.descr);
  if (count > most_columns || item > sizeof(std::uint64_t)) {
    fields.others.push_back(name);
  } else {
    parser.add_field(name, said.descr, is_array, count, fields);
  }
  fields.bytes = item;
  return fields;
}

std::optional<array> array_in(const std::string& file, std::size_t index, const npz_member& member) {
  const std::string name = file + ": " + member.name;
  input_file bytes(name, {member.bytes.data(), member.bytes.bytes()});
  if (!begins_as_npy(bytes)) return std::nullopt;
  array a;
  a.member = index;
  const std::string text = npy_dictionary_text(bytes);
  a.said = npy_dictionary_parser(name, text).parse();
  if (a.said.shape.empty()) return a;
  if (a.said.descr == objects) return a;  // of no known number of bytes
  a.fields = fields_of(name, array_name(member), a.said);
  a.item = a.fields.bytes;
  check_npy_size(bytes, a.said.shape, fmt::format("'{}'", a.said.descr), a.item);
  return a;
}

/// How many rows there are, if any array has some.
std::optional<std::uint64_t> rows_of(const std::vector<array>& arrays, const wanted_columns& wanted) {
  std::map<std::uint64_t, std::size_t> lengths;
  for (const array& a : arrays) {
    if (!a.has_bytes_in_rows()) continue;
    ++lengths[a.said.shape[0]];
    const auto is_wanted = [&](const npy_field& f) { return wanted.has(f.name); };
    if (!wanted.all && std::ranges::any_of(a.fields.fields, is_wanted)) return a.said.shape[0];
  }
  std::optional<std::uint64_t> most;
  for (const array& a : arrays) {
    if (a.has_bytes_in_rows() && (!most || lengths[a.said.shape[0]] > lengths[*most])) most = a.said.shape[0];
  }
  return most;
}

void take_rows(const std::string& file, array& a, npz_member& member) {
  input_file bytes(file + ": " + member.name, {member.bytes.data(), member.bytes.bytes()});
  static_cast<void>(npy_dictionary_text(bytes));
  member.is_of_rows = true;
  member.row_bytes = a.item;
  for (std::size_t d = 1; d < a.said.shape.size(); ++d) member.row_bytes *= a.said.shape[d];
  member.rows = bytes.take(static_cast<std::size_t>(bytes.remaining()));
  if (a.said.fortran_order && a.said.shape.size() > 2) {
    fail(exit_code::bad_input, "{}: shape {} in Fortran order; expected rows in C order", bytes.name(),
         shape_text(a.said.shape));
  }
  if (a.said.fortran_order && a.said.shape.size() == 2) {
    member.rows = rows_of_columns(member.rows, a.said.shape, a.item);
  }
  member.descr = std::move(a.said.descr);
  member.shape = std::move(a.said.shape);
}

}  // namespace

npz_archive read_npz(input_file& file, const wanted_columns& wanted, particle_table& particles,
                     std::vector<std::string>& notices) {
  npz_archive archive;
  archive.bytes = file.take(static_cast<std::size_t>(file.remaining()));
  const std::vector<zip_member> members = zip_members(file.name(), {archive.bytes.data(), archive.bytes.bytes()});
  std::size_t deflated = 0;
  for (const zip_member& member : members) deflated += member.is_deflated ? static_cast<std::size_t>(member.bytes) : 0;
  archive.unpacked = byte_array(deflated);
  std::span<std::byte> room(archive.unpacked.data(), deflated);
  std::vector<array> arrays;
  for (const zip_member& member : members) {
    const auto own = room.first(member.is_deflated ? static_cast<std::size_t>(member.bytes) : 0);
    room = room.subspan(own.size());
    archive.members.push_back({member.name, member.is_deflated, unpacked(file.name(), member, own)});
    if (auto a = array_in(file.name(), archive.members.size() - 1, archive.members.back())) {
      arrays.push_back(std::move(*a));
    }
  }
  const auto count = rows_of(arrays, wanted);
  if (!count) {
    fail(exit_code::bad_input,
         "{}: a zip archive without an array of rows; expected PLY, .npy, .npz, or CSV with names in its first line: "
         "unzip takes out what is in it",
         file.name());
  }
  particles.count = static_cast<std::int64_t>(*count);
  std::vector<std::string> kept;
  std::set<std::string> different;
  for (array& a : arrays) {
    npz_member& member = archive.members[a.member];
    if (a.said.shape.empty() || a.said.shape[0] != *count) {
      kept.push_back(array_name(member));
      continue;
    }
    if (a.said.descr == objects) {
      fail(exit_code::bad_input, "{}: {}: objects of Python, one a row; expected numbers", file.name(), member.name);
    }
    const bool is_structure = a.said.descr.starts_with('[') && a.said.shape.size() > 1;
    take_rows(file.name(), a, member);
    if (is_structure) {
      particles.others.push_back(array_name(member));
      continue;
    }
    for (const npy_field& f : a.fields.fields) {
      if (different.insert(f.name).second) continue;
      fail(exit_code::bad_input, "{}: two columns would be called \"{}\"; expected different names", file.name(),
           f.name);
    }
    add_columns(a.fields, member.rows, member.row_bytes, wanted, particles);
  }
  if (!kept.empty()) {
    notices.push_back(
        fmt::format("{}: kept as they are, as they do not have {} rows: {}", file.name(), *count, list_text(kept)));
  }
  return archive;
}

void write_npz(output_file& file, const npz_archive& archive, std::int64_t count, const row_origins& origins) {
  zip_writer zip(file);
  for (const npz_member& member : archive.members) {
    if (!member.is_of_rows) {
      zip.add(member.name, {{member.bytes.data(), member.bytes.bytes()}}, member.is_deflated);
      continue;
    }
    std::vector<std::uint64_t> shape = member.shape;
    shape[0] = static_cast<std::uint64_t>(count);
    byte_array rows(static_cast<std::size_t>(count) * member.row_bytes);
    for (std::int64_t i = 0; i < count && member.row_bytes > 0; ++i) {
      std::memcpy(rows.data() + static_cast<std::size_t>(i) * member.row_bytes,
                  member.rows.data() + origins(i) * member.row_bytes, member.row_bytes);
    }
    const std::string head = npy_header_bytes(member.descr, false, shape);
    zip.add(member.name, {std::as_bytes(std::span(head)), {rows.data(), rows.bytes()}}, member.is_deflated);
  }
  zip.finish();
}

}  // namespace upsweep::apps
