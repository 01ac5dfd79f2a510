// How a call comes to where its arrays lie: on the sim at once, or enqueued on a stream of a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "array.hpp"
#include "gpu.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::python {

/// Throws what Python calls the error of a status; does nothing on success.
void check(status s, const char* call);

/// Throws nb::value_error where two arrays lie on different devices, or an output shares memory with another array.
void check_same_device(const array& a, const char* name, const array& b, const char* other);
void check_apart(const array& out, const char* name, const array& other, const char* its_name);

/// A stream as the public functions take it; none: the current one of the array's library.
using stream_number = std::optional<std::intptr_t>;

/// What a call finds there.
struct surroundings {
  workspace work;
  runtime::stream on;
  const std::int64_t* no_limit;  ///< a number that no count exceeds
  std::int64_t* count;           ///< a place for a count
};

/// Runs call(surroundings), which returns a status, with `bytes` of workspace beside `lead`. Where `count` is not null,
/// waits for the number that the call wrote to its place. Holds the GIL while it enqueues, not while the sim computes
/// or it waits.
template <class Call>
void enqueue(const char* name, const array& lead, const stream_number& stream, std::size_t bytes, std::int64_t* count,
             Call call) {
  if (lead.device == on_the_host) {
    static const std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    const std::unique_ptr<char[]> memory(new char[bytes + 1]);
    std::int64_t here = 0;
    status s = status::success;
    {
      const nb::gil_scoped_release others_may_run;
      s = call(surroundings{{memory.get(), bytes}, {}, &no_limit, &here});
    }
    check(s, name);
    if (count != nullptr) *count = here;
    return;
  }
  void* const on = stream ? reinterpret_cast<void*>(*stream) : lead.current_stream();
  const on_gpu there(lead.device);
  const lent_workspace lent(lead.device, on, bytes);
  check(lent.state(), name);
  check(call(surroundings{{lent.data(), bytes}, {runtime::backend::cuda, on}, lent.no_limit(), lent.count()}), name);
  if (count == nullptr) return;
  check(fetch(count, lent.count(), sizeof *count, on), name);
  status s = status::success;
  {
    const nb::gil_scoped_release others_may_run;
    s = wait(on);
  }
  check(s, name);
}

}  // namespace upsweep::python
