#include "bench_config.hpp"

#include <algorithm>
#include <array>

#include "axes.hpp"
#include "element_types.hpp"
#include "narrow_sums.hpp"
#include "primitives.hpp"
#include "reproducible_sums.hpp"
#include "text.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// A value that may be a text or a number.
std::string text_of(const json& document, const char* key) {
  if (!document.contains(key)) return "";
  const json& value = document[key];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::span<const std::string_view> distributions_of(operation what) {
  switch (what) {
    case operation::scan:
      return scan_distributions();
    case operation::compact:
    case operation::partition:
      return compact_distributions();
    case operation::flagged:
      return flagged_distributions();
    case operation::split:
      return split_distributions();
    case operation::by_key:
    case operation::segmented:
      return segment_distributions();
    case operation::axis:
      return axis_distributions();
    case operation::sort:
      return sort_distributions();
    default:
      return primitive_of(what).distributions;
  }
}

std::vector<std::optional<scalar_type>> values_from(const std::string& origin, const std::string& text) {
  constexpr std::array<std::string_view, 2> known = {"none", "u32"};
  std::vector<std::optional<scalar_type>> values;
  for (const std::string& word : word_axis(origin, text, known)) values.push_back(scalar_type_named(word));
  return values;
}

/// Its data is of u32, whatever the distribution makes of them.
bool has_one_type(operation what) {
  return what == operation::flagged || what == operation::split || is_primitive(what);
}
/// Its data is of unsigned integers of 4 or 8 bytes.
bool has_two_types(operation what) {
  return what == operation::partition || is_of_segments(what);
}

std::string names_in(std::span<const std::string_view> names) {
  return list_text({names.begin(), names.end()});
}

/// The types of a scan: those of the run-time calls, and narrow ones, but for a survey of all variants.
std::vector<scalar_type> scanned_types(bool survey) {
  std::vector<scalar_type> types(runtime::scan_types().begin(), runtime::scan_types().end());
  if (!survey) types.insert(types.end(), narrow_types().begin(), narrow_types().end());
  return types;
}

const std::string& either(const std::string& told, const std::string& otherwise) {
  return told.empty() ? otherwise : told;
}

}  // namespace

std::span<const std::string_view> methods_of(operation what) {
  static constexpr std::array<std::string_view, 4> selecting = {"default", "fused", "vote_scan_compact",
                                                                "hole_filling"};
  static constexpr std::array<std::string_view, 2> scanning = {"default", reproducible_method};
  if (what == operation::scan) return scanning;
  if (what == operation::sort) return sort_method_names;
  if (what == operation::flagged) return selecting;
  return std::span(selecting).first(what == operation::compact ? 3 : 1);
}

bool takes_scan(operation what, std::string_view method) {
  if (method == "default") return true;
  if (what == operation::scan) return false;
  if (what == operation::sort) return has_scan(sort_method_named(method).value());
  return has_scan(compact_method_named(method).value());
}

void add_bench_options(command_line& line, operation what, bool survey) {
  line.add_config();
  line.add_text("--device DEVICE", "/device", "auto (a GPU, else the sim), cuda, cuda:N or sim");
  line.add_text("--n SIZES", "/n", "Sizes: 1000, 2^20, 2^10..2^28 (doubling), or a list of these");
  line.add_text("--type TYPES", "/type",
                has_one_type(what)                   ? "u32"
                : has_two_types(what)                ? "u32, u64"
                : what == operation::sort            ? "Key types: u32, i32, u64, f32"
                : what == operation::scan && !survey ? "u32, i32, u64, f32, f64; by the default variant also u8, u16, "
                                                       "f16, bf16"
                                                     : "u32, i32, u64, f32, f64");
  if (what == operation::sort) line.add_text("--values VALUES", "/values", "none, u32 or both");
  if (!survey && methods_of(what).size() > 1)
    line.add_text("--method NAMES", "/method", "Methods: " + names_in(methods_of(what)));
  if (has_variants(what)) {
    line.add_text("--variant NAMES", "/variant",
                  "Scan variants: strategy/block/tile, the beginning of one, all, or default");
  }
  if (!survey) {
    line.add_text("--reference NAMES", "/reference",
                  std::string("none, cub, thrust, copy, serial") + (what == operation::flagged ? ", stable" : ""));
  }
  line.add_text("--distribution NAMES", "/distribution", "What the data is like: upsweep-bench list distributions");
  if (is_selection(what))
    line.add_text("--kept PERCENTS", "/kept", "Per cent of elements that are kept, as 1,10,50,90");
  line.add_switch("--warm", "/warm", "Do not flush the L2 cache before each sample");
  if (!survey) {
    line.add_text("--graph WHEN", "/graph", "Time calls in a captured graph too: auto (n up to 2^20), always or never");
  }
  line.add_integer("--seed N", "/seed", "What the data is made of (1)");
  line.add_integer("--min-samples N", "/min_samples", "Samples of each side, at least (10)");
  line.add_numbers("--max-seconds S", {{"/max_seconds", 1}}, "For one row whose ratio does not become stable (2)");
  line.add_text("--json FILE", "/json", "Write everything; - is standard output");
  line.add_text("--csv FILE", "/csv", "Write the table as CSV");
  line.add_text("--markdown FILE", "/markdown", "Write the table as Markdown");
}

