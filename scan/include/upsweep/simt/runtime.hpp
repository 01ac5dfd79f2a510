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
enum class backend : std::uint8_t { cuda, sim };

/// A stream of either backend, opaque. For cuda, `handle` is a cudaStream_t (null: the default stream) of the current
/// device; for the sim it is a `const sim_options*` (null: the defaults), and every call has finished when it returns.
struct stream {
  backend where = backend::sim;  ///< whose stream it is
  void* handle = nullptr;        ///< a cudaStream_t, or the options of the sim
};

/// A point in a stream's work, for timing.
class UPSWEEP_EXPORT event {
 public:
  virtual ~event() = default;
};

/// One device and its own stream on it. Not thread-safe; open one for each thread. Every call but `allocate`,
/// `deallocate` and `synchronize` is ordered by the stream. Each returns the first error.
class UPSWEEP_EXPORT device {
 public:
  virtual ~device() = default;

  /// Which of the two it is.
  virtual backend where() const = 0;
  /// "NVIDIA H200", or "sim: the kernels on this CPU; times are not GPU times".
  virtual std::string name() const = 0;
  /// "sm_90", or "sim".
  virtual std::string architecture() const = 0;
  /// Its own stream, which calls take as their last argument.
  virtual stream get_stream() = 0;

  /// Device memory, aligned to 256 bytes; bytes == 0 gives null. memory_allocation when there is not enough.
  virtual status allocate(void** p, std::size_t bytes) = 0;
  /// Gives back what allocate gave; null is allowed.
  virtual status deallocate(void* p) = 0;
  /// Copies between host and device memory in any direction; both may be device memory.
  virtual status copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Sets each byte to `value`.
  virtual status fill(void* p, unsigned char value, std::size_t bytes) = 0;
  /// Waits for all work of the stream.
  virtual status synchronize() = 0;
  /// Whether blocks can be launched in clusters: by a GPU of sm_90 and later, and by the sim.
  virtual bool has_clusters() = 0;
  /// Bytes of device memory still free.
  virtual std::size_t free_bytes() = 0;

  /// An event of this device.
  virtual std::unique_ptr<event> make_event() = 0;
  /// Puts the event after the work that is enqueued so far.
  virtual status record(event& e) = 0;
  /// Milliseconds from `from` to `to`; waits for both.
  virtual status elapsed_ms(const event& from, const event& to, float& ms) = 0;
  /// The last error in more words than a status has: the sim's diagnostic, or CUDA's text. May be empty.
  virtual std::string message() const = 0;
};

/// True when the library was built with its CUDA half.
UPSWEEP_EXPORT bool has_cuda();

/// Opens "auto" (the first GPU that works, else the sim), "cuda", "cuda:N" or "sim". On failure returns null, and `why`
/// says in one line what was asked, what was found and what to do. When "auto" opens the sim, `why` says why the first
/// GPU does not work. An opened GPU is the host thread's current CUDA device.
UPSWEEP_EXPORT std::unique_ptr<device> open_device(std::string_view which, std::string& why);

/// An array of device memory that frees itself.
class buffer {
 public:
  buffer() = default;
  /// Throws nothing: `ok()` is false when there was not enough memory.
  buffer(device& d, std::size_t bytes) : device_(&d), bytes_(bytes), state_(d.allocate(&data_, bytes)) {}
  /// Takes what the other has.
  buffer(buffer&& other) noexcept { swap(other); }
  /// Exchanges the arrays of both.
  buffer& operator=(buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~buffer() {
    if (data_) static_cast<void>(device_->deallocate(data_));
  }

  /// Whether there was enough memory.
  bool ok() const { return state_ == status::success; }
  /// What allocate answered.
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
