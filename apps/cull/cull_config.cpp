#include "cull_config.hpp"

#include <algorithm>

#include "camera_config.hpp"
#include "json_file.hpp"
#include "picture.hpp"

namespace upsweep::apps {
namespace {

box_rule box_from(const json& box, const command_line& line) {
  box_rule rule{box.at("min").get<vec3>(), box.at("max").get<vec3>()};
  for (std::size_t i = 0; i < 3; ++i) {
    if (rule.min[i] <= rule.max[i]) continue;
    fail(exit_code::usage, "{}: got {}; expected at most max, which is {}",
         line.origin(fmt::format("/keep/box/min/{}", i)), rule.min[i], rule.max[i]);
  }
  return rule;
}

}  // namespace

void add_cull_options(command_line& line) {
  line.add_common(true);
  line.add_text("--method NAME", "/method",
                "fused, vote_scan_compact or hole_filling (default: chosen by the order and the scan)");
  line.add_text("--order ORDER", "/order",
                "stable or any: whether kept particles stay in input order (default: stable)");
  line.add_numbers("--lifetime-above T", {{"/keep/lifetime/above", 1}},
                   "Keep particles whose lifetime is more than this");
  line.add_texts("--position NAME ...", "/columns/position",
                 "The properties that are the position: three, or two, and then z = 0 (default: x y z)");
  line.add_text("--lifetime-property NAME", "/columns/lifetime",
                "The property that is the lifetime (default: lifetime)");
  line.add_numbers("--box MINX MINY MINZ MAXX MAXY MAXZ", {{"/keep/box/min", 3}, {"/keep/box/max", 3}},
                   "Keep particles inside");
  line.add_numbers("--sphere X Y Z RADIUS", {{"/keep/sphere/center", 3}, {"/keep/sphere/radius", 1}},
                   "Keep particles inside: center and radius");
  line.add_numbers("--eye X Y Z", {{"/keep/frustum/eye", 3}}, "Keep what a camera sees: the position of the camera");
  line.add_numbers("--target X Y Z", {{"/keep/frustum/target", 3}}, "The camera: what it looks at");
  line.add_numbers("--up X Y Z", {{"/keep/frustum/up", 3}}, "The camera: which direction is up (default: 0 1 0)");
  line.add_numbers("--fov-y DEGREES", {{"/keep/frustum/fov_y_degrees", 1}},
                   "The camera: vertical angle of view (default: 60)");
  line.add_numbers("--aspect RATIO", {{"/keep/frustum/aspect", 1}},
                   "The camera: width divided by height (default: 16/9)");
  line.add_numbers("--near DEPTH", {{"/keep/frustum/near", 1}}, "The camera: nearest depth (default: 0.1)");
  line.add_numbers("--far DEPTH", {{"/keep/frustum/far", 1}}, "The camera: farthest depth (default: 1000)");
  line.add_text("--where CONDITION", "/keep/where",
                "Keep particles for which this is true, such as 'classification == 2 && intensity > 100'");
  line.add_switch("--invert", "/keep/invert", "Keep the particles that do not pass all rules, and drop those that do");
  line.add_text("--sort-by PROPERTY", "/sort/by",
                "Sort the kept particles, stably, by a property, or by depth in front of the camera");
  line.add_switch("--descending", "/sort/descending", "The largest first");
  add_missing(line, "/sort/missing");
  line.add_text("--delimiter CHARACTER", "/delimiter",
                "The separator of CSV fields: one character, or tab (default: found in the first line)");
  add_column_types(line);
  line.add_text("--keep-lists yes|no", "/keep_lists",
                "Keep faces and edges whose vertices are all kept, and other elements of a PLY file (default: yes)");
  line.add_text("--image FILE.png", "/image",
                "Also draw the particles before and after, as the camera sees them and from outside; for many files, "
                "on one sheet");
  line.add_text("--rejected FILE", "/rejected", "Also write the dropped particles, in the format of the output");
  line.add_text("--export-indices FILE.npy", "/export/indices",
                "Also write each kept particle's index in the input, from 0, u32 (u64 from 2^32 particles on)");
  line.add_text("--export-mask FILE.npy", "/export/mask",
                "Also write whether each particle of the input was kept, bool");
  line.add_assignment("--export PROPERTY=FILE.npy", "/export/properties",
                      "Also write one property of the kept particles");
  line.add_text("--export-depth FILE.npy", "/export/depth",
                "Also write the kept particles' depth in front of the camera, f32");
}

cull_config cull_config_from(const command_line& line) {
  const json& document = line.document();
  cull_config config;
  config.common = common_config_from(document, line);
  if (document.contains("input")) config.inputs = names_of(document["input"]);
  config.needs_order = document.value("order", "stable") == "stable";
  config.method = compact_method_from(document, config.common.scan, config.needs_order, line);

  const json columns = document.value("columns", json::object());
  if (columns.contains("position")) {
    const auto names = columns["position"].get<std::vector<std::string>>();
    config.position = {};
    std::copy(names.begin(), names.end(), config.position.begin());
  }
  config.lifetime = columns.value("lifetime", config.lifetime);
  config.npy_columns = npy_columns_from(document, line);
  for (const auto& [key, names] : columns.items()) config.named_columns.insert(key);

  const json keep = document.value("keep", json::object());
  if (keep.contains("lifetime")) config.lifetime_above = keep["lifetime"].value("above", 0.0);
  if (keep.contains("box")) config.box = box_from(keep["box"], line);
  if (keep.contains("sphere")) {
    config.sphere = {keep["sphere"].at("center").get<vec3>(), keep["sphere"].at("radius").get<double>()};
  }
  if (keep.contains("frustum")) config.frustum = camera_from(keep["frustum"], "/keep/frustum", {}, line);
  if (keep.contains("where")) {
    config.where_origin = line.origin("/keep/where");
    config.where = parse_where(config.where_origin, keep["where"].get<std::string>());
  }
  config.inverted = keep.value("invert", config.inverted);
  if (config.inverted && !config.has_rules()) {
    fail(exit_code::usage, "{}: there is no rule to invert; expected one, such as --where",
         line.origin("/keep/invert"));
  }

  const json sort = document.value("sort", json::object());
  config.sort_by = sort.value("by", config.sort_by);
  config.descending = sort.value("descending", config.descending);
  config.missing = missing_from(sort);
  if (config.sorts_by_depth() && !config.frustum) {
    fail(exit_code::usage, "{}: depth needs a camera; expected --eye and --target, or \"frustum\" in /keep",
         line.origin("/sort/by"));
  }
  config.image = document.value("image", config.image);
  config.draws = !config.image.empty();
  if (config.draws) require_png(line.origin("/image"));
  config.rejected = document.value("rejected", config.rejected);
  config.delimiter = delimiter_from(document);
  config.types = column_types_from(document, line);
  config.keep_others = document.value("keep_lists", "yes") == "yes";

  const json exports = document.value("export", json::object());
  config.export_depth = exports.value("depth", config.export_depth);
  config.export_indices = exports.value("indices", config.export_indices);
  config.export_mask = exports.value("mask", config.export_mask);
  const json properties = exports.value("properties", json::object());
  for (const auto& [property, files] : properties.items()) config.export_properties[property] = names_of(files);
  if (!config.export_depth.empty() && !config.frustum) {
    fail(exit_code::usage, "{}: depth needs a camera; expected --eye and --target, or \"frustum\" in /keep",
         line.origin("/export/depth"));
  }
  return config;
}

ordered_json to_json(const cull_config& config) {
  ordered_json document;
  put_common(document, config.common);
  if (config.inputs.size() > 1) document["input"] = config.inputs;
  document["method"] = name_of(config.method.method);
  document["order"] = config.needs_order ? "stable" : "any";
  std::vector<std::string> position(config.position.begin(), config.position.end());
  if (position.back().empty()) position.pop_back();
  document["columns"] = {{"position", position}, {"lifetime", config.lifetime}, {"npy", config.npy_columns}};
  ordered_json keep = ordered_json::object();
  if (config.lifetime_above) keep["lifetime"]["above"] = *config.lifetime_above;
  if (config.box) keep["box"] = {{"min", config.box->min}, {"max", config.box->max}};
  if (config.sphere) keep["sphere"] = {{"center", config.sphere->center}, {"radius", config.sphere->radius}};
  if (config.frustum) {
    keep["frustum"] = to_json(*config.frustum);
    keep["frustum"]["aspect"] = config.frustum->aspect;
  }
  if (config.where) keep["where"] = config.where->text;
  if (config.inverted) keep["invert"] = true;
  document["keep"] = keep;
  put_delimiter(document, config.delimiter);
  put_column_types(document, config.types);
  document["keep_lists"] = config.keep_others ? "yes" : "no";
  if (!config.sort_by.empty()) {
    document["sort"] = {{"by", config.sort_by}, {"descending", config.descending}};
    put_missing(document["sort"], config.missing);
  }
  if (!config.image.empty()) document["image"] = config.image;
  if (!config.rejected.empty()) document["rejected"] = config.rejected;
  ordered_json exports = ordered_json::object();
  if (!config.export_depth.empty()) exports["depth"] = config.export_depth;
  if (!config.export_indices.empty()) exports["indices"] = config.export_indices;
  if (!config.export_mask.empty()) exports["mask"] = config.export_mask;
  for (const auto& [property, files] : config.export_properties) {
    if (files.size() == 1) {
      exports["properties"][property] = files.front();
    } else {
      exports["properties"][property] = files;
    }
  }
  document["export"] = exports;
  return document;
}

}  // namespace upsweep::apps
