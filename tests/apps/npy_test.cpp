// .npy files in and out.
#include "npy.hpp"

#include "failure.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::exit_code;
using apps::failure;

const std::vector<scalar_type> any_key = {scalar_type::u32, scalar_type::i32, scalar_type::u64, scalar_type::f32};

class npy : public in_scratch_folder {
 protected:
  apps::npy_vector read(const std::string& bytes) const {
    spill(file("in.npy"), bytes);
    apps::input_file in(file("in.npy"));
    const apps::npy_header header = apps::read_npy_header(in);
    apps::check_npy_vector(in, header, any_key);
    return apps::read_npy_vector(in, header);
  }

  apps::particle_table read_table(const std::string& bytes) const {
    spill(file("in.npy"), bytes);
    apps::input_file in(file("in.npy"));
    const apps::npy_header header = apps::read_npy_header(in);
    return apps::read_npy_table(in, header, {"x", "y"});
  }

  template <class Read>
  void expect_bad(Read read_bytes, const std::string& words) const {
    try {
      static_cast<void>(read_bytes());
      FAIL() << "was read, but should not: " << words;
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), exit_code::bad_input);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("in.npy"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find("   "), std::string::npos) << "padding: " << error.what();
    }
  }
  void expect_bad_vector(const std::string& bytes, const std::string& words) const {
    expect_bad([&] { return read(bytes); }, words);
  }
  void expect_bad_table(const std::string& bytes, const std::string& words) const {
    expect_bad([&] { return read_table(bytes); }, words);
  }
};

TEST_F(npy, vectors_of_every_key_type_round_trip) {
  const std::string files[] = {npy_vector_bytes<std::uint32_t>("<u4", {0, 1, UINT32_MAX}),
                               npy_vector_bytes<std::int32_t>("<i4", {0, -1, INT32_MIN}),
                               npy_vector_bytes<std::uint64_t>("<u8", {0, 1, UINT64_MAX}),
                               npy_vector_bytes<float>("<f4", {-0.0f, 1.5f}), npy_vector_bytes<float>("<f4", {})};
  for (const std::string& bytes : files) {
    const apps::npy_vector vector = read(bytes);
    apps::output_file out(file("out.npy"));
    apps::write_npy_vector(out, vector.type, vector.data.data(), vector.count);
    out.commit();
    const std::string written = slurp(file("out.npy"));
    const apps::npy_vector again = read(written);
    EXPECT_EQ(again.type, vector.type);
    ASSERT_EQ(again.count, vector.count);
    EXPECT_EQ(std::memcmp(again.data.data(), vector.data.data(), vector.data.bytes()), 0);
    EXPECT_EQ((written.size() - vector.data.bytes()) % 64, 0u) << "NumPy aligns the data to 64 bytes";
  }
}

TEST_F(npy, the_header_is_the_one_numpy_writes) {
  apps::output_file out(file("out.npy"));
  const std::uint32_t values[] = {1, 2, 3};
  apps::write_npy_vector(out, scalar_type::u32, values, 3);
  out.commit();
  const std::string dictionary = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += dictionary + std::string(128 - 10 - dictionary.size() - 1, ' ') + "\n";
  EXPECT_EQ(slurp(file("out.npy")).substr(0, 128), expected);
}

TEST_F(npy, headers_of_every_version_and_style) {
  const std::string data = raw_all<std::uint32_t>({7, 8});
  const std::string styles[] = {"{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }      ",
                                "{'shape': (2,), 'fortran_order': True, 'descr': '<u4'}",
                                "{\"descr\":\"<u4\",\"fortran_order\":False,\"shape\":(2L,)}",
                                "  { 'descr' : '=u4' , 'fortran_order' : False , 'shape' : ( 2 , ) , } \n "};
  for (const std::string& style : styles) {
    for (const int version : {1, 2, 3}) {
      const apps::npy_vector vector = read(npy_bytes(style, data, version));
      ASSERT_EQ(vector.count, 2) << style;
      EXPECT_EQ(vector.data.as<std::uint32_t>()[1], 8u);
    }
  }
}

