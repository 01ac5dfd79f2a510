// What the public calls ask of the types of their arguments, so that a mistake ends in one sentence. Each check is
// true, or stops the compilation; after `if constexpr` it keeps the compiler from going on.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/iterator_traits.hpp"

namespace upsweep::inline UPSWEEP_ABI {
template <class Int>
struct device_count;
}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class N>
inline constexpr bool is_count = std::is_integral_v<N>&& std::is_signed_v<N> && !std::is_same_v<N, bool>;
template <class Int>
inline constexpr bool is_count<device_count<Int>> = true;

template <class N>
constexpr bool check_count() {
  constexpr bool fits = is_count<N>;
  static_assert(fits, "upsweep: n is a signed integer or a device_count; cast others to std::int64_t");
  return fits;
}

template <class S>
inline constexpr bool is_stream = std::is_convertible_v<S, sim_stream> || std::is_convertible_v<S, default_stream>;

template <class S>
constexpr bool check_stream() {
  constexpr bool fits = is_stream<S>;
  static_assert(fits, "upsweep: the last argument is a stream: a cudaStream_t, or a sim_stream for the sim");
  return fits;
}

/// What `*it` and `it[i]` give.
template <class It>
concept has_items = (std::is_pointer_v<It> && std::is_object_v<std::remove_pointer_t<It>>) ||
                    (!std::is_pointer_v<It> && requires(It it, std::int64_t i) {
                      it[i];
                      typename std::iterator_traits<It>::value_type;
                    });
template <class It>
using item_t = std::remove_cv_t<typename std::iterator_traits<It>::value_type>;

/// Whether It is an iterator of a std::vector, whose memory no GPU reads.
template <class It>
inline constexpr bool is_of_vector = [] {
  if constexpr (!std::is_pointer_v<It> && has_items<It>) {
    if constexpr (std::is_object_v<item_t<It>> && !std::is_abstract_v<item_t<It>>) {
      using of = std::vector<item_t<It>>;
      return std::is_same_v<It, typename of::iterator> || std::is_same_v<It, typename of::const_iterator>;
    }
  }
  return false;
}();

/// What `it[i]` can be assigned through. An output iterator need not have a value_type.
template <class It>
concept has_places = has_items<It> ||(!std::is_pointer_v<It> && requires(It it, std::int64_t i) { it[i]; });
template <class It>
struct place_type {
  using type = void;
};
template <has_items It>
struct place_type<It> {
  using type = item_t<It>;
};

template <class It, class Stream>
constexpr bool check_place() {
  constexpr bool on_device = std::is_same_v<stream_of<Stream>, sim_stream> || !is_of_vector<It>;
  static_assert(on_device, "upsweep: this is an iterator of a std::vector in host memory; a GPU takes device memory");
  return on_device;
}
template <class It, class Stream>
constexpr bool check_input() {
  constexpr bool fits = has_items<It>;
  static_assert(fits, "upsweep: an input is a pointer or a random-access iterator, with a value_type");
  return fits && check_place<It, Stream>();
}
template <class It, class Stream>
constexpr bool check_output() {
  constexpr bool fits = has_places<It>;
  static_assert(fits, "upsweep: an output is a pointer, or an iterator with out[i]");
  return fits && check_place<It, Stream>();
}

/// True also for what the host may not ask: functors for the GPU alone.
template <class F, class... Args>
inline constexpr bool can_call = [] {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  if constexpr (__nv_is_extended_device_lambda_closure_type(std::remove_cv_t<F>)) return true;
#endif
  return std::is_invocable_v<F&, Args...>;
}();

template <class Op, class T, class Item>
constexpr bool check_operator() {
  constexpr bool fits = can_call<Op, T, Item>;
  static_assert(fits, "upsweep: the operator is called with two items, as plus{} is; init comes after it");
  return fits;
}

template <class Equal, class Key>
constexpr bool check_equality() {
  constexpr bool is_last = !is_stream<Equal> || can_call<Equal, Key&, Key&>;
  static_assert(is_last, "upsweep: this is a stream where the equality is expected; write equal_to{} before it");
  constexpr bool fits = can_call<Equal, Key&, Key&>;
  static_assert(fits || !is_last, "upsweep: the equality is called with two keys, as equal_to{} is");
  constexpr bool begins = std::is_default_constructible_v<std::remove_cv_t<Key>>;
  static_assert(begins, "upsweep: keys are kept in arrays: their type needs a default constructor");
  return is_last && fits && begins;
}

template <class T>
constexpr bool check_accumulator() {
  constexpr bool copies = is_bitwise_copyable<T>;
  static_assert(copies,
                "upsweep: what is scanned is copied as bytes: its type is_bitwise_copyable (trivially copyable)");
  constexpr bool begins = std::is_default_constructible_v<T>;
  static_assert(begins || !copies, "upsweep: what is scanned is kept in arrays: its type needs a default constructor");
  return copies && begins;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
