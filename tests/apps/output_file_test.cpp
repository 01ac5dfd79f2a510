// Files that appear whole or not at all.
#include "output_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "failure.hpp"
#include "named_files.hpp"
#include "picture.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::exit_code;
using apps::failure;
using apps::output_file;

class output : public in_scratch_folder {
 protected:
  void expect_cannot_write(const std::string& path, const std::string& words) const {
    try {
      output_file out(path);
      FAIL() << path << " could be opened";
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), exit_code::cannot_write);
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  /// Runs `body` in a process of its own; its exit code, or 128 + the number of the signal that ended it.
  static int in_child(const std::function<int()>& body) {
    const pid_t pid = fork();
    if (pid == 0) _exit(body());
    int state = 0;
    waitpid(pid, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  }
};

TEST_F(output, tells_which_have_their_names_where_one_cannot) {
  try {
    output_file first(file("a")), second(file("b")), third(file("c"));
    for (output_file* out : {&first, &second, &third}) out->write("new");
    std::filesystem::create_directory(file("b"));
    apps::commit_all({&first, &second, &third});
    FAIL();
  } catch (const failure& error) {
    EXPECT_EQ(error.code(), exit_code::cannot_write);
    EXPECT_EQ(error.what(), file("b") + ": cannot replace it: Is a directory; written before: " + file("a"));
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(output, appears_at_the_commit) {
  spill(file("a"), "old");
  {
    output_file out(file("a"));
    out.write("new");
    out.finish();
    EXPECT_EQ(slurp(file("a")), "old");
    out.commit();
  }
  EXPECT_EQ(slurp(file("a")), "new");
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
}

TEST_F(output, leaves_nothing_without_a_commit) {
  for (const bool nameless : {true, false}) {
    spill(file("a"), "old");
    {
      output_file out(file("a"), nameless);
      out.write(std::string(10 << 20, 'x'));
    }
    EXPECT_EQ(slurp(file("a")), "old");
    EXPECT_EQ(files(), std::vector<std::string>{"a"});
  }
}

TEST_F(output, is_not_in_the_way_of_another_to_the_same_file) {
  for (const bool nameless : {true, false}) {
    output_file first(file("a"), nameless), second(file("a"), false);
    first.write("first");
    second.write("second");
    second.commit();
    EXPECT_EQ(slurp(file("a")), "second");
    first.commit();
    EXPECT_EQ(slurp(file("a")), "first");
    EXPECT_EQ(files(), std::vector<std::string>{"a"});
  }
}

/// As after a kill that no program can see coming.
TEST_F(output, removes_what_a_killed_run_has_left_and_nothing_else) {
  const std::string living = ".a.0123456789abcdef.upsweep-tmp", others = ".a.0123456789.upsweep-tmp";
  spill(file(others), "of somebody else");
  spill(file(living), "being written");
  const int held = open(file(living).c_str(), O_RDONLY);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  const int code = in_child([&] {
    output_file out(file("a"), false);
    out.write("never");
    out.finish();
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(code, 128 + SIGKILL);
  EXPECT_EQ(files().size(), 3u);
  output_file out(file("a"));
  out.write("new");
  out.commit();
  EXPECT_EQ(files(), (std::vector<std::string>{others, living, "a"}));
  close(held);
  output_file(file("a")).commit();
  EXPECT_EQ(files(), (std::vector<std::string>{others, "a"}));
}

TEST_F(output, makes_what_a_dangling_link_leads_to) {
  std::filesystem::create_directory(file("folder"));
  std::filesystem::create_symlink("folder/real", file("link"));
  std::filesystem::create_symlink("link", file("link_to_link"));
  output_file out(file("link_to_link"));
  out.write("new");
  out.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(file("link")));
  EXPECT_EQ(slurp(file("folder/real")), "new");
}

TEST_F(output, an_interrupt_leaves_the_old_file_alone) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    spill(file("a"), "old");
    const int code = in_child([&] {
      signal(signal_number, SIG_DFL);
      apps::handle_interrupts();
      output_file first(file("a"));
      output_file second(file("b"));
      first.write(std::string(10 << 20, 'x'));
      raise(signal_number);
      return 0;
    });
    EXPECT_EQ(code, 130);
    EXPECT_EQ(slurp(file("a")), "old");
    EXPECT_EQ(files(), std::vector<std::string>{"a"});
  }
}

TEST_F(output, an_interrupt_after_the_commit_leaves_the_new_file_alone) {
  const int code = in_child([&] {
    signal(SIGTERM, SIG_DFL);
    apps::handle_interrupts();
    output_file out(file("a"));
    out.write("new");
    out.commit();
    raise(SIGTERM);
    return 0;
  });
  EXPECT_EQ(code, 130);
  EXPECT_EQ(slurp(file("a")), "new");
}

TEST_F(output, a_full_disk_leaves_the_old_file_alone) {
  spill(file("a"), "old");
  const int code = in_child([&] {
    apps::handle_interrupts();
    const rlimit limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      output_file out(file("a"));
      out.write(std::string(10 << 20, 'x'));
      out.commit();
    } catch (const failure& error) {
      return static_cast<int>(error.code());
    }
    return 0;
  });
  EXPECT_EQ(code, 4);
  EXPECT_EQ(slurp(file("a")), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
}

TEST_F(output, what_is_no_regular_file_is_written_as_it_is) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  const int reader = open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  output_file out(file("pipe"));
  out.write("through");
  out.commit();
  char got[16] = {};
  EXPECT_EQ(read(reader, got, sizeof(got)), 7);
  close(reader);
  EXPECT_STREQ(got, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(file("pipe")));
}

TEST_F(output, a_symbolic_link_stays_and_modes_are_kept) {
  spill(file("real"), "old");
  chmod(file("real").c_str(), 0640);
  std::filesystem::create_symlink("real", file("link"));
  output_file out(file("link"));
  out.write("new");
  out.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(file("link")));
  EXPECT_EQ(slurp(file("real")), "new");
  struct stat info = {};
  stat(file("real").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(output, new_files_follow_the_umask) {
  const mode_t old = umask(027);
  output_file(file("a")).commit();
  umask(old);
  struct stat info = {};
  stat(file("a").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(output, places_that_cannot_be_written) {
  expect_cannot_write(file(""), "a directory");
  expect_cannot_write(file("missing/a"), "cannot create a file beside it");
  spill(file("a"), "");
  expect_cannot_write(file("a/b"), "Not a directory");
  expect_cannot_write(file(std::string(300, 'n')), "File name too long");
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
}

TEST_F(output, can_be_written_again_in_between) {
  output_file out(file("a"));
  out.write("abcdef");
  out.rewrite(2, std::as_bytes(std::span("XY", 2)));
  out.write("gh");
  out.commit();
  EXPECT_EQ(slurp(file("a")), "abXYefgh");
}

TEST_F(output, an_animation_says_how_many_frames_came) {
  if (!apps::has_png()) GTEST_SKIP() << "built without libpng";
  const auto animation = [&](std::uint32_t announced) {
    apps::animated_png png(file("a.png"), announced, 30);
    for (int i = 0; i < 2; ++i) png.add(apps::picture(4, 3, {}));
    png.commit();
    return slurp(file("a.png"));
  };
  const std::string all = animation(2);
  EXPECT_NE(all.find(std::string("acTL\0\0\0\2", 8)), std::string::npos);
  EXPECT_EQ(animation(300), all);
}

TEST_F(output, two_names_of_one_file) {
  const auto refused = [](const std::vector<apps::named_file>& inputs, const std::vector<apps::named_output>& outputs) {
    try {
      apps::check_files(inputs, outputs);
    } catch (const failure& error) {
      EXPECT_EQ(error.code(), exit_code::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string a = file("a"), same = file("b/../a"), b = file("b"), link = file("link"),
                    dangling = file("dangling");
  EXPECT_EQ(refused({}, {{a, "--x"}, {"", "--y"}, {same, "--z"}}),
            "--z: " + same + " is what --x writes; each output needs its own file");
  spill(a, "there");
  std::filesystem::create_symlink("a", link);
  std::filesystem::create_symlink("b", dangling);
  std::filesystem::create_hard_link(a, file("hard"));
  EXPECT_NE(refused({}, {{a, "--x"}, {link, "--z"}}), "");
  EXPECT_NE(refused({}, {{b, "--x"}, {dangling, "--z"}}), "");
  EXPECT_NE(refused({}, {{"-", "--x"}, {"-", "--z"}}), "");
  EXPECT_EQ(refused({{a, "--in"}}, {{link, "--x"}}),
            "--x: " + link + " is what --in reads; expected another file to write");
  EXPECT_NE(refused({{a, "--in"}}, {{file("hard"), "--x"}}), "");
  EXPECT_EQ(
      refused({{a, "--in"}, {b, "--other"}, {"", ""}}, {{link, "--x", "", 0}, {b, "--y", "", 1}, {file("c"), "--z"}}),
      "");
  EXPECT_NE(refused({{a, "--in"}, {b, "--other"}}, {{b, "--x", "", 0}}), "") << "instead of its own input alone";
  EXPECT_EQ(
      refused({{"-", "--in"}, {"/dev/null", "--other"}}, {{"-", "--x"}, {"/dev/null", "--y"}, {"/dev/null", "--z"}}),
      "");
}

}  // namespace
}  // namespace upsweep::test
