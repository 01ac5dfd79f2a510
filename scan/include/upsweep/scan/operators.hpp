// Associative operators. The result has the common type of the operands: items of 8 bits are summed in 8 bits, unless
// an init of a wider type asks for more.
#pragma once

#include <type_traits>

#include "upsweep/simt/config.hpp"

namespace upsweep {

struct plus {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a + b);
  }
};

struct multiplies {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a * b);
  }
};

/// The first of equal operands, and of operands that do not compare: a NaN in front stays, one behind is passed over.
/// That is no associative operator, so a scan of NaNs depends on how it groups its items.
struct minimum {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(b < a ? b : a);
  }
};

/// Equal operands and NaNs as with minimum.
struct maximum {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a < b ? b : a);
  }
};

struct bit_and {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a & b);
  }
};

struct bit_or {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a | b);
  }
};

struct bit_xor {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE std::common_type_t<A, B> operator()(const A& x, const B& y) const {
    using T = std::common_type_t<A, B>;
    const T a = x, b = y;
    return static_cast<T>(a ^ b);
  }
};

/// What tells keys apart: x == y.
struct equal_to {
  template <class Key>
  UPSWEEP_HOST_DEVICE bool operator()(const Key& x, const Key& y) const {
    return x == y;
  }
};

}  // namespace upsweep
