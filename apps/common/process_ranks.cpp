#include "process_ranks.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <thread>

#include "program.hpp"

namespace upsweep::apps {
namespace {

int number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : 0;
}

/// Where the number of processes is, and this one's.
struct launcher {
  const char* size;
  const char* rank;
};
std::optional<launcher> launcher_of_this() {
  for (const launcher& by : {launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}}) {
    if (number_in(by.size) > 1) return by;
  }
  const launcher slurm{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};
  if (std::getenv("PMIX_RANK") != nullptr && number_in(slurm.size) > 1) return slurm;
  return std::nullopt;
}

/// Its plugins look for MPI among what all of the process has.
const mpi_calls* begin_mpi(const launcher& by) {
  void* const module = dlopen(mpi_module, RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) {
    if (number_in(by.rank) > 0) throw failure(exit_code::usage, "");
    fail(exit_code::usage, "{}: got {} processes, and MPI cannot be loaded ({}); expected a build with MPI, or one",
         by.size, number_in(by.size), dlerror());
  }
  auto* const begin = reinterpret_cast<mpi_begin*>(dlsym(module, mpi_begin_name));
  if (begin == nullptr) {
    if (number_in(by.rank) > 0) throw failure(exit_code::usage, "");
    fail(exit_code::usage, "{}: got {} processes, and {} has no {}; expected the one that was built with this program",
         by.size, number_in(by.size), mpi_module, mpi_begin_name);
  }
  const mpi_calls* const calls = begin();
  if (calls->ranks == number_in(by.size)) return calls;
  fail(exit_code::usage, "{}: got {} processes, and MPI knows {}; expected mpirun of the MPI that this was built with",
       by.size, number_in(by.size), calls->ranks);
}

}  // namespace

process_ranks::process_ranks() {
  if (const auto by = launcher_of_this()) mpi_ = begin_mpi(*by);
}

bool process_ranks::nobody_fails(exit_code mine) {
  if (have_failed()) return false;  // all know it
  std::vector<int> codes(static_cast<std::size_t>(ranks()), static_cast<int>(mine));
  const int code = static_cast<int>(mine);
  if (mpi_ != nullptr) mpi_->all_gather(&code, codes.data(), sizeof code);
  const auto worst = std::max_element(codes.begin(), codes.end());
  worst_ = static_cast<exit_code>(*worst);
  speaks_ = have_failed() && worst - codes.begin() == rank();
  return !have_failed();
}

bool process_ranks::gather(const void* mine, void* all, std::size_t bytes) {
  if (!nobody_fails(exit_code::ok)) return false;
  if (mpi_ != nullptr) mpi_->all_gather(mine, all, bytes);
  return true;
}

bool process_ranks::exchange(const void* send, const std::int64_t* send_at, void* receive,
                             const std::int64_t* receive_at) {
  if (!nobody_fails(exit_code::ok)) return false;
  if (mpi_ != nullptr) mpi_->exchange(send, send_at, receive, receive_at);
  return true;
}

void process_ranks::bring_from_first(void* p, std::size_t bytes) {
  if (mpi_ == nullptr) return;
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(ranks()));
  if (!gather(p, all.data(), bytes)) fail_silently();
  std::copy_n(all.begin(), bytes, static_cast<std::byte*>(p));
}

void process_ranks::together(const std::function<void()>& step) {
  if (mpi_ == nullptr) return step();
  std::optional<failure> mine;
  try {
    step();
  } catch (const std::exception& error) {
    mine.emplace(failure_of(error));
  }
  if (nobody_fails(mine ? mine->code() : exit_code::ok)) return;
  if (speaks_ && mine) throw failure(worst_, mine->what());
  fail_silently();
}

/// One line of one rank, before all of them end.
void process_ranks::end(std::string_view name, const failure& why) {
  // Where none knows of the others, they are given the time to end this one.
  if (!have_failed()) std::this_thread::sleep_for(std::chrono::milliseconds(100 * std::min(rank(), 10)));
  if (*why.what() != '\0') complain("{}: {}", name, why.what());
  have_failed() ? mpi_->finalize() : mpi_->abort(static_cast<int>(why.code()));
}

int run_program_as_ranks(std::string_view name, const std::function<exit_code(process_ranks&)>& body) {
  return run_program(name, [&] {
    process_ranks ranks;
    if (ranks.mpi_ == nullptr) return body(ranks);
    if (ranks.rank() > 0) {
      be_quiet();
      const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(nowhere, STDOUT_FILENO);
      ::close(nowhere);
    }
    try {
      const exit_code code = body(ranks);
      ranks.mpi_->finalize();
      return code;
    } catch (const std::exception& error) {
      const failure why = failure_of(error);
      ranks.end(name, why);
      throw failure(why.code(), "");
    }
  });
}

}  // namespace upsweep::apps
