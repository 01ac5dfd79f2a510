#include <fmt/core.h>

#include "axes.hpp"
#include "checks.hpp"
#include "upsweep/scan/runtime.hpp"
#include "validation.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

struct scan_input {
  scan_variant variant;
  scalar_type type;
  bool exclusive;
  std::string_view distribution;
  std::int64_t n;
};

std::string validate_scan(validate_context& context, const scan_input& s) {
  const std::size_t bytes = static_cast<std::size_t>(s.n) * size_of(s.type);
  byte_array items(bytes);
  make_scan_items(s.distribution, s.type, context.settings.seed, items.data(), s.n);
  guarded_buffer in(context.device, "the items", bytes);
  guarded_buffer out(context.device, "the sums", bytes);
  guarded_buffer work(context.device, "the workspace", runtime::scan_workspace_bytes(s.n, s.type, s.variant));
  in.write(items.data());
  const auto sum = s.exclusive ? runtime::exclusive_sum : runtime::inclusive_sum;
  std::string wrong = under_any_workspace(
      context, work, {&out},
      [&](workspace w) { return sum(w, in.data(), out.data(), s.n, s.type, s.variant, context.device.stream()); },
      [&] { return check_sum(s.type, s.exclusive, items.data(), out.host(), s.n); });
  if (!wrong.empty()) context.keep_tiles(s.variant, s.type, s.n, work, wrong);
  return wrong;
}

std::string case_name(const scan_input& s) {
  return fmt::format("scan/{}/{}/{}/{}/n={}", variant_name(s.variant), name_of(s.type),
                     s.exclusive ? "exclusive" : "inclusive", s.distribution, s.n);
}

}  // namespace

void add_scan_cases(std::vector<validate_case>& cases, const validate_context& context) {
  for (const scan_variant& v : variants_on(context.device)) {
    for (const scalar_type type : runtime::scan_types()) {
      for (const bool exclusive : {true, false}) {
        for (const std::string_view distribution : scan_distributions()) {
          if (v != scan_variant{} && distribution != scan_distributions().front()) continue;
          for (const std::int64_t n : odd_sizes(v, context.settings.n)) {
            const scan_input s{v, type, exclusive, distribution, n};
            cases.push_back({case_name(s), n, [s](validate_context& c) { return validate_scan(c, s); }});
          }
        }
      }
    }
  }
}

}  // namespace upsweep::apps
