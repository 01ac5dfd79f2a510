#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "axes.hpp"
#include "checks.hpp"
#include "element_types.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"
#include "validation.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

struct compact_input {
  scan_variant variant;
  bool flagged;  ///< by a flag an element, else by value
  scalar_type type;
  std::string_view distribution;
  int percent;
  std::int64_t n;
};

/// Elements on the host, and which of them are to be kept.
struct elements {
  byte_array items;
  std::vector<std::uint8_t> flags;
  std::uint64_t low = 0, high = 0;  ///< room for any type
  std::int64_t kept = 0;

  elements(const compact_input& s, std::uint64_t seed)
      : items(static_cast<std::size_t>(s.n) * size_of(s.type)), flags(static_cast<std::size_t>(s.n)) {
    make_select_items(s.distribution, s.type, s.percent / 100.0, seed, items.data(), s.n, &low, &high);
    element_types::visit(s.type, [&](auto zero) {
      decltype(zero) from{}, to{};
      std::memcpy(&from, &low, sizeof from);
      std::memcpy(&to, &high, sizeof to);
      for (std::size_t i = 0; i < flags.size(); ++i) {
        const auto item = items.as<decltype(zero)>()[i];
        flags[i] = from <= item && item < to;
      }
    });
    kept = std::accumulate(flags.begin(), flags.end(), std::int64_t{0});
  }
};

std::string validate_compact(validate_context& context, const compact_input& s) {
  const elements e(s, context.settings.seed);
  guarded_buffer in(context.device, "the elements", e.items.bytes());
  guarded_buffer flags(context.device, "the flags", e.flags.size());
  guarded_buffer out(context.device, "the kept elements", e.items.bytes());
  out.use_front(static_cast<std::size_t>(e.kept) * size_of(s.type));
  guarded_buffer count(context.device, "the count", sizeof(std::int64_t));
  const std::vector<soa_array> arrays = {{in.data(), out.data(), size_of(s.type)}};
  guarded_buffer work(context.device, "the workspace", runtime::select_workspace_bytes(s.variant, arrays, s.n));
  in.write(e.items.data());
  flags.write(e.flags.data());
  return under_any_workspace(
      context, work, {&out, &count},
      [&](workspace w) {
        const runtime::stream stream = context.device.stream();
        auto* const selected = count.as<std::int64_t>();
        if (s.flagged) {
          return runtime::select_flagged(stream, s.variant, w, arrays, s.n, flags.as<std::uint8_t>(), selected);
        }
        return runtime::select_between(stream, s.variant, w, s.type, in.data(), out.data(), s.n, &e.low, &e.high,
                                       selected);
      },
      [&] {
        return check_select(s.type, e.items.data(), s.n, &e.low, &e.high, out.host(),
                            *static_cast<const std::int64_t*>(count.host()));
      });
}

void add(std::vector<validate_case>& cases, const compact_input& s) {
  cases.push_back({fmt::format("compact/{}/{}/{}/{}/kept={}%/n={}", variant_name(s.variant),
                               s.flagged ? "flagged" : "between", name_of(s.type), s.distribution, s.percent, s.n),
                   s.n, [s](validate_context& c) { return validate_compact(c, s); }});
}

}  // namespace

void add_compact_cases(std::vector<validate_case>& cases, const validate_context& context) {
  const scan_variant default_variant;
  for (const std::string_view distribution : compact_distributions()) {
    for (const int percent : {0, 1, 50, 99, 100}) {
      for (const std::int64_t n : odd_sizes(default_variant, context.settings.n)) {
        add(cases, {default_variant, true, scalar_type::u32, distribution, percent, n});
        for (const scalar_type type : runtime::scan_types()) {
          add(cases, {default_variant, false, type, distribution, percent, n});
        }
      }
    }
  }
  for (const scan_variant& v : variants_on(context.device)) {
    if (v == default_variant) continue;
    for (const std::int64_t n : odd_sizes(v, context.settings.n)) {
      add(cases, {v, true, scalar_type::u32, compact_distributions().front(), 50, n});
    }
  }
}

}  // namespace upsweep::apps
