#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "failure.hpp"
#include "text_numbers.hpp"
#include "where.hpp"

namespace upsweep::apps {
namespace {

/// So deep are parentheses and signs nested at most, and so many parts has a condition.
constexpr int deepest = 100;
constexpr std::size_t most_nodes = 4096;

struct spelling {
  std::string_view text;
  where_kind kind;
  int strength;  ///< what is stronger binds its operands first
};

constexpr int or_strength = 1, and_strength = 2, comparison_strength = 3, sum_strength = 4, product_strength = 5;

/// The longer of two that begin alike first.
constexpr spelling operators[] = {{"||", where_kind::disjunction, or_strength},
                                  {"&&", where_kind::conjunction, and_strength},
                                  {"==", where_kind::equal, comparison_strength},
                                  {"!=", where_kind::unequal, comparison_strength},
                                  {"<=", where_kind::at_most, comparison_strength},
                                  {">=", where_kind::at_least, comparison_strength},
                                  {"<", where_kind::less, comparison_strength},
                                  {">", where_kind::more, comparison_strength},
                                  {"+", where_kind::sum, sum_strength},
                                  {"-", where_kind::difference, sum_strength},
                                  {"*", where_kind::product, product_strength},
                                  {"/", where_kind::quotient, product_strength},
                                  {"%", where_kind::remainder, product_strength}};

/// What other languages write, and what is written here.
constexpr std::pair<std::string_view, std::string_view> foreign[] = {{"and", "&&"}, {"or", "||"},  {"not", "!"},
                                                                     {"=", "=="},   {"&", "&&"},   {"|", "||"},
                                                                     {"<>", "!="},  {"AND", "&&"}, {"OR", "||"}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class where_parser {
 public:
  where_parser(const std::string& origin, std::string_view text) : origin_(origin) { condition_.text = text; }

  where_condition parse() {
    static_cast<void>(binary(or_strength, 0));
    if (!rest().empty()) unexpected("an operator, or the end");
    return std::move(condition_);
  }

 private:
  std::string_view rest() const { return std::string_view(condition_.text).substr(at_); }
  char next() const { return at_ < condition_.text.size() ? condition_.text[at_] : '\0'; }
  void skip_blank() {
    while (at_ < condition_.text.size() && std::string_view(" \t\r\n").find(next()) != std::string_view::npos) ++at_;
  }

  [[noreturn]] void bad(std::size_t column, const std::string& expected, const std::string& came) const {
    fail(exit_code::usage, "{}: column {} of \"{}\": expected {}; got {}", origin_, column, condition_.text, expected,
         came);
  }
  [[noreturn]] void unexpected(const std::string& expected) const {
    if (rest().empty()) bad(at_ + 1, expected, "the end");
    std::size_t length = 1;
    if (is_letter(next())) {
      while (length < rest().size() && (is_letter(rest()[length]) || is_digit(rest()[length]))) ++length;
    }
    const std::string_view word = rest().substr(0, rest().starts_with("<>") ? 2 : length);
    // After an operand, or after another *.
    if (word == "(") bad(at_ + 1, expected + ", as conditions have no functions", quoted(word));
    if (word == "^" || word == "*") {
      bad(at_ + 1, expected + ", as conditions have no powers, and x*x is the square of x", quoted(word));
    }
    for (const auto& [other, ours] : foreign) {
      if (word == other) bad(at_ + 1, fmt::format("{}, as \"{}\" is written here", expected, ours), quoted(word));
    }
    bad(at_ + 1, expected, quoted(word));
  }
  static std::string quoted(std::string_view word) { return fmt::format("\"{}\"", word); }

  std::size_t add(where_node node) {
    if (condition_.nodes.size() == most_nodes) {
      bad(node.column, fmt::format("at most {} numbers, properties and operators", most_nodes), "more");
    }
    condition_.nodes.push_back(std::move(node));
    return condition_.nodes.size() - 1;
  }

  bool is_truth(std::size_t node) const { return condition_.nodes[node].type == where_type::truth; }
  void needs_number(std::size_t node, const spelling& op) const {
    if (!is_truth(node)) return;
    bad(condition_.nodes[node].column, fmt::format("a number beside {}", quoted(op.text)),
        "a comparison; those are joined by && and ||");
  }

  std::optional<spelling> operator_ahead() {
    skip_blank();
    for (const spelling& op : operators) {
      if (!rest().starts_with(op.text)) continue;
      return op;
    }
    return std::nullopt;
  }

  /// Operands joined by operators of at least that strength.
  std::size_t binary(int least_strength, int depth) {
    std::size_t left = unary(depth);
    for (;;) {
      const auto op = operator_ahead();
      if (!op || op->strength < least_strength) return left;
      const std::size_t column = at_ + 1;
      at_ += op->text.size();
      const std::size_t right = binary(op->strength + 1, depth);
      const bool joins_truths = op->strength <= and_strength;
      if (!joins_truths) {
        if (op->strength == comparison_strength && is_truth(left)) {
          bad(column, "&&, || or the end, as a < b < c is written a < b && b < c", quoted(op->text));
        }
        needs_number(left, *op);
        needs_number(right, *op);
      }
      where_node node;
      node.kind = op->kind;
      node.type = op->strength <= comparison_strength ? where_type::truth : where_type::real;
      node.left = left;
      node.right = right;
      node.column = column;
      left = add(node);
    }
  }

  std::size_t unary(int depth) {
    skip_blank();
    if (depth > deepest) bad(at_ + 1, fmt::format("at most {} levels of parentheses and signs", deepest), "more");
    const std::size_t column = at_ + 1;
    if (next() == '!' && !rest().starts_with("!=")) {
      ++at_;
      where_node node{where_kind::inversion, where_type::truth, unary(depth + 1), 0, column, 0, {}};
      return add(node);
    }
    if (next() == '-' || next() == '+') {
      const bool negates = next() == '-';
      ++at_;
      const std::size_t operand = unary(depth + 1);
      needs_number(operand, {negates ? "-" : "+", where_kind::negation, 0});
      if (!negates) return operand;
      if (negated_number(operand)) return operand;
      where_node node{where_kind::negation, where_type::real, operand, 0, column, 0, {}};
      return add(node);
    }
    return leaf(depth);
  }

  /// Of a number as it was written, the one below 0.
  bool negated_number(std::size_t operand) {
    where_node& node = condition_.nodes[operand];
    if (node.kind != where_kind::number) return false;
    constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
    if (node.type == where_type::real) {
      node.bits ^= lowest;
    } else if (node.type == where_type::integer || node.bits == lowest) {
      node.bits = std::uint64_t{0} - node.bits;
      node.type = where_type::integer;
    } else {
      bad(node.column, "a number from -2^63 on", "a smaller one");
    }
    return true;
  }

  std::size_t leaf(int depth) {
    if (next() == '(') {
      ++at_;
      const std::size_t inner = binary(or_strength, depth + 1);
      skip_blank();
      if (next() != ')') unexpected("an operator or \")\"");
      ++at_;
      return inner;
    }
    if (is_digit(next()) || next() == '.') return number();
    if (is_letter(next()) || next() == '`') return property();
    unexpected("a number, a property or \"(\"");
  }

  std::size_t number() {
    where_node node;
    node.column = at_ + 1;
    std::size_t length = 0;
    bool is_whole = true;
    const std::string_view text = rest();
    while (length < text.size()) {
      const char c = text[length];
      const bool is_sign = (c == '+' || c == '-') && length > 0 && (text[length - 1] == 'e' || text[length - 1] == 'E');
      if (!is_digit(c) && !is_letter(c) && c != '.' && !is_sign) break;
      if (!is_digit(c)) is_whole = false;
      ++length;
    }
    const std::string_view digits = text.substr(0, length);
    std::uint64_t whole = 0;
    double real = 0;
    if (is_whole && parse_number(digits, whole) == text_number::taken) {
      node.type = whole >> 63 == 0 ? where_type::integer : where_type::natural;
      node.bits = whole;
    } else if (parse_number(digits, real) == text_number::taken && std::isfinite(real)) {
      static_assert(sizeof real == sizeof node.bits);
      node.type = where_type::real;
      node.bits = std::bit_cast<std::uint64_t>(real);
    } else {
      bad(node.column, "a number, as 12, 0.5 or 1e-3", quoted(digits.substr(0, 60)));
    }
    at_ += length;
    return add(std::move(node));
  }

  std::size_t property() {
    where_node node;
    node.kind = where_kind::property;
    node.column = at_ + 1;
    if (next() == '`') {
      const std::size_t end = condition_.text.find('`', at_ + 1);
      if (end == std::string::npos) bad(node.column, "a \"`\" after the name too", "none");
      node.name = condition_.text.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return add(std::move(node));
    }
    const std::size_t first = at_;
    while (is_letter(next()) || is_digit(next()) || next() == '.') ++at_;
    node.name = condition_.text.substr(first, at_ - first);
    for (const auto& [other, ours] : foreign) {
      if (node.name == other) {
        at_ = first;
        unexpected("a number, a property or \"(\"");
      }
    }
    return add(std::move(node));
  }

  const std::string& origin_;
  where_condition condition_;
  std::size_t at_ = 0;
};

}  // namespace

where_condition parse_where(const std::string& origin, std::string_view text) {
  return where_parser(origin, text).parse();
}

}  // namespace upsweep::apps
