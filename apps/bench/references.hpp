// CUB and Thrust, which upsweep is measured against. Without the CUDA half there are none.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "primitives.hpp"
#include "segment_sums.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// One way in which a reference can be called for given arrays.
struct reference_call {
  std::string name;  ///< "cub 64-bit", ...
  std::size_t workspace_bytes = 0;
  std::function<status(workspace)> call = nullptr;
  bool waits = false;      ///< the call returns only when the device is done
  bool capturable = true;  ///< in a graph; not so when the call waits, or when a second one finds its work done
  bool in_place = false;   ///< sorts `keys_out` and `values_out` as they are: the input is copied there first
  /// Where there is one: whether the last call left its result in the spare arrays; of a partition, whether it left
  /// the rejected elements at the end of `out`, in reverse order.
  std::shared_ptr<bool> ends_in_spare = nullptr;
};

/// out[i] = in[0] + ... + in[i - 1].
struct scan_arrays {
  scalar_type type;
  const void* in;
  void* out;
  std::int64_t n;
};

/// out: the elements of `in` with low <= x < high, in order; *count (device memory): how many. low and high are in host
/// memory.
struct select_arrays_of_one {
  scalar_type type;
  const void* in;
  void* out;
  std::int64_t n;
  const void *low, *high;
  std::int64_t* count;
};

/// The same, and the other elements, in order, in `rejected`.
struct partition_arrays_of_one : select_arrays_of_one {
  void* rejected;
};

/// out: the elements of `in`, those with smaller numbers in the highest `bits` bits first, else in order.
struct split_arrays_of_one {
  const std::uint32_t* in;
  std::uint32_t* out;
  std::int64_t n;
  int bits;
};

/// out[k]: the elements of in[k] whose flag is not 0, in order; *count (device memory): how many.
struct flagged_arrays {
  std::size_t arrays;
  std::size_t element_bytes;
  std::array<const void*, 8> in;
  std::array<void*, 8> out;
  std::int64_t n;
  const std::uint8_t* flags;
  std::int64_t* count;
};

/// values_in null: keys only. The spare arrays are for a reference that swaps between two.
struct sort_arrays {
  scalar_type type;
  const void* keys_in;
  void *keys_out, *keys_spare;
  const std::uint32_t* values_in;
  std::uint32_t *values_out, *values_spare;
  std::int64_t n;
};

/// u32 keys, and rows of 16 bytes in four arrays.
struct payload_arrays {
  const std::uint32_t* keys_in;
  std::uint32_t* keys_out;
  std::array<const void*, 4> in;
  std::array<void*, 4> out;
  std::int64_t n;
};

/// Every way of CUB that might be its fastest: 32- and 64-bit counts, for sorts with and without a DoubleBuffer. Errors
/// of the query for the workspace are those of the call.
std::vector<reference_call> cub_calls(runtime::stream s, const scan_arrays& a);
/// Of the types of narrow_sums.hpp.
std::vector<reference_call> cub_calls_of_narrow(runtime::stream s, const scan_arrays& a);
std::vector<reference_call> cub_calls(runtime::stream s, const select_arrays_of_one& a);
/// Into `out` alone.
std::vector<reference_call> cub_calls(runtime::stream s, const partition_arrays_of_one& a);
/// A radix sort of these bits.
std::vector<reference_call> cub_calls(runtime::stream s, const split_arrays_of_one& a);
/// Of elements of 4, 8, 16, 32 or 64 bytes in one array, and of 4 bytes in eight.
std::vector<reference_call> cub_calls(runtime::stream s, const flagged_arrays& a);
std::vector<reference_call> cub_calls(runtime::stream s, const sort_arrays& a);
/// Pairs with the place of each key, then a gather for each array. The places of the input are made beforehand.
std::vector<reference_call> cub_calls(runtime::stream s, const payload_arrays& a);
/// By key; unless asked for `by_key` alone, by offsets too, from CUB 3.5 on.
template <class T>
std::vector<reference_call> cub_calls(runtime::stream s, bool by_key, const segment_arrays<T>& a);
std::vector<reference_call> cub_calls(runtime::stream s, const primitive_arrays& a);
std::vector<reference_call> thrust_calls(runtime::stream s, const scan_arrays& a);
std::vector<reference_call> thrust_calls(runtime::stream s, const select_arrays_of_one& a);
std::vector<reference_call> thrust_calls(runtime::stream s, const sort_arrays& a);

/// "3.0.1"; "" without the CUDA half.
std::string cub_version();
std::string thrust_version();

}  // namespace upsweep::apps
