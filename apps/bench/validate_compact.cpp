#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>

#include "axes.hpp"
#include "checks.hpp"
#include "element_types.hpp"
#include "partitions.hpp"
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
  guarded_buffer work(context.device, "the workspace", runtime::select_workspace_bytes(arrays, s.n, s.variant));
  in.write(e.items.data());
  flags.write(e.flags.data());
  return under_any_workspace(
      context, work, {&out, &count},
      [&](workspace w) {
        const runtime::stream stream = context.device.stream();
        auto* const selected = count.as<std::int64_t>();
        if (s.flagged) {
          return runtime::select_flagged(w, arrays, flags.as<std::uint8_t>(), selected, s.n, s.variant, stream);
        }
        return runtime::select_between(w, in.data(), out.data(), selected, s.n, s.type, &e.low, &e.high, s.variant,
                                       stream);
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

constexpr int shares[] = {0, 1, 50, 99, 100};

/// By value, over the elements themselves.
std::string validate_in_place(validate_context& context, const compact_method_with_scan& method,
                              const compact_input& s) {
  const elements e(s, context.settings.seed);
  guarded_buffer in(context.device, "the elements", e.items.bytes());
  guarded_buffer count(context.device, "the count", sizeof(std::int64_t));
  const soa_array array{in.data(), in.data(), size_of(s.type)};
  guarded_buffer work(context.device, "the workspace", runtime::select_workspace_bytes({&array, 1}, s.n, method));
  return under_any_workspace(
      context, work, {&in, &count},
      [&](workspace w) {
        in.write(e.items.data());
        return runtime::select_between(w, in.data(), in.data(), count.as<std::int64_t>(), s.n, s.type, &e.low, &e.high,
                                       method, context.device.stream());
      },
      [&] {
        return check_select(s.type, e.items.data(), s.n, &e.low, &e.high, in.host(),
                            *static_cast<const std::int64_t*>(count.host()));
      });
}

/// By flags, of the layouts that flagged_distributions names.
std::string validate_layout(validate_context& context, const compact_method_with_scan& method, bool in_place,
                            std::string_view layout_name, int percent, std::int64_t n) {
  const element_layout layout = element_layout_named(layout_name);
  const std::size_t bytes = layout.element_bytes * static_cast<std::size_t>(n);
  byte_array items(bytes * layout.arrays), flags(static_cast<std::size_t>(n));
  const std::int64_t kept = make_flagged_elements(percent / 100.0, context.settings.seed, items.data(), items.bytes(),
                                                  flags.as<std::uint8_t>(), n);
  guarded_buffer device_flags(context.device, "the flags", flags.bytes());
  guarded_buffer count(context.device, "the count", sizeof(std::int64_t));
  device_flags.write(flags.data());
  std::deque<guarded_buffer> in, out;
  std::vector<guarded_buffer*> outputs;
  std::vector<soa_array> arrays;
  const auto write_items = [&] {
    for (std::size_t k = 0; k < layout.arrays; ++k) in[k].write(items.data() + k * bytes);
  };
  for (std::size_t k = 0; k < layout.arrays; ++k) {
    in.emplace_back(context.device, "the elements", bytes);
    if (!in_place) {
      out.emplace_back(context.device, "the kept elements", bytes);
      out.back().use_front(static_cast<std::size_t>(kept) * layout.element_bytes);
    }
    outputs.push_back(in_place ? &in.back() : &out.back());
    arrays.push_back({in.back().data(), outputs.back()->data(), layout.element_bytes});
  }
  write_items();
  outputs.push_back(&count);
  guarded_buffer work(context.device, "the workspace", runtime::select_workspace_bytes(arrays, n, method));
  return under_any_workspace(
      context, work, outputs,
      [&](workspace w) {
        if (in_place) write_items();
        return runtime::select_flagged(w, arrays, device_flags.as<std::uint8_t>(), count.as<std::int64_t>(), n, method,
                                       context.device.stream());
      },
      [&] {
        const auto check = is_stable(method.method) ? check_flagged : check_filled;
        for (std::size_t k = 0; k < layout.arrays; ++k) {
          const std::string wrong = check(items.data() + k * bytes, layout.element_bytes, flags.as<std::uint8_t>(), n,
                                          outputs[k]->host(), *static_cast<const std::int64_t*>(count.host()));
          if (!wrong.empty()) return layout.arrays == 1 ? wrong : fmt::format("array {}: {}", k, wrong);
        }
        return std::string{};
      });
}

/// By value, into two arrays.
std::string validate_partition(validate_context& context, const compact_input& s) {
  const elements e(s, context.settings.seed);
  guarded_buffer in(context.device, "the elements", e.items.bytes());
  guarded_buffer out(context.device, "the kept elements", e.items.bytes());
  guarded_buffer rejected(context.device, "the rejected elements", e.items.bytes());
  guarded_buffer count(context.device, "the count", sizeof(std::int64_t));
  out.use_front(static_cast<std::size_t>(e.kept) * size_of(s.type));
  rejected.use_front(static_cast<std::size_t>(s.n - e.kept) * size_of(s.type));
  const partition_arrays_of_one arrays{{s.type, in.data(), out.data(), s.n, &e.low, &e.high, count.as<std::int64_t>()},
                                       rejected.data()};
  guarded_buffer work(context.device, "the workspace", partition_workspace_bytes(arrays));
  in.write(e.items.data());
  return under_any_workspace(
      context, work, {&out, &rejected, &count},
      [&](workspace w) { return partition(context.device.stream(), w, arrays); },
      [&] {
        const std::string wrong = check_select(s.type, e.items.data(), s.n, &e.low, &e.high, out.host(),
                                               *static_cast<const std::int64_t*>(count.host()));
        if (!wrong.empty()) return wrong;
        return check_rejected(s.type, e.items.data(), s.n, &e.low, &e.high, rejected.host(), false);
      });
}

/// Of u32 by their highest bits.
std::string validate_split(validate_context& context, int bits, std::int64_t n) {
  byte_array items(static_cast<std::size_t>(n) * sizeof(std::uint32_t));
  make_keys("uniform", scalar_type::u32, context.settings.seed, items.data(), n);
  std::vector<std::int64_t> begins((std::size_t{1} << bits) + 1);
  const auto* const keys = items.as<std::uint32_t>();
  for (std::int64_t i = 0; i < n; ++i) ++begins[(keys[i] >> (32 - bits)) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  guarded_buffer in(context.device, "the elements", items.bytes());
  guarded_buffer out(context.device, "the buckets", items.bytes());
  guarded_buffer offsets(context.device, "the offsets", begins.size() * sizeof(std::int64_t));
  const split_arrays_of_one arrays{in.as<std::uint32_t>(), out.as<std::uint32_t>(), n, bits};
  guarded_buffer work(context.device, "the workspace", split_workspace_bytes(arrays));
  in.write(items.data());
  return under_any_workspace(
      context, work, {&out, &offsets},
      [&](workspace w) { return split(context.device.stream(), w, arrays, offsets.as<std::int64_t>()); },
      [&] {
        const auto* const got = static_cast<const std::int64_t*>(offsets.host());
        const auto at = std::mismatch(begins.begin(), begins.end(), got);
        if (at.first != begins.end()) {
          return fmt::format("offset {} is {}; expected {}", at.first - begins.begin(), *at.second, *at.first);
        }
        return check_split(keys, static_cast<const std::uint32_t*>(out.host()), n, bits);
      });
}

/// Elements of more than 8 bytes stop there, so that they need no more memory than the others.
constexpr std::int64_t most_bytes_of_layout = std::int64_t{1} << 28;

/// What is not a selection of one array into another.
void add_forms(std::vector<validate_case>& cases, std::int64_t n) {
  const auto add_case = [&](const std::string& form, int percent, auto run) {
    cases.push_back({fmt::format("compact/{}/kept={}%/n={}", form, percent, n), n, std::move(run)});
  };
  const std::string_view random = compact_distributions().front();
  for (const int percent : shares) {
    for (const scalar_type type : {scalar_type::u32, scalar_type::u64}) {
      const compact_input s{{}, false, type, random, percent, n};
      add_case(fmt::format("fused/in_place/{}", name_of(type)), percent,
               [s](validate_context& c) { return validate_in_place(c, compact_method::fused, s); });
      add_case(fmt::format("partition/{}", name_of(type)), percent,
               [s](validate_context& c) { return validate_partition(c, s); });
    }
  }
  for (const auto& [method, in_place] :
       {std::pair{compact_method::fused, false}, std::pair{compact_method::fused, true},
        std::pair{compact_method::vote_scan_compact, true}, std::pair{compact_method::hole_filling, true}}) {
    for (const std::string_view layout : flagged_distributions()) {
      const auto [arrays, element_bytes] = element_layout_named(layout);
      const auto bytes = static_cast<std::int64_t>(arrays * element_bytes);
      if (bytes > 8 && n > most_bytes_of_layout / bytes) continue;
      for (const int percent : shares) {
        if (percent != 50 && layout != flagged_distributions().front()) continue;
        add_case(fmt::format("{}/{}/{}", name_of(method), in_place ? "flagged_in_place" : "flagged", layout), percent,
                 [=](validate_context& c) { return validate_layout(c, method, in_place, layout, percent, n); });
      }
    }
  }
  for (const std::string_view buckets : split_distributions()) {
    cases.push_back({fmt::format("compact/split/{}/n={}", buckets, n), n,
                     [buckets, n](validate_context& c) { return validate_split(c, bucket_bits_named(buckets), n); }});
  }
}

}  // namespace

void add_compact_cases(std::vector<validate_case>& cases, const validate_context& context) {
  const scan_variant default_variant;
  for (const std::string_view distribution : compact_distributions()) {
    for (const int percent : shares) {
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
  for (const std::int64_t n : odd_sizes(default_variant, context.settings.n)) add_forms(cases, n);
}

}  // namespace upsweep::apps
