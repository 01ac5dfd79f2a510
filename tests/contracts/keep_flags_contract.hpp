// What the kernel of a condition on particles promises, on any device: the flags of random programs of its stack
// machine are those that the same steps give on the host, in arithmetic of another kind.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "keep_flags.cuh"
#include "support/guarded_array.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"

namespace upsweep::test {

/// What a value on the stack is.
enum class value_kind { whole, natural, real, truth };

/// A step's value for each particle, as 64 bits each.
struct host_values {
  value_kind kind;
  std::vector<std::uint64_t> bits;
};

inline double real_of(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
/// Exact: a long double has 64 bits of mantissa or more.
inline long double number_of(value_kind kind, std::uint64_t bits) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  if (kind == value_kind::real) return real_of(bits);
  return kind == value_kind::whole ? static_cast<long double>(static_cast<std::int64_t>(bits))
                                   : static_cast<long double>(bits);
}

/// A program of random steps over columns of all types, and what it yields.
template <class Stream>
class random_steps {
  using op = apps::where_op;

 public:
  random_steps(test_device<Stream>& d, std::size_t n, std::uint64_t salt) : n_(n), random_(salt) {
    add_column<std::int8_t>(d, op::load_i8, value_kind::whole);
    add_column<std::uint8_t>(d, op::load_u8, value_kind::whole);
    add_column<std::int16_t>(d, op::load_i16, value_kind::whole);
    add_column<std::uint16_t>(d, op::load_u16, value_kind::whole);
    add_column<std::int32_t>(d, op::load_i32, value_kind::whole);
    add_column<std::uint32_t>(d, op::load_u32, value_kind::whole);
    add_column<std::int64_t>(d, op::load_i64, value_kind::whole);
    add_column<std::uint64_t>(d, op::load_u64, value_kind::natural);
    add_column<float>(d, op::load_f32, value_kind::real);
    add_column<double>(d, op::load_f64, value_kind::real);
  }

  /// About `steps` steps, and those that leave one truth.
  void write(int steps) {
    while (static_cast<int>(program.size()) < steps) {
      const auto room = static_cast<std::size_t>(apps::most_where_values) - 1;
      if (stack_.empty() || (stack_.size() < room && random_.below(2) == 0)) {
        push();
      } else if (random_.below(4) == 0) {
        change_top();
      } else {
        join(stack_.size() == 1 || random_.below(3) == 0);
      }
    }
    while (stack_.size() > 1) join(false);
    as_truth();
  }

  std::vector<apps::where_step> program;
  const std::vector<std::uint64_t>& truths() const { return stack_.back().bits; }

 private:
  struct device_column {
    apps::where_step load;
    host_values values;
  };

