// PLY files in and out.
#include "ply.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "failure.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::exit_code;
using apps::failure;
using apps::ply_file;

class ply : public in_scratch_folder {
 protected:
  ply_file read(const std::string& bytes, bool keep_others = true) const {
    spill(file("in.ply"), bytes);
    apps::input_file in(file("in.ply"));
    return apps::read_ply(in, keep_others);
  }

  std::string write(const ply_file& content) const {
    apps::output_file out(file("out.ply"));
    apps::write_ply(out, content.header, content.particles, content.others);
    out.commit();
    return slurp(file("out.ply"));
  }

  void expect_unchanged(const std::string& bytes) const { EXPECT_EQ(write(read(bytes)), bytes); }

  void expect_bad(const std::string& bytes, const std::string& words) const {
    try {
      static_cast<void>(read(bytes));
      FAIL() << "was read, but should not: " << words;
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), exit_code::bad_input);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("in.ply"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
};

const std::string binary_head = "ply\nformat binary_little_endian 1.0\n";
const std::string ascii_head = "ply\nformat ascii 1.0\n";

std::string one_row_of_every_type() {
  return raw<std::int8_t>(-128) + raw<std::uint8_t>(255) + raw<std::int16_t>(-32768) + raw<std::uint16_t>(65535) +
         raw<std::int32_t>(INT32_MIN) + raw<std::uint32_t>(UINT32_MAX) + raw(-0.0f) + raw(1e300) +
         raw<std::int64_t>(INT64_MIN) + raw<std::uint64_t>(UINT64_MAX);
}

TEST_F(ply, binary_of_every_type_is_unchanged) {
  const std::string head = binary_head +
                           "comment made  by hand  \nobj_info left alone\nelement vertex 2\n"
                           "property char a\nproperty uint8 b\nproperty short c\nproperty uint16 d\nproperty int e\n"
                           "comment in between\nproperty uint32 f\nproperty float32 x\nproperty double y\n"
                           "property int64 z\nproperty uint64 w\nend_header\n";
  expect_unchanged(head + one_row_of_every_type() + one_row_of_every_type());
  const ply_file content = read(head + one_row_of_every_type() + one_row_of_every_type());
  EXPECT_TRUE(content.notices.empty());
  ASSERT_EQ(content.particles.count, 2);
  EXPECT_EQ(content.particles.columns[0].data.as<std::int8_t>()[1], -128);
  EXPECT_EQ(content.particles.columns[9].data.as<std::uint64_t>()[1], UINT64_MAX);
}

TEST_F(ply, ascii_of_every_type_is_unchanged) {
  expect_unchanged(ascii_head +
                   "comment of text\nelement vertex 2\nproperty char a\nproperty uchar b\nproperty short c\n"
                   "property ushort d\nproperty int e\nproperty uint f\nproperty float x\nproperty double y\n"
                   "property int64 z\nproperty uint64 w\nend_header\n"
                   "-128 255 -32768 65535 -2147483648 4294967295 -0 1e+300 -9223372036854775808 18446744073709551615\n"
                   "1 2 3 4 5 6 0.1 0.1 9 10\n");
}

TEST_F(ply, ascii_takes_what_other_programs_write) {
  const ply_file content = read(
      "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty float x\r\nproperty double y\r\nend_header\r\n"
      "+1.5\t 2.50000000000000000000\r\n\r\n  nan -inf  \r\n1e-60 1e-400\r\n-1e-60 0.100000001490116119384765625");
  const float* const x = content.particles.columns[0].data.as<float>();
  const double* const y = content.particles.columns[1].data.as<double>();
  EXPECT_EQ(x[0], 1.5f);
  EXPECT_EQ(y[0], 2.5);
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_EQ(y[1], -HUGE_VAL);
  EXPECT_EQ(x[2], 0.0f);
  EXPECT_EQ(y[2], 0.0);
  EXPECT_TRUE(x[3] == 0 && std::signbit(x[3]));
  EXPECT_EQ(y[3], static_cast<double>(0.1f));
}

TEST_F(ply, ascii_floats_survive_a_round_trip_bit_by_bit) {
  std::mt19937_64 random(seed());
  apps::particle_table table;
  table.count = 20000;
  float* const f = table.add("f", scalar_type::f32).data.as<float>();
  double* const d = table.add("d", scalar_type::f64).data.as<double>();
  for (std::int64_t i = 0; i < table.count; ++i) {
    do f[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    while (std::isnan(f[i]));
    do d[i] = std::bit_cast<double>(random());
    while (std::isnan(d[i]));
  }
  apps::output_file out(file("out.ply"));
  apps::write_ply(out, apps::make_ply_header(apps::ply_encoding::ascii, table), table);
  out.commit();
  apps::input_file in(file("out.ply"));
  const ply_file again = apps::read_ply(in);
  ASSERT_EQ(again.particles.count, table.count);
  EXPECT_EQ(std::memcmp(again.particles.columns[0].data.data(), table.columns[0].data.data(), 4u * 20000), 0);
  EXPECT_EQ(std::memcmp(again.particles.columns[1].data.data(), table.columns[1].data.data(), 8u * 20000), 0);
}

TEST_F(ply, lists_of_vertices_and_elements_that_are_not_wanted_are_skipped_with_a_notice) {
  const std::string vertex_part = "element vertex 2\nproperty float x\n";
  const std::string before = "element face 2\nproperty list uchar int vertex_indices\nproperty uchar red\n";
  const std::string list = "property list ushort float weights\n";
  const std::string after = "element edge 1\nproperty int vertex_a\nproperty int b\n";
  const std::string faces =
      raw<std::uint8_t>(2) + raw(1) + raw(0) + raw<std::uint8_t>(7) + raw<std::uint8_t>(0) + raw<std::uint8_t>(9);
  const std::string rows = raw(1.0f) + raw<std::uint16_t>(2) + std::string(8, 'y') + raw<std::int32_t>(5) + raw(2.0f) +
                           raw<std::uint16_t>(0) + raw<std::int32_t>(6);
  const std::string binary_bytes = binary_head + before + vertex_part + list + "property int k\n" + after +
                                   "end_header\n" + faces + rows + std::string(8, 'z') + "tail";
  const ply_file binary = read(binary_bytes, false);
  ASSERT_EQ(binary.notices.size(), 4u);
  EXPECT_NE(binary.notices[0].find("\"face\" (2 rows)"), std::string::npos) << binary.notices[0];
  EXPECT_NE(binary.notices[1].find("\"weights\""), std::string::npos) << binary.notices[1];
  EXPECT_NE(binary.notices[2].find("\"edge\" (1 rows)"), std::string::npos) << binary.notices[2];
  EXPECT_NE(binary.notices[3].find("4 bytes after"), std::string::npos) << binary.notices[3];
  const std::string kept = vertex_part + "property int k\nend_header\n";
  const std::string kept_rows = raw(1.0f) + raw(5) + raw(2.0f) + raw(6);
  EXPECT_EQ(write(binary), binary_head + kept + kept_rows);
  // How that edge speaks of vertices is not known.
  EXPECT_EQ(read(binary_bytes).notices.size(), 3u);
  EXPECT_EQ(write(read(binary_bytes)), binary_head + before + kept + faces + kept_rows);

  const std::string ascii_bytes = ascii_head + before + vertex_part + list + "property int k\n" + after +
                                  "end_header\n2 0 1 7\n0 9\n1 2 0.5 0.5 5\n2 0 6\n1 2\n";
  EXPECT_EQ(read(ascii_bytes, false).notices.size(), 3u);
  EXPECT_EQ(write(read(ascii_bytes, false)), ascii_head + kept + "1 5\n2 6\n");
  EXPECT_EQ(write(read(ascii_bytes)), ascii_head + before + kept + "2 0 1 7\n0 9\n1 5\n2 6\n");
}

TEST_F(ply, faces_and_edges_follow_their_vertices) {
  const auto head = [](const std::string& format, int faces, int edges, int vertices) {
    return fmt::format(
        "ply\nformat {} 1.0\nelement face {}\nproperty uchar red\nproperty list uchar ushort vertex_index\n"
        "property list uchar float uv\nelement vertex {}\nproperty float x\nelement edge {}\nproperty int vertex1\n"
        "property int vertex2\nproperty short weight\nelement camera 1\nproperty double zoom\nend_header\n",
        format, faces, vertices, edges);
  };
  // Of five vertices 4, 2 and 0 are left, in this order; a list of no vertex stays.
  const auto write_some = [&](const ply_file& all) {
    apps::particle_table some;
    some.count = 3;
    float* const x = some.add("x", scalar_type::f32).data.as<float>();
    for (int i = 0; i < 3; ++i) x[i] = all.particles.columns[0].data.as<float>()[4 - 2 * i];
    apps::output_file out(file("out.ply"));
    const auto notices = apps::write_ply(out, all.header, some, all.others, [](std::int64_t i) { return 4 - 2 * i; });
    out.commit();
    EXPECT_EQ(notices.size(), 2u);
    EXPECT_NE(notices.at(0).find("2 of 4 rows of element \"face\""), std::string::npos) << notices.at(0);
    EXPECT_NE(notices.at(1).find("1 of 3 rows of element \"edge\""), std::string::npos) << notices.at(1);
    return slurp(file("out.ply"));
  };
  const std::string ascii = head("ascii", 4, 3, 5) +
                            "1 3 0 2 4 1 0.5\n2 3 0 1 2 0\n3 0 2 1 1\n4 1 9 0\n0\n1\n2\n3\n4\n0 4 -7\n1 2 3\n"
                            "-1 2 3\n2.5\n";
  expect_unchanged(ascii.substr(0, ascii.find("4 1 9 0")).replace(ascii.find("face 4"), 6, "face 3") +
                   "0\n1\n2\n3\n4\n0 4 -7\n1 2 3\n1 2 3\n2.5\n");
  EXPECT_EQ(write_some(read(ascii)), head("ascii", 2, 1, 3) + "1 3 2 1 0 1 0.5\n3 0 2 1 1\n4\n2\n0\n2 0 -7\n2.5\n");
  for (const bool big : {false, true}) {
    const auto put = [big](auto value) {
      std::string bytes = raw(value);
      if (big) std::ranges::reverse(bytes);
      return bytes;
    };
    const std::string format = big ? "binary_big_endian" : "binary_little_endian";
    const auto face = [&](int red, std::vector<std::uint16_t> vertices, std::vector<float> uv) {
      std::string bytes = raw(static_cast<std::uint8_t>(red)) + raw(static_cast<std::uint8_t>(vertices.size()));
      for (const auto v : vertices) bytes += put(v);
      bytes += raw(static_cast<std::uint8_t>(uv.size()));
      for (const auto v : uv) bytes += put(v);
      return bytes;
    };
    const auto edge = [&](std::int32_t a, std::int32_t b, std::int16_t w) { return put(a) + put(b) + put(w); };
    std::string bytes = head(format, 4, 3, 5) + face(1, {0, 2, 4}, {0.5f}) + face(2, {0, 1, 2}, {}) +
                        face(3, {}, {1, 1}) + face(4, {9}, {});
    for (int i = 0; i < 5; ++i) bytes += put(static_cast<float>(i));
    bytes += edge(0, 4, -7) + edge(1, 2, 3) + edge(-1, 2, 3) + put(2.5);
    EXPECT_EQ(write_some(read(bytes)), head(format, 2, 1, 3) + face(1, {2, 1, 0}, {0.5f}) + face(3, {}, {1, 1}) +
                                           put(4.0f) + put(2.0f) + put(0.0f) + edge(2, 0, -7) + put(2.5))
        << format;
  }
}

TEST_F(ply, big_endian_is_unchanged_and_read_as_numbers) {
  std::string row = one_row_of_every_type();
  for (std::size_t at = 0; const std::size_t size : {1, 1, 2, 2, 4, 4, 4, 8, 8, 8}) {
    std::reverse(row.begin() + static_cast<std::ptrdiff_t>(at), row.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
  const std::string head =
      "ply\nformat binary_big_endian 1.0\nelement particle 2\nproperty char a\nproperty uint8 b\nproperty short c\n"
      "property uint16 d\nproperty int e\nproperty uint32 f\nproperty float32 x\nproperty double y\n"
      "property int64 z\nproperty uint64 w\nend_header\n";
  expect_unchanged(head + row + row);
  const ply_file content = read(head + row + row);
  EXPECT_EQ(content.particles.columns[2].data.as<std::int16_t>()[1], -32768);
  EXPECT_EQ(content.particles.columns[7].data.as<double>()[1], 1e300);
  EXPECT_EQ(content.particles.columns[8].data.as<std::int64_t>()[0], INT64_MIN);
  const ply_file points =
      read(ascii_head + "element other 1\nproperty int a\nelement point 1\nproperty float x\nend_header\n1\n2\n");
  EXPECT_EQ(points.particles.columns[0].data.as<float>()[0], 2.0f);
}

TEST_F(ply, lines_may_end_in_cr_alone) {
  const std::string text = ascii_head + "element vertex 2\nproperty float x\nend_header\n1\n2.5\n";
  std::string cr = text;
  std::ranges::replace(cr, '\n', '\r');
  EXPECT_EQ(write(read(cr)), text);
  // After the header of a binary file come any bytes.
  const std::string head = binary_head + "element vertex 3\nproperty uchar x\nend_header\n";
  std::string cr_head = head;
  std::ranges::replace(cr_head, '\n', '\r');
  EXPECT_EQ(write(read(cr_head + "\n\r\n")), head + "\n\r\n");
}

/// As two text modes in a row leave it.
TEST_F(ply, lines_may_end_in_two_cr) {
  const ply_file content = read(ascii_head + "element vertex 1\r\r\nproperty float x\r\r\nend_header\r\r\n1\r\r\n");
  EXPECT_EQ(content.particles.columns[0].name, "x");
  EXPECT_EQ(write(content), ascii_head + "element vertex 1\nproperty float x\r\nend_header\r\n1\n");
}

TEST_F(ply, names_of_properties_that_are_skipped_may_be_equal) {
  const ply_file content = read(ascii_head +
                                "element vertex 1\nproperty float x\nelement face 1\nproperty uchar a\n"
                                "property uchar a\nend_header\n1\n2 3\n");
  EXPECT_EQ(content.particles.count, 1);
}

TEST_F(ply, no_vertices_are_no_error) {
  expect_unchanged(binary_head + "element vertex 0\nproperty float x\nend_header\n");
  expect_unchanged(ascii_head + "element vertex 0\nproperty float x\nend_header\n");
}

TEST_F(ply, rows_that_do_not_fit_the_buffer) {
  std::string bytes =
      binary_head + "element vertex 300001\nproperty uchar a\nproperty double b\nproperty ushort c\nend_header\n";
  for (std::uint32_t i = 0; i < 300001; ++i) {
    bytes += raw(static_cast<std::uint8_t>(i)) + raw(static_cast<double>(i)) + raw(static_cast<std::uint16_t>(i));
  }
  expect_unchanged(bytes);
}

TEST_F(ply, damaged_headers) {
  const std::string vertex = "element vertex 1\nproperty float x\n";
  expect_bad("", "ends inside the PLY header");
  expect_bad("plx\n", "expected \"ply\"");
  expect_bad("ply\n", "ends inside the PLY header");
  expect_bad("ply\n" + vertex + "end_header\n1\n", "no \"format\" line");
  expect_bad(ascii_head + "format ascii 1.0\n", "one \"format\" line");
  expect_bad("ply\nformat binary_middle_endian 1.0\n" + vertex + "end_header\n", "or binary_big_endian");
  expect_bad("ply\nformat ascii 2.0\n", "version 1.0");
  expect_bad("ply\nformat ascii\n", "format ENCODING VERSION");
  expect_bad(ascii_head + "end_header\n", "no \"element vertex\"");
  expect_bad(ascii_head + vertex + vertex, "one \"element vertex\"");
  expect_bad(ascii_head + "element vertex\n", "element NAME COUNT");
  expect_bad(ascii_head + "element vertex -1\n", "a count of 0 or more");
  expect_bad(ascii_head + "element vertex 1x\n", "a count of 0 or more");
  expect_bad(ascii_head + "element vertex 99999999999999999999\n", "a count of 0 or more");
  expect_bad(ascii_head + "property float x\n", "\"element\" before");
  expect_bad(ascii_head + "element vertex 1\nproperty half x\n", "unknown type \"half\"");
  expect_bad(ascii_head + "element vertex 1\nproperty float\n", "property TYPE NAME");
  expect_bad(ascii_head + "element vertex 1\nproperty list uchar int\n", "property list");
  expect_bad(ascii_head + "element vertex 1\nproperty list float int v\n", "integer type");
  expect_bad(ascii_head + vertex + "property int x\n", "different names");
  expect_bad(ascii_head + "element vertex 1\nend_header\n1\n", "no scalar properties");
  expect_bad(ascii_head + "element vertex 1\nproperty list uchar int v\nend_header\n0\n", "no scalar properties");
  expect_bad(ascii_head + vertex + "surprise\n", "line 5: expected format, comment");
  expect_bad(ascii_head + vertex + "\nend_header\n", "expected a header line");
  expect_bad(ascii_head + "comment " + std::string(70000, 'c') + "\n", "longer than");
  std::string endless = ascii_head;
  for (int i = 0; i < 5000; ++i) endless += "comment " + std::string(1000, 'c') + "\n";
  expect_bad(endless, "no \"end_header\"");
  expect_bad("ply\rformat ascii 1.0\r", "ends inside the PLY header");
  expect_bad("ply\rformat ascii 1.0\nelement vertex 1\r",
             "line 2: expected the end of a line as that of the first; got \"format ascii 1.0?element");
  std::string wide = ascii_head + "element vertex 1\n";
  for (int i = 0; i <= 4096; ++i) wide += "property char p" + std::to_string(i) + "\n";
  expect_bad(wide, "line 4100: expected at most 4096 properties");
}

TEST_F(ply, counts_that_the_file_cannot_hold_allocate_nothing) {
  const std::string counts[] = {"2", "1000000000000", "4611686018427387904", "9223372036854775807",
                                "18446744073709551615"};
  for (const std::string& count : counts) {
    const std::string vertices = "element vertex " + count + "\nproperty float x\nend_header\n";
    expect_bad(binary_head + vertices + raw(1.0f), "the header says " + count);
    expect_bad(ascii_head + vertices + "1", "the header says " + count);
    const std::string faces = "element face " + count + "\nproperty list uchar int v\n";
    expect_bad(binary_head + faces + "element vertex 1\nproperty uchar x\nend_header\n" + raw<std::uint8_t>(0),
               "the header says ");
  }
}

TEST_F(ply, damaged_data) {
  const std::string one = "element vertex 2\nproperty float x\nproperty uchar k\nend_header\n";
  expect_bad(ascii_head + one + "1 2\n1 x y\n",
             "line 8: property \"k\" of element \"vertex\": expected a value of type u8");
  expect_bad(ascii_head + one + "1 2\n1 256\n", "expected a value in the range of u8; got \"256\"");
  expect_bad(ascii_head + one + "1e39 2\n1 2\n", "expected a value in the range of f32; got \"1e39\"");
  expect_bad(ascii_head + one + "1 2\n1 -1\n", "got \"-1\"");
  expect_bad(ascii_head + one + "1 2\n1 1.5\n", "got \"1.5\"");
  expect_bad(ascii_head + one + "1 2\n1,5 1\n", "got \"1,5\"");
  expect_bad(ascii_head + one + "1 2 3\n1 2\n", "line 7: element \"vertex\": expected the end of the line; got \"3\"");
  expect_bad(ascii_head + one + "1 2\n12345\n", "the end of the line");
  expect_bad(ascii_head + one + "1 222222222\n", "got \"222222222\"");
  expect_bad(ascii_head + one + "1.00000 2\n", "ends inside element \"vertex\"");
  expect_bad(binary_head + one + std::string(9, 'x'), "the header says 2");
  const std::string with_list = "element vertex 1\nproperty list int double v\nproperty uchar k\nend_header\n";
  expect_bad(binary_head + with_list + raw<std::int32_t>(-1) + "x", "says it has -1 items");
  expect_bad(binary_head + with_list + raw<std::int32_t>(0x7fffffff) + "x", "items");
  expect_bad(binary_head + with_list + raw<std::int32_t>(3) + "x", "ends at byte");
  const std::string big_list = "element vertex 1\nproperty list uint64 double v\nproperty uchar k\nend_header\n";
  expect_bad(binary_head + big_list + raw<std::uint64_t>(0x2000000000000001u) + "x", "items");
  const std::string face_last =
      "element vertex 1\nproperty uchar k\nelement face 2\nproperty list uchar int v\nend_header\n";
  expect_bad(binary_head + face_last + "k" + raw<std::uint8_t>(1) + raw(7) + raw<std::uint8_t>(3) + raw(7),
             "ends at byte");
  expect_bad(ascii_head + face_last + "1\n1 7\n\n\n\n\n", "ends inside element \"face\"");
  expect_bad(ascii_head + face_last + "1\n1 7\n2 5\n", "element \"face\"");
  expect_bad(ascii_head + face_last + "1\n1 7\n-1 5\n", "a list's count");
}

}  // namespace
}  // namespace upsweep::test
