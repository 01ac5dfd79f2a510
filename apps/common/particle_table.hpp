// Particles on the host: named columns of run-time types.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byte_array.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::apps {

/// More properties than anybody has; tables of fewer are selected in a time that is about linear in their bytes.
inline constexpr std::uint64_t most_columns = 4096;

/// What is in a column of text: numbers of a type, or dates, which count as i64.
struct column_type {
  scalar_type type = scalar_type::i64;
  bool is_date = false;
};
/// Types of columns that were given, by the columns' names.
using column_types = std::map<std::string, column_type>;

/// One property of every particle.
struct table_column {
  std::string name;
  scalar_type type = scalar_type::f32;
  byte_array data;
  std::string date = {};    ///< of integers that are dates or durations, what NumPy calls them: M8[us]
  bool is_selected = true;  ///< else it is only looked at: what selects particles gives them without it
};

/// `count` particles as a structure of arrays.
struct particle_table {
  std::int64_t count = 0;
  std::vector<table_column> columns;
  std::vector<std::string> others;  ///< names of what the file has, too, and is not a column

  /// All names, for people.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const table_column& c : columns) {
      if (!c.name.empty()) all.push_back(c.name);
    }
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

  /// The index of the column of that name; nothing when there is none.
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return i;
    }
    return std::nullopt;
  }

  /// Appends a column of `count` elements, not initialised.
  table_column& add(std::string name, scalar_type type) {
    columns.push_back({std::move(name), type, byte_array(static_cast<std::size_t>(count) * size_of(type))});
    return columns.back();
  }

  /// A table of as many particles with those columns that are selected, not initialised.
  particle_table of_selected() const {
    particle_table result;
    result.count = count;
    for (const table_column& c : columns) {
      if (c.is_selected) result.add(c.name, c.type);
    }
    return result;
  }

  /// Bytes of one particle in all columns.
  std::size_t row_bytes() const {
    std::size_t bytes = 0;
    for (const table_column& c : columns) bytes += size_of(c.type);
    return bytes;
  }
};

}  // namespace upsweep::apps
