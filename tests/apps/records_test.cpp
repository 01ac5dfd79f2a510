// Files whose rows are kept as they came: CSV and .npy of structures; and files that are compressed, or foreign.
#include "records.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <sstream>

#include "failure.hpp"
#include "field_ends.hpp"
#include "growing_array.hpp"
#include "npy.hpp"
#include "particle_file.hpp"
#include "short_number.hpp"
#include "support.hpp"
#include "text_numbers.hpp"

namespace upsweep::test {
namespace {

using apps::particle_file;

class records : public in_scratch_folder {
 protected:
  particle_file read(const std::string& name, const std::string& bytes, const apps::read_options& options = {}) const {
    spill(file(name), bytes);
    return apps::read_particles(file(name), options, {});
  }
  void expect_bad(const std::string& name, const std::string& bytes, const std::string& words,
                  const apps::read_options& options = {}) const {
    try {
      static_cast<void>(read(name, bytes, options));
      ADD_FAILURE() << "was read, but should not: " << words;
    } catch (const apps::failure& error) {
      EXPECT_EQ(error.code(), apps::exit_code::bad_input);
      EXPECT_NE(std::string(error.what()).find(name + ": "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  /// What is written of the rows at these places.
  std::string write(const particle_file& read, const std::vector<std::uint64_t>& places,
                    const std::string& name = "out") const {
    apps::output_file out(file(name));
    apps::particle_table some;
    some.count = static_cast<std::int64_t>(places.size());
    static_cast<void>(
        apps::write_particles(out, read, some, [&](std::int64_t i) { return places[static_cast<std::size_t>(i)]; }));
    out.commit();
    return slurp(file(name));
  }
};

TEST_F(records, csv_columns_have_the_type_that_holds_them) {
  const particle_file csv = read("in.csv",
                                 "\xef\xbb\xbfi,u,f,later,name,gap,bad\r\n-1,0,0.5,7,ann,,1\r\n"
                                 "9223372036854775807,18446744073709551615,1e-3,-3,bob,NA,x\r\n 5 ,1,nan,2.5,,3,2\r\n");
  ASSERT_EQ(csv.particles.count, 3);
  ASSERT_EQ(csv.particles.columns.size(), 5u);
  EXPECT_EQ(csv.particles.others, (std::vector<std::string>{"name", "bad"}));
  const auto column = [&](const std::string& name) -> const apps::table_column& {
    return csv.particles.columns.at(csv.particles.find(name).value());
  };
  EXPECT_EQ(column("i").type, scalar_type::i64);
  EXPECT_EQ(column("i").data.as<std::int64_t>()[1], INT64_MAX);
  EXPECT_EQ(column("i").data.as<std::int64_t>()[2], 5);
  EXPECT_EQ(column("u").type, scalar_type::u64);
  EXPECT_EQ(column("u").data.as<std::uint64_t>()[1], UINT64_MAX);
  EXPECT_EQ(column("f").type, scalar_type::f64);
  EXPECT_EQ(column("f").data.as<double>()[1], 1e-3);
  EXPECT_TRUE(std::isnan(column("f").data.as<double>()[2]));
  EXPECT_EQ(column("later").type, scalar_type::f64);
  EXPECT_EQ(column("later").data.as<double>()[1], -3);
  EXPECT_TRUE(std::isnan(column("gap").data.as<double>()[1]));
  EXPECT_EQ(column("gap").data.as<double>()[2], 3);
  EXPECT_EQ(write(csv, {2, 0}), "i,u,f,later,name,gap,bad\r\n 5 ,1,nan,2.5,,3,2\r\n-1,0,0.5,7,ann,,1\r\n");
}

TEST_F(records, csv_columns_have_the_type_that_is_given) {
  apps::read_options options;
  options.types = {{"f", {scalar_type::f32}}, {"s", {scalar_type::i16}}, {"d", {scalar_type::f64}}};
  const std::string head = "f,s,d,i\n0.3,-7,4,1\n,300,NA,2\n1e9,0,6,3\n";
  const particle_file csv = read("in.csv", head, options);
  ASSERT_EQ(csv.particles.columns.size(), 4u);
  const auto& columns = csv.particles.columns;
  EXPECT_EQ(columns[0].type, scalar_type::f32);
  EXPECT_EQ(columns[0].data.bytes(), 12u);
  EXPECT_EQ(columns[0].data.as<float>()[0], 0.3f);
  EXPECT_TRUE(std::isnan(columns[0].data.as<float>()[1]));
  EXPECT_EQ(columns[0].data.as<float>()[2], 1e9f);
  EXPECT_EQ(columns[1].type, scalar_type::i16);
  EXPECT_EQ(columns[1].data.as<std::int16_t>()[0], -7);
  EXPECT_EQ(columns[1].data.as<std::int16_t>()[1], 300);
  EXPECT_EQ(columns[2].type, scalar_type::f64);
  EXPECT_EQ(columns[2].data.as<double>()[2], 6);
  EXPECT_EQ(columns[3].type, scalar_type::i64);
  expect_bad("in.csv", "f,s,d\n1,70000,2\n", "line 2: column \"s\": got \"70000\"; expected a number of type i16",
             options);
  expect_bad("in.csv", "f,s,d\n1,,2\n", "line 2: column \"s\": got \"\"; expected a number of type i16", options);
  expect_bad("in.csv", "f,s\n1,2\n", "no column \"d\", whose type was given; it has f, s", options);
  try {
    static_cast<void>(read("in.npy", npy_vector_bytes<float>("<f4", {1}), options));
    ADD_FAILURE();
  } catch (const apps::failure&) {
  }
}

TEST_F(records, csv_rows_that_several_threads_read_are_one_column) {
  // What decides on the type is in the last row, and in the first.
  constexpr std::size_t rows = 30000;
  std::string text = "whole,large,both,real,word,quoted\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string number = std::to_string(i);
    const bool is_last = i == rows - 1;
    text += number + "," + (is_last ? "18446744073709551615" : number) + "," +
            (i == 0    ? "-1"
             : is_last ? "18446744073709551615"
                       : number) +
            "," + (is_last ? "0.5" : number) + "," + (is_last ? "x" : number) + ",\"a\n" + number + "\"\n";
  }
  const particle_file csv = read("in.csv", text);
  ASSERT_EQ(csv.particles.count, static_cast<std::int64_t>(rows));
  EXPECT_EQ(csv.particles.others, (std::vector<std::string>{"word", "quoted"}));
  const auto& columns = csv.particles.columns;
  ASSERT_EQ(columns.size(), 4u);
  const scalar_type types[] = {scalar_type::i64, scalar_type::u64, scalar_type::f64, scalar_type::f64};
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(columns[c].type, types[c]) << c;
  for (std::size_t i = 1; i < rows - 1; ++i) {
    ASSERT_EQ(columns[0].data.as<std::int64_t>()[i], static_cast<std::int64_t>(i));
    ASSERT_EQ(columns[1].data.as<std::uint64_t>()[i], i);
    ASSERT_EQ(columns[2].data.as<double>()[i], static_cast<double>(i));
    ASSERT_EQ(columns[3].data.as<double>()[i], static_cast<double>(i));
  }
  EXPECT_EQ(columns[1].data.as<std::uint64_t>()[rows - 1], UINT64_MAX);
  EXPECT_EQ(columns[2].data.as<double>()[0], -1);
  EXPECT_EQ(columns[2].data.as<double>()[rows - 1], 0x1p64);
  EXPECT_EQ(columns[3].data.as<double>()[rows - 1], 0.5);
  apps::read_options words;
  words.wanted = {false, {"word"}};
  expect_bad("in.csv", text, "line 60001: column \"word\": got \"x\"; expected a number", words);
}

TEST_F(records, csv_fields_may_be_quoted_and_lines_blank) {
  const std::string head = "\"a, b\";c\n", rows[] = {"\"1\";\"x \"\"y\"\";\nz\"\n\n", "2;\n", "\" 3 \";w"};
  const particle_file csv = read("in.csv", head + rows[0] + rows[1] + rows[2]);
  ASSERT_EQ(csv.particles.count, 3);
  EXPECT_EQ(csv.particles.columns.at(0).name, "a, b");
  EXPECT_EQ(csv.particles.columns.at(0).data.as<std::int64_t>()[2], 3);
  EXPECT_EQ(csv.particles.others, (std::vector<std::string>{"c"}));
  EXPECT_EQ(write(csv, {2, 0, 1}), head + rows[2] + "\n" + rows[0] + rows[1]);
  apps::read_options by_bar;
  by_bar.delimiter = '|';
  EXPECT_EQ(read("in.csv", "a,b|c\n1|2\n", by_bar).particles.columns.at(0).name, "a,b");
  EXPECT_EQ(read("in.tsv", "a,b\tc\td\n1\t2\t3\n").particles.columns.at(0).name, "a,b");
  EXPECT_EQ(read("in.csv", "a,b\n").particles.count, 0);
}

TEST_F(records, csv_says_where_it_is_wrong) {
  apps::read_options a_and_b;
  a_and_b.wanted = {false, {"a", "b"}};
  expect_bad("in.csv", "a,c,b\n1,x,2\n1,x,y\n", "line 3: column \"b\": got \"y\"; expected a number", a_and_b);
  expect_bad("in.csv", "a,c,b\n1,x\n", "line 2: column \"b\": got the end of the line; expected 3 columns", a_and_b);
  expect_bad("in.csv", "a,c,b\n\n\"q\nr\",x,2\n", "column \"a\": got \"q?r\"", a_and_b);
  expect_bad("in.csv", "1,2\n3,4\n", "line 1: got 1, 2; expected the names of the columns");
  expect_bad("in.csv", "a,b,a\n3,4,5\n", "two columns are called \"a\"");
  expect_bad("in.csv", "a,b\n1,\"2\n", "line 2: expected a closing quote");
  expect_bad("in.csv", "a,b\n1,2" + std::string(1, '\0') + std::string(5000, '1') + "\n", "nor text");
}

TEST_F(records, structures_of_npy_are_kept_as_they_are) {
  const std::string descr =
      "[('id', '>u8'), ('p', '<f4', (3,)), ('name', '|S3'), ('', '|V1'), ('in', [('ok', '|b1'), ('z', '>i2')])]";
  const auto bytes = [&](int count, const std::string& rows) {
    return npy_bytes("{'descr': " + descr + ", 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }",
                     rows);
  };
  const auto row = [](std::uint8_t id, float x, std::int8_t z) {
    return std::string(7, '\0') + raw(id) + raw(x) + raw(x + 1) + raw(x + 2) + "abc." + raw(std::uint8_t{1}) +
           raw(std::int8_t{z < 0 ? std::int8_t{-1} : std::int8_t{0}}) + raw(z);
  };
  const std::string rows[] = {row(1, 0.5f, -2), row(2, 10, 3)};
  const particle_file npy = read("in.npy", bytes(2, rows[0] + rows[1]));
  std::vector<std::string> names;
  for (const apps::table_column& c : npy.particles.columns) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"id", "p_0", "p_1", "p_2", "in.ok", "in.z"}));
  EXPECT_EQ(npy.particles.others, (std::vector<std::string>{"name"}));
  EXPECT_EQ(npy.particles.columns[0].data.as<std::uint64_t>()[1], 2u);
  EXPECT_EQ(npy.particles.columns[3].data.as<float>()[0], 2.5f);
  EXPECT_EQ(npy.particles.columns[4].data.as<std::uint8_t>()[0], 1);
  EXPECT_EQ(npy.particles.columns[5].data.as<std::int16_t>()[0], -2);
  const std::string swapped = write(npy, {1, 0});
  EXPECT_EQ(swapped.substr(swapped.size() - 54), rows[1] + rows[0]);
  EXPECT_NE(swapped.find("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }"), std::string::npos);
  EXPECT_EQ(read("again.npy", write(npy, {1})).particles.columns[0].data.as<std::uint64_t>()[0], 2u);

