// How a call gets to where its arrays lie: on the sim at once, or enqueued on a stream of a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "array.hpp"
#include "gpu.hpp"
#include "kernels.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::python {

/// An error of Python that may be thrown without the GIL; module.cpp makes it one.
struct call_error {
  PyObject* type;
  std::string text;
};
[[noreturn]] void raise(PyObject* type, const std::string& text);

/// Throws what Python calls the error of a status; does nothing on success.
void check(status s, const char* call);

/// Throws nb::value_error where two arrays lie on different devices, or an output shares memory with another array.
void check_same_device(const array& a, const char* name, const array& b, const char* other);
void check_apart(const array& out, const char* name, const array& other, const char* its_name);
/// Throws nb::value_error where a segment of x on the host is not within x. On a GPU nobody may look before the call.
void check_segments(const array& begins, const array& ends, const array& x, const char* name);

/// Where the work of a call goes, as the public functions take it: none, or the number of a stream.
struct call_site {
  std::optional<std::intptr_t> stream;  ///< none: the current one of the array's library
  bool is_no_number = false;            ///< what was given as the stream
  workspace given;                      ///< else a lent one is used
  std::size_t* measured = nullptr;      ///< nothing runs: here goes how much a given one must have
};

/// What a call finds there.
struct surroundings {
  workspace work;
  runtime::stream on;
  std::int64_t* count;  ///< a place for a count that the host reads
};

/// Runs call(surroundings) in a given workspace, for a caller that does not hold the GIL and does not wait.
template <class Call>
void enqueue_in(const char* name, const array& lead, const call_site& site, Call call) {
  runtime::stream on;
  if (lead.device != on_the_host) on = {runtime::backend::cuda, reinterpret_cast<void*>(*site.stream)};
  check(call(surroundings{site.given, on, nullptr}), name);
}

/// Runs call(surroundings), which returns a status, with `bytes` of workspace beside `lead`. Where `count` is not null,
/// waits for the number that the call wrote to its place. Holds the GIL while it enqueues, not while the sim computes
/// or it waits.
template <class Call>
void enqueue(const char* name, const array& lead, const call_site& site, std::size_t bytes, std::int64_t* count,
             Call call) {
  if (site.is_no_number) {
    raise(PyExc_TypeError,
          "stream is not a number; expected that of a stream, such as torch's stream.cuda_stream or CuPy's stream.ptr");
  }
  if (site.measured != nullptr) {
    *site.measured = std::max<std::size_t>(bytes, 1);
    return;
  }
  if (site.given.data != nullptr) return enqueue_in(name, lead, site, call);
  if (lead.device == on_the_host) {
    const std::unique_ptr<char[]> memory(new char[bytes + 1]);
    std::int64_t here = 0;
    status s = status::success;
    {
      const nb::gil_scoped_release others_may_run;
      s = call(surroundings{{memory.get(), bytes}, {}, &here});
    }
    check(s, name);
    if (count != nullptr) *count = here;
    return;
  }
  void* const on = site.stream ? reinterpret_cast<void*>(*site.stream) : lead.current_stream();
  const on_gpu there(lead.device);
  const lent_workspace lent(lead.device, on, bytes);
  check(lent.state(), name);
  if (count != nullptr && lent.is_of_graph()) {
    raise(PyExc_RuntimeError, std::string(name) +
                                  ": the host cannot wait for a count while its stream is captured; pass "
                                  "count=\"device\", or what else the call asks for");
  }
  check(call(surroundings{{lent.data(), bytes}, {runtime::backend::cuda, on}, lent.count()}), name);
  if (count == nullptr) return;
  status s = status::success;
  {
    const nb::gil_scoped_release others_may_run;
    s = wait(on);
  }
  check(s, name);
  *count = *lent.count();
}

/// The same of a call of kernels.hpp.
template <class Call>
void enqueue(const char* name, const array& lead, const call_site& site, Call& call) {
  enqueue(name, lead, site, workspace_bytes(call), nullptr, [&](const surroundings& s) {
    call.work = s.work;
    return run(call, s.on);
  });
}

}  // namespace upsweep::python

template <>
struct nanobind::detail::type_caster<upsweep::python::call_site> {
  NB_TYPE_CASTER(upsweep::python::call_site, const_name("int | None"))

  bool from_python(handle given, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    if (given.is_none()) return true;
    make_caster<std::intptr_t> number;
    value.is_no_number = !number.from_python(given, flags, cleanup);
    if (!value.is_no_number) value.stream = number.value;
    return true;
  }
};
