// CSV, .npz and .npy of structures: what is read is written and read again as the same rows.
#include <vector>

#include "csv_date.hpp"
#include "csv_rows.hpp"
#include "fuzz.hpp"
#include "particle_file.hpp"

namespace {

using namespace upsweep;

/// Where the rows of a text end that comes in two parts, when a thread looks through so many bytes at least.
std::vector<std::uint64_t> ends_of(const std::string& name, std::string_view text, std::size_t first,
                                   std::size_t least_share) {
  apps::growing_array<std::uint64_t> ends;
  ends.push_back(0);
  apps::csv_reader reader(name, least_share);
  for (const std::size_t bytes : {first, text.size()}) {
    reader.see(text.substr(0, bytes), bytes == text.size());
    reader.find_rows(ends);
    if (bytes == text.size()) break;
  }
  return {ends.data(), ends.data() + ends.size()};
}

/// Rows end at the same places, however many threads look for them and wherever the text has been cut.
void find_rows(const std::string& name, std::string_view text) {
  const std::vector<std::uint64_t> ends = ends_of(name, text, text.size(), text.size() + 1);
  if (!text.empty() && ends.back() != text.size()) test::surprise("rows end before the text");
  // Threads take long: one cut of each text, anywhere.
  const std::size_t first = text.empty() ? 0 : text.size() * static_cast<unsigned char>(text.back()) / 255;
  if (ends_of(name, text, first, 1) != ends) test::surprise("rows end elsewhere where several threads look for them");
}

/// A date in both units is the same time.
void parse_dates(std::string_view text) {
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const std::string_view date = text.substr(at, text.find_first_of(",;\t\n", at) - at);
    std::int64_t rough = 0, fine = 0;
    const bool is_rough = apps::parse_date(date, apps::date_unit::microseconds, rough);
    const bool is_fine = apps::parse_date(date, apps::date_unit::nanoseconds, fine);
    if (is_rough && is_fine && rough * 1000 != fine) test::surprise("a date is two times");
    if (is_fine && !is_rough && fine % 1000 == 0) test::surprise("a date in microseconds is none");
    at += date.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  parse_dates(text);
  test::read_or_refuse(data, bytes, apps::exit_code::bad_input,
                       [&](const std::string& name) { find_rows(name, text); });
  for (const bool all : {true, false}) {
    test::read_or_refuse(data, bytes, apps::exit_code::bad_input, [all](const std::string& name) {
      apps::read_options options;
      options.wanted = {all, {"x", "y"}};
      const apps::particle_file read = apps::read_particles(name, options, {});
      if (!read.records && !read.npz) return;
      for (const apps::table_column& c : read.particles.columns) {
        if (c.data.bytes() != static_cast<std::size_t>(read.particles.count) * size_of(c.type)) {
          test::surprise("a column of other bytes");
        }
      }
      const std::string path = "/dev/shm/upsweep-fuzz-" + std::to_string(getpid());
      apps::output_file out(path);
      static_cast<void>(apps::write_particles(out, read, read.particles, [](std::int64_t i) { return i; }));
      out.commit();
      const apps::particle_file again = apps::read_particles(path, options, {});
      unlink(path.c_str());
      if (again.particles.count != read.particles.count) test::surprise("other rows were written than read");
    });
  }
  test::read_or_refuse(data, bytes, apps::exit_code::bad_input, [](const std::string& name) {
    apps::input_file file(name);
    apps::particle_table lines;
    const apps::record_rows rows = apps::read_lines(file, ',', 2, "field", lines);
    if (rows.ends.size() != static_cast<std::size_t>(lines.count) + 1) test::surprise("other lines than numbers");
  });
  return 0;
}