  const auto bad = [&](const std::string& type, const std::string& words) {
    expect_bad("in.npy", npy_bytes("{'descr': " + type + ", 'fortran_order': False, 'shape': (1,), }", "12345678"),
               words);
  };
  bad("[('a', '<f4'), ('a', '<f4')]", "two fields are called \"a\"");
  bad("[('a', '<f4')]", "8 bytes of data follow");
  bad("[('a', '|S8')]", "expected a field that is a number");
  bad("[('a', '<f4'", "expected");
  bad("[('a', '<f3')]", "unknown element type");
  bad("[('a', '<f4', (99999999999,))]", "structures of at most");
  bad("[]", "expected a field");
}

TEST_F(records, vectors_of_either_order_and_of_truths_and_dates) {
  const auto read_vector = [&](const std::string& descr, const std::string& shape, const std::string& data) {
    spill(file("in.npy"),
          npy_bytes("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data));
    apps::input_file in(file("in.npy"));
    const apps::npy_header header = apps::read_npy_header(in);
    apps::check_npy_vector(in, header, std::vector{header.type});
    return apps::read_npy_vector(in, header);
  };
  const apps::npy_vector big = read_vector(">i4", "(2, 1)", std::string("\0\0\1\0\xff\xff\xff\xfe", 8));
  ASSERT_EQ(big.count, 2);
  EXPECT_EQ(big.data.as<std::int32_t>()[0], 256);
  EXPECT_EQ(big.data.as<std::int32_t>()[1], -2);
  EXPECT_EQ(read_vector("|b1", "(1, 3)", std::string("\1\0\1", 3)).descr, "|b1");
  const apps::npy_vector dates = read_vector(">M8[ns]", "(1,)", std::string("\0\0\0\0\0\0\0\5", 8));
  EXPECT_EQ(dates.descr, "<M8[ns]");
  EXPECT_EQ(dates.type, scalar_type::i64);
  EXPECT_EQ(dates.data.as<std::int64_t>()[0], 5);
}

TEST_F(records, what_is_compressed_is_read_and_written) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "," + std::to_string(i * 7 % 1000) + "\n";
  const particle_file plain = read("in.csv", text);
  std::vector<std::uint64_t> places(200000);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  for (const std::string ending : {"gz", "zst"}) {
    const std::string packed = write(plain, places, "out.csv." + ending);
    EXPECT_LT(packed.size(), text.size() / 2) << ending;
    // By its first bytes, whatever it is called; and one after the other.
    const particle_file again = read("again", packed + packed);
    ASSERT_EQ(again.particles.count, 400001) << ending;
    EXPECT_EQ(again.particles.columns.size(), 0u);
    EXPECT_EQ(read("again", packed).particles.columns.at(1).data.as<std::int64_t>()[199999], 199999 * 7 % 1000);
    expect_bad("damaged", packed.substr(0, packed.size() / 2), "it ends early");
    std::string damaged = packed;
    for (std::size_t i = 5000; i < 5100; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    expect_bad("damaged", damaged, ending == "gz" ? "gzip" : "zstd");
  }
}

/// As the program zstd frames it, which says how many bytes it is: not compressed, and without a checksum.
std::string frame(const std::string& text, std::uint64_t says) {
  std::string bytes = "\x28\xb5\x2f\xfd\xe0";
  bytes.append(reinterpret_cast<const char*>(&says), sizeof says);
  constexpr std::size_t most = 100000;
  for (std::size_t at = 0; at < text.size(); at += most) {
    const std::string_view block = std::string_view(text).substr(at, most);
    const auto head = static_cast<std::uint32_t>(block.size() << 3 | (at + most >= text.size() ? 1 : 0));
    bytes.append(reinterpret_cast<const char*>(&head), 3);
    bytes += block;
  }
  return bytes;
}

TEST_F(records, what_says_how_long_it_is_is_read_while_it_is_decompressed) {
  std::string text = "x,y\n";
  for (int i = 0; i < 2000000; ++i) text += std::to_string(i % 1000) + (i < 1000000 ? ",1\n" : ",1.5\n");
  const std::string packed = frame(text, text.size());
  const auto is_all = [](const particle_file& csv) {
    return csv.particles.columns.at(0).data.as<std::int64_t>()[1999999] == 999 &&
           csv.particles.columns.at(1).data.as<double>()[999999] == 1 &&
           csv.particles.columns.at(1).data.as<double>()[1999999] == 1.5;
  };
  EXPECT_TRUE(is_all(read("again", packed)));
  // A frame whose content is skipped, before and after.
  const std::string skipped("\x50\x2a\x4d\x18\3\0\0\0abc", 11);
  EXPECT_EQ(read("again", skipped + packed + packed + skipped).particles.count, 4000001);
  expect_bad("again", frame(text, text.size() - 1), "expected data compressed by zstd");
  expect_bad("again", frame(text, text.size() + 1), "expected data compressed by zstd");
  expect_bad("again", packed.substr(0, packed.size() - 3), "it ends early");
  // What cannot be is not believed.
  expect_bad("again.csv", frame("x\n1\n", std::uint64_t{1} << 50), "expected data compressed by zstd");
  expect_bad("in.ply", frame("ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n1\n", 74), "zstd");
}

/// Whether the short way takes a text, by sixteen bytes of one kind, and whether it is right in all bits then.
template <class Number, class Sixteen>
bool is_short_by(const std::string& text) {
  // Whatever is around it.
  const std::string around = "-7.5e-123456789.98" + text + ",123456789.987654321e9";
  Number number{}, expected{};
  const std::string_view view = std::string_view(around).substr(18, text.size());
  if (!apps::take_short_number<Number, Sixteen>(view, number)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
  EXPECT_TRUE(end == text.data() + text.size() && error == std::errc()) << text;
  EXPECT_EQ(std::memcmp(&number, &expected, sizeof number), 0) << text;
  apps::short_decimal plain;
  if (std::is_same_v<Number, double> &&
      apps::take_plain_decimal<Sixteen>(view.data(), view.data() + view.size(), plain)) {
    number = static_cast<Number>(apps::plain_double(plain));
    EXPECT_EQ(std::memcmp(&number, &expected, sizeof number), 0) << text;
  }
  return true;
}

template <class Number>
bool is_short(const std::string& text) {
  const bool is_taken = is_short_by<Number, apps::sixteen_bytes>(text);
  EXPECT_EQ((is_short_by<Number, apps::two_integers>(text)), is_taken) << text;
  return is_taken;
}

TEST(short_numbers, are_those_that_a_longer_way_reads) {
  for (const char* text :
       {"0", "-0", "7", "-12.25", ".5", "5.", "123456789012345", "-12345678.901234", "0.0000000000001", "1e-05",
        "2.5E+07", "1e9", "-1.25e2", "3.e1", ".5e-1", "000000000000001"}) {
    EXPECT_TRUE(is_short<double>(text)) << text;
  }
  // Longer ones, none at all, and what takes two roundings: the middle of two floats.
  for (const char* text : {"", " 1", "1 ", "1 2", "1\xb2", "\x01"}) EXPECT_FALSE(is_short<double>(text)) << text;
  std::istringstream others(
      "1234567890123456 9007199254740993 0.123456789012345 - . -. nan +1 1e 1e- 1e30 e5 .e5 -e5 1e5e3 1e100 1.2.3 1-2 "
      "--1 "
      "1,2 0x1 1:2 1/2 1e+-5 1e5. 1.. 1.e 12345678: /2345678");
  for (std::string text; others >> text;) EXPECT_FALSE(is_short<double>(text)) << text;
  EXPECT_FALSE(is_short<float>("16777217"));
  EXPECT_TRUE(is_short<float>("16777218"));
  EXPECT_TRUE(is_short<std::int8_t>("-127"));
  for (const char* text : {"128", "1.0", "1e2"}) EXPECT_FALSE(is_short<std::int8_t>(text)) << text;
  EXPECT_FALSE(is_short<std::uint32_t>("-1"));
  std::mt19937_64 random(seed());
  int taken = 0;
  constexpr int count = 1000000;
  for (int i = 0; i < count; ++i) {
    const double value =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -static_cast<int>(random() % 80));
    const int digits = static_cast<int>(random() % 12);
    const std::string text = i % 2 == 0 ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.{}g}", value, digits);
    taken += is_short<double>(text);
    static_cast<void>(is_short<float>(text));
    static_cast<void>(is_short<std::int64_t>(text));
  }
  EXPECT_GT(taken, count / 2);
  // Any characters that numbers have.
  taken = 0;
  for (int i = 0; i < count; ++i) {
    std::string text(random() % 18, '\0');
    for (char& c : text) c = "0123456789012345678901234567890123456789.-e+ ,:/"[random() % 48];
    taken += is_short<double>(text);
    static_cast<void>(is_short<float>(text));
    static_cast<void>(is_short<std::int32_t>(text));
  }
  EXPECT_GT(taken, count / 10);
}

TEST(growing_array, keeps_its_items_wherever_its_pages_are_made) {
  apps::growing_array<std::uint32_t> array;
  std::size_t made = 0;
  for (const std::size_t more : {10u, 100000u, 1u, 700000u, 20000u, 3000000u, 500000u}) {
    if (made + more > array.room()) array.reserve(3 * (made + more));
    if (more > 1000) array.make_pages_for(made + more / 2);
    array.resize(made + more);
    for (; made < array.size(); ++made) array[made] = static_cast<std::uint32_t>(made);
  }
  for (std::size_t i = 0; i < array.size(); ++i) ASSERT_EQ(array[i], i);
  // Of so much, but never more than there is.
  constexpr std::size_t bytes = std::size_t{9} << 20;
  apps::byte_array plain(bytes);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{12345}, bytes - 7}) {
    for (const std::size_t some : {std::size_t{7}, bytes / 3, bytes - 1}) {
      if (begin + some > bytes) continue;
      const std::size_t have_pages = apps::make_pages(plain.data() + begin, some, bytes - begin);
      EXPECT_GE(have_pages, some);
      EXPECT_LE(begin + have_pages, bytes);
      std::fill_n(plain.data() + begin, some, std::byte{1});
    }
  }
}

TEST(field_ends, are_those_of_single_characters) {
  std::mt19937_64 random(seed());
  apps::field_ends ends;
  const auto expect_all = [&](std::string_view text, const auto& what) {
    ends.find(text, what);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < text.size(); ++i) {
      if (what.ends(text[i])) expected.push_back(i);
    }
    expected.push_back(static_cast<std::uint32_t>(text.size()));
    EXPECT_EQ(std::vector(ends.begin(), ends.end()), expected);
  };
  for (int i = 0; i < 2000; ++i) {
    // Among them are texts of nothing but ends, and of characters beside them and above ASCII.
    std::string text(i < 4 ? apps::field_ends::most_bytes : random() % 400, ',');
    for (char& c : text) c = i % 4 == 0 ? ',' : i % 4 == 1 ? "12,\n+-;"[random() % 7] : static_cast<char>(random());
    expect_all(text, apps::delimited{','});
    expect_all(text, apps::blanks());
    for (std::size_t j = 0; j + 16 <= text.size(); ++j) {
      const apps::two_integers plain(text.data() + j);
      ASSERT_EQ(apps::sixteen_bytes(text.data() + j).are(';'), plain.are(';'));
      ASSERT_EQ(apps::sixteen_bytes(text.data() + j).are_between('\t', '\r'), plain.are_between('\t', '\r'));
    }
  }
}