TEST_F(npy, tables_round_trip_in_c_and_fortran_order) {
  for (const std::string order : {"False", "True"}) {
    std::string bytes = npy_bytes("{'descr': '<f8', 'fortran_order': " + order + ", 'shape': (2, 3), }",
                                  raw_all<double>({1, 2, 3, 4, 5, 6}));
    const apps::particle_table table = read_table(bytes);
    ASSERT_EQ(table.count, 2);
    ASSERT_EQ(table.columns.size(), 3u);
    EXPECT_EQ(table.columns[0].name, "x");
    EXPECT_EQ(table.columns[2].name, "column2");
    EXPECT_EQ(table.columns[1].data.as<double>()[0], order == "True" ? 3 : 2);
    apps::output_file out(file("out.npy"));
    apps::write_npy_table(out, order == "True", table);
    out.commit();
    EXPECT_EQ(npy_elements<double>(slurp(file("out.npy"))), npy_elements<double>(bytes));
    EXPECT_NE(slurp(file("out.npy")).find("'fortran_order': " + order + ", 'shape': (2, 3), "), std::string::npos);
  }
}

TEST_F(npy, big_tables_are_transposed_block_by_block) {
  const std::uint64_t rows = 100003;
  std::vector<float> values(rows * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::string bytes =
      npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (100003, 5), }", raw_all(values));
  const apps::particle_table table = read_table(bytes);
  EXPECT_EQ(table.columns[3].data.as<float>()[77777], static_cast<float>(77777 * 5 + 3));
  apps::output_file out(file("out.npy"));
  apps::write_npy_table(out, false, table);
  out.commit();
  EXPECT_EQ(npy_elements<float>(slurp(file("out.npy"))), values);
}

TEST_F(npy, rows_of_any_type_keep_their_type) {
  const std::string data(96, 'x');
  for (const auto& [descr, shape, row_bytes] : {std::tuple("|b1", "(96,)", 1u),
                                                {"<f2", "(48,)", 2u},
                                                {">i4", "(24,)", 4u},
                                                {"<c16", "(6,)", 16u},
                                                {"<U3", "(8,)", 12u},
                                                {"|S4", "(3, 2, 4)", 32u},
                                                {"<M8[ns]", "(4, 3)", 24u},
                                                {"<f4", "(0, 3)", 12u}}) {
    SCOPED_TRACE(descr);
    const std::string dictionary =
        "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + shape + ", }";
    const bool is_empty = std::string(shape).starts_with("(0");
    spill(file("in.npy"), npy_bytes(dictionary, is_empty ? "" : data));
    apps::input_file in(file("in.npy"));
    const apps::npy_rows rows = apps::read_npy_rows(in);
    EXPECT_EQ(rows.row_bytes, row_bytes);
    EXPECT_EQ(rows.shape[0] * rows.row_bytes, rows.data.bytes());
    apps::output_file out(file("out.npy"));
    apps::write_npy_rows(out, rows, rows.data.data(), rows.data.bytes());
    out.commit();
    const std::string written = slurp(file("out.npy"));
    EXPECT_NE(written.find(dictionary), std::string::npos) << written.substr(0, 128);
    EXPECT_EQ(npy_elements<char>(written), (std::vector<char>(is_empty ? 0 : 96, 'x')));
  }
}

TEST_F(npy, rows_that_are_none) {
  const auto expect_bad_rows = [&](const std::string& descr, const std::string& rest, const std::string& words) {
    expect_bad(
        [&] {
          spill(file("in.npy"), npy_bytes("{'descr': '" + descr + "', " + rest + ", }", std::string(24, 'x')));
          apps::input_file in(file("in.npy"));
          return apps::read_npy_rows(in).row_bytes;
        },
        words);
  };
  const std::string one = "'fortran_order': False, 'shape': (3,)";
  for (const std::string descr : {"|O", "<f", "f", "", "<x8", "<f8[ns]", "<i0", "<f99999999", "<M8[ns", "|V-8"}) {
    expect_bad_rows(descr, one, descr == "<M8[ns" ? "" : "unknown element type");
  }
  expect_bad_rows("<f8", "'fortran_order': False, 'shape': ()", "0 dimensions; expected 1 to 64");
  expect_bad_rows("<f4", "'fortran_order': True, 'shape': (3, 2, 1)", "Fortran order");
  expect_bad_rows("<f4", one, "the header promises shape (3,) of '<f4', 4 bytes each; 24 bytes of data follow");
}

