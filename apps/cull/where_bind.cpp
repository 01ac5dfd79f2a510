#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "failure.hpp"
#include "where.hpp"

namespace upsweep::apps {
namespace {

/// What of how two numbers compare makes a comparison true.
std::uint8_t accepted_by(where_kind kind) {
  switch (kind) {
    case where_kind::less:
      return is_less;
    case where_kind::at_most:
      return is_less | is_equal;
    case where_kind::more:
      return is_greater;
    case where_kind::at_least:
      return is_greater | is_equal;
    case where_kind::equal:
      return is_equal;
    default:
      return is_less | is_greater | is_unordered;
  }
}

where_op load_of(scalar_type type) {
  switch (type) {
    case scalar_type::i8:
      return where_op::load_i8;
    case scalar_type::u8:
      return where_op::load_u8;
    case scalar_type::i16:
      return where_op::load_i16;
    case scalar_type::u16:
      return where_op::load_u16;
    case scalar_type::i32:
      return where_op::load_i32;
    case scalar_type::u32:
      return where_op::load_u32;
    case scalar_type::i64:
      return where_op::load_i64;
    case scalar_type::u64:
      return where_op::load_u64;
    case scalar_type::f32:
      return where_op::load_f32;
    default:
      return where_op::load_f64;
  }
}

where_op comparison_of(where_type left, where_type right) {
  // By left, then right: integer, natural, real.
  constexpr where_op table[3][3] = {
      {where_op::compare_signed, where_op::compare_signed_unsigned, where_op::compare_signed_double},
      {where_op::compare_unsigned_signed, where_op::compare_unsigned, where_op::compare_unsigned_double},
      {where_op::compare_double_signed, where_op::compare_double_unsigned, where_op::compare_doubles}};
  return table[static_cast<int>(left)][static_cast<int>(right)];
}

/// The types first, from the leaves up; then the steps, by recursion, one operand after the other.
class where_binder {
 public:
  where_binder(const where_condition& condition, const particle_table& particles, const std::string& origin)
      : condition_(condition), particles_(particles), origin_(origin) {
    bound_.nodes = condition.nodes;
    bound_.columns.resize(condition.nodes.size());
  }

  bound_where bind(const where_roles& roles, const std::string& file) {
    for (std::size_t i = 0; i < bound_.nodes.size(); ++i) {
      if (bound_.nodes[i].kind == where_kind::property) find(i, roles, file);
      give_type(i);
    }
    emit_truth(bound_.nodes.size() - 1);
    return std::move(bound_);
  }

 private:
  void find(std::size_t i, const where_roles& roles, const std::string& file) {
    where_node& node = bound_.nodes[i];
    auto found = particles_.find(node.name);
    const std::string_view names[] = {"x", "y", "z"};
    for (std::size_t d = 0; d < 3 && !found; ++d) {
      if (node.name == names[d]) found = particles_.find(roles.position[d]);
    }
    if (!found && node.name == "lifetime") found = particles_.find(roles.lifetime);
    if (!found) {
      const std::vector<std::string> there = particles_.names();
      const std::string nearest = nearest_word(node.name, there);
      fail(exit_code::bad_input, "{}: no property \"{}\", which {} needs in column {}; it has {}{}", file, node.name,
           origin_, node.column, list_text(there), nearest.empty() ? "" : "; perhaps " + nearest);
    }
    bound_.columns[i] = *found;
    const scalar_type type = particles_.columns[*found].type;
    const bool is_real = type == scalar_type::f32 || type == scalar_type::f64;
    node.type = is_real ? where_type::real : type == scalar_type::u64 ? where_type::natural : where_type::integer;
  }

  void give_type(std::size_t i) {
    where_node& node = bound_.nodes[i];
    const auto type_of = [&](std::size_t operand) { return bound_.nodes[operand].type; };
    if (node.kind == where_kind::negation) {
      node.type = type_of(node.left) == where_type::real ? where_type::real : where_type::integer;
    } else if (node.kind == where_kind::quotient) {
      node.type = where_type::real;
    } else if (node.kind >= where_kind::sum && node.kind <= where_kind::remainder) {
      // integer, natural, real: the later one of both.
      node.type = std::max(type_of(node.left), type_of(node.right));
      if (node.kind == where_kind::remainder && node.type == where_type::real) {
        fail(exit_code::usage, "{}: column {} of \"{}\": expected whole numbers beside \"%\"; got a float", origin_,
             node.column, condition_.text);
      }
    } else if (is_comparison(node.kind)) {
      round_as(node.left, node.right);
      round_as(node.right, node.left);
    }
  }

