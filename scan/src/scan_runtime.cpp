#include "upsweep/scan/runtime.hpp"

#include <algorithm>
#include <charconv>

#include "scan_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

/// Each variant once.
using all_policies = decltype(std::apply(
    [](auto... part) { return std::tuple_cat(typename decltype(part)::policies{}...); }, sum_parts{}));

template <class Policies>
std::span<const scan_variant> variants_of() {
  static constexpr auto variants =
      std::apply([](auto... policy) { return std::array{decltype(policy)::variant...}; }, Policies{});
  return variants;
}

status run(stream s, const scan_call& call) {
  if (!runs_on(call.variant, s.where)) return status::not_supported;
  return s.where == backend::sim ? scan_on_sim(s.handle, call) : scan_on_cuda(s.handle, call);
}

template <class T>
std::string decimal(T value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class T>
published_tile described(const tile_reading<T>& tile) {
  switch (tile.status) {
    case tile_status::invalid:
      return {"invalid", {}};
    case tile_status::partial:
      return {"partial", decimal(tile.value)};
    case tile_status::inclusive:
      return {"inclusive", decimal(tile.value)};
  }
  return {decimal(static_cast<std::uint32_t>(tile.status)), {}};
}

template <class Policy, class T>
std::vector<published_tile> described_tiles(std::int64_t n, const std::byte* workspace_copy, std::int64_t first_tile,
                                            std::int64_t count) {
  std::vector<published_tile> tiles;
  if constexpr (requires { Policy::template published<T>(n, workspace_copy, first_tile); }) {
    const std::int64_t all = ceil_div(n, Policy::template tile_items<T>);
    for (std::int64_t tile = first_tile; tile < all && tile - first_tile < count; ++tile) {
      tiles.push_back(described(Policy::template published<T>(n, workspace_copy, tile)));
    }
  }
  return tiles;
}

/// What is known of a scan of one type without running it.
struct scan_facts {
  scalar_type type;
  std::int64_t max_items;
  std::int64_t tile_items;
  std::size_t (*workspace_bytes)(std::int64_t n);
  scan_cost (*cost)(std::int64_t n);
  std::vector<published_tile> (*tiles)(std::int64_t n, const std::byte* workspace_copy, std::int64_t first_tile,
                                       std::int64_t count);
};
template <class Policy, class T>
constexpr scan_facts facts_of() {
  scan_facts facts{scalar_type_of<T>(),
                   max_items<Policy>,
                   0,
                   [](std::int64_t n) -> std::size_t { return Policy::template workspace_bytes<T, const T*, T*>(n); },
                   [](std::int64_t n) -> scan_cost { return Policy::template cost<T>(n); },
                   described_tiles<Policy, T>};
  if constexpr (requires { Policy::template tile_items<T>; }) facts.tile_items = Policy::template tile_items<T>;
  return facts;
}

/// Those of a compiled scan; null when it was not compiled.
const scan_facts* facts_of(const scan_variant& v, scalar_type type) {
  struct row {
    scan_variant variant;
    std::array<scan_facts, ordered_types::values.size()> by_type;
  };
  static constexpr auto row_of = []<class Policy, class... Ts>(Policy, scalar_types<Ts...>) {
    return row{Policy::variant, {facts_of<Policy, Ts>()...}};
  };
  static constexpr auto rows =
      std::apply([](auto... policy) { return std::array{row_of(policy, ordered_types{})...}; }, all_policies{});
  const auto same = std::ranges::find_if(rows, [&](const row& r) { return same_variant(v, r.variant); });
  if (same == rows.end()) return nullptr;
  const auto facts = std::ranges::find(same->by_type, type, &scan_facts::type);
  return facts == same->by_type.end() ? nullptr : &*facts;
}

}  // namespace

std::span<const scan_variant> scan_variants(scan_operator op) {
  return op == scan_operator::sum ? variants_of<all_policies>() : variants_of<default_scan_operators::policies>();
}

std::span<const scalar_type> scan_types(scan_operator op) {
  static constexpr std::array integers = {scalar_type::u32, scalar_type::i32, scalar_type::u64};
  using enum scan_operator;
  if (op == bit_and || op == bit_or || op == bit_xor) return integers;
  return ordered_types::values;
}

bool is_compiled(const scan_variant& v, scan_operator op) {
  return std::ranges::any_of(scan_variants(op), [&](const scan_variant& c) { return same_variant(v, c); });
}

std::size_t scan_workspace_bytes(std::int64_t n, scalar_type type, const scan_variant& v) {
  const scan_facts* const facts = facts_of(v, type);
  return facts == nullptr || n <= 0 ? 0 : facts->workspace_bytes(n);
}

scan_cost cost_of(const scan_variant& v, scalar_type type, std::int64_t n) {
  const scan_facts* const facts = facts_of(v, type);
  return facts == nullptr || n <= 0 ? scan_cost{} : facts->cost(n);
}

std::int64_t max_items_of(const scan_variant& v) {
  const scan_facts* const facts = facts_of(v, scalar_type::u32);
  return facts == nullptr ? 0 : facts->max_items;
}

std::int64_t tile_items_of(const scan_variant& v, scalar_type type) {
  const scan_facts* const facts = facts_of(v, type);
  return facts == nullptr ? 0 : facts->tile_items;
}

std::vector<published_tile> published_tiles(const scan_variant& v, scalar_type type, std::int64_t n,
                                            std::span<const std::byte> workspace_copy, std::int64_t first_tile,
                                            std::int64_t count) {
  const scan_facts* const facts = facts_of(v, type);
  // scan_workspace_bytes has slack to align the workspace, which the copy need not have.
  if (facts == nullptr || n <= 0 || first_tile < 0 ||
      workspace_copy.size() + workspace_layout::alignment <= facts->workspace_bytes(n)) {
    return {};
  }
  return facts->tiles(n, workspace_copy.data(), first_tile, count);
}

status exclusive_scan(workspace w, const void* in, void* out, std::int64_t n, scalar_type type, scan_operator op,
                      const void* init, const scan_variant& v, stream stream) {
  return run(stream, {v, op, type, scan_kind::exclusive, w, in, out, n, init});
}

status inclusive_scan(workspace w, const void* in, void* out, std::int64_t n, scalar_type type, scan_operator op,
                      const scan_variant& v, stream stream) {
  return run(stream, {v, op, type, scan_kind::inclusive, w, in, out, n, nullptr});
}

status inclusive_scan_init(workspace w, const void* in, void* out, std::int64_t n, scalar_type type, scan_operator op,
                           const void* init, const scan_variant& v, stream stream) {
  return run(stream, {v, op, type, scan_kind::inclusive, w, in, out, n, init});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
