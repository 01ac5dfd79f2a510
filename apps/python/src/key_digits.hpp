// What keys are compared by whose type is known at run time.
#pragma once

#include "kernels.hpp"

#include <cstdint>

#include "sort/src/backends.hpp"
#include "sort/src/coded_digits.hpp"

namespace upsweep::python {

/// Types of one width share the kernels.
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

/// Keys whose digits cost one instruction: integers but those of 16 bits, which go with floats as wide.
inline bool are_plain_integers(const key_order& k) {
  const char kind = name_of(k.type)[0];
  return (kind == 'i' || kind == 'u') && size_of(k.type) != 2;
}
template <class Use>
auto with_wide_integers(const key_order& k, Use use) {
  const auto by = [&]<class Code>(Code zero) {
    return use(zero, runtime::integer_digits<Code>{runtime::run_time_codec<Code>(k.type, k.order).if_positive});
  };
  return size_of(k.type) == 4 ? by(std::uint32_t{}) : by(std::uint64_t{});
}
template <class Use>
auto with_plain_integers(const key_order& k, Use use) {
  if (size_of(k.type) != 1) return with_wide_integers(k, use);
  using code = std::uint8_t;
  return use(code{}, runtime::integer_digits<code>{runtime::run_time_codec<code>(k.type, k.order).if_positive});
}

/// Of keys whose NaNs are not the first: some key has the last code, so tiles can be filled up with it.
template <class Code>
struct codec_with_last : runtime::run_time_nan_codec<Code> {
  Code last_key;

  codec_with_last(scalar_type type, sort_order order, nan_order nans)
      : runtime::run_time_nan_codec<Code>(type, order, nans) {
    last_key = nans == nan_order::last ? this->magnitude : this->numbers.last();
  }
  UPSWEEP_HOST_DEVICE Code last() const { return last_key; }
};

/// use(Code{}, digits) by a Codec, of keys that are not plain integers.
template <template <class> class Codec, class Use>
auto with_other_keys(const key_order& k, Use use) {
  const auto by = [&]<class Code>(Code zero) {
    return use(zero, runtime::coded_digits<Code, Codec<Code>>{{k.type, k.order, k.nans}});
  };
  if (size_of(k.type) == 2) return by(std::uint16_t{});
  return size_of(k.type) == 4 ? by(std::uint32_t{}) : by(std::uint64_t{});
}

}  // namespace upsweep::python