  template <class Element>
  void add_column(test_device<Stream>& d, op load, value_kind kind) {
    std::vector<Element> items(n_);
    for (Element& item : items) {
      // Few different ones, so that some are equal, and the ends of the range.
      const auto few = static_cast<Element>(static_cast<int>(random_.below(7)) - (std::is_unsigned_v<Element> ? 0 : 3));
      item = random_.below(3) != 0   ? few
             : random_.below(2) != 0 ? (random_.below(2) != 0 ? std::numeric_limits<Element>::max()
                                                              : std::numeric_limits<Element>::lowest())
                                     : random_item<Element>(random_);
      if constexpr (std::is_floating_point_v<Element>) {
        if (random_.below(9) == 0) item = std::numeric_limits<Element>::quiet_NaN();
        if (random_.below(9) == 0) item = static_cast<Element>(0x1p63);
        if (random_.below(9) == 0) item += static_cast<Element>(0.5);
      }
    }
    auto array = std::make_shared<guarded_array<Element, Stream>>(d, items);
    device_column column{{load, 0, false, 0, array->data()}, {kind, {}}};
    for (const Element item : items) {
      if constexpr (std::is_floating_point_v<Element>) {
        column.values.bits.push_back(bits_of(static_cast<double>(item)));
      } else {
        column.values.bits.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(item)));
      }
    }
    columns_.push_back(column);
    keep_.push_back(array);
  }

  template <class F>
  void on_top(value_kind kind, F f) {
    stack_.back().kind = kind;
    for (std::uint64_t& bits : stack_.back().bits) bits = f(bits);
  }
  void step(op what, std::uint8_t accepted = 0) { program.push_back({what, accepted, false, 0, nullptr}); }

  void push() {
    if (random_.below(4) != 0) {
      const device_column& column = columns_[random_.below(columns_.size())];
      program.push_back(column.load);
      stack_.push_back(column.values);
      return;
    }
    const host_values constant = some_constant(random_.below(2) != 0 ? value_kind::real : value_kind::whole);
    program.push_back({op::constant, 0, false, constant.bits[0], nullptr});
    stack_.push_back({constant.kind, std::vector<std::uint64_t>(n_, constant.bits[0])});
  }
  host_values some_constant(value_kind kind) {
    const auto small = static_cast<std::int64_t>(random_.below(9)) - (kind == value_kind::natural ? 0 : 4);
    if (kind == value_kind::truth) return {kind, {random_.below(2)}};
    if (kind == value_kind::real) return {kind, {bits_of(static_cast<double>(small) / 2)}};
    return {kind, {static_cast<std::uint64_t>(small)}};
  }

  void as_real() {
    const value_kind kind = stack_.back().kind;
    if (kind == value_kind::real) return;
    step(kind == value_kind::natural ? op::double_of_unsigned : op::double_of_signed);
    on_top(value_kind::real, [kind](std::uint64_t v) { return bits_of(static_cast<double>(number_of(kind, v))); });
  }
  void as_truth() {
    const value_kind kind = stack_.back().kind;
    if (kind == value_kind::truth) return;
    step(kind == value_kind::real ? op::truth_of_double : op::truth_of_integer);
    on_top(value_kind::truth, [kind](std::uint64_t v) { return std::uint64_t{number_of(kind, v) != 0}; });
  }

  void change_top() {
    switch (stack_.back().kind) {
      case value_kind::truth:
        step(op::logical_not);
        return on_top(value_kind::truth, [](std::uint64_t v) { return std::uint64_t{v == 0}; });
      case value_kind::real:
        if (random_.below(2) != 0) return as_truth();
        step(op::negate_double);
        return on_top(value_kind::real, [](std::uint64_t v) { return bits_of(-real_of(v)); });
      default:
        if (random_.below(2) != 0) return as_real();
        step(op::negate_integer);
        return on_top(stack_.back().kind, [](std::uint64_t v) { return ~v + 1; });
    }
  }

  /// The two on top become one, or the one on top and a constant.
  void join(bool by_constant) {
    host_values right;
    if (by_constant) {
      right = some_constant(stack_.back().kind);
      right.bits.assign(n_, right.bits[0]);
    } else {
      right = stack_.back();
      stack_.pop_back();
    }
    if (stack_.back().kind == value_kind::truth && right.kind == value_kind::truth) {
      const bool both = random_.below(2) != 0;
      step(both ? op::logical_and : op::logical_or);
      apply(value_kind::truth, right, [both](std::uint64_t x, std::uint64_t y) {
        return std::uint64_t{both ? x != 0 && y != 0 : x != 0 || y != 0};
      });
    } else {
      // A truth is a whole number to all other steps.
      for (value_kind* kind : {&stack_.back().kind, &right.kind}) {
        if (*kind == value_kind::truth) *kind = value_kind::whole;
      }
      compute(right);
    }
    program.back().by_constant = by_constant;
    if (by_constant) program.back().bits = right.bits[0];
  }

  void compute(const host_values& right) {
    const value_kind left = stack_.back().kind;
    const bool reals = left == value_kind::real && right.kind == value_kind::real;
    const bool wholes = left != value_kind::real && right.kind != value_kind::real;
    const auto choice = random_.below(8);
    if (choice < 3 || (!reals && !wholes)) {
      compare(right);
    } else if (reals) {
      static constexpr op steps[] = {op::add_doubles, op::subtract_doubles, op::multiply_doubles, op::divide_doubles};
      const op what = steps[choice % 4];
      step(what);
      apply(value_kind::real, right, [what](std::uint64_t x, std::uint64_t y) {
        const double a = real_of(x), b = real_of(y);
        const double results[] = {a + b, a - b, a * b, a / b};
        return bits_of(results[static_cast<int>(what) - static_cast<int>(op::add_doubles)]);
      });
    } else if (choice < 6) {
      static constexpr op steps[] = {op::add_integers, op::subtract_integers, op::multiply_integers};
      const op what = steps[choice - 3];
      step(what);
      const bool natural = left == value_kind::natural || right.kind == value_kind::natural;
      apply(natural ? value_kind::natural : value_kind::whole, right, [what](std::uint64_t x, std::uint64_t y) {
        const auto a = static_cast<unsigned __int128>(x), b = static_cast<unsigned __int128>(y);
        const auto more = static_cast<unsigned __int128>(1) << 64;
        return static_cast<std::uint64_t>(what == op::add_integers        ? a + b
                                          : what == op::multiply_integers ? a * b
                                                                          : a + more - b);
      });
    } else {
      const bool natural = left == value_kind::natural || right.kind == value_kind::natural;
      step(natural ? op::remainder_unsigned : op::remainder_signed);
      apply(natural ? value_kind::natural : value_kind::whole, right, [natural](std::uint64_t x, std::uint64_t y) {
        if (y == 0) return std::uint64_t{0};
        if (natural) return x % y;
        const auto wide = static_cast<__int128>(static_cast<std::int64_t>(x)) % static_cast<std::int64_t>(y);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(wide));
      });
    }
  }

  void compare(const host_values& right) {
    using enum value_kind;
    const value_kind left = stack_.back().kind;
    static const std::map<std::pair<value_kind, value_kind>, op> steps = {
        {{whole, whole}, op::compare_signed},
        {{natural, natural}, op::compare_unsigned},
        {{real, real}, op::compare_doubles},
        {{whole, natural}, op::compare_signed_unsigned},
        {{natural, whole}, op::compare_unsigned_signed},
        {{whole, real}, op::compare_signed_double},
        {{real, whole}, op::compare_double_signed},
        {{natural, real}, op::compare_unsigned_double},
        {{real, natural}, op::compare_double_unsigned}};
    const auto accepted = static_cast<std::uint8_t>(random_.below(16));
    step(steps.at({left, right.kind}), accepted);
    const value_kind kind = right.kind;
    apply(truth, right, [=](std::uint64_t x, std::uint64_t y) {
      const long double a = number_of(left, x), b = number_of(kind, y);
      const unsigned how = a < b    ? apps::is_less
                           : a == b ? apps::is_equal
                           : a > b  ? apps::is_greater
                                    : apps::is_unordered;
      return std::uint64_t{(accepted & how) != 0};
    });
  }

  template <class F>
  void apply(value_kind kind, const host_values& right, F f) {
    for (std::size_t i = 0; i < n_; ++i) stack_.back().bits[i] = f(stack_.back().bits[i], right.bits[i]);
    stack_.back().kind = kind;
  }

  std::size_t n_;
  random_source random_;
  std::vector<device_column> columns_;
  std::vector<std::shared_ptr<void>> keep_;
  std::vector<host_values> stack_;
};

