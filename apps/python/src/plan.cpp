#include "plan.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "enqueue.hpp"
#include "kernels.hpp"

namespace upsweep::python {
namespace {

/// What an argument must be.
struct expected {
  const char* name;
  scalar_type type;
  bool is_bool;
  std::int64_t items;
  bool is_written;
  int may_be = -1;  // which other argument it may be, if it is written
};

struct plan {
  using pointers = void* const*;

  const char* name;
  int device;
  std::vector<expected> arguments;
  std::size_t workspace_bytes;
  call_site site;
  std::function<status(const surroundings&, pointers)> run;

  static constexpr std::size_t most_arguments = 5;

  array checked(nb::handle object, const expected& e) const {
    array a = array_of(object, e.name);
    const bool fits = a.type == e.type && a.is_bool == e.is_bool && a.items == e.items && a.device == device;
    if (fits && a.is_dense() && !(e.is_written && a.is_read_only)) return a;
    array wanted;
    wanted.type = e.type;
    wanted.is_bool = e.is_bool;
    wanted.device = device;
    wanted.axes = 1;
    wanted.shape[0] = e.items;
    throw nb::value_error((std::string(name) + ": " + e.name + " is " + a.described() +
                           (a.is_dense() ? "" : ", not dense") + (a.is_read_only ? ", read-only" : "") +
                           "; the plan expects a dense " + wanted.described())
                              .c_str());
  }

  [[noreturn]] void refuse(const char* how) const {
    std::string names;
    for (const expected& e : arguments) names += (names.empty() ? "" : ", ") + std::string(e.name);
    throw nb::type_error((std::string(name) + ": the plan takes (" + names + ")" + how).c_str());
  }
  void refuse_names(const nb::args&, const nb::kwargs&) const { refuse(", by position"); }

  void call(const nb::args& given) const {
    if (given.size() != arguments.size()) refuse("");
    array read[most_arguments];
    void* addresses[most_arguments] = {};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      read[i] = checked(given[i], arguments[i]);
      addresses[i] = read[i].data;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].is_written) continue;
      for (std::size_t other = 0; other < arguments.size(); ++other) {
        const bool may_be = static_cast<int>(other) == arguments[i].may_be && addresses[other] == addresses[i];
        if (other == i || may_be) continue;
        check_apart(read[i], arguments[i].name, read[other], arguments[other].name);
      }
    }
    enqueue(name, read[0], site, workspace_bytes, nullptr, [&](const surroundings& s) { return run(s, addresses); });
  }
};

expected like(const array& a, const char* name) {
  return {name, a.type, a.is_bool, a.items, false, -1};
}

/// n of a call of a plan: of its last argument, which is null where it has none, or the bound.
item_count counted(const void* count, std::int64_t bound) {
  return {static_cast<const std::int64_t*>(count), bound};
}
constexpr expected one_count(const char* name, bool is_written) {
  return {name, scalar_type::i64, false, 1, is_written, -1};
}

plan plan_of_sort(const array& x, bool places, bool descending, int nans, bool is_counted, int begin, int end,
                  call_site site) {
  const auto order = descending ? sort_order::descending : sort_order::ascending;
  sort_call call{{}, {x.type, order, static_cast<nan_order>(nans)}, {begin, end}, nullptr, nullptr, nullptr, {}, {}};
  call.n.bound = x.items;
  expected out = like(x, "out");
  out.is_written = true;
  if (places) {
    out.type = scalar_type::i32;
    out.is_bool = false;
  }
  plan p{places ? "argsort" : "sort", x.device, {like(x, "x"), out}, 0, site, {}};
  if (is_counted) p.arguments.push_back(one_count("n", false));
  std::uint32_t any = 0;
  if (places) call.places = &any;
  p.workspace_bytes = workspace_bytes(call);
  p.run = [call, places](const surroundings& s, plan::pointers at) {
    sort_call now = call;
    now.work = s.work;
    now.in = at[0];
    now.out = places ? nullptr : at[1];
    now.places = places ? static_cast<std::uint32_t*>(at[1]) : nullptr;
    now.n = counted(at[2], call.n.bound);
    return python::run(now, s.on);
  };
  return p;
}

plan plan_of_select(const array& x, const array& mask, bool is_counted, call_site site) {
  expected out = like(x, "out");
  out.is_written = true;
  const std::int64_t n = mask.items;
  const std::size_t bytes = n == 0 ? 1 : x.bytes() / static_cast<std::size_t>(n);
  // Where the arrays lie does not matter to the formula, but that they are not the same.
  char in = 0, to = 0;
  const soa_array row{&in, &to, bytes};
  const std::uint8_t* const no_flags = nullptr;
  plan p{"select", x.device, {like(x, "x"), like(mask, "mask"), out, one_count("count", true)}, 0, site, {}};
  if (is_counted) p.arguments.push_back(one_count("n", false));
  p.workspace_bytes = workspace_bytes(select_call{{}, {&row, 1}, no_flags, {}, {nullptr, n}});
  p.run = [bytes, n](const surroundings& s, plan::pointers at) {
    const soa_array moved{at[0], at[2], bytes};
    const auto* const flags = static_cast<const std::uint8_t*>(at[1]);
    auto* const told = static_cast<std::int64_t*>(at[3]);
    return python::run(select_call{s.work, {&moved, 1}, flags, told, counted(at[4], n)}, s.on);
  };
  return p;
}

plan plan_of_sum(const array& x, bool exclusive, bool is_reproducible, bool is_counted, call_site site) {
  expected out = like(x, "out");
  out.is_written = true;
  out.may_be = 0;
  const sum_call call{{}, x.type, exclusive, is_reproducible, nullptr, nullptr, nullptr, {nullptr, x.items}};
  plan p{"cumsum", x.device, {like(x, "x"), out}, workspace_bytes(call), site, {}};
  if (is_counted) p.arguments.push_back(one_count("n", false));
  p.run = [call](const surroundings& s, plan::pointers at) {
    sum_call now = call;
    now.work = s.work;
    now.in = at[0];
    now.out = at[1];
    now.n = counted(at[2], call.n.bound);
    return python::run(now, s.on);
  };
  return p;
}

}  // namespace

void bind_plans(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<plan>(m, "Plan", "A call that is made ready: see the functions whose names end in _plan.")
      .def("__call__", &plan::call)
      .def("__call__", &plan::refuse_names)
      .def_prop_ro("workspace_bytes", [](const plan& p) { return p.workspace_bytes; })
      .def("__repr__", [](const plan& p) {
        std::string text = std::string("<upsweep plan of ") + p.name + "(";
        for (const expected& e : p.arguments) text += (&e == p.arguments.data() ? "" : ", ") + std::string(e.name);
        return text + ")>";
      });
  m.def("sort_plan", &plan_of_sort, "x"_a, "places"_a, "descending"_a, "nans"_a, "counted"_a, "begin"_a, "end"_a,
        "stream"_a.none());
  m.def("select_plan", &plan_of_select, "x"_a, "mask"_a, "counted"_a, "stream"_a.none());
  m.def("sum_plan", &plan_of_sum, "x"_a, "exclusive"_a, "reproducible"_a, "counted"_a, "stream"_a.none());
}

}  // namespace upsweep::python
