// Rows of text, of which several threads make numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <future>
#include <system_error>
#include <vector>

#include "usable_cores.hpp"

namespace upsweep::apps {

/// Fewer rows are not worth a thread.
inline constexpr std::size_t least_rows = 4096;

/// How many shares of at least so many there are of `count`: not more than cores, of which `busy` have other work.
inline std::size_t shares_of(std::size_t count, std::size_t least, std::size_t busy = 0) {
  constexpr std::size_t most_threads = 8;
  const std::size_t cores = std::max(usable_cores(), busy + 1);
  return std::clamp<std::size_t>(count / least, 1, std::min(cores - busy, most_threads));
}

/// Calls parse(first, last) for shares of `count` rows, on some threads; the failure of the first share that has one is
/// that of all.
///   least  rows of a share
///   busy   cores that have other work
template <class Parse>
void share_rows(std::size_t count, const Parse& parse, std::size_t least = least_rows, std::size_t busy = 0) {
  const std::size_t threads = shares_of(count, least, busy);
  std::vector<std::future<void>> shares;
  for (std::size_t t = 1; t < threads; ++t) {
    const auto share = [&parse, first = count * t / threads, last = count * (t + 1) / threads] { parse(first, last); };
    try {
      shares.push_back(std::async(std::launch::async, share));
    } catch (const std::system_error&) {
      // The system has no thread for it.
      shares.push_back(std::async(std::launch::deferred, share));
    }
  }
  std::exception_ptr first;
  const auto keep_first = [&first](const auto& work) {
    try {
      work();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  };
  keep_first([&] { parse(std::size_t{0}, count / threads); });
  for (std::future<void>& share : shares) keep_first([&] { share.get(); });
  if (first) std::rethrow_exception(first);
}

}  // namespace upsweep::apps
