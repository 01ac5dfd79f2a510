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

/// Sums along an axis, by kernels that know that they are sums, which are in a file of their own.
status sum_axis_on_cuda(const axis_scan_call& c, void* stream);

template <class Stream>
status enqueue_call(const axis_scan_call& c, Stream stream) {
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    if (c.op == runtime::scan_operator::sum && c.init == nullptr) return sum_axis_on_cuda(c, stream);
  }
  return with_operator(c, [&]<class T>(const any_operator<T>& op, const detail::carry<T>& init) {
    const auto* const in = static_cast<const T*>(c.in);
    auto* const out = static_cast<T*>(c.out);
    const auto by = [&]<detail::scan_kind Kind>() {
      return static_cast<status>(
          detail::scan_axis_in<runtime::axis_policy, Kind, T>(c.work, in, out, c.axis, op, init, stream));
    };
    return c.is_exclusive ? by.template operator()<detail::scan_kind::exclusive>()
                          : by.template operator()<detail::scan_kind::inclusive>();
  });
}
inline std::size_t bytes_of(const axis_scan_call& c) {
  std::size_t bytes = 0;
  summed_types::visit(summed_as(c.type), [&]<class T>(T) {
    bytes = detail::scan_axis_workspace_bytes<runtime::axis_policy, T, const T*, T*>(c.axis);
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
status enqueue_call(const parts_sum_call& c, Stream stream) {
  return with_parts(c, [&](const auto* keys, const auto* in, auto* out) {
    if (keys != nullptr) {
      const std::int64_t n =
          c.n.bound;  // of a count in device memory those after it, too: no result before them changes
      return static_cast<status>(c.is_exclusive ? exclusive_sum_by_key(c.work, keys, in, out, n, equal_to{}, stream)
                                                : inclusive_sum_by_key(c.work, keys, in, out, n, equal_to{}, stream));
    }
    return static_cast<status>(
        c.is_exclusive ? exclusive_sum_segmented(c.work, in, out, c.begins, c.ends, c.n, c.segments, stream)
                       : inclusive_sum_segmented(c.work, in, out, c.begins, c.ends, c.n, c.segments, stream));
  });
}
inline std::size_t bytes_of(const parts_sum_call& c) {
  std::size_t bytes = 0;
  static_cast<void>(with_parts(c, [&](const auto* keys, const auto* in, auto* out) {
    bytes = keys != nullptr ? exclusive_sum_by_key_workspace_bytes(keys, in, out, c.n.bound)
                            : exclusive_sum_segmented_workspace_bytes(in, out, c.begins, c.ends, c.n, c.segments);
    return status::success;
  }));
  return bytes;
}

}  // namespace upsweep::python
