#include <algorithm>
#include <functional>
#include <utility>

#include "across.hpp"
#include "upsweep/compact/across_gpus.cuh"
#include "upsweep/scan/across_gpus.cuh"
#include "upsweep/simt/nccl_communicator.hpp"
#include "upsweep/sort/across_gpus.cuh"

namespace upsweep::apps {
namespace {

using number = std::uint32_t;
constexpr std::chrono::milliseconds long_enough = std::chrono::minutes(2);

/// Item i of all, whichever GPU has it: splitmix64.
__global__ void make_items(number* items, std::int64_t n, std::int64_t first) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    std::uint64_t z = static_cast<std::uint64_t>(first + i) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    items[i] = static_cast<number>(z ^ (z >> 31));
  }
}
/// *differ = 1 where two arrays differ.
__global__ void compare(const number* a, const number* b, std::int64_t n, unsigned* differ) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    if (a[i] != b[i]) *differ = 1;
  }
}
struct is_odd {
  UPSWEEP_HOST_DEVICE bool operator()(number x) const { return x % 2 == 1; }
};

/// One rank's memory and times for one size. The first has room for all items.
class rank_bench {
 public:
  rank_bench(nccl_communicator& comm, std::int64_t total, int samples)
      : comm_(comm), total_(total), n_(balanced_share(total, comm.rank(), comm.ranks())), samples_(samples) {}
  rank_bench(const rank_bench&) = delete;
  ~rank_bench() {
    for (void* const p : memory_) static_cast<void>(cudaFree(p));
    for (const cudaEvent_t e : events_) static_cast<void>(cudaEventDestroy(e));
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }

  status run(std::vector<across_row>& rows, std::string& why) {
    if (const status s = comm_.checked(make()); s != status::success) return s;
    const workspace w{work_, bytes_};
    const number *const in = in_, *const values = in_;  // any values will do
    number *const out = out_, *const moved = values_;
    const auto as_status = [](cudaError_t e) { return static_cast<status>(e); };
    const across_results<number> results{counts_, counts_ + 1, counts_ + 2};
    measure(
        rows, why, "exclusive sum", true,
        [=, this] { return as_status(exclusive_sum(w, in, whole_, total_, stream_)); },
        [=, this] { return as_status(exclusive_sum_across(w, comm_, in, out, n_, stream_)); });
    measure(
        rows, why, "select 50 %", false,
        [=, this] { return as_status(select_if(w, in, whole_, counts_, total_, is_odd{}, stream_)); },
        [=, this] { return as_status(select_if_across(w, comm_, in, out, results, n_, is_odd{}, stream_)); });
    measure(
        rows, why, "sort keys", true,
        [=, this] { return as_status(sort_keys(w, in, whole_, total_, sort_order::ascending, bit_range{}, stream_)); },
        [=, this] { return as_status(sort_keys_across(w, comm_, in, out, n_, n_, sort_order::ascending, stream_)); });
    measure(
        rows, why, "sort pairs", true,
        [=, this] {
          return as_status(
              sort_pairs(w, in, whole_, values, moved, total_, sort_order::ascending, bit_range{}, stream_));
        },
        [=, this] {
          return as_status(sort_pairs_across(w, comm_, in, out, values, moved, n_, n_, sort_order::ascending, stream_));
        });
    if (comm_.ranks() > 1) measure_exchange(rows);
    return state_;
  }

