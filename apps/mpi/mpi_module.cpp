// upsweep-mpi.so: the calls of mpi_calls.hpp by MPI.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi_calls.hpp"

namespace upsweep::apps {
namespace {

void all_gather(const void* mine, void* all, std::size_t bytes) {
  MPI_Allgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, MPI_COMM_WORLD);
}

/// MPI counts in int: what is longer goes in pieces, which come in their order.
void exchange(const void* send, const std::int64_t* send_at, void* receive, const std::int64_t* receive_at) {
  constexpr std::int64_t piece = std::int64_t{1} << 30;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<MPI_Request> all;
  for (int r = 0; r < ranks; ++r) {
    for (std::int64_t at = receive_at[r]; at < receive_at[r + 1]; at += piece) {
      const auto bytes = static_cast<int>(std::min(piece, receive_at[r + 1] - at));
      MPI_Irecv(static_cast<char*>(receive) + at, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD, &all.emplace_back());
    }
    for (std::int64_t at = send_at[r]; at < send_at[r + 1]; at += piece) {
      const auto bytes = static_cast<int>(std::min(piece, send_at[r + 1] - at));
      MPI_Isend(static_cast<const char*>(send) + at, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD, &all.emplace_back());
    }
  }
  MPI_Waitall(static_cast<int>(all.size()), all.data(), MPI_STATUSES_IGNORE);
}

void abort_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}
void finalize() {
  MPI_Finalize();
}

}  // namespace
}  // namespace upsweep::apps

extern "C" const upsweep::apps::mpi_calls* upsweep_mpi_begin() {
  using namespace upsweep::apps;
  static mpi_calls calls{0, 1, 0, all_gather, exchange, abort_all, finalize};
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &calls.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &calls.ranks);
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, calls.rank, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &calls.local_rank);
  MPI_Comm_free(&host);
  return &calls;
}
