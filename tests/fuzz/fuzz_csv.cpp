// CSV, .npz and .npy of structures: what is read is written and read again as the same rows.
#include "fuzz.hpp"
#include "particle_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace upsweep;
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
