// Zip archives and .npz files; what is put away beside what is made; how long something takes, on a terminal.
#include "npz.hpp"

#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "compression.hpp"
#include "failure.hpp"
#include "particle_file.hpp"
#include "progress.hpp"
#include "support.hpp"
#include "zip_archive.hpp"

namespace upsweep::test {
namespace {

using members = std::vector<std::pair<std::string, std::string>>;

class npz : public in_scratch_folder {
 protected:
  /// The file, whose deflated members are those of an even place.
  std::string archive(const members& all, bool deflates = true) const {
    apps::output_file out(file("made.npz"));
    apps::zip_writer zip(out);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto bytes = std::as_bytes(std::span(all[i].second));
      zip.add(all[i].first, {bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)}, deflates && i % 2 == 0);
    }
    zip.finish();
    out.commit();
    return slurp(file("made.npz"));
  }
  apps::particle_file read(const std::string& bytes, const apps::read_options& options = {}) const {
    spill(file("in.npz"), bytes);
    return apps::read_particles(file("in.npz"), options, {});
  }
  void expect_bad(const std::string& bytes, const std::string& words) const {
    try {
      static_cast<void>(read(bytes));
      ADD_FAILURE() << "was read, but should not: " << words;
    } catch (const apps::failure& error) {
      EXPECT_EQ(error.code(), apps::exit_code::bad_input);
      EXPECT_NE(std::string(error.what()).find("in.npz: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
};

std::string array(const std::string& descr, const std::string& shape, const std::string& data, bool fortran = false) {
  const std::string quoted = descr[0] == '[' ? descr : "'" + descr + "'";
  return npy_bytes(
      "{'descr': " + quoted + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }",
      data);
}

const members made = {
    {"x.npy", array("<f4", "(3,)", raw_all<float>({0.5f, 1.5f, 2.5f}))},
    {"version.npy", array("<i8", "()", raw<std::int64_t>(7))},
    {"p.npy", array("<f8", "(3, 2)", raw_all<double>({0, 1, 2, 10, 11, 12}), true)},
    {"name.npy", array("|S2", "(3,)", "aabbcc")},
    {"id.npy", array(">u2", "(3, 1)", std::string("\0\1\0\2\0\3", 6))},
    {"rows.npy", array("[('ok', '|b1'), ('z', '<i2')]", "(3,)", std::string("\1\5\0\0\6\0\1\7\0", 9))},
    {"bounds.npy", array("<f4", "(2,)", raw_all<float>({-1, 1}))},
    {"words.npy", array("|O", "(4,)", "pickled")},
    {"notes.txt", "by hand"},
};

TEST_F(npz, arrays_are_columns_and_keep_their_rows) {
  const apps::particle_file in = read(archive(made));
  ASSERT_EQ(in.particles.count, 3);
  EXPECT_EQ(in.format(), "npz");
  std::vector<std::string> names;
  for (const apps::table_column& c : in.particles.columns) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "p_0", "p_1", "id", "rows.ok", "rows.z"}));
  EXPECT_EQ(in.particles.others, (std::vector<std::string>{"name"}));
  ASSERT_EQ(in.notices.size(), 1u);
  EXPECT_NE(in.notices[0].find("as they do not have 3 rows: version, bounds, words"), std::string::npos)
      << in.notices[0];
  const auto& columns = in.particles.columns;
  EXPECT_EQ(columns[0].data.as<float>()[2], 2.5f);
  EXPECT_EQ(columns[1].data.as<double>()[1], 1);
  EXPECT_EQ(columns[2].data.as<double>()[1], 11);
  EXPECT_EQ(columns[3].data.as<std::uint16_t>()[2], 3);
  EXPECT_EQ(columns[5].data.as<std::int16_t>()[2], 7);

  ASSERT_TRUE(in.needs_origins());
  apps::particle_table two;
  two.count = 2;
  const std::uint64_t places[] = {2, 0};
  {
    apps::output_file out(file("out.npz"));
    EXPECT_TRUE(apps::write_particles(out, in, two, [&](std::int64_t i) { return places[i]; }).empty());
    out.commit();
  }
  const std::string written = slurp(file("out.npz"));
  const auto all = apps::zip_members("out.npz", std::as_bytes(std::span(written)));
  ASSERT_EQ(all.size(), made.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].name, made[i].first);
    EXPECT_EQ(all[i].is_deflated, i % 2 == 0) << all[i].name;
  }
  const auto bytes_of = [&](std::size_t i) {
    std::vector<std::byte> room(all[i].is_deflated ? static_cast<std::size_t>(all[i].bytes) : 0);
    const apps::byte_array bytes = apps::unpacked("out.npz", all[i], room);
    return std::string(bytes.as<char>(), bytes.bytes());
  };
  EXPECT_EQ(npy_elements<float>(bytes_of(0)), (std::vector<float>{2.5f, 0.5f}));
  EXPECT_EQ(bytes_of(1), made[1].second);
  EXPECT_EQ(npy_elements<double>(bytes_of(2)), (std::vector<double>{2, 12, 0, 10}));
  EXPECT_EQ(bytes_of(3).substr(bytes_of(3).size() - 4), "ccaa");
  EXPECT_EQ(npy_elements<std::uint16_t>(bytes_of(4)), (std::vector<std::uint16_t>{0x300, 0x100}));
  EXPECT_NE(bytes_of(4).find("'shape': (2, 1)"), std::string::npos);
  EXPECT_EQ(bytes_of(7), made[7].second);
  EXPECT_EQ(bytes_of(8), "by hand");
}

