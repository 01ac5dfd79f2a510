// CSV: rows that several threads find, how lines end, dates; and text that comes from a compressed pipe.
#include <chrono>
#include <optional>
#include <random>

#include "csv_date.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "output_file.hpp"
#include "particle_file.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::date_unit;
using apps::particle_file;

class csv : public in_scratch_folder {
 protected:
  particle_file read(const std::string& name, const std::string& bytes, const apps::read_options& options = {}) const {
    spill(file(name), bytes);
    return apps::read_particles(file(name), options, {});
  }
  void expect_bad(const std::string& bytes, const std::string& words, const apps::read_options& options = {}) const {
    try {
      static_cast<void>(read("bad.csv", bytes, options));
      ADD_FAILURE() << "was read, but should not: " << words;
    } catch (const apps::failure& error) {
      EXPECT_EQ(error.code(), apps::exit_code::bad_input);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
  std::string packed(const std::string& text, const std::string& ending = ".zst") const {
    apps::output_file out(file("packed" + ending));
    out.write(text);
    out.commit();
    return slurp(file("packed" + ending));
  }
};

TEST_F(csv, rows_are_found_by_several_threads) {
  std::mt19937_64 random(seed());
  const std::string blanks[] = {"\n", "\r\n", " \t\n"};
  for (const bool ends : {true, false}) {
    std::string text = "row,next\n";
    std::vector<std::size_t> row_ends;
    while (text.size() < (std::size_t{3} << 20)) {
      const std::string number = std::to_string(row_ends.size());
      text += number + "," + std::to_string(row_ends.size() + 1) + (random() % 2 == 0 ? "\n" : "\r\n");
      while (random() % 4 == 0) text += blanks[random() % 3];
      row_ends.push_back(text.size());
    }
    // Nothing but blank lines, all over the middle.
    const std::string many(std::size_t{1} << 20, '\n');
    text.insert(row_ends[row_ends.size() / 2], many);
    for (std::size_t i = row_ends.size() / 2; i < row_ends.size(); ++i) row_ends[i] += many.size();
    if (!ends) text += "7,8";
    if (!ends) row_ends.push_back(text.size());
    for (const bool is_packed : {false, true}) {
      const particle_file all = read("in.csv", is_packed ? packed(text) : text);
      ASSERT_EQ(all.particles.count, static_cast<std::int64_t>(row_ends.size()));
      ASSERT_EQ(all.particles.columns.size(), 2u);
      for (std::size_t i = 0; i < row_ends.size() - 1; ++i) {
        ASSERT_EQ(all.records->ends[i + 1], row_ends[i]) << i;
        ASSERT_EQ(all.particles.columns[0].data.as<std::int64_t>()[i], static_cast<std::int64_t>(i));
        ASSERT_EQ(all.particles.columns[1].data.as<std::int64_t>()[i], static_cast<std::int64_t>(i + 1));
      }
    }
    apps::read_options row;
    row.wanted = {false, {"row"}};
    const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    expect_bad(text + "\nx,1\n", "line " + std::to_string(lines + 2) + ": column \"row\": got \"x\"", row);
    expect_bad(text + std::string(1, '\0'), "byte " + std::to_string(text.size()) + " is 0");
  }
}

TEST_F(csv, a_carriage_return_alone_ends_no_line) {
  apps::read_options a;
  a.wanted = {false, {"a"}};
  expect_bad("a,b\r1,2\r", "line 1: got a carriage return alone; expected lines that end in \\n or \\r\\n", a);
  expect_bad("a,b\n1,2\n3\r4,5\n", "line 3: got a carriage return alone", a);
  expect_bad("a\n1\r2\n", "line 2: got a carriage return alone", a);
  expect_bad("b,a\n1,2\r3,4\n", "line 2: got a carriage return alone", a);
  const particle_file good = read("in.csv", "b,a\r\n1,2\r\n3,4\r\r\n5,6\r", a);
  ASSERT_EQ(good.particles.count, 3);
  for (const int i : {0, 1, 2}) EXPECT_EQ(good.particles.columns.at(0).data.as<std::int64_t>()[i], 2 * i + 2);
}

std::optional<std::int64_t> date_of(const std::string& text, date_unit unit = date_unit::microseconds) {
  std::int64_t date = 0;
  return apps::parse_date(text, unit, date) ? std::optional(date) : std::nullopt;
}

// The numbers are those of Python's datetime.
TEST(csv_dates, are_those_of_iso_8601) {
  EXPECT_EQ(date_of("1970-01-01"), 0);
  EXPECT_EQ(date_of("2024-02-29"), 1709164800000000);
  EXPECT_EQ(date_of("1969-12-31T23:59:59.999999Z"), -1);
  EXPECT_EQ(date_of("2024-02-29 13:05"), 1709211900000000);
  EXPECT_EQ(date_of("2024-02-29T13:05:09.25"), 1709211909250000);
  EXPECT_EQ(date_of("2024-02-29T13:05:09,000001+02:00"), 1709204709000001);
  EXPECT_EQ(date_of("2024-02-29T13:05:09-0330"), 1709224509000000);
  EXPECT_EQ(date_of("2024-02-29T13:05:09+02"), 1709204709000000);
  EXPECT_EQ(date_of("0001-01-01"), -62135596800000000);
  EXPECT_EQ(date_of("9999-12-31T23:59:59"), 253402300799000000);
  EXPECT_EQ(date_of("2024-02-29T13:05:09.123456789", date_unit::nanoseconds), 1709211909123456789);
  EXPECT_EQ(date_of("2024-02-29T13:05:09.1234560"), 1709211909123456);
  for (const char* text : {"",
                           "2024",
                           "2024-02",
                           "2023-02-29",
                           "2024-13-01",
                           "2024-00-01",
                           "2024-1-1",
                           "24-01-01",
                           "2024-02-29T",
                           "2024-02-29x",
                           "2024-02-29T13",
                           "2024-02-29T24:00",
                           "2024-02-29T13:60",
                           "2024-02-29T13:05:60",
                           "2024-02-29T13:05:09.",
                           "2024-02-29T13:05:09.1234567",
                           "2024-02-29T13:05:09.1234567890",
                           "2024-02-29T13:05Zx",
                           "2024-02-29T13:05+2",
                           "2024-02-29T13:05+02:",
                           "2024-02-29T13:05+02:60",
                           "-2024-02-29",
                           " 2024-02-29",
                           "2024/02/29"}) {
    EXPECT_FALSE(date_of(text)) << text;
  }
  EXPECT_FALSE(date_of("9999-12-31", date_unit::nanoseconds));
  EXPECT_FALSE(date_of("1677-01-01", date_unit::nanoseconds));
}

TEST_F(csv, columns_of_dates_are_found_and_given) {
  const std::string text =
      "when,n,exact,late\n,1,2024-01-01T00:00:00.000000001,\n\"2024-03-01 10:00\",2,NaT,\n2024-02-29,3,2024-01-01 ,\n";
  const std::string plain = "when,n\n2024-03-01,1\n2024-02-29T00:00:01Z,2\nNA,3\n";
  const particle_file found = read("in.csv", text);
  ASSERT_EQ(found.particles.columns.size(), 4u);
  const auto& columns = found.particles.columns;
  EXPECT_EQ(columns[0].date, "M8[us]");
  EXPECT_EQ(columns[0].type, scalar_type::i64);
  EXPECT_EQ(columns[0].data.as<std::int64_t>()[0], apps::not_a_time);
  EXPECT_EQ(columns[0].data.as<std::int64_t>()[1], 1709287200000000);
  EXPECT_EQ(columns[1].date, "");
  EXPECT_EQ(columns[2].date, "M8[ns]");
  EXPECT_EQ(columns[2].data.as<std::int64_t>()[0], 1704067200000000001);
  EXPECT_EQ(columns[2].data.as<std::int64_t>()[1], apps::not_a_time);
  EXPECT_EQ(columns[3].type, scalar_type::f64);  // all are missing: numbers
  EXPECT_EQ(read("in.csv", plain).particles.columns.at(0).data.as<std::int64_t>()[1], 1709164801000000);
  apps::read_options when;
  when.wanted = {false, {"when"}};
  expect_bad(plain + "2024-02-30,4\n", "line 5: column \"when\": got \"2024-02-30\"; expected a date, as 2024-02-29",
             when);
  expect_bad("when\n2024-01-01T00:00:00.123456789\n9999-12-31\n",
             "line 3: column \"when\": got \"9999-12-31\"; expected a date between the years 1678 and 2261", when);
  expect_bad("when\n1\n2024-01-01\n", "got \"2024-01-01\"; expected a number", when);
  when.types = {{"when", {scalar_type::i64, true}}};
  expect_bad("when\n1\n2024-01-01\n", "line 2: column \"when\": got \"1\"; expected a date", when);
  EXPECT_EQ(read("in.csv", "when\n\"\"\n", when).particles.columns.at(0).date, "M8[us]");
  EXPECT_EQ(read("in.csv", "when,n\n2024-01-01,1\nnever,2\n").particles.others, std::vector<std::string>{"when"});
}

/// The first rows decide, of a compressed file too, of which they do not come at once.
TEST_F(csv, dates_are_found_in_the_first_1024_rows_however_wide) {
  const std::string wide(std::size_t{12} << 10, 'w');
  for (const std::int64_t first : {900, 1023, 1024}) {
    std::string text = "when,n,text\n";
    for (std::int64_t i = 0; i < 1200; ++i) {
      text += (i < first ? "," : "2024-02-29,") + std::to_string(i) + "," + wide + "\n";
    }
    for (const std::string ending : {"", ".gz", ".zst"}) {
      const particle_file found = read("in.csv", ending.empty() ? text : packed(text, ending));
      ASSERT_EQ(found.particles.count, 1200) << ending;
      const auto& columns = found.particles.columns;
      ASSERT_EQ(columns.size(), first < 1024 ? 2u : 1u) << first << ending;
      if (first == 1024) continue;
      EXPECT_EQ(columns[0].date, "M8[us]") << ending;
      EXPECT_EQ(columns[0].data.as<std::int64_t>()[899], apps::not_a_time);
      EXPECT_EQ(columns[0].data.as<std::int64_t>()[1199], 1709164800000000);
    }
  }
}

TEST_F(csv, programs_sort_and_export_dates) {
  spill(file("in.csv"), "t,x\n2024-03-01,1\n,nan\n2024-02-29T12:00Z,2\n1999-01-01,3\n");
  const auto sorted = [&](const std::vector<std::string>& how) {
    std::vector<std::string> command{sort,     "--device", "sim",   "--verify", "--input",
                                     "in.csv", "--output", "o.csv", "--by"};
    command.insert(command.end(), how.begin(), how.end());
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return slurp(file("o.csv"));
  };
  const std::string head = "t,x\n", a = "2024-03-01,1\n", none = ",nan\n", b = "2024-02-29T12:00Z,2\n",
                    c = "1999-01-01,3\n";
  EXPECT_EQ(sorted({"t"}), head + none + c + b + a);
  EXPECT_EQ(sorted({"t:descending", "--missing", "first"}), head + none + a + b + c);
  EXPECT_EQ(sorted({"t", "--missing", "last", "--column-types", "t:date"}), head + c + b + a + none);
  const auto culled = [&](const std::vector<std::string>& how) {
    std::vector<std::string> command{cull,     "--device", "sim",   "--verify", "--input",
                                     "in.csv", "--output", "o.csv", "--sort-by"};
    command.insert(command.end(), how.begin(), how.end());
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    return slurp(file("o.csv"));
  };
  EXPECT_EQ(culled({"t", "--missing", "last", "--export", "t=t.npy"}), head + c + b + a + none);
  EXPECT_NE(slurp(file("t.npy")).find("'descr': '<M8[us]'"), std::string::npos);
  EXPECT_EQ(npy_elements<std::int64_t>(slurp(file("t.npy"))).at(3), apps::not_a_time);
  EXPECT_EQ(culled({"t", "--missing", "last", "--descending"}), head + a + b + c + none);
  EXPECT_EQ(culled({"x", "--missing", "first"}), head + none + a + b + c);
  EXPECT_EQ(culled({"x", "--missing", "last", "--descending"}), head + c + b + a + none);
  expect_failure({cull, "--input", "in.csv", "--output", "o.csv", "--missing", "last"}, 2, "--sort-by: got nothing");
  const outcome printed =
      run({cull, "--sort-by", "x", "--missing", "last", "--column-types", "t:date", "--print-config"});
  EXPECT_NE(printed.out.find("\"missing\": \"last\""), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("\"t\": \"date\""), std::string::npos) << printed.out;
}

/// A frame of zstd, in which blocks of one byte are repeated.
std::string zeros_in_a_frame(std::uint64_t bytes) {
  std::string frame = "\x28\xb5\x2f\xfd\xe0" + raw(bytes);
  constexpr std::uint64_t most = std::uint64_t{1} << 17;
  for (std::uint64_t left = bytes; left > 0;) {
    const std::uint64_t block = std::min(most, left);
    left -= block;
    frame += raw(static_cast<std::uint32_t>(block << 3 | 1 << 1 | (left == 0 ? 1 : 0))).substr(0, 3) + '\0';
  }
  return frame;
}

/// The output of the decompressor has 256 KiB at a time: the frame ends as that is full.
TEST_F(csv, frames_may_end_where_a_buffer_does) {
  for (const std::uint64_t bytes : {262143, 262144, 262145, 1048576}) {
    const std::string frame = zeros_in_a_frame(bytes);
    for (const std::string& all : {frame, frame + frame}) {
      spill(file("zeros.zst"), all);
      apps::input_file in(file("zeros.zst"));
      const std::uint64_t expected = bytes * (all.size() / frame.size());
      std::vector<char> got(expected + 1, 'x');
      EXPECT_EQ(in.read_part(got.data(), got.size()), expected);
      EXPECT_EQ(std::count(got.begin(), got.end(), '\0'), static_cast<std::ptrdiff_t>(expected));
    }
    spill(file("short.zst"), frame.substr(0, frame.size() - 4));
    apps::input_file in(file("short.zst"));
    std::vector<char> got(bytes + 1);
    EXPECT_THROW(static_cast<void>(in.read_part(got.data(), got.size())), apps::failure) << bytes;
  }
}

/// A fault is reported at once, though the pipe sends nothing for a while.
TEST_F(csv, a_pipe_that_stalls_does_not_hold_up_a_failure) {
  // As much as is looked at together: 64 KiB of the pipe, 8 MiB of text.
  std::string text = "a,a\n";
  std::mt19937 random(1);
  while (text.size() < (std::size_t{10} << 20))
    text += std::to_string(random()) + "," + std::to_string(random()) + "\n";
  const std::string all = packed(text);
  spill(file("most.zst"), all.substr(0, all.size() * 9 / 10));
  const auto begin = std::chrono::steady_clock::now();
  const outcome result = run({"/bin/bash", "-c",
                              "exec " + sort +
                                  " --device sim --quiet --by a --output o.csv --input - < <(cat most.zst; "
                                  "exec sleep 30 2>/dev/null)"});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("two columns are called \"a\""), std::string::npos) << result.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace upsweep::test
