// What the programs take from MPI: a table of calls, of a module that is loaded where mpirun has begun them. So they
// need no MPI to be built, and none to run alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::apps {

/// This process among all that were begun together. Errors of MPI end all of them.
struct mpi_calls {
  int rank, ranks;
  int local_rank;  ///< among those on this host

  /// `bytes` bytes of every rank, in their order.
  void (*all_gather)(const void* mine, void* all, std::size_t bytes);
  /// Bytes send_at[r] to send_at[r + 1] of `send` go to rank r; what comes from it, to receive_at[r] of `receive`.
  void (*exchange)(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at);
  /// Ends all processes; mpirun answers `code`.
  void (*abort)(int code);
  /// All of them call it when they are done.
  void (*finalize)();
};

/// The name of the module, and of its one function, which begins MPI.
inline constexpr const char* mpi_module = "upsweep-mpi.so";
inline constexpr const char* mpi_begin_name = "upsweep_mpi_begin";
using mpi_begin = const mpi_calls*();

}  // namespace upsweep::apps
