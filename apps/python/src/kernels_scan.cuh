// The scans behind kernels.hpp, on a stream of the GPU or of the sim.
#pragma once

#include "kernels.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "scan/src/axis_part.hpp"
#include "upsweep/scan/axis_scan.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan_by_bounds.cuh"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::python {

using summed_types = scalar_types<std::uint32_t, std::uint64_t, float, double>;
constexpr scalar_type summed_as(scalar_type type) {
  return type == scalar_type::i32 ? scalar_type::u32 : type == scalar_type::i64 ? scalar_type::u64 : type;
}

/// One method for any number of items, for all that the sim does: the others take longer to compile than they are worth
/// there.
using one_scan_method = decoupled_lookback<warp_scans<256>, 16>;
template <class Stream>
using scan_method_on = std::conditional_t<std::is_same_v<Stream, sim_stream>, one_scan_method, default_scan_policy>;

/// Bytes for n items of T by either of them.
template <class T>
std::size_t scan_bytes(std::int64_t n) {
  const auto of = [&]<class Method>(Method) { return Method::template workspace_bytes<T, const T*, T*>(n); };
  return n <= 0 ? 0 : std::max(of(one_scan_method{}), of(default_scan_policy{}));
}

/// An operator that is chosen at run time, on signed integers as unsigned ones: `sign` is what turns their order into
/// that of T, else 0.
template <class T>
struct any_operator {
  runtime::scan_operator which;
  T sign;

  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const { return combined(which, sign, a, b); }

  /// What changes nothing.
  T identity() const {
    using enum runtime::scan_operator;
    using limits = std::numeric_limits<T>;
    if (which == product) return T{1};
    if constexpr (std::is_integral_v<T>) {
      if (which == bit_and) return limits::max();
      if (which == minimum) return limits::max() ^ sign;
      return which == maximum ? sign : T{0};
    } else {
      return which == minimum ? limits::infinity() : which == maximum ? -limits::infinity() : T{0};
    }
  }

 private:
  /// Called, not inlined, by a kernel: it is there a hundred times.
#if defined(__CUDACC__)
  __host__ __device__ __noinline__
#endif
      static T
      combined(runtime::scan_operator which, T sign, T a, T b) {
    using enum runtime::scan_operator;
    if (which == sum) return a + b;
    if (which == product) return a * b;
    if constexpr (std::is_integral_v<T>) {
      if (which == bit_and) return a & b;
      if (which == bit_or) return a | b;
      if (which == bit_xor) return a ^ b;
      const bool is_less = (b ^ sign) < (a ^ sign), is_more = (a ^ sign) < (b ^ sign);
      return (which == minimum ? is_less : is_more) ? b : a;
    } else {
      return (which == minimum ? b < a : a < b) ? b : a;
    }
  }
};

/// The operator of a call.
template <class T, class Call>
any_operator<T> operator_of(const Call& c) {
  any_operator<T> op{c.op, T{}};
  if constexpr (std::is_integral_v<T>) {
    if (summed_as(c.type) != c.type) op.sign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
  }
  return op;
}

/// use(op, what comes before the first item) for the type of the call.
template <class Call, class Use>
status with_operator(const Call& c, Use use) {
  return summed_types::call(summed_as(c.type), [&]<class T>(T) {
    const auto op = operator_of<T>(c);
    const T first = c.init != nullptr ? *static_cast<const T*>(c.init) : op.identity();
    return use(op, detail::carry<T>{first, c.init != nullptr || c.is_exclusive});
  });
}

/// A scan of one row of T.
template <class Method, class T, class Call, class Op, class Stream>
status scan_row(const Call& c, const Op& op, const detail::carry<T>& init, Stream stream) {
  const auto* const in = static_cast<const T*>(c.in);
  auto* const out = static_cast<T*>(c.out);
  const auto by = [&]<detail::scan_kind Kind>() {
    return static_cast<status>(
        detail::scan_in<Method, Kind, T>(c.work, in, out, detail::no_total{}, c.n, op, init, stream));
  };
  return c.is_exclusive ? by.template operator()<detail::scan_kind::exclusive>()
                        : by.template operator()<detail::scan_kind::inclusive>();
}

/// The smaller or larger one of two items. Integers are compared as unsigned ones when `flip` is put on them: the sign
/// bit of signed ones, and for the larger one all bits.
template <class T>
struct ordered {
  T flip;
  bool larger;