 private:
  template <class T>
  status allocate(T*& p, std::size_t count) {
    void* memory = nullptr;
    const status s = status_of(cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(T)));
    if (s == status::success) memory_.push_back(memory);
    p = static_cast<T*>(memory);
    return s;
  }

  status make() {
    const bool is_first = comm_.rank() == 0;
    const auto items = static_cast<std::size_t>(is_first ? total_ : n_);
    std::int64_t begin = 0;
    for (int r = 0; r < comm_.rank(); ++r) begin += balanced_share(total_, r, comm_.ranks());
    bytes_ = std::max({exclusive_sum_across_workspace_bytes(comm_, in_, out_, n_),
                       select_if_across_workspace_bytes(comm_, in_, out_, across_results<number>{}, n_, is_odd{}),
                       sort_pairs_across_workspace_bytes(comm_, in_, out_, in_, values_, n_, n_)});
    if (is_first) {
      bytes_ = std::max({bytes_, exclusive_sum_workspace_bytes(in_, out_, total_),
                         select_if_workspace_bytes(in_, out_, counts_, total_, is_odd{}),
                         sort_pairs_workspace_bytes(in_, out_, in_, values_, total_)});
    }
    status s = status_of(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& e : events_) {
      if (s == status::success) s = status_of(cudaEventCreate(&e));
    }
    if (s == status::success) s = allocate(in_, items);
    if (s == status::success) s = allocate(out_, static_cast<std::size_t>(n_));
    if (s == status::success) s = allocate(whole_, is_first ? items : 1);
    if (s == status::success) s = allocate(values_, items);
    if (s == status::success) s = allocate(counts_, 4);
    if (s == status::success) s = allocate(work_, bytes_);
    if (s != status::success) return s;
    make_items<<<1024, 256, 0, stream_>>>(in_, static_cast<std::int64_t>(items), begin);
    return status_of(cudaGetLastError());
  }

  /// The median of the slowest rank's times.
  double time(const std::function<status()>& call) {
    std::vector<float> medians;
    for (int i = 0; i <= samples_ && state_ == status::success; ++i) {  // the first is to warm up
      std::vector<float> of_all;
      float ms = 0;
      state_ = comm_.wait(stream_, long_enough);
      if (state_ == status::success) state_ = comm_.meet(ms, of_all);
      if (state_ == status::success) state_ = status_of(cudaEventRecord(events_[0], stream_));
      if (state_ == status::success) state_ = call();
      if (state_ == status::success) state_ = status_of(cudaEventRecord(events_[1], stream_));
      if (state_ == status::success) state_ = comm_.wait(stream_, long_enough);
      if (state_ == status::success) state_ = status_of(cudaEventElapsedTime(&ms, events_[0], events_[1]));
      if (state_ == status::success) state_ = comm_.meet(ms, of_all);
      if (i > 0 && state_ == status::success) medians.push_back(*std::max_element(of_all.begin(), of_all.end()));
    }
    std::sort(medians.begin(), medians.end());
    return medians.empty() ? 0 : static_cast<double>(medians[medians.size() / 2]);
  }

  void measure(std::vector<across_row>& rows, std::string& why, const char* name, bool compares,
               const std::function<status()>& alone, const std::function<status()>& together) {
    const bool is_first = comm_.rank() == 0;
    const double one = time([&] { return is_first ? alone() : status::success; });
    const double all = time(together);
    bool same = true;
    if (compares && state_ == status::success) same = agrees();
    if (!is_first) return;
    rows.push_back({name, total_, one, all});
    if (!same) why = std::string(name) + ": several GPUs gave another result than one";
  }

  /// Half of each rank's items to the next rank, all ranks at once: by the communicator, beside a copy of them.
  void measure_exchange(std::vector<across_row>& rows) {
    struct place {
      number* out;
      int device;
    };
    std::vector<place> places;
    place mine{out_, 0};
    if (state_ == status::success) state_ = status_of(cudaGetDevice(&mine.device));
    if (state_ == status::success) state_ = comm_.meet(mine, places);
    if (state_ != status::success) return;
    const int ranks = comm_.ranks(), next = (comm_.rank() + 1) % ranks;
    const place to = places[static_cast<std::size_t>(next)];
    // The same number everywhere: ranks differ by one item.
    const std::int64_t bytes = total_ / ranks / 2 * static_cast<std::int64_t>(sizeof(number));
    std::vector<std::int64_t> sent, came;
    for (int r = 0; r <= ranks; ++r) {
      sent.push_back(r > next ? bytes : 0);
      came.push_back(r > (comm_.rank() + ranks - 1) % ranks ? bytes : 0);
    }
    const double copied = time([&] {
      return status_of(
          cudaMemcpyPeerAsync(to.out, to.device, in_, mine.device, static_cast<std::size_t>(bytes), stream_));
    });
    const double exchanged = time([&] { return comm_.exchange(in_, sent.data(), out_, came.data(), stream_); });
    if (comm_.rank() == 0) rows.push_back({"exchange of half", total_, copied, exchanged});
  }

  /// Whether each rank's part is that of the whole, which the first one has.
  bool agrees() {
    struct place {
      const number* out;
      std::int64_t n;
    };
    std::vector<place> parts;
    state_ = comm_.meet(place{out_, n_}, parts);
    unsigned differs = 0;
    if (comm_.rank() == 0) {
      const number* at = whole_;
      state_ = status_of(cudaMemsetAsync(counts_, 0, sizeof(unsigned), stream_));
      for (const place& p : parts) {
        // The values' array takes the part of another GPU: it is free between two measurements.
        if (state_ == status::success) {
          state_ = status_of(cudaMemcpyAsync(values_, p.out, static_cast<std::size_t>(p.n) * sizeof(number),
                                             cudaMemcpyDefault, stream_));
        }
        compare<<<1024, 256, 0, stream_>>>(values_, at, p.n, counts_);
        at += p.n;
      }
      if (state_ == status::success) state_ = comm_.wait(stream_, long_enough);
      if (state_ == status::success) {
        state_ = status_of(cudaMemcpy(&differs, counts_, sizeof differs, cudaMemcpyDeviceToHost));
      }
    }
    std::vector<unsigned> all;
    if (state_ == status::success) state_ = comm_.meet(differs, all);
    return state_ != status::success || all[0] == 0;
  }

  nccl_communicator& comm_;
  std::int64_t total_, n_;
  int samples_;
  status state_ = status::success;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t events_[2] = {};
  number *in_ = nullptr, *out_ = nullptr, *whole_ = nullptr, *values_ = nullptr, *counts_ = nullptr;
  unsigned char* work_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<void*> memory_;
};

}  // namespace

std::vector<across_row> measure_across(int gpus, const std::vector<std::int64_t>& sizes, int samples,
                                       std::string& why) {
  std::vector<across_row> rows;
  rank_group group(gpus);
  std::vector<status> states(static_cast<std::size_t>(gpus), status::success);
  run_ranks(group, [&](int rank) {
    status s = status_of(cudaSetDevice(rank));
    nccl_communicator comm;
    if (s != status::success) {
      group.fail(s);
    } else {
      s = comm.join(group, rank);
    }
    std::string mine;
    for (const std::int64_t n : sizes) {
      if (s != status::success) break;
      rank_bench bench(comm, n, samples);
      s = bench.run(rows, rank == 0 ? why : mine);
      std::vector<int> all;
      if (s == status::success) s = comm.meet(rank, all);  // nobody's memory goes while others look at it
    }
    states[static_cast<std::size_t>(rank)] = s;
  });
  for (const status s : states) {
    if (s != status::success && why.empty()) why = std::string(status_name(s)) + ": " + status_text(s);
  }
  return rows;
}

int gpus_for_across() {
  int count = 0;
  return status_of(cudaGetDeviceCount(&count)) == status::success ? std::min(count, most_ranks) : 0;
}

}  // namespace upsweep::apps
