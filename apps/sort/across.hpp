// Sorting over several GPUs, or several ranks of the sim: the codes of the keys, with their places, a slice a rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "byte_array.hpp"
#include "sorting.hpp"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/executor.hpp"

namespace upsweep::apps {

class process_ranks;

/// How many ranks `--gpus` asks for on a device that `--device` names: K, or all GPUs. Fails where there are not so
/// many.
int ranks_of(const std::string& gpus, const std::string& device);

/// "2 x NVIDIA H100", or as the sim calls itself.
std::string name_of_ranks(const std::string& device, int ranks);

/// sort_on_device over ranks. The device moves codes and places; what belongs to the keys is fetched on the host. Fewer
/// than 2^32 keys.
key_table sort_across(const std::string& device, int ranks, const key_order& how, const key_table& input, bool argsort,
                      sort_times& times);

/// Codes and places of all keys on the host, and what sorting them took.
template <class Code>
struct codes_across {
  std::vector<Code> codes;
  std::vector<std::uint32_t> places;
  sort_times times{};
};

/// Sorts them over GPUs; not_supported where the program was built without NCCL.
status sort_codes_on_gpus(codes_across<std::uint32_t>& all, int ranks);
status sort_codes_on_gpus(codes_across<std::uint64_t>& all, int ranks);

/// What one rank has of all codes, and 32 bits with each, on the host. Of n codes it gets n of the sorted ones; only
/// the 32 bits of these come back.
template <class Code>
struct code_slice {
  const Code* codes;
  std::uint32_t* values;
  std::int64_t n;
};

/// Sorts over processes, which call it together, on the sim.
status sort_slice_on_sim(process_ranks& ranks, const code_slice<std::uint64_t>& slice, sort_times& times);

/// A process that has a GPU, by that number.
struct gpu_process {
  int rank, ranks, gpu;
  std::function<void(void*, std::size_t)> bring;  ///< makes bytes of all processes those of rank 0
};
/// The same on GPUs; not_supported where the program was built without NCCL.
status sort_slice_on_gpu(const gpu_process& mine, const code_slice<std::uint32_t>& slice, sort_times& times);
status sort_slice_on_gpu(const gpu_process& mine, const code_slice<std::uint64_t>& slice, sort_times& times);

}  // namespace upsweep::apps
