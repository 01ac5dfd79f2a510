// One call at a time between two events. A kernel that waits for the host comes before the first, so that all of
// the call is enqueued before any of it runs, and the time is the GPU's alone; the idea, and that of two stamps of the
// SM clock around a sample, are those of NVIDIA's nvbench.
#include <cuda_runtime.h>

#include <algorithm>
#include <cuda/std/chrono>
#include <random>

#include "contender.hpp"

namespace upsweep::apps {
namespace {

/// What the host and the kernels of the timer tell each other, in pinned memory.
struct mailbox {
  volatile int released;
  volatile int timed_out;
  struct stamp {
    volatile long long cycles, nanoseconds;
  } stamps[2];

  void set(int is_released) {
    released = is_released;
    timed_out = 0;
  }
};

__device__ long long nanoseconds_now() {
  return cuda::std::chrono::duration_cast<cuda::std::chrono::nanoseconds>(
             cuda::std::chrono::system_clock::now().time_since_epoch())
      .count();
}

__global__ void stamp_kernel(mailbox* box, int which) {
  box->stamps[which].cycles = clock64();
  box->stamps[which].nanoseconds = nanoseconds_now();
}

/// Ends when the host says so, or after two seconds: a call that waits for the device would wait forever.
__global__ void blocking_kernel(mailbox* box) {
  constexpr long long limit = 2'000'000'000;
  const long long begin = nanoseconds_now();
  while (box->released == 0) {
    if (nanoseconds_now() - begin > limit) {
      box->timed_out = 1;
      return;
    }
  }
}

struct graph_deleter {
  void operator()(cudaGraphExec_t g) const { static_cast<void>(cudaGraphExecDestroy(g)); }
};
using owned_graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, graph_deleter>;

class cuda_timer final : public call_timer {
 public:
  explicit cuda_timer(cudaStream_t stream) : stream_(stream) {}
  ~cuda_timer() override {
    static_cast<void>(cudaFree(flushed_));
    static_cast<void>(cudaFreeHost(box_));
    if (begin_) static_cast<void>(cudaEventDestroy(begin_));
    if (end_) static_cast<void>(cudaEventDestroy(end_));
  }

  cudaError_t open() {
    int device = 0, l2_bytes = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device);
    bytes_ = std::max(std::size_t{256} << 20, std::size_t{4} * static_cast<std::size_t>(l2_bytes));
    if (e == cudaSuccess) e = cudaMalloc(&flushed_, bytes_);
    if (e == cudaSuccess) e = cudaMallocHost(&box_, sizeof *box_);
    if (e == cudaSuccess) e = cudaEventCreate(&begin_);
    if (e == cudaSuccess) e = cudaEventCreate(&end_);
    // Loads the kernels (a load after a blocking kernel would wait for it), and brings the clocks up.
    if (e == cudaSuccess) box_->set(1);
    for (int i = 0; e == cudaSuccess && i < 1000; ++i) {
      blocking_kernel<<<1, 1, 0, stream_>>>(box_);
      stamp_kernel<<<1, 1, 0, stream_>>>(box_, 0);
      e = cudaMemsetAsync(flushed_, i, bytes_, stream_);
      if (e == cudaSuccess) e = cudaGetLastError();  // of the launches
    }
    return e == cudaSuccess ? cudaStreamSynchronize(stream_) : e;
  }

  status time(const contender& c, bool flush_l2, call_sample& sample) override {
    if (c.prepare) {
      if (const status s = c.prepare(); s != status::success) return s;
    }
    cudaError_t e = cudaStreamSynchronize(stream_);
    if (e != cudaSuccess) return failed(e);
    box_->set(0);
    // A sample's time depends by some per cent on how many kernels ran before it, in a cycle of a few. Chance decides,
    // so that neither side has the better turn every time.
    for (auto more = turn_() % 8; more > 0; --more) stamp_kernel<<<1, 1, 0, stream_>>>(box_, 0);
    stamp_kernel<<<1, 1, 0, stream_>>>(box_, 0);
    if (flush_l2) e = cudaMemsetAsync(flushed_, 0, bytes_, stream_);
    if (!c.waits) blocking_kernel<<<1, 1, 0, stream_>>>(box_);
    if (e == cudaSuccess) e = cudaGetLastError();  // of the launches
    if (e == cudaSuccess) e = cudaEventRecord(begin_, stream_);
    const status called = e == cudaSuccess ? c.call() : status::success;
    if (e == cudaSuccess) e = cudaEventRecord(end_, stream_);
    stamp_kernel<<<1, 1, 0, stream_>>>(box_, 1);
    box_->released = 1;
    const cudaError_t waited = cudaStreamSynchronize(stream_);
    if (called != status::success) return called;
    if (e == cudaSuccess) e = waited;
    if (e == cudaSuccess && box_->timed_out) return static_cast<status>(cudaErrorLaunchTimeout);
    float ms = 0;
    if (e == cudaSuccess) e = cudaEventElapsedTime(&ms, begin_, end_);
    sample = {static_cast<double>(ms) / c.calls, clock_mhz()};
    return failed(e);
  }

  status capture(const contender& c, int calls, std::optional<contender>& graph) override {
    cudaGraph_t captured = nullptr;
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return failed(e);
    status called = status::success;
    for (int i = 0; i < calls && called == status::success; ++i) called = c.call();
    e = cudaStreamEndCapture(stream_, &captured);
    cudaGraphExec_t instance = nullptr;
    if (e == cudaSuccess && called == status::success) e = cudaGraphInstantiate(&instance, captured, 0);
    if (captured) static_cast<void>(cudaGraphDestroy(captured));
    if (called != status::success || e != cudaSuccess) {
      const status why = failed(e);
      return called != status::success ? called : why;
    }
    const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> shared{owned_graph(instance)};
    graph = contender{
        .name = c.name,
        // With the call, whose memory the graph works in.
        .call = [shared, stream = stream_, kept = c.call] { return failed(cudaGraphLaunch(shared.get(), stream)); },
        .calls = calls * c.calls};
    e = cudaGraphUpload(instance, stream_);
    return failed(e == cudaSuccess ? cudaStreamSynchronize(stream_) : e);
  }

  std::size_t flushed_bytes() const override { return bytes_; }

 private:
  static status failed(cudaError_t e) {
    if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
    return static_cast<status>(e);
  }

  /// Cycles over time between the stamps, which lie far enough apart for the coarse timer when a flush is between.
  double clock_mhz() const {
    const auto cycles = static_cast<double>(box_->stamps[1].cycles - box_->stamps[0].cycles);
    const auto nanoseconds = static_cast<double>(box_->stamps[1].nanoseconds - box_->stamps[0].nanoseconds);
    return cycles > 0 && nanoseconds > 20'000 ? 1000 * cycles / nanoseconds : 0;
  }

  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  mailbox* box_ = nullptr;
  void* flushed_ = nullptr;
  std::size_t bytes_ = 0;
  std::mt19937 turn_;
};

}  // namespace

std::unique_ptr<call_timer> make_cuda_timer(runtime::stream s) {
  auto timer = std::make_unique<cuda_timer>(static_cast<cudaStream_t>(s.handle));
  if (timer->open() == cudaSuccess) return timer;
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

}  // namespace upsweep::apps
