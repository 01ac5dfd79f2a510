// The config of upsweep-cull.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common_config.hpp"
#include "frustum.hpp"
#include "npy.hpp"
#include "upsweep/compact/method.hpp"
#include "upsweep/sort/order.hpp"
#include "where.hpp"

namespace upsweep::apps {

struct box_rule {
  vec3 min = {0, 0, 0};
  vec3 max = {0, 0, 0};
};

struct sphere_rule {
  vec3 center = {0, 0, 0};
  double radius = 0;
};

struct cull_config {
  common_config common;
  std::vector<std::string> inputs;  ///< `common` has the first one

  compact_method_with_scan method;  ///< the method, with the scan of `common`
  bool needs_order = true;          ///< the survivors stay in their order; else any order will do

  std::array<std::string, 3> position = {"x", "y", "z"};  ///< the last is empty where z is 0 for all
  std::string lifetime = "lifetime";
  std::vector<std::string> npy_columns = usual_npy_columns();

  std::optional<double> lifetime_above;
  std::set<std::string> named_columns;  ///< the keys of "columns" that came
  std::optional<box_rule> box;
  std::optional<sphere_rule> sphere;
  std::optional<camera> frustum;

  std::optional<where_condition> where;
  std::string where_origin;  ///< the flag or the place in the config that it came from
  bool inverted = false;     ///< keep what does not pass

  char delimiter = '\0';    ///< of CSV; '\0': as its first line has it
  column_types types;       ///< of CSV columns, where they were given
  bool keep_others = true;  ///< elements of a PLY file other than its particles

  std::string sort_by;  ///< a property, or "depth"; empty for none
  bool descending = false;
  nan_order missing = nan_order::by_bits;

  std::string image;                                                  ///< the file of a picture, empty for none
  bool draws = false;                                                 ///< a picture is made, of this or of many files
  std::string rejected, export_indices, export_mask;                  ///< files, empty for none
  std::string export_depth;                                           ///< the file, empty for none
  std::map<std::string, std::vector<std::string>> export_properties;  ///< property and files

  bool has_rules() const { return lifetime_above || box || sphere || frustum || where; }
  /// Whether a run leaves something without its main output.
  bool has_exports() const {
    return !rejected.empty() || !export_indices.empty() || !export_mask.empty() || !export_depth.empty() ||
           !export_properties.empty();
  }
  /// Whether the particles lie in the plane z = 0.
  bool is_flat() const { return position.back().empty(); }
  bool sorts_by_depth() const { return sort_by == "depth"; }
  bool needs_indices() const { return draws || !export_indices.empty() || !export_mask.empty(); }
  bool needs_position() const { return box || sphere || frustum; }
};

/// Adds the options of upsweep-cull to those that all programs share.
void add_cull_options(command_line& line);

/// Takes the config of a parsed command line; fails with exit_code::usage where its values contradict each other.
cull_config cull_config_from(const command_line& line);

/// The whole config, valid as a config file.
ordered_json to_json(const cull_config& config);

}  // namespace upsweep::apps
