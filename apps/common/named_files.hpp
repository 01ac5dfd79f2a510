// The files that a program is told to read and to write, compared before any of them is opened.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::apps {

/// A file, and what names it: "--report", or "cull.json: /report". An empty path is none; "-" is a standard stream.
struct named_file {
  std::string path;
  std::string named_by;
};

struct named_output {
  std::string path;
  std::string named_by;
  std::string format = {};                      ///< ".npy", say: what is written, where that is known
  std::optional<std::size_t> in_place_of = {};  ///< the input, by its number, that this may replace
};

/// Fails with exit_code::usage, and names both, where an output is a file that is read, or one with another output: by
/// the same path, by another path or link, or as standard output; and where an output's name ends as another format
/// does than the one that is written. Devices such as /dev/null may be named at will.
void check_files(const std::vector<named_file>& inputs, const std::vector<named_output>& outputs);

/// Fails with exit_code::usage when the file's name ends as another format does than `format`, ".npy" say. `why`
/// follows what is written.
void check_ending(const named_output& output, const std::string& format, const std::string& why = "");

/// What the links of a path lead to, whether it exists or not.
std::string final_target(const std::string& path);

}  // namespace upsweep::apps
