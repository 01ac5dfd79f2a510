// Associative operators. Each takes and returns T, so that the accumulator is T.
#pragma once

#include "upsweep/simt/config.hpp"

namespace upsweep {

struct plus {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};

struct multiplies {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a * b);
  }
};

struct minimum {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

struct maximum {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

struct bit_and {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a & b);
  }
};

struct bit_or {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a | b);
  }
};

struct bit_xor {
  template <class T>
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace upsweep
