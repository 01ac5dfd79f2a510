// What the tests of the programs share: a folder to write in, programs to run, files to build byte by byte.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "support/seed.hpp"

namespace upsweep::test {

/// How a program ended: 128 + the signal's number when one ended it.
struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// A test with an empty folder of its own, which is removed when the test has passed.
class in_scratch_folder : public testing::Test {
 protected:
  in_scratch_folder();
  ~in_scratch_folder() override;

  /// The full name of a file in the folder.
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  /// The names of the files in the folder, sorted.
  std::vector<std::string> files() const;
  /// Runs `command` with the folder as its current directory and `input` on its standard input.
  outcome run(const std::vector<std::string>& command, const std::string& input = "") const;
  /// Expects that the command ends with `code` and one line on stderr, after those that tell of progress, that has
  /// `words`.
  void expect_failure(const std::vector<std::string>& command, int code, const std::string& words) const;

  std::filesystem::path folder_;
};

std::string slurp(const std::string& path);
void spill(const std::string& path, const std::string& bytes);

/// The bytes of `value` as they are in a little endian file.
template <class T>
std::string raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <class T>
std::string raw_all(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The elements after the header of a version 1.0 .npy file.
template <class T>
std::vector<T> npy_elements(const std::string& bytes) {
  const std::size_t start =
      10 + static_cast<unsigned char>(bytes.at(8)) + 256 * static_cast<unsigned char>(bytes.at(9));
  std::vector<T> values((bytes.size() - start) / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data() + start, values.size() * sizeof(T));
  return values;
}

/// An .npy file with this dictionary and data; `major` is the version.
std::string npy_bytes(const std::string& dictionary, const std::string& data, int major = 1);

/// A one-dimensional .npy file; `descr` as "<u4".
template <class T>
std::string npy_vector_bytes(const std::string& descr, const std::vector<T>& values) {
  return npy_bytes(
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }",
      raw_all(values));
}

inline const std::string cull = UPSWEEP_CULL;
inline const std::string sort = UPSWEEP_SORT;
inline const std::string configs = UPSWEEP_CONFIGS;

/// The files of these folders of configs/, each of which has some.
std::vector<std::string> configs_in(const std::vector<std::string>& folders);

}  // namespace upsweep::test
