// A condition on particles as steps of a stack machine: what the host makes of a text, and a kernel evaluates.
#pragma once

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::apps {

/// What one step does with the values on top of the stack. A value has 64 bits: an integer of either sign, a double, or
/// a truth, which is 0 or 1.
enum class where_op : std::uint8_t {
  // Push element i of `data`, as an integer or a double.
  load_i8,
  load_u8,
  load_i16,
  load_u16,
  load_i32,
  load_u32,
  load_i64,
  load_u64,
  load_f32,
  load_f64,
  constant,  // push `bits`
  double_of_signed,
  double_of_unsigned,  // of the top
  truth_of_integer,
  truth_of_double,  // whether the top is not 0
  negate_integer,
  negate_double,
  logical_not,  // the top
  add_integers,
  subtract_integers,
  multiply_integers,  // modulo 2^64, of either sign
  remainder_signed,
  remainder_unsigned,  // as in C; by 0 it is 0
  add_doubles,
  subtract_doubles,
  multiply_doubles,
  divide_doubles,
  logical_and,
  logical_or,
  // Whether how the lower value compares with the upper one is among `accepted`. Exact, whatever the two types are.
  compare_signed,
  compare_unsigned,
  compare_doubles,
  compare_signed_unsigned,
  compare_unsigned_signed,
  compare_signed_double,
  compare_double_signed,
  compare_unsigned_double,
  compare_double_unsigned,
};

/// How a value compares with another, as bits of where_step::accepted. NaNs are unordered.
inline constexpr unsigned is_less = 1, is_equal = 2, is_greater = 4, is_unordered = 8;

struct where_step {
  where_op op = where_op::constant;
  std::uint8_t accepted = 0;   ///< of a comparison: is_less and so on
  bool by_constant = false;    ///< `bits` are the upper value, and the top of the stack is the lower one
  std::uint64_t bits = 0;      ///< of a constant
  const void* data = nullptr;  ///< of a load
};

/// More values than this are never on the stack.
inline constexpr int most_where_values = 16;

/// Steps in the device's memory. Without any, every particle passes.
struct where_steps {
  const where_step* steps = nullptr;
  int count = 0;
};

}  // namespace upsweep::apps
