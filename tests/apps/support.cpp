#include "support.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

namespace upsweep::test {

namespace fs = std::filesystem;

in_scratch_folder::in_scratch_folder() {
  std::string name = (fs::temp_directory_path() / "upsweep-test-XXXXXX").string();
  if (mkdtemp(name.data())) folder_ = name;
  EXPECT_FALSE(folder_.empty()) << "no folder to work in: " << name;
}

in_scratch_folder::~in_scratch_folder() {
  std::error_code ignored;
  if (!HasFailure()) {
    fs::remove_all(folder_, ignored);
  } else {
    std::cout << "the files of this test are in " << folder_ << "\n";
  }
}

std::vector<std::string> in_scratch_folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> configs_in(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    const std::size_t before = paths.size();
    for (const auto& entry : fs::directory_iterator(configs + '/' + folder)) paths.push_back(entry.path().string());
    EXPECT_GT(paths.size(), before) << folder;
  }
  return paths;
}

outcome in_scratch_folder::run(const std::vector<std::string>& command, const std::string& input) const {
  const fs::path talk = fs::path(folder_.string() + "-talk");
  fs::create_directory(talk);
  const std::string in = (talk / "in").string();
  const std::string out = (talk / "out").string();
  const std::string err = (talk / "err").string();
  spill(in, input);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  outcome result;
  pid_t pid = 0;
  const int spawned = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(spawned, 0) << "cannot start " << command[0];
  if (spawned == 0) {
    int state = 0;
    waitpid(pid, &state, 0);
    result.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    result.out = slurp(out);
    result.err = slurp(err);
  }
  fs::remove_all(talk);
  return result;
}

void in_scratch_folder::expect_failure(const std::vector<std::string>& command, int code,
                                       const std::string& words) const {
  const outcome result = run(command);
  EXPECT_EQ(result.code, code) << result.err;
  std::vector<std::string> errors;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("upsweep-")) errors.push_back(line);
  }
  ASSERT_EQ(errors.size(), 1u) << result.err;
  EXPECT_NE(errors[0].find(words), std::string::npos) << "expected: " << words << "\ngot: " << errors[0];
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void spill(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  EXPECT_TRUE(file.good()) << "cannot write " << path;
}

std::string npy_bytes(const std::string& dictionary, const std::string& data, int major) {
  const std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  bytes += major == 1 ? raw(static_cast<std::uint16_t>(header.size())) : raw(static_cast<std::uint32_t>(header.size()));
  return bytes + header + data;
}

}  // namespace upsweep::test
