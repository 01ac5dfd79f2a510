#include "records.hpp"

#include "byte_order.hpp"
#include "gather.hpp"
#include "npy.hpp"

namespace upsweep::apps {

std::span<const std::byte> record_rows::row(std::uint64_t i) const {
  if (!is_csv()) return {bytes.data() + i * row_bytes, row_bytes};
  return {bytes.data() + ends[i], static_cast<std::size_t>(ends[i + 1] - ends[i])};
}

void add_columns(const npy_structures& said, const byte_array& rows, std::size_t row_bytes,
                 const wanted_columns& wanted, particle_table& particles) {
  particles.others.insert(particles.others.end(), said.others.begin(), said.others.end());
  const auto count = static_cast<std::size_t>(particles.count);
  for (const npy_field& f : said.fields) {
    if (!wanted.has(f.name) || f.type == scalar_type::f16) {
      particles.others.push_back(f.name);
      continue;
    }
    table_column& c = particles.add(f.name, f.type);
    c.date = f.date;
    gather(size_of(f.type), rows.data() + f.offset, row_bytes, count, c.data.data());
    if (f.big_endian) reverse_bytes(c.data.data(), size_of(f.type), count);
  }
}

record_rows read_npy_records(input_file& file, const wanted_columns& wanted, particle_table& particles) {
  const npy_structures said = read_npy_structures(file);
  record_rows rows;
  rows.descr = said.descr;
  rows.row_bytes = said.bytes;
  rows.bytes = file.take(static_cast<std::size_t>(file.remaining()));
  particles.count = static_cast<std::int64_t>(said.count);
  add_columns(said, rows.bytes, rows.row_bytes, wanted, particles);
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
