// The kernel that evaluates the rules and a condition for every particle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "keep_flags.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::apps {

UPSWEEP_DEVICE std::uint64_t bits_of_double(double value) {
  return __builtin_bit_cast(std::uint64_t, value);
}
UPSWEEP_DEVICE double double_of_bits(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

template <class Number>
UPSWEEP_DEVICE unsigned ordering_of(Number a, Number b) {
  return a < b ? is_less : a == b ? is_equal : a > b ? is_greater : is_unordered;
}
UPSWEEP_DEVICE unsigned ordering_mirrored(unsigned ordering) {
  return ordering == is_less ? is_greater : ordering == is_greater ? is_less : ordering;
}
UPSWEEP_DEVICE unsigned ordering_of_mixed(std::int64_t a, std::uint64_t b) {
  return a < 0 ? is_less : ordering_of(static_cast<std::uint64_t>(a), b);
}
/// The whole part of a double in the integers' range is compared as an integer, then its fraction with 0.
template <class Integer>
UPSWEEP_DEVICE unsigned ordering_of_integer(Integer a, double b, double least, double beyond) {
  if (b != b) return is_unordered;
  if (b >= beyond) return is_less;
  if (b < least) return is_greater;
  const auto whole = static_cast<Integer>(b);
  const unsigned ordering = ordering_of(a, whole);
  return ordering == is_equal ? ordering_of(static_cast<double>(whole), b) : ordering;
}
UPSWEEP_DEVICE unsigned ordering_with_double(std::int64_t a, double b) {
  return ordering_of_integer(a, b, -0x1p63, 0x1p63);
}
UPSWEEP_DEVICE unsigned ordering_with_double(std::uint64_t a, double b) {
  return ordering_of_integer(a, b, 0.0, 0x1p64);
}

/// Each thread evaluates Items particles at a time, a step for all of them after the other, so that finding out what a
/// step does costs little. Threads do not meet.
template <int Items>
struct keep_flags_kernel {
  static constexpr int block_threads = 256;
  static constexpr int tile_items = block_threads * Items;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, keep_rules rules, where_steps where, bool inverted,
                                 std::uint8_t* flags, std::int64_t n) const {
    std::uint64_t stack[most_where_values][Items], value[Items] = {};
    const std::int64_t first = block.block_index() * tile_items + block.thread_rank();
    // Past the last particle, that one is evaluated again.
    const auto particle = [&](int i) {
      const std::int64_t at = first + std::int64_t{i} * block_threads;
      return at < n ? at : n - 1;
    };
    int depth = 0;
    for (int s = 0; s < where.count; ++s) evaluate(where.steps[s], stack, depth, value, particle);
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = first + std::int64_t{i} * block_threads;
      if (at >= n) break;
      const bool passes = (where.count == 0 || value[i] != 0) && rules(at);
      flags[at] = passes != inverted ? 1 : 0;
    }
  }

 private:
  using values = std::uint64_t[Items];

  template <class Element, class Particle>
  static UPSWEEP_DEVICE void load(const where_step& step, values& to, const Particle& particle) {
    const auto* const from = static_cast<const Element*>(step.data);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) to[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(from[particle(i)]));
  }
  template <class Element, class Particle>
  static UPSWEEP_DEVICE void load_real(const where_step& step, values& to, const Particle& particle) {
    const auto* const from = static_cast<const Element*>(step.data);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) to[i] = bits_of_double(static_cast<double>(from[particle(i)]));
  }
  template <class F>
  static UPSWEEP_DEVICE void unary(values& a, F f) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) a[i] = f(a[i]);
  }
  /// a = f(left, a)
  template <class F>
  static UPSWEEP_DEVICE void binary(values& a, const values& left, F f) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) a[i] = f(left[i], a[i]);
  }
  template <class F>
  static UPSWEEP_DEVICE void binary_real(values& a, const values& left, F f) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) a[i] = bits_of_double(f(double_of_bits(left[i]), double_of_bits(a[i])));
  }
  template <class F>
  static UPSWEEP_DEVICE void compare(const where_step& step, values& a, const values& left, F ordering) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) a[i] = (step.accepted & ordering(left[i], a[i])) != 0 ? 1 : 0;
  }

  /// `a` is the top of the stack, in registers; `depth` values lie below it, of which the first is none.
  template <class Particle>
  static UPSWEEP_DEVICE void evaluate(const where_step& step, std::uint64_t (&stack)[most_where_values][Items],
                                      int& depth, values& a, const Particle& particle) {
    using u64 = std::uint64_t;
    using i64 = std::int64_t;
    values b;  // the left operand
    if (step.op <= where_op::constant) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) stack[depth][i] = a[i];
      ++depth;
    } else if (step.by_constant) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        b[i] = a[i];
        a[i] = step.bits;
      }
    } else if (step.op >= where_op::add_integers) {
      --depth;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) b[i] = stack[depth][i];
    }
    switch (step.op) {
      case where_op::load_i8:
        return load<std::int8_t>(step, a, particle);
      case where_op::load_u8:
        return load<std::uint8_t>(step, a, particle);
      case where_op::load_i16:
        return load<std::int16_t>(step, a, particle);
      case where_op::load_u16:
        return load<std::uint16_t>(step, a, particle);
      case where_op::load_i32:
        return load<std::int32_t>(step, a, particle);
      case where_op::load_u32:
        return load<std::uint32_t>(step, a, particle);
      case where_op::load_i64:
        return load<std::int64_t>(step, a, particle);
      case where_op::load_u64:
        return load<std::uint64_t>(step, a, particle);
      case where_op::load_f32:
        return load_real<float>(step, a, particle);
      case where_op::load_f64:
        return load_real<double>(step, a, particle);
      case where_op::constant:
        return unary(a, [&](u64) { return step.bits; });
      case where_op::double_of_signed:
        return unary(a, [](u64 v) { return bits_of_double(static_cast<double>(static_cast<i64>(v))); });
      case where_op::double_of_unsigned:
        return unary(a, [](u64 v) { return bits_of_double(static_cast<double>(v)); });
      case where_op::truth_of_integer:
        return unary(a, [](u64 v) -> u64 { return v != 0 ? 1 : 0; });
      case where_op::truth_of_double:
        return unary(a, [](u64 v) -> u64 { return double_of_bits(v) != 0 ? 1 : 0; });
      case where_op::negate_integer:
        return unary(a, [](u64 v) { return u64{0} - v; });
      case where_op::negate_double:
        return unary(a, [](u64 v) { return bits_of_double(-double_of_bits(v)); });
      case where_op::logical_not:
        return unary(a, [](u64 v) { return v ^ 1; });
      case where_op::add_integers:
        return binary(a, b, [](u64 x, u64 y) { return x + y; });
      case where_op::subtract_integers:
        return binary(a, b, [](u64 x, u64 y) { return x - y; });
      case where_op::multiply_integers:
        return binary(a, b, [](u64 x, u64 y) { return x * y; });
      case where_op::remainder_signed:
        return binary(a, b, [](u64 x, u64 y) -> u64 {
          // By -1 nothing is left, of the least integer too, whose quotient is none.
          if (y == 0 || y == ~u64{0}) return 0;
          return static_cast<u64>(static_cast<i64>(x) % static_cast<i64>(y));
        });
      case where_op::remainder_unsigned:
        return binary(a, b, [](u64 x, u64 y) { return y == 0 ? 0 : x % y; });
      case where_op::add_doubles:
        return binary_real(a, b, [](double x, double y) { return x + y; });
      case where_op::subtract_doubles:
        return binary_real(a, b, [](double x, double y) { return x - y; });
      case where_op::multiply_doubles:
        return binary_real(a, b, [](double x, double y) { return x * y; });
      case where_op::divide_doubles:
        return binary_real(a, b, [](double x, double y) { return x / y; });
      case where_op::logical_and:
        return binary(a, b, [](u64 x, u64 y) { return x & y; });
      case where_op::logical_or:
        return binary(a, b, [](u64 x, u64 y) { return x | y; });
      case where_op::compare_signed:
        return compare(step, a, b, [](u64 x, u64 y) { return ordering_of(static_cast<i64>(x), static_cast<i64>(y)); });
      case where_op::compare_unsigned:
        return compare(step, a, b, [](u64 x, u64 y) { return ordering_of(x, y); });
      case where_op::compare_doubles:
        return compare(step, a, b, [](u64 x, u64 y) { return ordering_of(double_of_bits(x), double_of_bits(y)); });
      case where_op::compare_signed_unsigned:
        return compare(step, a, b, [](u64 x, u64 y) { return ordering_of_mixed(static_cast<i64>(x), y); });
      case where_op::compare_unsigned_signed:
        return compare(step, a, b,
                       [](u64 x, u64 y) { return ordering_mirrored(ordering_of_mixed(static_cast<i64>(y), x)); });
      case where_op::compare_signed_double:
        return compare(step, a, b,
                       [](u64 x, u64 y) { return ordering_with_double(static_cast<i64>(x), double_of_bits(y)); });
      case where_op::compare_double_signed:
        return compare(step, a, b, [](u64 x, u64 y) {
          return ordering_mirrored(ordering_with_double(static_cast<i64>(y), double_of_bits(x)));
        });
      case where_op::compare_unsigned_double:
        return compare(step, a, b, [](u64 x, u64 y) { return ordering_with_double(x, double_of_bits(y)); });
      case where_op::compare_double_unsigned:
        return compare(step, a, b,
                       [](u64 x, u64 y) { return ordering_mirrored(ordering_with_double(y, double_of_bits(x))); });
    }
  }
};

/// Enqueues the kernel; see keep_flags.
template <class Executor>
status write_keep_flags(Executor executor, const keep_test& test, std::uint8_t* flags, std::int64_t n) {
  if (n == 0) return status::success;
  using kernel = keep_flags_kernel<8>;
  return static_cast<status>(executor.launch(grid(ceil_div(n, kernel::tile_items)), kernel{}, test.rules, test.where,
                                             test.inverted, flags, n));
}

}  // namespace upsweep::apps
