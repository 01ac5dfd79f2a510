#include "named_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "compression.hpp"
#include "failure.hpp"

namespace upsweep::apps {
namespace {

/// Where a file is, as far as the system tells.
struct place {
  std::string path;
  bool exists = false;
  struct stat info = {};

  /// Not a file or pipe, in which what is written stays.
  bool is_device_or_folder() const {
    return exists && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode) || S_ISDIR(info.st_mode));
  }
};

place place_of(const std::string& path, int standard_stream) {
  place p;
  if (path.empty()) return p;
  if (path == "-") {
    p.path = path;
    p.exists = fstat(standard_stream, &p.info) == 0;
  } else {
    p.path = final_target(path);
    p.exists = stat(p.path.c_str(), &p.info) == 0;
  }
  return p;
}

bool is_same(const place& a, const place& b) {
  if (a.exists != b.exists) return false;
  if (!a.exists) return a.path == b.path;
  return a.info.st_dev == b.info.st_dev && a.info.st_ino == b.info.st_ino;
}

bool is_file(const place& p) {
  return !p.exists || S_ISREG(p.info.st_mode);
}

/// The endings that say what is in a file.
constexpr std::string_view known_endings[] = {".bmp", ".csv", ".gif",  ".jpeg", ".jpg", ".json",
                                              ".md",  ".npy", ".npz",  ".pdf",  ".ply", ".png",
                                              ".svg", ".tif", ".tiff", ".tsv",  ".txt", ".webp"};

}  // namespace

void check_ending(const named_output& output, const std::string& format, const std::string& why) {
  std::string ending = std::filesystem::path(without_compression(output.path)).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == format || std::ranges::find(known_endings, ending) == std::end(known_endings)) return;
  // A number a line is a table of one column.
  if (format == ".txt" && ending == ".csv") return;
  if (format == ".csv" && (ending == ".tsv" || ending == ".txt")) return;
  fail(exit_code::usage, "{}: {} ends in {}, and {} is written{}; expected a name that ends in {}", output.named_by,
       output.path, ending, format, why, format);
}

std::string final_target(const std::string& path) {
  constexpr int most_links = 40;  // as the system follows
  std::filesystem::path target = path;
  std::error_code error;
  for (int link = 0; link < most_links && std::filesystem::is_symlink(target, error); ++link) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) break;
    // What is not a file, such as the pipe that /dev/stdout is, has a link that leads to no path.
    if (!std::filesystem::exists(std::filesystem::symlink_status(target.parent_path() / next, error)) &&
        std::filesystem::exists(target, error)) {
      return target.string();
    }
    target = target.parent_path() / next;
  }
  const std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::absolute(target, error), error);
  return error ? target.string() : real.string();
}

void check_files(const std::vector<named_file>& inputs, const std::vector<named_output>& outputs) {
  std::vector<place> read, written;
  for (const named_file& input : inputs) read.push_back(place_of(input.path, STDIN_FILENO));
  for (const named_output& output : outputs) written.push_back(place_of(output.path, STDOUT_FILENO));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (std::size_t before = 0; before < i && inputs[i].path == "-"; ++before) {
      if (inputs[before].path != "-") continue;
      fail(exit_code::usage, "{}: got \"-\"; expected a file, as {} reads standard input", inputs[i].named_by,
           inputs[before].named_by);
    }
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const named_output& output = outputs[o];
    if (output.path.empty()) continue;
    // A stream is written while the file is read; a file with a name is replaced when all is done.
    const bool is_in_place = output.in_place_of && output.path != "-" && is_file(written[o]) &&
                             is_same(written[o], read[*output.in_place_of]);
    for (std::size_t i = 0; i < inputs.size() && !is_in_place; ++i) {
      if (inputs[i].path.empty() || written[o].is_device_or_folder() || !is_same(written[o], read[i])) continue;
      fail(exit_code::usage, "{}: {} is what {} reads; expected another file to write", output.named_by, output.path,
           inputs[i].named_by);
    }
    for (std::size_t before = 0; before < o; ++before) {
      const named_output& other = outputs[before];
      const bool are_both_streams = output.path == "-" && other.path == "-";
      if (other.path.empty() || !(are_both_streams || is_same(written[o], written[before]))) continue;
      if (!are_both_streams && written[o].is_device_or_folder()) continue;
      fail(exit_code::usage, "{}: {} is what {} writes; each output needs its own file", output.named_by, output.path,
           other.named_by);
    }
  }
  for (const named_output& output : outputs) {
    if (!output.format.empty()) check_ending(output, output.format);
  }
}

}  // namespace upsweep::apps
