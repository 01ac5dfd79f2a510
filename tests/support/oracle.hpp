// What a scan shall give, by a plain loop.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "support/internals.hpp"

namespace upsweep::test {

template <class T, class In, class Op>
std::vector<T> inclusive_oracle(const std::vector<In>& in, Op op, std::optional<T> init = {}) {
  std::vector<T> out;
  out.reserve(in.size());
  for (const In& item : in) {
    const T value = static_cast<T>(item);
    if (!out.empty()) {
      out.push_back(op(out.back(), value));
    } else {
      out.push_back(init ? op(*init, value) : value);
    }
  }
  return out;
}

template <class T, class In, class Op>
std::vector<T> exclusive_oracle(const std::vector<In>& in, Op op, T init) {
  std::vector<T> out;
  out.reserve(in.size());
  T sum = init;
  for (const In& item : in) {
    out.push_back(sum);
    sum = op(sum, static_cast<T>(item));
  }
  return out;
}

}  // namespace upsweep::test
