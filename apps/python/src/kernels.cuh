// The kernels behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include <type_traits>

#include "kernels.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan_by_bounds.cuh"
#include "upsweep/simt/scalar_types.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::python {

/// The codes of numbers whose type is known at run time only: types of one width share the kernels. Where NaNs are
/// sorted by their bits, and of integers, `infinity` is the largest magnitude.
template <class Code>
struct number_codec {
  static constexpr int bits = static_cast<int>(sizeof(Code)) * 8;
  static constexpr auto sign = static_cast<Code>(Code{1} << (bits - 1));
  static constexpr auto all = static_cast<Code>(~Code{0});
  Code if_negative, if_positive;  // what turns the bits of a key into its code, by the highest one
  Code zero, other_zero;          // the codes of the two zeros of a float, of which the second stands for both
  Code infinity, nan;             // the bits of the one, the code of the other

  number_codec(scalar_type type, sort_order order, nan_order nans) {
    const auto flip = order == sort_order::descending ? all : Code{0};
    const char kind = name_of(type)[0];
    const bool is_float = kind != 'i' && kind != 'u';
    if_negative = static_cast<Code>((is_float ? all : kind == 'i' ? sign : Code{0}) ^ flip);
    if_positive = static_cast<Code>((kind == 'u' ? Code{0} : sign) ^ flip);
    other_zero = is_float ? sign : Code{0};
    zero = is_float ? static_cast<Code>(sign - 1) : Code{0};
    infinity = is_float && nans != nan_order::by_bits ? infinity_of(type) : static_cast<Code>(sign - 1);
    nan = nans == nan_order::last ? all : Code{0};
  }

  static Code infinity_of(scalar_type type) {
    const int mantissa_bits = type == scalar_type::f64   ? 52
                              : type == scalar_type::f32 ? 23
                              : type == scalar_type::f16 ? 10
                                                         : 7;
    return static_cast<Code>((sign - 1) >> mantissa_bits << mantissa_bits);
  }

  UPSWEEP_HOST_DEVICE Code encode(Code key) const {
    const auto code = static_cast<Code>(key ^ ((key & sign) != 0 ? if_negative : if_positive));
    if (static_cast<Code>(key & (sign - 1)) > infinity) return nan;
    return code == zero ? other_zero : code;
  }
  /// A key whose code has all bits set.
  UPSWEEP_HOST_DEVICE Code last() const {
    if (infinity != sign - 1 && nan == all) return static_cast<Code>(sign - 1);
    const auto positive = static_cast<Code>(~if_positive);
    return (positive & sign) == 0 ? positive : static_cast<Code>(~if_negative);
  }
};

template <class Code>
struct number_digit {
  number_codec<Code> codec;
  int shift;
  std::uint32_t mask;

  UPSWEEP_HOST_DEVICE Code code_of(const Code& key) const { return codec.encode(key); }
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const Code& key) const {
    return static_cast<std::uint32_t>(code_of(key) >> shift) & mask;
  }
  UPSWEEP_HOST_DEVICE Code last_key() const { return codec.last(); }
};

/// The digits of such keys, as a sort takes them for its order.
template <class Code>
struct number_digits {
  static constexpr int bits = number_codec<Code>::bits;
  number_codec<Code> codec;

  UPSWEEP_HOST_DEVICE number_digit<Code> at(int shift, int width) const { return {codec, shift, (1u << width) - 1}; }
};

/// use(Code{}) for the unsigned integer as wide as the type.
template <class Use>
auto with_code_of(scalar_type type, Use use) {
  switch (size_of(type)) {
    case 1:
      return use(std::uint8_t{});
    case 2:
      return use(std::uint16_t{});
    case 4:
      return use(std::uint32_t{});
    default:
      return use(std::uint64_t{});
  }
}

using summed_types = scalar_types<std::uint32_t, std::uint64_t, float, double>;
constexpr scalar_type summed_as(scalar_type type) {
  return type == scalar_type::i32 ? scalar_type::u32 : type == scalar_type::i64 ? scalar_type::u64 : type;
}

template <class Stream>
status run_select(const select_call& c, Stream stream) {
  return static_cast<status>(
      partition_arrays(c.work, c.arrays, c.results, c.n, vote_flagged<std::uint8_t>{c.flags}, c.rejected, stream));
}

template <class Stream>
status run_sum(const sum_call& c, Stream stream) {
  return summed_types::call(summed_as(c.type), [&]<class T>(T) {
    const auto* const in = static_cast<const T*>(c.in);
    auto* const out = static_cast<T*>(c.out);
    if constexpr (std::is_floating_point_v<T>) {
      if (c.is_reproducible) {
        return static_cast<status>(c.is_exclusive ? exclusive_sum<reproducible>(c.work, in, out, c.n, stream)
                                                  : inclusive_sum<reproducible>(c.work, in, out, c.n, stream));
      }
    }
    return static_cast<status>(c.is_exclusive ? exclusive_sum(c.work, in, out, c.n, stream)
                                              : inclusive_sum(c.work, in, out, c.n, stream));
  });
}

/// use(keys, in, out) with their types; keys are null pointers where there are none.
template <class Use>
status with_parts(const parts_sum_call& c, Use use) {
  return summed_types::call(summed_as(c.type), [&]<class T>(T) {
    const auto* const in = static_cast<const T*>(c.in);
    auto* const out = static_cast<T*>(c.out);
    if (c.key_bytes == 8) return use(static_cast<const std::uint64_t*>(c.keys), in, out);
    return use(static_cast<const std::uint32_t*>(c.keys), in, out);
  });
}

template <class Stream>
status run_parts_sum(const parts_sum_call& c, Stream stream) {
  return with_parts(c, [&](const auto* keys, const auto* in, auto* out) {
    if (keys != nullptr) {
      return static_cast<status>(c.is_exclusive ? exclusive_sum_by_key(c.work, keys, in, out, c.n, equal_to{}, stream)
                                                : inclusive_sum_by_key(c.work, keys, in, out, c.n, equal_to{}, stream));
    }
    return static_cast<status>(
        c.is_exclusive ? exclusive_sum_segmented(c.work, in, out, c.begins, c.ends, c.n, c.segments, stream)
                       : inclusive_sum_segmented(c.work, in, out, c.begins, c.ends, c.n, c.segments, stream));
  });
}

template <class Stream>
status run_sort(const sort_call& c, Stream stream) {
  return with_code_of(c.key_type, [&]<class Code>(Code) {
    const auto* const in = static_cast<const Code*>(c.in);
    auto* const out = static_cast<Code*>(c.out);
    const number_digits<Code> order{{c.key_type, c.order, c.nans}};
    if (c.places != nullptr) {
      return static_cast<status>(upsweep::argsort(c.work, in, c.places, c.n, order, c.bits, stream));
    }
    return static_cast<status>(upsweep::sort_keys(c.work, in, out, c.n, order, c.bits, stream));
  });
}

}  // namespace upsweep::python
