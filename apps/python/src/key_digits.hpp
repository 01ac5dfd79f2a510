// What keys are compared by whose type is known at run time.
#pragma once

#include <cstdint>

#include "kernels.hpp"
#include "sort/src/backends.hpp"
#include "sort/src/coded_digits.hpp"

namespace upsweep::python {

/// Codes of keys whose type is known at run time only: types of one width share the kernels.
template <class Code>
using digits_of_type = runtime::coded_digits<Code, runtime::run_time_nan_codec<Code>>;

/// use(Code{}, digits) for the unsigned integer as wide as the keys.
template <class Use>
auto with_wide_keys(const key_order& k, Use use) {
  const auto by = [&]<class Code>(Code zero) { return use(zero, digits_of_type<Code>{{k.type, k.order, k.nans}}); };
  return size_of(k.type) == 8 ? by(std::uint64_t{}) : by(std::uint32_t{});
}
template <class Use>
auto with_keys(const key_order& k, Use use) {
  const auto by = [&]<class Code>(Code zero) { return use(zero, digits_of_type<Code>{{k.type, k.order, k.nans}}); };
  if (size_of(k.type) == 1) return by(std::uint8_t{});
  return size_of(k.type) == 2 ? by(std::uint16_t{}) : with_wide_keys(k, use);
}

}  // namespace upsweep::python
