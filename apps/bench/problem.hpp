// One data set on the device, and who can work on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byte_array.hpp"
#include "contender.hpp"
#include "device_session.hpp"
#include "record.hpp"
#include "references.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// What is worked on.
struct problem_shape {
  operation what = operation::scan;
  std::int64_t n = 0;
  scalar_type type = scalar_type::u32;
  std::optional<scalar_type> value_type;  ///< of a sort of pairs
  std::string method = "default";         ///< of a sort, or of a selection
  std::string distribution;
  double kept = 0.5;  ///< of a selection
  std::uint64_t seed = 1;
};

/// The selection of a method and a variant that were named; default: what the variant alone says.
compact_method_with_scan method_with_scan_of(const std::string& method, const scan_variant& v);
/// "fused", "vote_scan_compact/default"; the variant alone of the method "default".
std::string name_of_method(const std::string& method, const scan_variant& v);
/// How many items the operation takes by that variant: a scan, a selection or a sort.
std::int64_t most_items(const problem_shape& shape, const scan_variant& v);
/// What vote_scan_compact reads and writes (compact/README.md): votes are cast by `vote_bytes` bytes, `kept_bytes` are
/// kept.
std::uint64_t vote_scan_compact_bytes(const scan_variant& v, std::int64_t n, std::uint64_t vote_bytes,
                                      std::uint64_t kept_bytes);

/// The arrays of one shape, in host and device memory. Failures are those of device_session. A problem outlives its
/// contenders.
class problem {
 public:
  virtual ~problem() = default;

  /// The method of the contenders of ours that are made from now on.
  void use_method(std::string_view method) { shape_.method = method; }
  /// upsweep with that variant. Its workspace is allocated here.
  virtual contender ours(const scan_variant& v) = 0;
  /// "cub", "thrust", "copy", "serial" or "stable": each way in which it can be called, none where there is none.
  std::vector<contender> reference(std::string_view kind);
  /// The fewest bytes of device memory that the operation must read and write; for a sort, by passes of 8 bits.
  virtual std::uint64_t bytes() const = 0;

 protected:
  problem(device_session& device, const problem_shape& shape) : device_(device), shape_(shape) {}

  virtual std::vector<reference_call> cub() = 0;
  virtual std::vector<reference_call> thrust() = 0;
  virtual contender serial() = 0;
  /// Our stable method, which one that need not keep the order is compared to.
  virtual std::vector<contender> stable() { return {}; }
  /// A plain copy of as many elements as there are, from the input's memory to the output's.
  virtual contender copy() = 0;
  /// Fills the outputs with bytes that no result has.
  virtual void clear_outputs() = 0;
  /// Copies the input to where an in-place reference sorts.
  virtual status fill_in_place() { return status::not_supported; }
  /// What is wrong with the outputs in device memory. `in_spare`: they are in the spare arrays.
  virtual std::string wrong_output(bool in_spare) = 0;

  std::size_t count() const { return static_cast<std::size_t>(shape_.n); }
  std::size_t array_bytes() const { return count() * size_of(shape_.type); }
  /// A contender of the device that works in `workspace_bytes` of workspace.
  contender on_device(std::string name, std::size_t workspace_bytes, std::function<status(workspace)> call);
  /// The check of a call of the device, of which `wrong` says what is wrong with the outputs that it left.
  std::function<std::string(const std::function<status()>&)> checking(std::function<status()> prepare,
                                                                      std::function<std::string()> wrong);
  /// The contender "serial": a loop of the CPU over host memory, and what is wrong with its result.
  static contender on_host(std::function<void()> loop, std::function<std::string()> wrong_result);
  /// dst = src, both in device memory.
  contender copy_of(void* to, const void* from, std::size_t bytes);
  void fill(const runtime::buffer& b, unsigned char value);
  void download(byte_array& to, const void* from, std::size_t bytes);

  device_session& device_;
  problem_shape shape_;

 private:
  contender from(const reference_call& r);
};

std::unique_ptr<problem> make_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_scan_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_compact_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_flagged_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_split_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_segments_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_axis_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_sort_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_payload_problem(device_session& device, const problem_shape& shape);
std::unique_ptr<problem> make_primitive_problem(device_session& device, const problem_shape& shape);

/// What the outputs are filled with before a check.
inline constexpr unsigned char cleared = 0xa5;

}  // namespace upsweep::apps