TEST_F(records, long_numbers_stand_among_short_ones) {
  const particle_file csv =
      read("in.csv", "a,b,c\n1,2.5,x\n12345678901234567,0.12345678901234567,y\n3,-1e300,z\n 4 , 5,\n");
  ASSERT_EQ(csv.particles.columns.size(), 2u);
  EXPECT_EQ(csv.particles.columns[0].data.as<std::int64_t>()[1], 12345678901234567);
  EXPECT_EQ(csv.particles.columns[1].data.as<double>()[1], 0.12345678901234567);
  EXPECT_EQ(csv.particles.columns[1].data.as<double>()[2], -1e300);
  EXPECT_EQ(csv.particles.columns[1].data.as<double>()[3], 5);
  // Other types further on, rows of other numbers of fields, blanks, lines' ends of two characters.
  std::string text = "n,m,k,skipped,t\r\n";
  std::vector<double> n;
  std::vector<std::int64_t> k;
  for (int i = 0; i < 20000; ++i) {
    const bool is_odd = i % 4096 == 4095;
    n.push_back(i < 15000 ? i : i + 0.5);
    k.push_back(i < 17000 ? -i : i);
    text += fmt::format("{},{}{},{}{}{}", n.back(), is_odd ? "  " : "", is_odd ? 1e-300 : i * 1e-5, k.back(),
                        is_odd ? "\n\n" : ",text,2024-02-29",
                        i % 3 == 0 && !is_odd ? "\r\n"
                        : is_odd              ? ""
                                              : "\n");
  }
  apps::wanted_columns numbers;
  numbers.all = false;
  numbers.names = {"n", "m", "k"};
  apps::input_file source("in.csv", std::as_bytes(std::span(text)));
  apps::particle_table table;
  apps::read_csv(source, ',', numbers, table);
  ASSERT_EQ(table.columns.size(), 3u);
  for (std::size_t i = 0; i < n.size(); ++i) {
    ASSERT_EQ(table.columns[0].data.as<double>()[i], n[i]) << i;
    ASSERT_EQ(table.columns[1].data.as<double>()[i],
              i % 4096 == 4095 ? 1e-300 : std::stod(fmt::format("{}", static_cast<double>(i) * 1e-5)));
    ASSERT_EQ(table.columns[2].data.as<std::int64_t>()[i], k[i]) << i;
  }
  const particle_file points = read("in.ply",
                                    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty uchar k\n"
                                    "end_header\n0.1 1\n\t0.123456789012345678 \t255\n\n-1e-40  3\n");
  const auto* const x = points.particles.columns.at(0).data.as<float>();
  EXPECT_EQ(x[1], 0.123456789012345678f);
  EXPECT_EQ(x[2], -1e-40f);
  EXPECT_EQ(points.particles.columns.at(1).data.as<std::uint8_t>()[1], 255);
}

