// Calls inside computations of JAX: one target of XLA's foreign functions for each platform. What upsweep.jax asks for
// is in the attribute `call`; the last result is the workspace, whose size workspace_of_call tells beforehand.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "calls.hpp"
#include "xla.hpp"

namespace upsweep::python {
namespace {

/// A call as XLA hands it over. Counts and offsets are of 32 bits in JAX; here they are pairs of u32, low half first.
struct foreign_call {
  std::string name, op;
  std::map<std::string, std::int64_t> numbers;
  std::vector<array> arguments, results;

  std::int64_t number(const char* key) const {
    const auto found = numbers.find(key);
    if (found == numbers.end()) raise(PyExc_ValueError, name + ": the attribute " + key + " is missing");
    return found->second;
  }
  bool flag(const char* key) const { return number(key) != 0; }
  /// An item by its bits.
  const void* init() const { return flag("has_init") ? &numbers.at("init") : nullptr; }
};

array& in_64_bits(array& pairs) {
  pairs.type = scalar_type::i64;
  pairs.items /= 2;
  pairs.axes = 1;
  pairs.shape[0] = pairs.items;
  return pairs;
}

/// Where segments begin, and where they end, by their offsets.
std::pair<array, array> segments_of(array& pairs) {
  array begins = in_64_bits(pairs);
  --begins.items;
  array ends = begins;
  ends.data = static_cast<std::int64_t*>(begins.data) + 1;
  return {begins, ends};
}

void run_call(foreign_call& c, const call_site& site) {
  auto &a = c.arguments, &r = c.results;
  // Counts come after the other arguments: of the items, or of two arrays as the bits 1 and 2 say.
  const std::int64_t counted = c.number("counted");
  array of_second, n;
  const auto taken = [&](std::int64_t bit, array& to) -> const array* {
    if ((counted & bit) == 0) return nullptr;
    to = in_64_bits(a.back());
    a.pop_back();
    return &to;
  };
  const array* const count_of_second = taken(2, of_second);
  const array* const count = taken(1, n);
  const bool descending = c.flag("descending");
  const auto nans = static_cast<int>(c.number("nans")), begin = static_cast<int>(c.number("begin")),
             end = static_cast<int>(c.number("end"));
  const std::int64_t bound = a[0].items;
  if (c.name == "sort") return sort_keys(a[0], &r[0], nullptr, descending, nans, begin, end, bound, count, site);
  if (c.name == "argsort") return sort_keys(a[0], nullptr, &r[0], descending, nans, begin, end, bound, count, site);
  if (c.name == "sort_by_key") {
    arrays values;
    for (std::size_t i = 1; i < a.size(); ++i) values.emplace_back(&a[i], &r[i]);
    return sort_by_key(a[0], r[0], values, descending, nans, begin, end, bound, count, site);
  }
  if (c.name == "segmented_sort") {
    const auto [begins, ends] = segments_of(a[1]);
    const bool has_values = a.size() > 2;
    return segmented_sort(a[0], r[0], has_values ? &a[2] : nullptr, has_values ? &r[1] : nullptr, begins, ends,
                          descending, nans, begin, end, bound, count, site);
  }
  if (c.name == "topk") {
    const std::int64_t k = r[0].items;
    return topk(a[0], &r[0], in_64_bits(r[1]), k, descending, nans, begin, end, bound, count, site);
  }
  if (c.name == "select") {
    select_rows({{&a[0], &r[0]}}, a[1], &in_64_bits(r[1]), nullptr, a[1].items, false, a[1].items, count, site);
    return;
  }
  if (c.name == "partition") {
    select_rows({{&a[0], &r[0]}}, a[1], &in_64_bits(r[1]), nullptr, a[1].items, true, a[1].items, count, site);
    return;
  }
  if (c.name == "compact") {
    arrays rows;
    for (std::size_t i = 1; i < a.size(); ++i) rows.emplace_back(&a[i], &r[i - 1]);
    select_rows(rows, a[0], &in_64_bits(r.back()), nullptr, bound, false, bound, count, site);
    return;
  }
  if (c.name == "histogram") return histogram(a[0], r[0], bound, count, site);
  if (c.name == "nonzero") {
    select_rows({}, a[0], &in_64_bits(r[1]), &r[0], a[0].items, false, bound, count, site);
    return;
  }
  if (c.name == "group_by") {
    const auto how_many = static_cast<int>(c.number("how_many"));
    return group_by(a[0], r[0], nullptr, in_64_bits(r[1]), how_many, c.number("multiple"), bound, count, site);
  }
  if (c.name == "sum") {
    return sum(a[0], r[0], c.flag("exclusive"), c.flag("reproducible"), bound, count, site);
  }
  if (c.name == "scan_by_key") {
    return scan_by_key(a[0], r[0], a[1], c.op, c.flag("exclusive"), c.init(), bound, count, site);
  }
  if (c.name == "scan_segmented") {
    const auto [begins, ends] = segments_of(a[1]);
    return scan_segmented(a[0], r[0], begins, ends, c.op, c.flag("exclusive"), c.init(), bound, count, site);
  }
  if (c.name == "runs") {
    const bool has_values = a.size() > 1;
    reduce_by_key(a[0], r[0], has_values ? &a[1] : nullptr, r[1], &in_64_bits(r[2]), bound, count, site);
    return;
  }
  if (c.name == "expand") {
    expand(a[0], r[0], &in_64_bits(r[1]), &in_64_bits(r[2]), bound, count, site);
    return;
  }
  if (c.name == "merge") {
    return merge(a[0], a[1], r[0], false, false, descending, nans, bound, count, a[1].items, count_of_second, site);
  }
  if (c.name == "searchsorted") {
    return merge(a[0], a[1], in_64_bits(r[0]), true, c.flag("upper"), descending, nans, bound, count, a[1].items,
                 count_of_second, site);
  }
  if (c.name == "scan") return scan(a[0], r[0], c.op, c.flag("exclusive"), c.init(), bound, count, site);
  if (c.name == "scan_axis") {
    return scan_axis(a[0], r[0], c.op, c.flag("exclusive"), c.init(), c.number("outer"), c.number("length"),
                     c.number("inner"), c.flag("reverse"), c.flag("reproducible"), c.number("length"), count, site);
  }
  raise(PyExc_ValueError, "there is no call " + c.name);
}

array array_of(const xla::buffer& b, bool is_on_gpu) {
  using enum scalar_type;
  array a;
  switch (b.type) {
    case xla::pred:
      a.is_bool = true;
      a.type = u8;
      break;
    case xla::s8:
      a.type = i8;
      break;
    case xla::s16:
      a.type = i16;
      break;
    case xla::s32:
      a.type = i32;
      break;
    case xla::s64:
      a.type = i64;
      break;
    case xla::u8:
      a.type = u8;
      break;
    case xla::u16:
      a.type = u16;
      break;
    case xla::u32:
      a.type = u32;
      break;
    case xla::u64:
      a.type = u64;
      break;
    case xla::f16:
      a.type = f16;
      break;
    case xla::f32:
      a.type = f32;
      break;
    case xla::f64:
      a.type = f64;
      break;
    case xla::bf16:
      a.type = bf16;
      break;
    default:
      raise(PyExc_TypeError, "XLA's element type " + std::to_string(b.type) + " is not sorted or summed");
  }
  if (b.rank > array::most_axes) raise(PyExc_ValueError, "an array has more than 16 axes");
  a.data = b.data;
  a.device = is_on_gpu ? 0 : on_the_host;
  a.axes = static_cast<int>(b.rank);
  for (int i = 0; i < a.axes; ++i) a.items *= a.shape[i] = b.extents[i];
  return a;
}

std::vector<array> arrays_of(const xla::buffers& all, bool is_on_gpu) {
  std::vector<array> told;
  for (std::int64_t i = 0; i < all.size; ++i) {
    if (all.types[i] != xla::is_buffer) raise(PyExc_TypeError, "XLA passed something that is not a buffer");
    told.push_back(array_of(*static_cast<const xla::buffer*>(all.items[i]), is_on_gpu));
  }
  return told;
}

void read_attributes(foreign_call& c, const xla::attributes& all) {
  for (std::int64_t i = 0; i < all.size; ++i) {
    const std::string key(all.names[i]->data, all.names[i]->size);
    if (all.types[i] == xla::is_text) {
      const auto& t = *static_cast<const xla::text*>(all.items[i]);
      (key == "call" ? c.name : c.op) = std::string(t.data, t.size);
    } else if (all.types[i] == xla::is_scalar) {
      const auto& s = *static_cast<const xla::scalar*>(all.items[i]);
      c.numbers[key] =
          s.type == xla::s64 ? *static_cast<const std::int64_t*>(s.value) : *static_cast<const std::int32_t*>(s.value);
    }
  }
}

void handle(const xla::call_frame& frame, bool is_on_gpu) {
  foreign_call c;
  read_attributes(c, frame.attributes);
  c.arguments = arrays_of(frame.arguments, is_on_gpu);
  c.results = arrays_of(frame.results, is_on_gpu);
  call_site site;
  site.given = {c.results.back().data, c.results.back().bytes()};
  c.results.pop_back();
  if (is_on_gpu) {
    xla::stream_request request{sizeof request, nullptr, frame.context, nullptr};
    if (xla::error* e = frame.api->get_stream(&request); e != nullptr) {
      frame.api->destroy_error(e);
      raise(PyExc_RuntimeError, c.name + ": XLA has no stream");
    }
    site.stream = reinterpret_cast<std::intptr_t>(request.stream);
  }
  run_call(c, site);
}

xla::error* handle_frame(xla::call_frame* frame, bool is_on_gpu) noexcept {
  for (xla::extension* e = frame->extensions; e != nullptr; e = e->next) {
    if (e->type != xla::metadata_extension) continue;
    xla::metadata& told = *reinterpret_cast<xla::metadata_request*>(e)->told;
    // What is used of the interface is the same in every minor version.
    told.api_version.major = 0;
    told.api_version.minor =
        frame->api != nullptr && frame->api->api_version.major == 0 ? frame->api->api_version.minor : 3;
    told.traits = is_on_gpu ? xla::may_be_captured : 0;
    return nullptr;
  }
  if (frame->stage != xla::stage::execute) return nullptr;
  std::string what;
  try {
    handle(*frame, is_on_gpu);
    return nullptr;
  } catch (const call_error& e) {
    what = e.text;
  } catch (const std::exception& e) {
    what = e.what();
  }
  xla::error_request request{sizeof request, nullptr, what.c_str(), xla::error_code::invalid_argument};
  return frame->api->make_error(&request);
}

extern "C" xla::error* upsweep_on_the_host(xla::call_frame* frame) {
  return handle_frame(frame, false);
}
extern "C" xla::error* upsweep_on_a_gpu(xla::call_frame* frame) {
  return handle_frame(frame, true);
}

using described = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// The workspace that a call asks for, of arrays of these types and shapes.
std::size_t workspace_of_call(const std::string& name, const std::string& op,
                              const std::map<std::string, std::int64_t>& numbers, const described& arguments,
                              const described& results) {
  foreign_call c{name, op, numbers, {}, {}};
  std::uintptr_t next = std::uintptr_t{1} << 44;  // apart from one another, as formulas ask no more of an address
  const auto read = [&](const described& all, std::vector<array>& to) {
    for (const auto& [type, shape] : all) {
      array& a = to.emplace_back();
      a.type = type_named(type, a.is_bool);
      for (const std::int64_t extent : shape) a.items *= a.shape[a.axes++] = extent;
      a.data = reinterpret_cast<void*>(next);
      next += std::uintptr_t{1} << 44;
    }
  };
  read(arguments, c.arguments);
  read(results, c.results);
  std::size_t bytes = 0;
  call_site site;
  site.measured = &bytes;
  run_call(c, site);
  return bytes;
}

}  // namespace

void bind_xla(nb::module_& m) {
  using namespace nb::literals;
  m.def("workspace_of_call", &workspace_of_call, "name"_a, "op"_a, "numbers"_a, "arguments"_a, "results"_a);
  m.attr("xla_on_the_host") = nb::capsule(reinterpret_cast<void*>(&upsweep_on_the_host));
  m.attr("xla_on_a_gpu") = nb::capsule(reinterpret_cast<void*>(&upsweep_on_a_gpu));
}

}  // namespace upsweep::python
