// Devices at run time, in plain C++: a GPU through CUDA, or the sim. Programs use this; no CUDA header is needed.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

/// Who runs the kernels.
enum class backend : std::uint8_t {
  cuda,  ///< a GPU
  sim,   ///< the CPU
};

/// A stream of either backend. On the sim every call has finished when it returns.
struct stream {
  backend where = backend::sim;  ///< whose stream it is
  /// For cuda a cudaStream_t of the current device (null: the default stream), for the sim a `const sim_options*`
  /// (null: the defaults).
  void* handle = nullptr;
};

/// A point in a stream's work, for timing.
class UPSWEEP_EXPORT event {
 public:
  virtual ~event() = default;  ///< frees it
};

/// One device and a stream of its own on it. Not thread-safe: open one for each thread. All work is in the order of the
/// stream, except for `allocate`, `deallocate` and `synchronize`. Each method returns the first error.
class UPSWEEP_EXPORT device {
 public:
  virtual ~device() = default;  ///< frees its stream

  /// Whether it is a GPU or the sim.
  virtual backend where() const = 0;
  /// "NVIDIA H200", or "sim: the kernels on this CPU; times are not GPU times".
  virtual std::string name() const = 0;
  /// "sm_90", or "sim".
  virtual std::string architecture() const = 0;
  /// Its stream, which calls take as their last argument.
  virtual stream get_stream() = 0;

  /// Sets *p to new device memory of `bytes` bytes, aligned to 256 bytes; to null for 0 bytes. The caller gives it back
  /// by deallocate. Returns memory_allocation if there is not enough.
  virtual status allocate(void** p, std::size_t bytes) = 0;
  /// Frees what allocate returned; null is allowed.
  virtual status deallocate(void* p) = 0;
  /// Copies `bytes` bytes between host and device memory, in any direction; both may be device memory.
  virtual status copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Sets `bytes` bytes from p on to `value`.
  virtual status fill(void* p, unsigned char value, std::size_t bytes) = 0;
  /// Waits until the stream's work is done.
  virtual status synchronize() = 0;
  /// Whether blocks can be launched in clusters: by a GPU of sm_90 and later, and by the sim.
  virtual bool has_clusters() = 0;
  /// Bytes of device memory still free.
  virtual std::size_t free_bytes() = 0;

  /// A new event of this device.
  virtual std::unique_ptr<event> make_event() = 0;
  /// Puts the event after the work that is enqueued so far.
  virtual status record(event& e) = 0;
  /// Sets ms to the milliseconds from one recorded event to the other; waits for both.
  virtual status elapsed_ms(const event& from, const event& to, float& ms) = 0;
  /// What a status does not say about the last error: the sim's diagnostic, or CUDA's text. May be empty.
  virtual std::string message() const = 0;
};

/// True when the library was built with its CUDA half.
UPSWEEP_EXPORT bool has_cuda();

/// Opens a device.
///   which  "auto" (the first GPU that works, else the sim), "cuda", "cuda:N" or "sim"
///   why    if there is no such device, one line: what was asked, what was found and what to do; if "auto" opens the
///          sim, why the first GPU does not work
/// Returns null if there is no such device. An opened GPU is the host thread's current CUDA device.
///     std::string why;
///     auto device = open_device("auto", why);
UPSWEEP_EXPORT std::unique_ptr<device> open_device(std::string_view which, std::string& why);

/// An array of device memory that frees itself.
class buffer {
 public:
  buffer() = default;  ///< an empty array
  /// `bytes` bytes of a device that outlives it. Throws nothing: ok() is false if there was not enough memory.
  buffer(device& d, std::size_t bytes) : device_(&d), bytes_(bytes), state_(d.allocate(&data_, bytes)) {}
  /// Takes what the other has.
  buffer(buffer&& other) noexcept { swap(other); }
  /// Exchanges the arrays of both.
  buffer& operator=(buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Frees the array.
  ~buffer() {
    if (data_) static_cast<void>(device_->deallocate(data_));
  }

  /// Whether there was enough memory.
  bool ok() const { return state_ == status::success; }
  /// What allocate returned.
  status state() const { return state_; }
  /// Where the array begins; null when it is empty.
  void* data() const { return data_; }
  /// Where it begins, as a T.
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  /// How large it is.
  std::size_t bytes() const { return bytes_; }
  /// All of it as a workspace of a call.
  workspace as_workspace() const { return {data_, bytes_}; }

 private:
  void swap(buffer& other) {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(state_, other.state_);
  }

  device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  status state_ = status::success;
};

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
