// What a scan shall give, by a plain loop.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace upsweep::test {

template <class T, class In, class Op>
std::vector<T> inclusive_oracle(const std::vector<In>& in, Op op, std::optional<T> init = {}) {
  std::vector<T> out;
  out.reserve(in.size());
  std::optional<T> sum = init;
  for (const In& item : in) {
    sum = sum ? op(*sum, static_cast<T>(item)) : static_cast<T>(item);
    out.push_back(*sum);
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