TEST_F(records, what_is_missing_comes_where_it_is_asked_for) {
  constexpr std::int64_t nat = INT64_MIN;
  const std::vector<std::int64_t> dates = {5, nat, INT64_MAX, -7, nat, INT64_MIN + 1};
  const auto bytes = [](const auto& v) {
    return std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof v[0]);
  };
  const auto places = [&](const std::string& input, const std::vector<std::string>& more) {
    std::vector<std::string> command = {sort,      "--device", "sim",      "--verify", "--argsort",
                                        "--input", input,      "--output", "o.npy"};
    command.insert(command.end(), more.begin(), more.end());
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return npy_elements<std::uint32_t>(slurp(file("o.npy")));
  };
  using order = std::vector<std::uint32_t>;
  spill(file("d.npy"), npy_vector_bytes("<M8[s]", dates));
  EXPECT_EQ(places("d.npy", {}), (order{1, 4, 5, 3, 0, 2}));
  EXPECT_EQ(places("d.npy", {"--missing", "last"}), (order{5, 3, 0, 2, 1, 4}));
  EXPECT_EQ(places("d.npy", {"--missing", "last", "--gpus", "2"}), (order{5, 3, 0, 2, 1, 4}));
  EXPECT_EQ(places("d.npy", {"--missing", "first"}), (order{1, 4, 5, 3, 0, 2}));
  EXPECT_EQ(places("d.npy", {"--missing", "last", "--descending"}), (order{2, 0, 3, 5, 1, 4}));
  EXPECT_EQ(places("d.npy", {"--missing", "first", "--descending"}), (order{1, 4, 2, 0, 3, 5}));
  // The same as a column of structures.
  spill(file("s.npy"),
        npy_bytes("{'descr': [('t', '<M8[s]')], 'fortran_order': False, 'shape': (6,), }", bytes(dates)));
  EXPECT_EQ(places("s.npy", {"--missing", "first", "--by", "t:descending"}), (order{1, 4, 2, 0, 3, 5}));
  // NaNs of both signs keep their order, and their bits.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> floats = {nan, 1, -nan, -INFINITY, 0, -0.0f};
  spill(file("f.npy"), npy_vector_bytes("<f4", floats));
  EXPECT_EQ(places("f.npy", {"--missing", "last"}), (order{3, 4, 5, 1, 0, 2}));
  EXPECT_EQ(places("f.npy", {"--missing", "first", "--descending"}), (order{0, 2, 1, 4, 5, 3}));
  const outcome sorted = run({sort, "--device", "sim", "--verify", "--missing", "last", "--input", "f.npy", "--output",
                              "o.npy", "--payload", "d.npy", "--payload-output", "p.npy"});
  EXPECT_EQ(sorted.code, 0) << sorted.err;
  const std::string keys = slurp(file("o.npy"));
  EXPECT_EQ(keys.substr(keys.size() - 24), bytes(std::vector<float>{-INFINITY, 0, -0.0f, 1, nan, -nan}));
  EXPECT_EQ(npy_elements<std::int64_t>(slurp(file("p.npy")))[0], -7);
  expect_failure({sort, "--input", "f.npy", "--output", "o.npy", "--missing", "last", "--begin-bit", "1"}, 2,
                 "--missing");
}