template <class Stream>
bool add_keep_flags_contract() {
  using device = test_device<Stream>;
  constexpr std::size_t tile = apps::keep_flags_kernel<8>::tile_items;
  // `where` of n particles, with a rule beside it or without, inverted or not, compared with `expected`.
  const auto expect_flags = [](device& d, apps::where_steps where, const keep_rules& rules,
                               const std::vector<std::uint8_t>& passes) {
    for (const bool inverted : {false, true}) {
      guarded_array<std::uint8_t, Stream> flags(d, passes.size(), 3);
      ASSERT_EQ(apps::write_keep_flags(d.executor(), {rules, where, inverted}, flags.data(),
                                       static_cast<std::int64_t>(passes.size())),
                status::success)
          << d.message();
      std::vector<std::uint8_t> expected = passes;
      for (std::uint8_t& flag : expected) flag = flag != inverted;
      EXPECT_TRUE(same_items(flags.items(), expected)) << passes.size() << " particles";
    }
  };
  add_test<Stream>("keep_flags", "of_any_steps", [=](device& d) {
    for (int trial = 0; trial < (race_check ? 120 : 300); ++trial) {
      SCOPED_TRACE("trial " + std::to_string(trial));
      random_steps<Stream> steps(d, 300, static_cast<std::uint64_t>(trial));
      steps.write(1 + trial % 60);
      const guarded_array<apps::where_step, Stream> program(d, steps.program);
      const std::vector<std::uint8_t> passes(steps.truths().begin(), steps.truths().end());
      expect_flags(d, {program.data(), static_cast<int>(steps.program.size())}, {}, passes);
      if (testing::Test::HasFailure()) return;
    }
  });
  add_test<Stream>("keep_flags", "of_any_number_of_particles", [=](device& d) {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{257}, tile - 1, tile, tile + 1, 2 * tile + 1}) {
      std::vector<std::uint8_t> layer(n), passes(n);
      std::vector<float> lifetime(n);
      random_source random(n);
      for (std::size_t i = 0; i < n; ++i) {
        layer[i] = static_cast<std::uint8_t>(random.below(3));
        lifetime[i] = static_cast<float>(random.below(3));
        passes[i] = layer[i] == 2 && lifetime[i] > 0;
      }
      const guarded_array<std::uint8_t, Stream> layers(d, layer, 1);
      const guarded_array<float, Stream> lifetimes(d, lifetime);
      keep_rules rules;
      rules.use_lifetime = true;
      rules.lifetime = {lifetimes.data(), scalar_type::f32};
      using apps::where_op;
      const guarded_array<apps::where_step, Stream> program(
          d, std::vector<apps::where_step>{{where_op::load_u8, 0, false, 0, layers.data()},
                                           {where_op::compare_signed, apps::is_equal, true, 2, nullptr}});
      expect_flags(d, {program.data(), 2}, rules, passes);
      for (std::size_t i = 0; i < n; ++i) passes[i] = lifetime[i] > 0;
      expect_flags(d, {}, rules, passes);
    }
  });
  return true;
}

}  // namespace upsweep::test
