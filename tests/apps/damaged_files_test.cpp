// Files with bytes changed, cut and doubled: read, or refused with exit_code::bad_input; nothing else happens.
#include <chrono>
#include <random>

#include "failure.hpp"
#include "json_file.hpp"
#include "npy.hpp"
#include "particle_file.hpp"
#include "schemas.hpp"
#include "support.hpp"
#include "zip_archive.hpp"

namespace upsweep::test {
namespace {

using apps::exit_code;
using apps::failure;

class damaged_files : public in_scratch_folder {
 protected:
  std::mt19937_64 random_{seed()};

  std::string damage(std::string bytes) {
    const auto place = [&] { return static_cast<std::size_t>(random_() % (bytes.size() + 1)); };
    for (std::uint64_t times = 1 + random_() % 3; times > 0; --times) {
      const std::size_t at = place();
      const std::size_t length = random_() % 12;
      switch (random_() % 5) {
        case 0:
          if (at < bytes.size()) bytes[at] = static_cast<char>(random_());
          break;
        case 1:
          bytes.resize(at);
          break;
        case 2:
          bytes.erase(at, length);
          break;
        case 3:
          bytes.insert(at, bytes.substr(place(), length));
          break;
        default:
          bytes.insert(at, std::to_string(random_() >> random_() % 64));
          break;
      }
    }
    return bytes;
  }

  /// True when the damaged file could be read.
  template <class Read>
  bool survives(const std::string& bytes, exit_code expected, const Read& read_file) {
    spill(file("damaged"), bytes);
    try {
      read_file(file("damaged"));
      return true;
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), expected) << error.what();
      EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos) << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    return false;
  }

  template <class Read>
  void expect_no_surprise(const std::string& good, exit_code expected, const Read& read_file) {
    ASSERT_TRUE(survives(good, expected, read_file));
    int refused = 0;
    // Of eight kinds of files, 20 s in all; at least so many that some are refused.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20000 / 8);
    for (int i = 0; i < 3000 || std::chrono::steady_clock::now() < end; ++i) {
      const std::string bytes = damage(good);
      if (!survives(bytes, expected, read_file)) ++refused;
      if (HasFailure()) {
        spill(file("surprise"), bytes);
        return;
      }
    }
    EXPECT_GT(refused, 300);
  }

  static void read_particle_file(const std::string& path) {
    static_cast<void>(apps::read_particles(path, {{"x", "y"}}, {{"-", "--output"}}));
  }
};

TEST_F(damaged_files, binary_ply) {
  expect_no_surprise(
      "ply\nformat binary_little_endian 1.0\ncomment c\nelement face 2\nproperty list uchar int v\n"
      "element vertex 3\nproperty float x\nproperty list ushort double w\nproperty uchar k\nend_header\n" +
          raw<std::uint8_t>(1) + raw(5) + raw<std::uint8_t>(0) + raw(1.0f) + raw<std::uint16_t>(1) + raw(2.0) + "k" +
          raw(1.0f) + raw<std::uint16_t>(0) + "k" + raw(1.0f) + raw<std::uint16_t>(0) + "k",
      exit_code::bad_input, read_particle_file);
}

TEST_F(damaged_files, binary_ply_of_fixed_rows) {
  expect_no_surprise(
      "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty short y\n"
      "end_header\n" +
          std::string(54, 'x'),
      exit_code::bad_input, read_particle_file);
}

TEST_F(damaged_files, ascii_ply) {
  expect_no_surprise(
      "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int v\nelement vertex 3\n"
      "property float x\nproperty list uchar double w\nproperty uchar k\nend_header\n3 0 1 2\n"
      "1.5 2 0.5 nan 7\n-1e-9 0 8\n3 1 1 9\n",
      exit_code::bad_input, read_particle_file);
}

TEST_F(damaged_files, npy_tables) {
  expect_no_surprise(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", std::string(48, 'x'), 2),
                     exit_code::bad_input, read_particle_file);
}

TEST_F(damaged_files, npz_archives) {
  {
    const std::string x = npy_vector_bytes<float>("<f4", {1, 2, 3}), label = npy_vector_bytes<int>("<i4", {1, 2, 3});
    apps::output_file out(file("good.npz"));
    apps::zip_writer zip(out);
    zip.add("x.npy", {std::as_bytes(std::span(x))}, true);
    zip.add("label.npy", {std::as_bytes(std::span(label))}, false);
    zip.finish();
    out.commit();
  }
  expect_no_surprise(slurp(file("good.npz")), exit_code::bad_input, read_particle_file);
}

TEST_F(damaged_files, npy_vectors) {
  expect_no_surprise(npy_vector_bytes<float>("<f4", {1, 2, 3, 4}), exit_code::bad_input, [](const std::string& path) {
    apps::input_file in(path);
    const apps::npy_header header = apps::read_npy_header(in);
    apps::check_npy_vector(in, header, std::vector{scalar_type::u32, scalar_type::f32});
    static_cast<void>(apps::read_npy_vector(in, header));
  });
}

TEST_F(damaged_files, npy_rows) {
  expect_no_surprise(npy_bytes("{'descr': '<c8', 'fortran_order': False, 'shape': (3, 2), }", std::string(48, 'x')),
                     exit_code::bad_input, [](const std::string& path) {
                       apps::input_file in(path);
                       const apps::npy_rows rows = apps::read_npy_rows(in);
                       EXPECT_EQ(rows.data.bytes() % std::max<std::uint64_t>(1, rows.shape[0]), 0u);
                     });
}

TEST_F(damaged_files, configs) {
  const apps::config_schema schema(apps::cull_schema);
  expect_no_surprise(slurp(configs + "/cull/demo.json"), exit_code::usage, [&](const std::string& path) {
    apps::schema_violation violation;
    if (schema.accepts(apps::read_config(path), violation)) return;
    EXPECT_FALSE(violation.pointer.empty());
    EXPECT_FALSE(violation.what.empty());
  });
}

}  // namespace
}  // namespace upsweep::test
