#include "across.hpp"

#include <cstring>
#include <optional>

#include "across_rank.hpp"
#include "failure.hpp"
#include "process_communicator.hpp"
#include "process_device.hpp"
#include "process_ranks.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

bool is_sim(const std::string& device) {
  std::string why;
  return device == "sim" || (device == "auto" && runtime::open_device("cuda", why) == nullptr);
}

/// Codes of 64 bits alone, so that no kernel is compiled twice for the sim.
status sort_codes_on_sim(codes_across<std::uint64_t>& all, int ranks) {
  rank_group group(ranks, rank_turns::in_order);
  std::vector<status> answers(static_cast<std::size_t>(ranks), status::success);
  std::vector<rank_memory<sim_executor>> memory;
  for (int r = 0; r < ranks; ++r) memory.emplace_back(sim_executor{});
  run_ranks(group, [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    sim_communicator comm(group, rank);
    answers[at] = sort_part(all, comm, memory[at], sim_stream{});
  });
  return first_error(answers);
}

template <class Code>
status sort_codes(codes_across<Code>& all, bool on_sim, int ranks) {
  if constexpr (sizeof(Code) == sizeof(std::uint64_t)) {
    if (on_sim) return sort_codes_on_sim(all, ranks);
  }
  return sort_codes_on_gpus(all, ranks);
}

/// Sorts the codes with the places of their keys, or, where they are `alone`, with the bits of the keys themselves.
template <class Code>
std::vector<std::uint32_t> sorted_values(const std::string& device, bool on_sim, int ranks, const key_order& how,
                                         const key_table& input, bool alone, sort_times& times) {
  const auto n = static_cast<std::size_t>(input.keys.count);
  codes_across<Code> all{std::vector<Code>(n), std::vector<std::uint32_t>(n)};
  visit_key_type(input.keys.type, [&]<class Key>(Key) {
    const auto* const keys = input.keys.data.as<Key>();
    for (std::size_t i = 0; i < n; ++i) {
      all.codes[i] = static_cast<Code>(compared_bits(keys[i], how));
      all.places[i] = static_cast<std::uint32_t>(i);
      if (alone) std::memcpy(&all.places[i], &keys[i], std::min(sizeof(Key), sizeof all.places[i]));
    }
  });
  const status s = sort_codes(all, on_sim, ranks);
  if (s == status::memory_allocation) {
    throw out_of_memory(
        fmt::format("{}: out of device memory for {} keys; expected more of them, or one device without "
                    "--gpus, through which all goes in pieces",
                    name_of_ranks(device, ranks), n));
  }
  if (s == status::not_supported && !on_sim) {
    fail(exit_code::device, "--gpus: this upsweep-sort was built without NCCL; expected --device sim, or one GPU");
  }
  if (s != status::success) {
    fail(exit_code::device, "{}: sorting failed: {} ({})", name_of_ranks(device, ranks), status_name(s),
         status_text(s));
  }
  times = all.times;
  return std::move(all.places);
}

}  // namespace

status sort_slice_on_sim(process_ranks& ranks, const code_slice<std::uint64_t>& slice, sort_times& times) {
  process_communicator comm(ranks);
  rank_memory<sim_executor> memory{sim_executor{}};
  return sort_slice(slice, times, comm, memory, sim_stream{});
}

int ranks_of(const std::string& gpus, const std::string& device) {
  const bool on_sim = is_sim(device);
  if (gpus == "all") {
    if (on_sim) fail(exit_code::usage, "--gpus: got all for the sim; expected a number of its ranks");
    return std::min(gpus_here(), most_ranks);
  }
  const int asked = std::stoi(gpus);  // the schema has checked it
  if (asked > most_ranks) fail(exit_code::usage, "--gpus: got {}; expected at most {}", asked, most_ranks);
  if (!on_sim && asked > gpus_here()) {
    fail(exit_code::device, "--gpus: got {}; this machine has {}", asked, gpus_here());
  }
  return asked;
}

std::string name_of_ranks(const std::string& device, int ranks) {
  std::string why;
  const auto first = runtime::open_device(device, why);
  return fmt::format("{} x {}", ranks, first ? first->name() : device);
}

key_table sort_across(const std::string& device, int ranks, const key_order& how, const key_table& input, bool argsort,
                      sort_times& times) {
  const bool on_sim = is_sim(device);
  const std::size_t key_bytes = size_of(input.keys.type);
  // Fetching keys by their places takes longer than all else: those that are not wider go instead of places.
  const bool alone = !argsort && input.values.empty() && key_bytes <= sizeof(std::uint32_t);
  const auto sort = [&]<class Code>(Code) {
    return sorted_values<Code>(device, on_sim, ranks, how, input, alone, times);
  };
  const bool narrow = !on_sim && key_bytes <= sizeof(std::uint32_t);
  const std::vector<std::uint32_t> places = narrow ? sort(std::uint32_t{}) : sort(std::uint64_t{});
  const auto fetched = [&](const byte_array& rows, std::size_t bytes) {
    byte_array sorted(places.size() * bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(sorted.data() + i * bytes, rows.data() + places[i] * bytes, bytes);
    }
    return sorted;
  };
  key_table sorted;
  sorted.keys.type = input.keys.type;
  sorted.keys.count = input.keys.count;
  if (argsort) {
    sorted.places = byte_array(places.size() * sizeof(std::uint32_t));
    std::copy(places.begin(), places.end(), sorted.places.as<std::uint32_t>());
    return sorted;
  }
  if (alone) {
    sorted.keys.data = byte_array(places.size() * key_bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::memcpy(sorted.keys.data.data() + i * key_bytes, &places[i], key_bytes);
    }
    return sorted;
  }
  sorted.keys.data = fetched(input.keys.data, key_bytes);
  for (const value_table& v : input.values) sorted.values.push_back({v.row_bytes, fetched(v.data, v.row_bytes)});
  return sorted;
}

}  // namespace upsweep::apps
