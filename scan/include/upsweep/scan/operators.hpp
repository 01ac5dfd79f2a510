// Associative operators. The result has the common type of the operands: a scan of 8-bit items with plus adds them in
// 8 bits, unless an init of a wider type, or accumulate_in, asks for more. The calls *_sum also look at what their
// output holds (sum_accumulator_t).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/rounding.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The sum x + y in the common type.
struct plus {
  /// x + y, of operands converted to the common type.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a + b);
  }
};

/// The product x * y in the common type.
struct multiplies {
  /// x * y, of operands converted to the common type.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a * b);
  }
};

/// The smaller operand. Of equal operands, and if one is a NaN, it is the first: min(NaN, y) is a NaN, min(x, NaN) is
/// x. That is not associative, so the result of a scan with NaNs depends on how items are grouped.
struct minimum {
  /// y where y < x, else x.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(b < a ? b : a);
  }
};

/// The larger operand. Of equal operands, and if one is a NaN, it is the first.
struct maximum {
  /// y where x < y, else x.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a < b ? b : a);
  }
};

/// The bits that both operands have.
struct bit_and {
  /// x & y.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a & b);
  }
};

/// The bits that one or both operands have.
struct bit_or {
  /// x | y.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a | b);
  }
};

/// The bits that exactly one operand has.
struct bit_xor {
  /// x ^ y.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a ^ b);
  }
};

/// Whether two keys are equal: x == y.
struct equal_to {
  /// x == y.
  template <class Key>
  UPSWEEP_HOST_DEVICE bool operator()(const Key& x, const Key& y) const {
    return x == y;
  }
};

/// Whether x comes before y: x < y.
struct less {
  /// x < y.
  template <class Key>
  UPSWEEP_HOST_DEVICE bool operator()(const Key& x, const Key& y) const {
    return x < y;
  }
};

/// An operator whose operands and results have the type T.
template <class T, class Op>
struct accumulating_op {
  Op op;  ///< applied to operands of type T

  /// op(x, y), of operands converted to T.
  template <class A, class B>
  UPSWEEP_HOST_DEVICE T operator()(const A& x, const B& y) const {
    return static_cast<T>(op(static_cast<T>(x), static_cast<T>(y)));
  }
};

/// Names the accumulator: inclusive_scan(w, bytes, out, n, accumulate_in<std::uint32_t>(plus{})) sums bytes in 32 bits.
template <class T, class Op>
UPSWEEP_HOST_DEVICE accumulating_op<T, Op> accumulate_in(Op op) {
  return {op};
}

/// A value and its index.
template <class Value, class Index>
struct indexed {
  Value value;  ///< what is compared
  Index index;  ///< which item it is
  friend bool operator==(const indexed&, const indexed&) = default;
};

/// Of two pairs the one with the smaller or the larger value; of equal values the one with the smaller index.
template <bool Smallest>
struct arg_of_extreme {
  /// The one of x and y with the more extreme value, or of equal values with the smaller index.
  template <class Value, class Index>
  UPSWEEP_HOST_DEVICE indexed<Value, Index> operator()(const indexed<Value, Index>& x,
                                                       const indexed<Value, Index>& y) const {
    if (Smallest ? y.value < x.value : x.value < y.value) return y;
    return y.value == x.value && y.index < x.index ? y : x;
  }
};
/// The pair with the smallest value. A NaN is passed over unless it comes first.
using arg_min = arg_of_extreme<true>;
/// The pair with the largest value. A NaN is passed over unless it comes first.
using arg_max = arg_of_extreme<false>;

/// x -> scale * x + offset.
template <class T>
struct affine_map {
  T scale, offset;  ///< of the map
  friend bool operator==(const affine_map&, const affine_map&) = default;
};

/// First f, then g. Products and sums are rounded one by one, on the GPU too.
struct compose_affine {
  /// The map that applies f, then g.
  template <class T>
  UPSWEEP_HOST_DEVICE affine_map<T> operator()(const affine_map<T>& f, const affine_map<T>& g) const {
    return {detail::rounded_product(f.scale, g.scale),
            static_cast<T>(detail::rounded_product(f.offset, g.scale) + g.offset)};
  }
};

}  // namespace upsweep::inline UPSWEEP_ABI