  /// A number that is compared with a property of floats is the float that is meant: 0.3 is 0.3f there.
  void round_as(std::size_t property, std::size_t number) {
    where_node& to = bound_.nodes[number];
    if (bound_.nodes[property].kind != where_kind::property || to.kind != where_kind::number) return;
    if (particles_.columns[bound_.columns[property]].type != scalar_type::f32) return;
    const double value = to.type == where_type::real      ? std::bit_cast<double>(to.bits)
                         : to.type == where_type::integer ? static_cast<double>(static_cast<std::int64_t>(to.bits))
                                                          : static_cast<double>(to.bits);
    const auto nearest = static_cast<float>(value);
    to.type = where_type::real;
    to.bits = std::bit_cast<std::uint64_t>(std::isfinite(nearest) ? static_cast<double>(nearest) : value);
  }

  void push(where_op op, std::uint8_t accepted = 0) { bound_.steps.push_back({op, accepted, false, 0, nullptr}); }

  /// A constant as the right operand of the last step does not need a step of its own.
  void take_constant() {
    const where_step last = bound_.steps.back();
    const where_step before = bound_.steps[bound_.steps.size() - 2];
    if (before.op != where_op::constant) return;
    bound_.steps.pop_back();
    bound_.steps.back() = {last.op, last.accepted, true, before.bits, nullptr};
  }

  /// The steps that leave the node's value on the stack.
  void emit(std::size_t i) {
    const where_node& node = bound_.nodes[i];
    switch (node.kind) {
      case where_kind::property: {
        const table_column& c = particles_.columns[bound_.columns[i]];
        bound_.steps.push_back({load_of(c.type), 0, false, 0, c.data.data()});
        return pushed(node);
      }
      case where_kind::number:
        bound_.steps.push_back({where_op::constant, 0, false, node.bits, nullptr});
        return pushed(node);
      case where_kind::negation:
        emit(node.left);
        return push(node.type == where_type::real ? where_op::negate_double : where_op::negate_integer);
      case where_kind::inversion:
        emit_truth(node.left);
        return push(where_op::logical_not);
      case where_kind::conjunction:
      case where_kind::disjunction:
        emit_truth(node.left);
        emit_truth(node.right);
        push(node.kind == where_kind::conjunction ? where_op::logical_and : where_op::logical_or);
        break;
      case where_kind::sum:
      case where_kind::difference:
      case where_kind::product:
      case where_kind::quotient:
      case where_kind::remainder:
        emit_as(node.left, node.type);
        emit_as(node.right, node.type);
        push(arithmetic_of(node));
        take_constant();
        break;
      default:
        emit(node.left);
        emit(node.right);
        push(comparison_of(bound_.nodes[node.left].type, bound_.nodes[node.right].type), accepted_by(node.kind));
        take_constant();
    }
    --depth_;
  }

  static where_op arithmetic_of(const where_node& node) {
    const bool is_real = node.type == where_type::real;
    switch (node.kind) {
      case where_kind::sum:
        return is_real ? where_op::add_doubles : where_op::add_integers;
      case where_kind::difference:
        return is_real ? where_op::subtract_doubles : where_op::subtract_integers;
      case where_kind::product:
        return is_real ? where_op::multiply_doubles : where_op::multiply_integers;
      case where_kind::quotient:
        return where_op::divide_doubles;
      default:
        return node.type == where_type::natural ? where_op::remainder_unsigned : where_op::remainder_signed;
    }
  }

  void emit_as(std::size_t i, where_type type) {
    emit(i);
    const where_type has = bound_.nodes[i].type;
    if (type != where_type::real || has == where_type::real) return;
    if (bound_.nodes[i].kind == where_kind::number) {
      std::uint64_t& bits = bound_.steps.back().bits;
      bits =
          std::bit_cast<std::uint64_t>(has == where_type::integer ? static_cast<double>(static_cast<std::int64_t>(bits))
                                                                  : static_cast<double>(bits));
      return;
    }
    push(has == where_type::integer ? where_op::double_of_signed : where_op::double_of_unsigned);
  }

  void emit_truth(std::size_t i) {
    emit(i);
    const where_type has = bound_.nodes[i].type;
    if (has == where_type::truth) return;
    push(has == where_type::real ? where_op::truth_of_double : where_op::truth_of_integer);
  }

  void pushed(const where_node& node) {
    if (++depth_ <= most_where_values) return;
    fail(exit_code::usage,
         "{}: column {} of \"{}\": more than {} values are pending at once; expected fewer: (b || c) && a needs "
         "fewer than a && (b || c)",
         origin_, node.column, condition_.text, most_where_values);
  }

  const where_condition& condition_;
  const particle_table& particles_;
  const std::string& origin_;
  bound_where bound_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::size_t> bound_where::looked_at() const {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].kind == where_kind::property) all.push_back(columns[k]);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bound_where bind_where(const where_condition& condition, const particle_table& particles, const where_roles& roles,
                       const std::string& origin, const std::string& file) {
  return where_binder(condition, particles, origin).bind(roles, file);
}

}  // namespace upsweep::apps
