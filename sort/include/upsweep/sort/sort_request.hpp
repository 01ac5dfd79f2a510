// One sort as a method sees it, and what every sort checks first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep {

/// The values of a sort of keys alone.
struct no_value {};

/// A method sorts by the digits `digits.at(shift, width)`, functors of a key, from the lowest bits of the range to the
/// highest. It leaves `in` as it was, unless that is the spare.
template <class Key, class Value, class Digits, class Count = std::int64_t>
struct sort_request {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;

  Digits digits;
  bit_range bits;  ///< not empty, `end` resolved
  Count n;         ///< bound_of(n) > 0
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  /// Passes go to and fro between out and spare, the last to out. Null: the spare is in the workspace. With a spare,
  /// `in` may be the spare when the passes are odd in number, `out` when they are even.
  Key* keys_spare = nullptr;
  Value* values_spare = nullptr;
};

/// Sorts by `method`, whose workspace_bytes<Key, Value>(n) and run(executor, workspace, request) do what is left.
/// n < 0, a null pointer with n > 0, input that overlaps output, a range outside the digits, or a workspace too small:
/// invalid_value, nothing touched. An empty range copies.
template <class Method, class Executor, class Key, class Value, class Digits>
status sort_by(const Method& method, Executor& ex, workspace w, sort_request<Key, Value, Digits> r) {
  constexpr bool pairs = r.has_values;
  const std::int64_t n = r.n;
  if (r.bits.end == bit_range::full_width) r.bits.end = r.digits.bits;
  if (n < 0 || r.bits.begin < 0 || r.bits.begin > r.bits.end || r.bits.end > r.digits.bits) {
    return status::invalid_value;
  }
  if (n == 0) return status::success;
  const auto usable = [n](const auto* in, const auto* out) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof *in;
    return in != nullptr && out != nullptr && !ranges_meet(in, bytes, out, bytes);
  };
  if (!usable(r.keys_in, r.keys_out) || (pairs && !usable(r.values_in, r.values_out))) return status::invalid_value;
  const std::size_t bytes = method.template workspace_bytes<Key, Value>(n);
  if (bytes > 0 && (w.data == nullptr || w.bytes < bytes)) return status::invalid_value;
  if (r.bits.begin < r.bits.end) return method.run(ex, w, r);
  const status s = ex.copy(r.keys_out, r.keys_in, static_cast<std::size_t>(n) * sizeof(Key));
  if (!pairs || s != status::success) return s;
  return ex.copy(r.values_out, r.values_in, static_cast<std::size_t>(n) * sizeof(Value));
}

}  // namespace upsweep