TEST_F(records, what_is_foreign_is_called_by_its_name) {
  expect_bad("in.stl", "solid mesh\nfacet normal 0 0 1\n", "an STL mesh, which is not read; expected PLY, .npy");
  expect_bad("in.pkl", "\x80\x04\x95....", "a Python pickle, which is not read; expected PLY, .npy");
  expect_bad("in.mat", "MATLAB 5.0 MAT-file", "numpy.save(\"x.npy\", scipy.io.loadmat(\"x.mat\")[\"name\"])");
  expect_bad("in.db", "SQLite format 3....", "an SQLite database, which is not read");
  expect_bad("in.las", "LASF....", "a LAS or LAZ point cloud, which is not read; expected PLY, .npy, .npz, or CSV");
  expect_bad("in.pcd", "# .PCD v0.7\n", "pcl_pcd2ply");
  expect_bad("in.h5", "\x89HDF\r\n\x1a\n....", "an HDF5 file");
  expect_bad("in.npz", "PK\3\4....", "a zip archive that is damaged: it ends early");
  expect_bad("in.ply", "x,y\n1,2\n", "does not begin as .ply does; expected that, or CSV under another name");
  expect_bad("in.json", "{\"x\": [1]}", "JSON");
  expect_bad("in.xyz", "x y z\n1 2 3\n", "in its first line (--delimiter ' ' where one blank is between columns)");
  expect_bad("users", "root:x:0:0\n", "nor CSV of several columns; expected PLY, .npy, .npz, or CSV");
  expect_bad("in.bin", std::string("\1\2\3", 3), "neither PLY nor npy nor text");
  expect_bad("in.csv", "", "empty; expected PLY, .npy, .npz, or CSV");
}

}  // namespace
}  // namespace upsweep::test
