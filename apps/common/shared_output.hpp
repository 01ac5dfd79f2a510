// A file that several processes write, each its own part, and that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "output_file.hpp"
#include "process_ranks.hpp"

namespace upsweep::apps {

/// Rank 0 makes the file, beside its target; the others open it by its name, so the folder is one that all of them see.
/// Every method is called by all ranks; one that fails on a rank fails on all.
class shared_output {
 public:
  /// "-" is refused: one cannot write to the middle of it. `origin` names the path in the message.
  shared_output(process_ranks& ranks, const std::string& path, const std::string& origin);
  ~shared_output();
  shared_output(const shared_output&) = delete;
  shared_output& operator=(const shared_output&) = delete;

  const std::string& name() const { return name_; }
  /// Where it is until it has its name.
  const std::string& path() const { return path_; }

  /// This rank's part of it, in any order. Not one of the methods that all ranks call: within process_ranks::together.
  void write_at(std::uint64_t at, const void* from, std::size_t bytes);
  /// Closes what the ranks have written.
  void finish();
  /// Gives the file its name, and after it `others` theirs, as commit_all of output_file.hpp does.
  void commit(const std::vector<shared_output*>& others = {});

 private:
  process_ranks& ranks_;
  std::string name_, path_;
  std::optional<output_file> file_;  ///< of rank 0
  int fd_ = -1;
};

}  // namespace upsweep::apps