bench_config bench_config_from(const command_line& line, operation what, bool survey) {
  const json& document = line.document();
  const auto refuse = [&](bool wrong, const char* key, const char* why) {
    if (wrong && document.contains(key)) fail(exit_code::usage, "{}: {}", line.origin(std::string("/") + key), why);
  };
  refuse(what != operation::sort, "values", "given; expected only with the command sort");
  refuse(survey || methods_of(what).size() == 1, "method",
         "given; expected only with the commands scan, compact, flagged and sort");
  refuse(!is_selection(what), "kept", "given; expected only with the commands compact, flagged and partition");
  refuse(!has_variants(what), "variant", "given; expected none, as there is one way to do this");
  refuse(survey, "reference", "given; expected none, as a survey has its own references");
  refuse(survey && document.value("graph", "auto") == "always", "graph",
         "got always; expected auto or never, as a survey times single calls");
  bench_config config;
  config.device = document.value("device", config.device);
  config.sizes = text_of(document, "n");
  config.types = text_of(document, "type");
  config.values = text_of(document, "values");
  config.methods = text_of(document, "method");
  config.variants = text_of(document, "variant");
  config.distributions = text_of(document, "distribution");
  config.shares = text_of(document, "kept");
  config.references = text_of(document, "reference");
  config.graph = document.value("graph", config.graph);
  config.seed = document.value("seed", config.seed);
  config.measuring.flush_l2 = !document.value("warm", !config.measuring.flush_l2);
  config.measuring.min_samples = document.value("min_samples", config.measuring.min_samples);
  config.measuring.max_seconds = document.value("max_seconds", config.measuring.max_seconds);
  config.json_file = document.value("json", config.json_file);
  config.csv_file = document.value("csv", config.csv_file);
  config.markdown_file = document.value("markdown", config.markdown_file);
  return config;
}

ordered_json to_json(const bench_config& config) {
  ordered_json document;
  document["device"] = config.device;
  const auto put = [&](const char* key, const std::string& text) {
    if (!text.empty()) document[key] = text;
  };
  put("n", config.sizes);
  put("type", config.types);
  put("values", config.values);
  put("method", config.methods);
  put("variant", config.variants);
  put("distribution", config.distributions);
  put("kept", config.shares);
  put("reference", config.references);
  document["warm"] = !config.measuring.flush_l2;
  document["graph"] = config.graph;
  document["seed"] = config.seed;
  document["min_samples"] = config.measuring.min_samples;
  document["max_seconds"] = config.measuring.max_seconds;
  put("json", config.json_file);
  put("csv", config.csv_file);
  put("markdown", config.markdown_file);
  return document;
}

ordered_json to_json(const bench_axes& axes) {
  ordered_json document;
  document["n"] = axes.sizes;
  for (const scalar_type type : axes.types) document["type"].push_back(name_of(type));
  for (const auto& values : axes.values) document["values"].push_back(values ? name_of(*values) : "none");
  document["method"] = axes.methods;
  for (const scan_variant& v : axes.variants) document["variant"].push_back(variant_name(v));
  document["distribution"] = axes.distributions;
  document["kept"] = axes.shares;
  for (const std::string& name : axes.references) document["reference"].push_back(name.empty() ? "none" : name);
  return document;
}

std::span<const scalar_type> measured_key_types() {
  static const std::vector<scalar_type> types = [] {
    std::vector<scalar_type> known;
    for (const scalar_type t : runtime::sort_key_types()) {
      if (key_types::visit(t, [](auto) {})) known.push_back(t);
    }
    return known;
  }();
  return types;
}