TEST_F(npy, damaged_headers) {
  const auto with = [](const std::string& dictionary) { return npy_bytes(dictionary, raw_all<std::uint32_t>({1, 2})); };
  expect_bad_vector("", "expected an npy file");
  expect_bad_vector("\x93NUMPY", "expected an npy file");
  expect_bad_vector("PK\x03\x04 a zip of many arrays", "expected an npy file");
  expect_bad_vector(npy_bytes("{}", "", 4), "npy version 4.0");
  expect_bad_vector(std::string("\x93NUMPY\x01\x00\xff\xff", 10), "npy header of 65535 bytes");
  expect_bad_vector(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "npy header of 4294967295 bytes");
  expect_bad_vector(with(""), "expected '{'");
  expect_bad_vector(with("{}"), "expected the keys");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)"), "expected '}'");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': False, 'shape': (2,)} x"), "nothing after");
  expect_bad_vector(with("{'descr': '<u4', 'descr': '<u4', 'fortran_order': False, 'shape': (2,)}"), "twice");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': False, 'shape': (2,), 'more': 1}"), "unknown key");
  expect_bad_vector(with("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}"), "unknown element type");
  expect_bad_vector(with("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"), "unknown element type");
  expect_bad_vector(with("{'descr': '', 'fortran_order': False, 'shape': (1,)}"), "unknown element type");
  expect_bad_vector(with("{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}      \n"), "'shape': (1,)}");
  expect_bad_vector(with("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
                    "structures are not taken here");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': 0, 'shape': (2,)}"), "True or False");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': False, 'shape': (-2,)}"), "sizes of 0 or more");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
                    "sizes of 0 or more");
  expect_bad_vector(with("{'descr': '<u4', 'fortran_order': False, 'shape': 2}"), "expected '('");
  expect_bad_vector(with("{'descr': '<u4"), "closing quote");
}

TEST_F(npy, shapes_that_the_file_does_not_hold_allocate_nothing) {
  const std::string data = raw_all<std::uint32_t>({1, 2});
  for (const std::string shape :
       {"(1,)", "(3,)", "(0,)", "(1000000000000,)", "(4611686018427387906,)", "(18446744073709551615,)",
        "(4294967296, 4294967296)", "(9223372036854775809, 2)", "(0, 18446744073709551615)"}) {
    expect_bad_vector(npy_bytes("{'descr': '<u4', 'fortran_order': False, 'shape': " + shape + "}", data),
                      "the header promises shape");
  }
}

TEST_F(npy, arrays_that_are_not_what_is_asked_for) {
  expect_bad_vector(
      npy_bytes("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 2)}", raw_all<std::uint32_t>({1, 2, 3, 4})),
      "expected one dimension, or (n, 1); rows are sorted by a column, --by column0");
  expect_bad_vector(npy_bytes("{'descr': '<u4', 'fortran_order': False, 'shape': ()}", raw_all<std::uint32_t>({1})),
                    "expected one dimension");
  expect_bad_vector(npy_vector_bytes<double>("<f8", {1}), "expected one of u32, i32, u64, f32");
  expect_bad_table(npy_vector_bytes<float>("<f4", {1, 2}), "two dimensions of f32 or f64");
  expect_bad_table(
      npy_bytes("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2)}", raw_all<std::uint32_t>({1, 2})),
      "two dimensions of f32 or f64");
  expect_bad_table(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (5, 0)}", ""), "0 columns");
  expect_bad_table(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 18446744073709551615)}", ""),
                   "columns");
}

TEST_F(npy, a_file_that_becomes_shorter_says_so) {
  const std::vector<std::uint32_t> many(3000000);  // more than is read ahead
  spill(file("in.npy"), npy_vector_bytes("<u4", many));
  apps::input_file in(file("in.npy"));
  const apps::npy_header header = apps::read_npy_header(in);
  std::filesystem::resize_file(file("in.npy"), 8000000);
  expect_bad([&] { return apps::read_npy_vector(in, header); }, "became shorter while it was read: 8000000 bytes");
}

}  // namespace
}  // namespace upsweep::test
