#include "validation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "upsweep/scan/runtime.hpp"

namespace upsweep::apps {

namespace {

/// The number in a sentence of the checks that has "element N"; 0 when it has none.
std::int64_t element_in(const std::string& sentence) {
  constexpr std::string_view word = "element ";
  const std::size_t at = sentence.find(word);
  std::int64_t element = 0;
  if (at != std::string::npos) {
    std::from_chars(sentence.data() + at + word.size(), sentence.data() + sentence.size(), element);
  }
  return element;
}

}  // namespace

void validate_context::keep_tiles(const scan_variant& v, scalar_type type, std::int64_t n, const guarded_buffer& work,
                                  const std::string& wrong) {
  constexpr std::int64_t around = 33;
  const std::int64_t items = runtime::tile_items_of(v, type);
  if (settings.dump.empty() || !tiles.empty() || items == 0) return;
  const std::int64_t first = std::max<std::int64_t>(element_in(wrong) / items - around, 0);
  std::int64_t tile = first;
  for (const auto& p : runtime::published_tiles(v, type, n, work.host_bytes(), first, 2 * around + 1)) {
    tiles += fmt::format("tile {}, elements from {} on: {} {}\n", tile, tile * items, p.status, p.value);
    ++tile;
  }
}

std::vector<scan_variant> variants_on(const device_session& device) {
  std::vector<scan_variant> variants;
  for (const scan_variant& v : runtime::scan_variants()) {
    if (device.runs(v)) variants.push_back(v);
  }
  return variants;
}

std::vector<std::int64_t> odd_sizes(const scan_variant& v, std::int64_t most) {
  // Beyond 2^14 its n^2 applications would take longer than all others together.
  if (v.strategy == scan_strategy::naive_quadratic) most = std::min(most, std::int64_t{1} << 14);
  const scan_variant tiled = has_tiles(v.strategy) ? v : scan_variant{};
  const std::int64_t tile = std::int64_t{tiled.block_threads} * tiled.items_per_thread;
  std::vector<std::int64_t> sizes = {0, 1, 31, 32, 33, 65537, 1000003, most};
  for (const std::int64_t tiles : {1, 32, 33}) {
    for (const std::int64_t more : {-1, 0, 1}) sizes.push_back(tiles * tile + more);
  }
  std::erase_if(sizes, [&](std::int64_t n) { return n > most; });
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string under_any_workspace(validate_context& context, guarded_buffer& work,
                                const std::vector<guarded_buffer*>& outputs,
                                const std::function<status(workspace)>& call,
                                const std::function<std::string()>& check) {
  constexpr std::size_t large = std::size_t{16} << 20;
  for (const content c : {content::zeros, content::ones, content::noise}) {
    if (c != content::noise && outputs.front()->host_bytes().size() > large) continue;
    work.write(c, context.settings.seed);
    for (guarded_buffer* output : outputs) output->write_canaries();
    context.device.time("the call", [&] { return call(work.as_workspace()); });
    work.read();
    for (guarded_buffer* output : outputs) output->read();
    std::string wrong = check();
    if (wrong.empty()) wrong = work.damage();
    for (const guarded_buffer* output : outputs) {
      if (wrong.empty()) wrong = output->damage();
    }
    if (!wrong.empty()) return fmt::format("on a workspace of {}: {}", content_names[static_cast<int>(c)], wrong);
  }
  return {};
}

}  // namespace upsweep::apps