  explicit ordered(const any_operator<T>& op) : flip(), larger(op.which == runtime::scan_operator::maximum) {
    if constexpr (std::is_integral_v<T>) flip = larger ? static_cast<T>(~op.sign) : op.sign;
  }
  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) return (b ^ flip) < (a ^ flip) ? b : a;
    return (larger ? a < b : b < a) ? b : a;
  }
};

/// The and, or, or exclusive or of two items.
template <class T>
struct bits_of_two {
  runtime::scan_operator which;

  UPSWEEP_HOST_DEVICE T operator()(const T& a, const T& b) const {
    using enum runtime::scan_operator;
    return which == bit_and ? a & b : which == bit_or ? a | b : a ^ b;
  }
};

/// Scans by minimum and maximum are in a file of their own.
status scan_ordered_on_cuda(const scan_call& c, void* stream);

template <class Stream>
status enqueue_call(const scan_call& c, Stream stream) {
  using enum runtime::scan_operator;
  const bool is_ordered = c.op == minimum || c.op == maximum;
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    if (is_ordered) return scan_ordered_on_cuda(c, stream);
  }
  return with_operator(c, [&]<class T>(const any_operator<T>& op, const detail::carry<T>& init) {
    if constexpr (std::is_same_v<Stream, sim_stream>) {
      return scan_row<one_scan_method>(c, op, init, stream);
    } else {
      if (c.op == product) return scan_row<default_scan_policy>(c, multiplies{}, init, stream);
      if constexpr (std::is_integral_v<T>) return scan_row<default_scan_policy>(c, bits_of_two<T>{c.op}, init, stream);
      return status::not_supported;
    }
  });
}
inline std::size_t bytes_of(const scan_call& c) {
  std::size_t bytes = 0;
  summed_types::visit(summed_as(c.type), [&]<class T>(T) { bytes = scan_bytes<T>(c.n.bound); });
  return bytes;
}

/// A scan of all lines along an axis.
template <class Policy, class T, class Op, class Stream>
status scan_lines(const axis_scan_call& c, const Op& op, const detail::carry<T>& init, Stream stream) {
  const auto* const in = static_cast<const T*>(c.in);
  auto* const out = static_cast<T*>(c.out);
  const auto by = [&]<detail::scan_kind Kind>() {
    return static_cast<status>(detail::scan_axis_in<Policy, Kind, T>(c.work, in, out, c.axis, op, init, stream));
  };
  return c.is_exclusive ? by.template operator()<detail::scan_kind::exclusive>()
                        : by.template operator()<detail::scan_kind::inclusive>();
}

/// Sums along an axis, by kernels that know that they are sums, which are in a file of their own.
status sum_axis_on_cuda(const axis_scan_call& c, void* stream);

using float_types = scalar_types<float, double>;

template <class Stream>
status sum_floats_in_order(const axis_scan_call& c, Stream stream) {
  return float_types::call(c.type, [&]<class T>(T) {
    return scan_lines<reproducible_axis>(c, plus{}, detail::carry<T>{T{}, c.is_exclusive}, stream);
  });
}

template <class Stream>
status enqueue_call(const axis_scan_call& c, Stream stream) {
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    if (c.op == runtime::scan_operator::sum && c.init == nullptr) return sum_axis_on_cuda(c, stream);
  } else {
    if (c.is_reproducible) return sum_floats_in_order(c, stream);
  }
  return with_operator(c, [&]<class T>(const any_operator<T>& op, const detail::carry<T>& init) {
    return scan_lines<runtime::axis_policy>(c, op, init, stream);
  });
}
inline std::size_t bytes_of(const axis_scan_call& c) {
  std::size_t bytes = 0;
  summed_types::visit(summed_as(c.type), [&]<class T>(T) {
    bytes = c.is_reproducible ? detail::scan_axis_workspace_bytes<reproducible_axis, T, const T*, T*>(c.axis)
                              : detail::scan_axis_workspace_bytes<runtime::axis_policy, T, const T*, T*>(c.axis);
  });
  return bytes;
}

template <class T>
struct front_kernel {
  static constexpr int block_threads = 256;
  static constexpr int tile_items = 8 * block_threads;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* in, T* out, const array_axis& axis,
                                 const item_count& n, T behind) const {
    const std::int64_t front = detail::items_of(n), items = axis.outer * axis.length * axis.inner;
    const std::int64_t first = block.block_index() * tile_items, end = first + tile_items;
    for (std::int64_t i = first + block.thread_rank(); i < end && i < items; i += block_threads) {
      out[i] = i / axis.inner % axis.length < front ? in[i] : behind;
    }
  }
};

