#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "axes.hpp"
#include "bench_config.hpp"
#include "checks.hpp"
#include "upsweep/sort/runtime.hpp"
#include "validation.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

struct sort_input {
  runtime::sort_method_with_scan policy;
  scalar_type type;
  bool pairs;
  sort_order order;
  std::string_view distribution;
  std::int64_t n;
};

constexpr std::array<std::string_view, 6> distributions = {"uniform",  "entropy_4", "constant",
                                                           "reversed", "bits_16",   "float_specials"};

std::string validate_keys(validate_context& context, const sort_input& s) {
  const runtime::sort_method_with_scan& policy = s.policy;
  const std::size_t bytes = static_cast<std::size_t>(s.n) * size_of(s.type);
  byte_array keys(bytes);
  make_keys(s.distribution, s.type, context.settings.seed, keys.data(), s.n);
  guarded_buffer in(context.device, "the keys", bytes);
  guarded_buffer out(context.device, "the sorted keys", bytes);
  guarded_buffer work(context.device, "the workspace", runtime::sort_keys_workspace_bytes(s.n, s.type, policy));
  in.write(keys.data());
  return under_any_workspace(
      context, work, {&out},
      [&](workspace w) {
        return runtime::sort_keys(w, in.data(), out.data(), s.n, s.type, s.order, {}, policy, context.device.stream());
      },
      [&] { return check_sorted_keys(s.type, keys.data(), out.host(), s.n, s.order); });
}

std::string validate_pairs(validate_context& context, const sort_input& s) {
  const runtime::sort_method_with_scan& policy = s.policy;
  const std::size_t bytes = static_cast<std::size_t>(s.n) * size_of(s.type);
  byte_array keys(bytes);
  make_keys(s.distribution, s.type, context.settings.seed, keys.data(), s.n);
  std::vector<std::uint32_t> values(static_cast<std::size_t>(s.n));
  std::iota(values.begin(), values.end(), 0u);
  guarded_buffer keys_in(context.device, "the keys", bytes);
  guarded_buffer keys_out(context.device, "the sorted keys", bytes);
  guarded_buffer values_in(context.device, "the values", values.size() * sizeof(std::uint32_t));
  guarded_buffer values_out(context.device, "the sorted values", values.size() * sizeof(std::uint32_t));
  guarded_buffer work(context.device, "the workspace", runtime::sort_pairs_workspace_bytes(s.n, s.type, policy));
  keys_in.write(keys.data());
  values_in.write(values.data());
  return under_any_workspace(
      context, work, {&keys_out, &values_out},
      [&](workspace w) {
        return runtime::sort_pairs(w, keys_in.data(), keys_out.data(), values_in.as<std::uint32_t>(),
                                   values_out.as<std::uint32_t>(), s.n, s.type, s.order, {}, policy,
                                   context.device.stream());
      },
      [&] {
        return check_sorted_pairs(s.type, keys.data(), keys_out.host(),
                                  static_cast<const std::uint32_t*>(values_out.host()), s.n, s.order);
      });
}

void add(std::vector<validate_case>& cases, const sort_input& s) {
  const sort_method method = s.policy.method;
  const std::string how =
      method == sort_method::default_sort ? variant_name(s.policy.scan) : std::string(name_of(method));
  cases.push_back({fmt::format("sort/{}/{}/{}/{}/{}/n={}", how, name_of(s.type), s.pairs ? "pairs" : "keys",
                               s.order == sort_order::ascending ? "ascending" : "descending", s.distribution, s.n),
                   s.n, [s](validate_context& c) { return s.pairs ? validate_pairs(c, s) : validate_keys(c, s); }});
}

}  // namespace

void add_sort_cases(std::vector<validate_case>& cases, const validate_context& context) {
  const scan_variant default_variant;
  for (const scalar_type type : measured_key_types()) {
    for (const bool pairs : {false, true}) {
      for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        for (const std::string_view distribution : distributions) {
          for (const std::int64_t n : odd_sizes(default_variant, context.settings.n)) {
            add(cases, {{default_variant}, type, pairs, order, distribution, n});
          }
        }
      }
    }
  }
  for (const scan_variant& v : variants_on(context.device)) {
    if (v == default_variant) continue;
    for (const std::int64_t n : odd_sizes(v, context.settings.n)) {
      add(cases, {{v}, scalar_type::u32, true, sort_order::ascending, "uniform", n});
    }
  }
  // The default takes each of these for some numbers of keys; here, for all that they take.
  for (const sort_method method : {sort_method::onesweep, sort_method::single_block, sort_method::cluster}) {
    if (method == sort_method::cluster && !context.device.has_clusters()) continue;
    const runtime::sort_method_with_scan policy{default_variant, method};
    for (const scalar_type type : measured_key_types()) {
      for (const bool pairs : {false, true}) {
        for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
          for (const std::int64_t n :
               odd_sizes(default_variant, std::min(context.settings.n, runtime::sort_max_keys(policy)))) {
            add(cases, {policy, type, pairs, order, "float_specials", n});
          }
        }
      }
    }
  }
}

}  // namespace upsweep::apps
