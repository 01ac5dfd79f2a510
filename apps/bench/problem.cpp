#include "problem.hpp"

#include <cstring>

#include "axes.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/method.hpp"
#include "upsweep/sort/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {

std::vector<contender> problem::reference(std::string_view kind) {
  if (kind == "serial") return {serial()};
  if (kind == "copy") return {copy()};
  if (kind == "stable") return stable();
  if (device_.where() != runtime::backend::cuda) return {};
  std::vector<contender> ways;
  for (const reference_call& r : kind == "cub" ? cub() : thrust()) ways.push_back(from(r));
  return ways;
}

contender problem::on_device(std::string name, std::size_t workspace_bytes, std::function<status(workspace)> call) {
  const auto memory = std::make_shared<runtime::buffer>(device_.allocate(workspace_bytes, "a workspace"));
  contender c{.name = std::move(name), .call = [memory, call] { return call(memory->as_workspace()); }};
  c.check = checking(nullptr, [this] { return wrong_output(false); });
  return c;
}

contender problem::from(const reference_call& r) {
  contender c = on_device(r.name, r.workspace_bytes, r.call);
  c.waits = r.waits;
  c.capturable = r.capturable;
  if (r.in_place) c.prepare = [this] { return fill_in_place(); };
  c.check = checking(c.prepare, [this, spare = r.ends_in_spare] { return wrong_output(spare && *spare); });
  return c;
}

std::function<std::string(const std::function<status()>&)> problem::checking(std::function<status()> prepare,
                                                                             std::function<std::string()> wrong) {
  return [this, prepare, wrong](const std::function<status()>& call) -> std::string {
    clear_outputs();
    status s = prepare ? prepare() : status::success;
    if (s == status::success) s = call();
    if (s != status::success) return status_text(s);
    device_.check(device_.synchronize(), "a call to be checked");
    return wrong();
  };
}

contender problem::on_host(std::function<void()> loop, std::function<std::string()> wrong_result) {
  contender c{.name = "serial", .call = [loop] {
                loop();
                return status::success;
              }};
  c.on_host = true;
  c.check = [wrong_result](const std::function<status()>& call) {
    const status s = call();
    return s == status::success ? wrong_result() : status_text(s);
  };
  return c;
}

contender problem::copy_of(void* to, const void* from, std::size_t bytes) {
  contender c{.name = "copy", .call = [this, to, from, bytes] { return device_.copy_async(to, from, bytes); }};
  c.bytes = 2 * bytes;
  c.check = checking(nullptr, [this, to, from, bytes]() -> std::string {
    byte_array in, out;
    download(in, from, bytes);
    download(out, to, bytes);
    return std::memcmp(in.data(), out.data(), bytes) == 0 ? "" : "the copy differs";
  });
  return c;
}

void problem::fill(const runtime::buffer& b, unsigned char value) {
  device_.check(device_.fill(b.data(), value, b.bytes()), "clearing memory");
}

void problem::download(byte_array& to, const void* from, std::size_t bytes) {
  if (to.bytes() < bytes) to = byte_array(bytes);
  device_.copy(to.data(), from, bytes);
}

compact_method_with_scan method_with_scan_of(const std::string& method, const scan_variant& v) {
  const auto named = compact_method_named(method);
  return named ? compact_method_with_scan(*named, v) : compact_method_with_scan(v);
}

std::string name_of_method(const std::string& method, const scan_variant& v) {
  if (!compact_method_named(method)) return variant_name(v);
  return has_scan(*compact_method_named(method)) ? method + "/" + variant_name(v) : method;
}

std::int64_t most_items(const problem_shape& shape, const scan_variant& v) {
  if (shape.what == operation::scan) return runtime::max_items_of(v);
  if (shape.what == operation::sort) return runtime::sort_max_keys({v, sort_method_named(shape.method).value()});
  return runtime::select_max_items(method_with_scan_of(shape.method, v));
}

std::uint64_t vote_scan_compact_bytes(const scan_variant& v, std::int64_t n, std::uint64_t vote_bytes,
                                      std::uint64_t kept_bytes) {
  const scalar_type place = n < std::int64_t{1} << 32 ? scalar_type::u32 : scalar_type::u64;
  const std::uint64_t places = static_cast<std::uint64_t>(n + 1) * size_of(place);
  const auto scanned = static_cast<std::uint64_t>(runtime::cost_of(v, place, n + 1).bytes);
  return vote_bytes + places + scanned + places + 2 * kept_bytes;
}

std::unique_ptr<problem> make_problem(device_session& device, const problem_shape& shape) {
  switch (shape.what) {
    case operation::scan:
      return make_scan_problem(device, shape);
    case operation::compact:
    case operation::partition:
      return make_compact_problem(device, shape);
    case operation::flagged:
      return make_flagged_problem(device, shape);
    case operation::split:
      return make_split_problem(device, shape);
    case operation::by_key:
    case operation::segmented:
      return make_segments_problem(device, shape);
    case operation::axis:
      return make_axis_problem(device, shape);
    case operation::sort:
      return shape.distribution == payload_4x16 ? make_payload_problem(device, shape)
                                                : make_sort_problem(device, shape);
    default:
      return make_primitive_problem(device, shape);
  }
}

}  // namespace upsweep::apps
