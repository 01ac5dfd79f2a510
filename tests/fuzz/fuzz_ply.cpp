// PLY files: what is read is written and read again as the same.
#include <cstring>

#include "fuzz.hpp"
#include "particle_file.hpp"

namespace {

using namespace upsweep;

bool same(const apps::particle_table& a, const apps::particle_table& b) {
  if (a.count != b.count || a.columns.size() != b.columns.size()) return false;
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    const apps::table_column &one = a.columns[k], &other = b.columns[k];
    if (one.name != other.name || one.type != other.type) return false;
    for (std::int64_t i = 0; i < a.count; ++i) {
      const std::size_t size = size_of(one.type), at = static_cast<std::size_t>(i) * size;
      if (std::memcmp(one.data.data() + at, other.data.data() + at, size) == 0) continue;
      // The bits of a NaN are lost in text.
      if (one.type == scalar_type::f32 && one.data.as<float>()[i] != one.data.as<float>()[i]) continue;
      if (one.type == scalar_type::f64 && one.data.as<double>()[i] != one.data.as<double>()[i]) continue;
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  test::read_or_refuse(data, bytes, apps::exit_code::bad_input, [](const std::string& name) {
    const apps::particle_file read = apps::read_particles(name, {{"x", "y"}}, {{"-", "--output"}});
    if (!read.ply) return;
    const std::string path = "/dev/shm/upsweep-fuzz-" + std::to_string(getpid()) + ".ply";
    apps::output_file out(path);
    static_cast<void>(apps::write_particles(out, read, read.particles));
    out.commit();
    const apps::particle_file again = apps::read_particles(path, {}, {{"-", "--output"}});
    unlink(path.c_str());
    if (!same(read.particles, again.particles)) test::surprise("what was written is not what was read");
    // What a file keeps of the other elements it keeps again; of faces, those whose vertices are there.
    if (!again.notices.empty()) test::surprise("written: " + again.notices.front());
  });
  return 0;
}