TEST_F(npz, rows_are_those_of_what_is_wanted) {
  apps::read_options options;
  options.wanted = {false, {"bounds"}};
  const apps::particle_file in = read(archive(made, false), options);
  EXPECT_EQ(in.particles.count, 2);
  ASSERT_EQ(in.particles.columns.size(), 1u);
  EXPECT_EQ(in.particles.columns[0].data.as<float>()[1], 1);
}

TEST_F(npz, arrays_without_a_byte_say_nothing_of_rows) {
  const std::string hollow = array("<f4", "(4611686018427387904, 0)", "");
  const apps::particle_file in = read(archive({{"hollow.npy", hollow},
                                               {"fieldless.npy", array("[]", "(5,)", "")},
                                               {"empty.npy", array("[('a', '<f4', (0,))]", "(5,)", "")},
                                               made[0]}));
  EXPECT_EQ(in.particles.count, 3);
  EXPECT_EQ(in.particles.columns.size(), 1u);
  expect_bad(archive({{"hollow.npy", hollow}}), "a zip archive without an array of rows");
}

TEST_F(npz, what_is_damaged_or_of_another_kind_is_said) {
  const std::string good = archive(made);
  expect_bad(good.substr(0, good.size() - 1), "a zip archive that is damaged: it ends early");
  expect_bad(archive({{"a.txt", "text"}}), "a zip archive without an array of rows; expected PLY, .npy, .npz");
  expect_bad(archive({{"a.npy", made[0].second}, {"a.npy", made[0].second}}), "two members are called a.npy");
  expect_bad(
      archive({{"a.npy", array("<f4", "(1, 2)", std::string(8, 'x'))}, {"a_1.npy", array("<f4", "(1,)", "abcd")}}),
      "two columns would be called \"a_1\"");
  expect_bad(archive({made[0], {"a.npy", array("|O", "(3,)", "abcd")}}), "a.npy: objects of Python, one a row");
  expect_bad(archive({{"a.npy", array("<f4", "(2,)", "abcd")}}), "a.npy: the header promises shape (2,)");
  std::string changed = archive({{"t", ""}, made[3]});
  changed[changed.find("aabbcc")] = 'b';
  expect_bad(changed, "the bytes of name.npy do not have its checksum");
  changed = good;
  changed[changed.find("PK\1\2") + 10] = 12;
  expect_bad(changed, "x.npy: compressed by method 12; expected members that are stored or deflated");
  changed[changed.find("PK\1\2") + 8] = 1;
  expect_bad(changed, "x.npy: encrypted; expected");
  changed = good;
  changed[changed.find("PK\1\2") + 24] = 1;
  expect_bad(changed, "zip");
}

TEST_F(npz, programs_read_and_write_it) {
  spill(file("in.npz"), archive(made));
  const auto runs = [&](const std::vector<std::string>& command) {
    const outcome result = run(command);
    EXPECT_EQ(result.code, 0) << result.err;
    spill(file("in.npz"), slurp(file("out.npz")));
    return apps::read_particles(file("in.npz"), {}, {});
  };
  const apps::particle_file sorted =
      runs({sort, "--device", "sim", "--verify", "--input", "in.npz", "--output", "out.npz", "--by", "x:descending"});
  EXPECT_EQ(sorted.particles.columns[0].data.as<float>()[0], 2.5f);
  const apps::particle_file culled = runs({cull, "--device", "sim", "--verify", "--input", "in.npz", "--output",
                                           "out.npz", "--position", "p_0", "p_1", "--sphere", "2", "12", "0", "0.5"});
  ASSERT_EQ(culled.particles.count, 1);
  EXPECT_EQ(culled.particles.columns[3].data.as<std::uint16_t>()[0], 3);
  expect_failure({cull, "--device", "sim", "--input", "in.npz", "--output", "out.npy"}, 2,
                 "--output: out.npy ends in .npy, and .npz is written");
  spill(file("other.zip"), archive({{"a.txt", "text"}}));
  expect_failure({cull, "--device", "sim", "--input", "other.zip", "--output", "out.ply"}, 3,
                 "other.zip: a zip archive without an array of rows; expected PLY");
  expect_failure({sort, "--device", "sim", "--input", "in.npz", "--output", "out.npy"}, 3,
                 "in.npz: a zip archive, as .npz is; expected an npy file, or --by NAME");
}

TEST(elapsed_time, is_shown_on_a_terminal_and_wiped) {
  int terminal = -1, other_end = -1;
  ASSERT_EQ(openpty(&terminal, &other_end, nullptr, nullptr, nullptr), 0);
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(other_end, STDERR_FILENO);
  {
    const apps::elapsed_time shown("sorting");
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  }
  dup2(before, STDERR_FILENO);
  char text[200] = {};
  EXPECT_GT(read(terminal, text, sizeof text - 1), 0);
  EXPECT_EQ(std::string(text), "\rsorting, 1 s\x1b[K\r\x1b[K");
  for (const int fd : {terminal, other_end, before}) close(fd);
}

}  // namespace
}  // namespace upsweep::test
