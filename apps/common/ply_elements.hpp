// Elements of a PLY file other than its particles, when some of these are gone or have moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output_file.hpp"
#include "ply.hpp"

namespace upsweep::apps {

/// The new number of each vertex.
class new_vertices {
 public:
  /// Of `before` vertices there are `now`; without origins, the first ones.
  new_vertices(std::uint64_t before, std::int64_t now, const row_origins& origins);

  /// Nothing for one that is gone, or was never there.
  std::optional<std::uint64_t> operator[](double old) const;

 private:
  std::uint64_t now_;
  std::vector<std::uint32_t> new_of_old_;  ///< empty where no vertex has moved
};

/// The rows of an element that stay: those whose vertices are all there.
class kept_rows {
 public:
  /// Counts the rows; all of the arguments outlive it. Fails with exit_code::bad_input when a new number does not fit
  /// the type of the old one.
  kept_rows(const ply_header& header, const ply_rows& rows, const new_vertices& vertices, const std::string& file);

  std::size_t element() const { return rows_->element; }
  std::uint64_t count() const { return count_; }
  /// Writes them with the new numbers of their vertices.
  void write(output_file& file) const;

 private:
  template <class Take>
  void each(const Take& take) const;
  template <class Take>
  void each_binary(const Take& take) const;
  template <class Take>
  void each_line(const Take& take) const;
  bool is_vertex(const ply_property& p) const;
  [[noreturn]] void does_not_fit(const ply_property& p, std::uint64_t vertex) const;

  const ply_header* header_;
  const ply_rows* rows_;
  const new_vertices* vertices_;
  std::string file_;
  vertex_use use_;
  std::uint64_t count_ = 0;
};

}  // namespace upsweep::apps
