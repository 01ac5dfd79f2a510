// .npy files, by each of the three ways to read one.
#include <array>

#include "fuzz.hpp"
#include "npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace upsweep;
  const auto with = [&](auto read) {
    test::read_or_refuse(data, bytes, apps::exit_code::bad_input, [&](const std::string& name) {
      apps::input_file file(name);
      read(file);
      if (file.remaining() != 0) test::surprise("bytes are left");
    });
  };
  with([](apps::input_file& file) {
    const apps::npy_rows rows = apps::read_npy_rows(file);
    if (rows.shape[0] * rows.row_bytes != rows.data.bytes()) test::surprise("rows of other bytes");
  });
  with([](apps::input_file& file) {
    const apps::npy_header header = apps::read_npy_header(file);
    apps::check_npy_vector(file, header, std::array{scalar_type::u8, scalar_type::f16, scalar_type::i64});
    const apps::npy_vector vector = apps::read_npy_vector(file, header);
    if (static_cast<std::size_t>(vector.count) * size_of(vector.type) != vector.data.bytes()) {
      test::surprise("a vector of other bytes");
    }
  });
  with([](apps::input_file& file) {
    const apps::npy_header header = apps::read_npy_header(file);
    static_cast<void>(apps::read_npy_table(file, header, {"x", "y"}));
  });
  return 0;
}
