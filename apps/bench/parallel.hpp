// Loops over many elements on all cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::apps {

/// [0, n) in as many pieces as there are cores; fewer when n is small.
class chunks {
 public:
  explicit chunks(std::int64_t n) : n_(n) {
    constexpr std::int64_t smallest = std::int64_t{1} << 16;
    const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
    count_ = std::clamp<std::int64_t>(n / smallest, 1, cores);
  }

  std::size_t count() const { return static_cast<std::size_t>(count_); }

  /// Calls work(chunk, begin, end) for every piece, each on a thread of its own, and waits. `work` does not throw.
  template <class Work>
  void in_parallel(const Work& work) const {
    const auto run = [&](std::int64_t c) { work(static_cast<std::size_t>(c), start(c), start(c + 1)); };
    std::vector<std::jthread> threads;
    for (std::int64_t c = 1; c < count_; ++c) threads.emplace_back(run, c);
    run(0);
  }

  /// The first text that is not empty of find(chunk, begin, end), in the order of the pieces; "" when there is none.
  template <class Find>
  std::string first_text(const Find& find) const {
    std::vector<std::string> found(count());
    in_parallel([&](std::size_t c, std::int64_t begin, std::int64_t end) { found[c] = find(c, begin, end); });
    const auto at = std::find_if(found.begin(), found.end(), [](const std::string& text) { return !text.empty(); });
    return at == found.end() ? "" : *at;
  }

 private:
  std::int64_t start(std::int64_t c) const { return n_ / count_ * c + std::min(c, n_ % count_); }

  std::int64_t n_;
  std::int64_t count_;
};

}  // namespace upsweep::apps
