// The cases of upsweep-bench validate: each is one operation on one input, checked.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "device_session.hpp"
#include "guarded_buffer.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::apps {

struct validate_settings {
  std::string device = "auto";
  std::uint64_t seed = 1;
  std::int64_t n = 0;  ///< the largest size
  int rounds = 0;      ///< of each case of stress
  double max_seconds = std::numeric_limits<double>::infinity();
  std::string only;
  std::string dump;
};

/// Where the cases run.
struct validate_context {
  validate_settings settings;
  device_session device;
  std::function<bool()> goes_on = {};  ///< between rounds of a case: says how far it is; false when the time is up
  std::string tiles = {};  ///< what the first look-back scan that went wrong left in its workspace, a line a tile

  /// Fills `tiles` when it is empty. `wrong` is the check's sentence, `work` was read.
  void keep_tiles(const scan_variant& v, scalar_type type, std::int64_t n, const guarded_buffer& work,
                  const std::string& wrong);
};

struct validate_case {
  std::string name;  ///< "scan/decoupled_lookback/warp_scans/256x16/u32/exclusive/random/n=33"
  std::int64_t n = 0;
  std::function<std::string(validate_context&)> run;  ///< "" or what is wrong
  std::int64_t calls = 1;
};

/// Every variant x type x exclusive and inclusive x size, the default variant x data too.
void add_scan_cases(std::vector<validate_case>& cases, const validate_context& context);
/// Flagged or between of a type x share kept x data x size by one variant, and every variant by one of these; then in
/// place, several arrays, filled holes, partitions and splits x size.
void add_compact_cases(std::vector<validate_case>& cases, const validate_context& context);
/// Every key type x keys and pairs x order x distribution x size by one variant, and every variant by one of these.
void add_sort_cases(std::vector<validate_case>& cases, const validate_context& context);
/// The look-back variants, back to back on a workspace of noise, then of what the call before left, and on a GPU on
/// several streams at once.
void add_stress_cases(std::vector<validate_case>& cases, const validate_context& context);

/// The variants that the device can run.
std::vector<scan_variant> variants_on(const device_session& device);
/// Sizes up to `most` at which something changes: about a warp, a tile and a window of tiles of this variant; primes.
std::vector<std::int64_t> odd_sizes(const scan_variant& v, std::int64_t most);

/// Makes `call` with `work` holding zeros, ones and noise in turn (noise only when the first output is above 16 MiB),
/// the outputs holding canaries, and reads all of them back. "" when `check` is content every time and no canary around
/// them was written, else what is wrong.
std::string under_any_workspace(validate_context& context, guarded_buffer& work,
                                const std::vector<guarded_buffer*>& outputs,
                                const std::function<status(workspace)>& call,
                                const std::function<std::string()>& check);

}  // namespace upsweep::apps
