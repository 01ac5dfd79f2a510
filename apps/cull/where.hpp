// Conditions on particles, as people write them: 'classification == 2 && intensity > 100'.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "particle_table.hpp"
#include "upsweep/compact/particles.hpp"
#include "where_steps.hpp"

namespace upsweep::apps {

/// What a number in a condition is: whole numbers have 64 bits, everything else is a double.
enum class where_type : std::uint8_t { integer, natural, real, truth };

enum class where_kind : std::uint8_t {
  property,
  number,  // leaves
  negation,
  inversion,  // - !
  sum,
  difference,
  product,
  quotient,
  remainder,  // + - * / %
  less,
  at_most,
  more,
  at_least,
  equal,
  unequal,  // < <= > >= == !=
  conjunction,
  disjunction  // && ||
};

constexpr bool is_comparison(where_kind kind) {
  return kind >= where_kind::less && kind <= where_kind::unequal;
}

/// A part of a condition; its operands come before it.
struct where_node {
  where_kind kind = where_kind::number;
  where_type type = where_type::real;  ///< of a property by bind_where, and of what is computed
  std::size_t left = 0, right = 0;     ///< indices of the operands; a single one is `left`
  std::size_t column = 0;              ///< where it is in the text, from 1
  std::uint64_t bits = 0;              ///< of a number, of its type
  std::string name;                    ///< of a property
};

/// A condition whose words were understood. The last node is the whole.
struct where_condition {
  std::string text;
  std::vector<where_node> nodes;
};

/// Understands a condition, by this grammar, weakest first:
///   a || b   a && b   a == b != < <= > >=   a + b   a - b   a * b   a / b   a % b   -a   !a   ( a )
///   numbers: 12, 0.5, 1e-3   properties: intensity, or `any name` between backquotes
/// A number stands for whether it is not 0 where a truth is needed. Fails with exit_code::usage by a line that begins
/// with `origin` and names the column where something else was expected, and what.
where_condition parse_where(const std::string& origin, std::string_view text);

/// Names that stand for properties: x, y, z and lifetime, where there is no property of that name.
struct where_roles {
  std::array<std::string, 3> position = {"x", "y", "z"};
  std::string lifetime = "lifetime";
};

/// A condition over the columns of a table.
struct bound_where {
  std::vector<where_node> nodes;     ///< with the types that their properties give them
  std::vector<std::size_t> columns;  ///< of each node that is a property, the index in the table
  std::vector<where_step> steps;     ///< their loads point into the table

  /// Whether particle i of the table passes: each node in turn, apart from the steps, to check what they do.
  bool operator()(const particle_table& particles, std::int64_t i) const;
  /// The columns of the table that are looked at, once each.
  std::vector<std::size_t> looked_at() const;
};

/// Binds a condition to a table, read from `file`. Fails with exit_code::bad_input for a property that is not there,
/// exit_code::usage for a condition that needs too many values at once.
bound_where bind_where(const where_condition& condition, const particle_table& particles, const where_roles& roles,
                       const std::string& origin, const std::string& file);

}  // namespace upsweep::apps
