#include "records.hpp"

#include <algorithm>

#include "byte_order.hpp"
#include "compression.hpp"
#include "gather.hpp"
#include "npy.hpp"

namespace upsweep::apps {

std::span<const std::byte> record_rows::row(std::uint64_t i) const {
  if (!is_csv()) return {bytes.data() + i * row_bytes, row_bytes};
  return {bytes.data() + ends[i], static_cast<std::size_t>(ends[i + 1] - ends[i])};
}

namespace {

/// A field that becomes a column.
struct field_destination {
  npy_field field;
  std::byte* column;
};

/// Adds the columns of those fields that are wanted, not yet filled; the names of others are kept.
std::vector<field_destination> begun_columns(const npy_structures& said, const wanted_columns& wanted,
                                             particle_table& particles) {
  particles.others.insert(particles.others.end(), said.others.begin(), said.others.end());
  std::vector<field_destination> to;
  for (const npy_field& f : said.fields) {
    if (!wanted.has(f.name) || f.type == scalar_type::f16) {
      particles.others.push_back(f.name);
      continue;
    }
    table_column& c = particles.add(f.name, f.type);
    c.date = f.date;
    to.push_back({f, c.data.data()});
  }
  return to;
}

/// Fills the columns from row `begin` on with so many rows.
void fill_columns(const std::vector<field_destination>& to, const byte_array& rows, std::size_t row_bytes,
                  std::size_t begin, std::size_t count) {
  for (const auto& [f, column] : to) {
    const std::size_t size = size_of(f.type);
    std::byte* const at = column + begin * size;
    gather(size, rows.data() + begin * row_bytes + f.offset, row_bytes, count, at);
    if (f.big_endian) reverse_bytes(at, size, count);
  }
}

}  // namespace

void add_columns(const npy_structures& said, const byte_array& rows, std::size_t row_bytes,
                 const wanted_columns& wanted, particle_table& particles) {
  const std::vector<field_destination> to = begun_columns(said, wanted, particles);
  fill_columns(to, rows, row_bytes, 0, static_cast<std::size_t>(particles.count));
}

record_rows read_npy_records(input_file& file, const wanted_columns& wanted, particle_table& particles) {
  const npy_structures said = read_npy_structures(file);
  record_rows rows;
  rows.descr = said.descr;
  rows.row_bytes = said.bytes;
  const auto bytes = static_cast<std::size_t>(file.remaining());
  particles.count = static_cast<std::int64_t>(said.count);
  if (!file.is_unpacked()) {
    rows.bytes = file.take(bytes);
    add_columns(said, rows.bytes, rows.row_bytes, wanted, particles);
    return rows;
  }
  // Columns are filled from some rows while the next ones are decompressed.
  rows.bytes = byte_array(bytes);
  const std::vector<field_destination> to = begun_columns(said, wanted, particles);
  const std::size_t block = std::max<std::size_t>(1, unpacked_block_bytes / rows.row_bytes);
  const auto count = static_cast<std::size_t>(said.count);
  for (std::size_t row = 0, made = 0; row < count; row += block) {
    const std::size_t some = std::min(block, count - row), begin = row * rows.row_bytes, more = some * rows.row_bytes;
    std::byte* const at = rows.bytes.data() + begin;
    if (begin + more > made) {
      made += make_pages(rows.bytes.data() + made, begin + more - made, bytes - made);
    }
    file.read(at, more);
    fill_columns(to, rows.bytes, rows.row_bytes, row, some);
  }
  return rows;
}

void write_records(output_file& file, const record_rows& records, std::int64_t count, const row_origins& origins) {
  if (records.is_csv()) {
    file.write(records.head);
  } else {
    write_npy_header(file, records.descr, false, {static_cast<std::uint64_t>(count)});
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto row = records.row(origins(i));
    file.write(row.data(), row.size());
    // The last line of a file may have no end.
    if (records.is_csv() && row.back() != static_cast<std::byte>('\n')) file.write("\n");
  }
}

}  // namespace upsweep::apps
