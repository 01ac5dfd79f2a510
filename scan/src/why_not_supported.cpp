#include <algorithm>

#include "upsweep/scan/runtime.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

std::string tile_of(const scan_variant& v) {
  return std::to_string(v.block_threads) + " x " + std::to_string(v.items_per_thread);
}

/// The name of an enumerator; "?" for a number without one.
template <class Names>
std::string name_in(const Names& names, auto enumerator) {
  const auto i = static_cast<std::size_t>(enumerator);
  return std::string(i < names.size() ? names[i] : "?");
}

std::string text_of(const scan_variant& v) {
  std::string text = name_in(scan_strategy_names, v.strategy);
  if (!has_tiles(v.strategy)) return text;
  return text + " " + name_in(block_algorithm_names, v.block) + " " + tile_of(v);
}

/// "a, b, c", each word once.
template <class Range, class Word>
std::string list_of(const Range& range, Word word_of) {
  std::vector<std::string> words;
  for (const auto& entry : range) {
    std::string word(word_of(entry));
    if (!word.empty() && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// What is to be changed in a variant that was not compiled: the first of strategy, block and tile that is not there.
std::string expected_of(const scan_variant& v, std::span<const scan_variant> known) {
  const std::string tiles = list_of(known, [&](const scan_variant& k) {
    const bool alike = k.strategy == v.strategy && k.block == v.block;
    return alike ? tile_of(k) : "";
  });
  if (!tiles.empty()) return "a tile of " + tiles;
  const std::string blocks =
      list_of(known, [&](const scan_variant& k) { return k.strategy == v.strategy ? name_of(k.block) : ""; });
  if (!blocks.empty()) return "a block of " + blocks;
  return "a strategy of " + list_of(known, [](const scan_variant& k) { return name_of(k.strategy); });
}

}  // namespace

std::string why_not_supported(const scan_variant& v, scan_operator op, scalar_type type, backend where) {
  if (static_cast<std::size_t>(op) >= scan_operator_names.size()) {
    return "the operator " + name_in(scan_operator_names, op) + " is unknown; expected " +
           list_of(scan_operator_names, [](std::string_view name) { return name; });
  }
  const auto types = scan_types(op);
  if (std::ranges::find(types, type) == types.end()) {
    return "no " + std::string(name_of(op)) + " of " + std::string(name_of(type)) +
           " was compiled; expected a type of " + list_of(types, [](scalar_type t) { return name_of(t); });
  }
  if (!is_compiled(v)) return "no scan by " + text_of(v) + " was compiled; expected " + expected_of(v, scan_variants());
  if (!is_compiled(v, op)) {
    return "no scan by " + text_of(v) + " was compiled for the operator " + std::string(name_of(op)) + "; expected " +
           list_of(scan_variants(op), text_of);
  }
  if (!runs_on(v, where)) {
    return "the scan strategy serial is a loop on the CPU; expected the sim or another strategy";
  }
  return {};
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