template <class Stream>
status enqueue_call(const front_call& c, Stream stream) {
  return summed_types::call(summed_as(c.type), [&]<class T>(T) {
    const front_kernel<T> kernel;
    auto executor = executor_of(stream);
    return executor.launch(ceil_div(c.axis.items(), kernel.tile_items), kernel, static_cast<const T*>(c.in),
                           static_cast<T*>(c.out), c.axis, c.n, operator_of<T>(c).identity());
  });
}

template <class Stream>
status enqueue_call(const sum_call& c, Stream stream) {
  return summed_types::call(summed_as(c.type), [&]<class T>(T) {
    const auto* const in = static_cast<const T*>(c.in);
    auto* const out = static_cast<T*>(c.out);
    if constexpr (std::is_floating_point_v<T>) {
      if (c.is_reproducible) {
        return static_cast<status>(c.is_exclusive ? exclusive_sum<reproducible>(c.work, in, out, c.n, stream)
                                                  : inclusive_sum<reproducible>(c.work, in, out, c.n, stream));
      }
    }
    const detail::carry<T> init{c.init != nullptr ? *static_cast<const T*>(c.init) : T{},
                                c.init != nullptr || c.is_exclusive};
    return scan_row<scan_method_on<Stream>>(c, plus{}, init, stream);
  });
}
inline std::size_t bytes_of(const sum_call& c) {
  std::size_t bytes = 0;
  summed_types::visit(summed_as(c.type), [&]<class T>(T) {
    bytes = scan_bytes<T>(c.n.bound);
    if constexpr (std::is_floating_point_v<T>) {
      const auto* const in = static_cast<const T*>(c.in);
      auto* const out = static_cast<T*>(c.out);
      if (c.is_reproducible) bytes = exclusive_sum_workspace_bytes<reproducible>(in, out, c.n);
    }
  });
  return bytes;
}

/// One method by key for any number of items, for all but sums on a GPU.
using one_parts_method = segmented_lookback<warp_scans<256>, 16>;

/// A scan of all parts of T.
template <class ByKey, class T, class Op, class Stream>
status scan_parts(const parts_scan_call& c, const Op& op, const detail::carry<T>& init, Stream stream) {
  const auto* const in = static_cast<const T*>(c.in);
  auto* const out = static_cast<T*>(c.out);
  const auto by = [&]<detail::scan_kind Kind>() {
    if (c.keys == nullptr) {
      return static_cast<status>(detail::scan_bounded_in<default_bounded_segments_policy, Kind, T>(
          c.work, in, out, c.begins, c.ends, c.n, c.segments, op, init, stream));
    }
    const auto of =
        [&](const auto* keys) {  // of a count in device memory those after it, too: no result before changes
          return static_cast<status>(detail::scan_by_key_in<ByKey, Kind, T>(c.work, keys, in, out, c.n.bound, op,
                                                                            init.value, equal_to{}, stream));
        };
    return c.key_bytes == 8 ? of(static_cast<const std::uint64_t*>(c.keys))
                            : of(static_cast<const std::uint32_t*>(c.keys));
  };
  return c.is_exclusive ? by.template operator()<detail::scan_kind::exclusive>()
                        : by.template operator()<detail::scan_kind::inclusive>();
}

/// Sums of parts, which have the kernels of many items, are in a file of their own.
status sum_parts_on_cuda(const parts_scan_call& c, void* stream);

template <class Stream>
status enqueue_call(const parts_scan_call& c, Stream stream) {
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    if (c.op == runtime::scan_operator::sum) return sum_parts_on_cuda(c, stream);
  }
  return with_operator(c, [&]<class T>(const any_operator<T>& op, const detail::carry<T>& init) {
    return scan_parts<one_parts_method>(c, op, init, stream);
  });
}
inline std::size_t bytes_of(const parts_scan_call& c) {
  std::size_t bytes = 0;
  summed_types::visit(summed_as(c.type), [&]<class T>(T) {
    const auto of = [&]<class ByKey, class Key>(ByKey, Key) {
      return detail::scan_by_key_workspace_bytes<ByKey, T, const Key*>(c.n.bound);
    };
    const auto by_key = [&](auto key) {
      return std::max(of(one_parts_method{}, key), of(default_segments_policy{}, key));
    };
    bytes = c.keys == nullptr
                ? detail::scan_bounded_workspace_bytes<default_bounded_segments_policy, T>(c.n, c.segments)
            : c.key_bytes == 8 ? by_key(std::uint64_t{})
                               : by_key(std::uint32_t{});
  });
  return bytes;
}

}  // namespace upsweep::python