bench_axes axes_from(const bench_config& config, operation what, bool survey, runtime::backend where,
                     const command_line& line) {
  const bool gpu = where == runtime::backend::cuda;
  constexpr std::array<scalar_type, 1> one_type = {scalar_type::u32};
  constexpr std::array<scalar_type, 2> two_types = {scalar_type::u32, scalar_type::u64};
  const std::vector<scalar_type> scanned = scanned_types(survey);
  bench_axes axes;
  axes.methods = word_axis(line.origin("/method"), either(config.methods, "default"), methods_of(what));
  const bool reproducible = std::ranges::count(axes.methods, reproducible_method) > 0;
  const std::span<const scalar_type> types = has_one_type(what)        ? one_type
                                             : reproducible            ? reproducible_types()
                                             : has_two_types(what)     ? two_types
                                             : what == operation::sort ? measured_key_types()
                                             : what == operation::scan ? scanned
                                                                       : runtime::scan_types();
  if (!gpu && config.graph == "always") {
    fail(exit_code::usage, "{}: got always, and the sim has no graphs; expected auto or never", line.origin("/graph"));
  }
  axes.sizes = size_axis(line.origin("/n"), either(config.sizes, gpu ? "2^12,2^16,2^20,2^24,2^28" : "2^10,2^14,2^17"));
  axes.types = type_axis(line.origin("/type"), either(config.types, reproducible ? "f32,f64" : "u32"), types);
  axes.values = values_from(line.origin("/values"), either(config.values, "none"));
  for (const scan_variant& v : variant_axis(
           line.origin("/variant"), either(config.variants, survey ? "all" : "default"), runtime::scan_variants())) {
    if (runtime::runs_on(v, where)) axes.variants.push_back(v);
  }
  if (axes.variants.empty()) {
    fail(exit_code::usage, "{}: got \"{}\", a loop of the CPU; expected a variant that runs on a GPU",
         line.origin("/variant"), config.variants);
  }
  const auto narrow = std::ranges::find_if(axes.types, is_narrow);
  if (narrow != axes.types.end() && axes.variants != std::vector{scan_variant{}}) {
    fail(exit_code::usage, "{}: got \"{}\"; expected default, as no other variant scans {} here",
         line.origin("/variant"), config.variants, name_of(*narrow));
  }
  const auto known = distributions_of(what);
  for (const std::string& name : axes.methods) {
    if (takes_scan(what, name) || axes.variants == std::vector{scan_variant{}}) continue;
    fail(exit_code::usage, "{}: got \"{}\"; expected default beside the method {}, which has no scan",
         line.origin("/variant"), config.variants, name);
  }
  axes.distributions =
      word_axis(line.origin("/distribution"), either(config.distributions, std::string(known[0])), known);
  axes.shares = percent_axis(line.origin("/kept"), either(config.shares, "50"));
  axes.references = word_axis(line.origin("/reference"),
                              either(config.references, !gpu                      ? "serial"
                                                        : what == operation::axis ? "copy"
                                                                                  : "cub"),
                              reference_names);
  for (std::string& name : axes.references) {
    if (!gpu && (name == "cub" || name == "thrust")) {
      fail(exit_code::usage, "{}: got {}, which needs a GPU; expected copy, serial or none on the sim",
           line.origin("/reference"), name);
    }
    if (narrow != axes.types.end() && name == "thrust") {
      fail(exit_code::usage, "{}: got thrust; expected cub, copy, serial or none of {}", line.origin("/reference"),
           name_of(*narrow));
    }
    const bool no_thrust = has_one_type(what) || has_two_types(what);
    if (what == operation::axis && (name == "cub" || name == "thrust")) {
      fail(exit_code::usage, "{}: got {}; expected copy, serial or none with the command axis",
           line.origin("/reference"), name);
    }
    if ((no_thrust && name == "thrust") || (what != operation::flagged && name == "stable")) {
      fail(exit_code::usage, "{}: got {}; expected cub, copy, serial or none with the command {}",
           line.origin("/reference"), name, operation_names[static_cast<int>(what)]);
    }
    if (name == "none") name.clear();
  }
  if (what != operation::sort) axes.values = {std::nullopt};
  if (!is_selection(what)) axes.shares = {1.0};
  return axes;
}

bool times_graph(const bench_config& config, std::int64_t n, runtime::backend where) {
  if (where != runtime::backend::cuda || config.graph == "never") return false;
  return config.graph == "always" || n <= std::int64_t{1} << 20;
}

}  // namespace upsweep::apps
