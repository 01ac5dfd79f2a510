#include "byte_array.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <new>
#include <string>

#include "failure.hpp"
#include "temporary_file.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// Smaller arrays are not counted.
constexpr std::size_t large = std::size_t{64} << 20;

std::atomic<std::size_t> large_bytes{0};

/// What large arrays may take together: four fifths of what the system said was available when the first one came, and
/// half of what the process may have.
std::size_t most_large_bytes() {
  static const std::size_t most_of_system = [] {
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
      std::size_t kib = 0;
      if (word == "MemAvailable:" && file >> kib) return kib / 5 * 4 * 1024;
    }
    return std::numeric_limits<std::size_t>::max();
  }();
  rlimit of_process{};
  const bool is_limited = getrlimit(RLIMIT_DATA, &of_process) == 0 && of_process.rlim_cur != RLIM_INFINITY;
  return is_limited ? std::min<std::size_t>(most_of_system, of_process.rlim_cur / 2) : most_of_system;
}

/// Counts an array that becomes one of so many bytes instead of `counted`, which is passed in each time; false where it
/// would be too much.
bool may_have(std::size_t bytes, std::size_t& counted) {
  const std::size_t now = bytes >= large ? bytes : 0;
  const std::size_t all = large_bytes += now - counted;
  if (now > counted && all > most_large_bytes()) {
    large_bytes -= now - counted;
    return false;
  }
  counted = now;
  return true;
}

}  // namespace

void byte_array_release::operator()(std::byte* data) const {
  if (is_of_others) return;
  large_bytes -= counted;
  if (mapped > 0) {
    munmap(data - in_front, mapped);
  } else {
    std::free(data);
  }
}

byte_array byte_array::in_memory(std::size_t bytes) {
  std::size_t counted = 0;
  if (!may_have(bytes, counted)) return {};
  auto* const data = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (data == nullptr) {
    large_bytes -= counted;
    return {};
  }
  return {data, bytes, {0, 0, counted, false}};
}

bool byte_array::resize_in_memory(std::size_t bytes) {
  byte_array_release how = data_.get_deleter();
  if (data_ == nullptr || how.mapped > 0 || how.is_of_others) return false;
  const std::size_t counted_before = how.counted;
  if (!may_have(bytes, how.counted)) return false;
  auto* const data = static_cast<std::byte*>(std::realloc(data_.get(), std::max<std::size_t>(bytes, 1)));
  if (data == nullptr) {
    large_bytes += counted_before - how.counted;
    return false;
  }
  static_cast<void>(data_.release());
  data_ = {data, how};
  bytes_ = bytes;
  return true;
}

byte_array byte_array::of_file(int fd, std::uint64_t offset, std::size_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto in_front = static_cast<std::size_t>(offset % page);
  void* const mapping =
      mmap(nullptr, bytes + in_front, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(offset - offset % page));
  if (mapping == MAP_FAILED) return {};
  return {static_cast<std::byte*>(mapping) + in_front, bytes, {bytes + in_front, in_front, 0, false}};
}

byte_array::byte_array(std::size_t bytes) : byte_array(in_memory(bytes)) {
  if (data_ != nullptr) return;
  if (bytes < large) throw std::bad_alloc();
  const int fd = unnamed_file(bytes_text(bytes) + " for which memory has no room");
  struct statvfs system = {};
  const bool has_room = fstatvfs(fd, &system) == 0 && bytes / system.f_frsize < system.f_bavail;
  // All of it now: a mapping cannot tell that the file system is full.
  const bool is_taken = has_room && posix_fallocate(fd, 0, static_cast<off_t>(bytes)) == 0;
  void* const mapping = is_taken ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (mapping == MAP_FAILED) {
    throw out_of_memory(
        fmt::format("out of host memory: {}, and the folder of temporary files has no room either", bytes_text(bytes)));
  }
  *this = byte_array(static_cast<std::byte*>(mapping), bytes, {bytes, 0, 0, false});
}

namespace {

/// Tells the system so of the whole pages among these bytes. It is free to refuse: an older one may not know the
/// advice.
void advise_whole_pages(std::byte* from, std::size_t bytes, int advice) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t in_front = (page - reinterpret_cast<std::uintptr_t>(from) % page) % page;
  if (bytes < in_front + page) return;
  static_cast<void>(madvise(from + in_front, (bytes - in_front) / page * page, advice));
}

}  // namespace

void byte_array::forget() {
  if (!data_.get_deleter().is_of_others) advise_whole_pages(data(), bytes(), MADV_DONTNEED);
}

#if defined(MADV_POPULATE_WRITE) && defined(MADV_HUGEPAGE)
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;

/// By how many nanoseconds large pages were made sooner, so far, than small ones would have been, and a few ms. Where
/// memory is in pieces, or a virtual machine has given it back, they take ten times as long as they should: once this
/// is less than nothing, no more are asked for.
std::atomic<std::int64_t> large_pages_spare{4000000};

std::int64_t nanoseconds_of_thread() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

void make_large_page(std::byte* at) {
  constexpr std::int64_t of_small_ones = 600000;
  static_cast<void>(madvise(at, large_page, MADV_HUGEPAGE));
  const std::int64_t before = nanoseconds_of_thread();
  static_cast<void>(madvise(at, large_page, MADV_POPULATE_WRITE));
  large_pages_spare += of_small_ones - (nanoseconds_of_thread() - before);
}

}  // namespace

std::size_t make_pages(std::byte* from, std::size_t bytes, std::size_t most) {
  const std::size_t in_front = (large_page - reinterpret_cast<std::uintptr_t>(from) % large_page) % large_page;
  std::size_t made = std::min(in_front, bytes);
  // Memory that it cannot make is missed when it is written.
  if (made > 0) advise_whole_pages(from, made, MADV_POPULATE_WRITE);
  while (made < bytes && most - made >= large_page && large_pages_spare >= 0) {
    make_large_page(from + made);
    made += large_page;
  }
  if (made < bytes) advise_whole_pages(from + made, bytes - made, MADV_POPULATE_WRITE);
  return std::max(made, bytes);
}
#else
std::size_t make_pages(std::byte*, std::size_t bytes, std::size_t) {
  return bytes;
}
#endif

}  // namespace upsweep::apps
