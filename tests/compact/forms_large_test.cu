// Many elements, past 2^31 and 2^32: kept and rejected ones, runs, holes filled, and a split. What must come out
// follows from the place.
#include <cstdint>
#include <vector>

#include "scan/gpu_fixture.cuh"

#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/group_by.cuh"
#include "upsweep/compact/histogram.cuh"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"

namespace upsweep::test {
namespace {

constexpr std::int64_t n = (std::int64_t{1} << 32) + 54'321;

/// The byte of element i.
UPSWEEP_HOST_DEVICE std::uint8_t byte_of(std::int64_t i) {
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 56);
}

/// Every element but number 7 of each 20.
struct nineteen_of_twenty {
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return i % 20 != 7; }
  /// How many of the first i.
  UPSWEEP_HOST_DEVICE static std::int64_t before(std::int64_t i) { return i - (i + 12) / 20; }
  /// Number k of them.
  UPSWEEP_HOST_DEVICE static std::int64_t at(std::int64_t k) { return k / 19 * 20 + k % 19 + (k % 19 >= 7 ? 1 : 0); }
};
/// The number of element i, which tells whether nineteen_of_twenty keeps it.
UPSWEEP_HOST_DEVICE std::uint32_t number_of(std::int64_t i) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 37) << 5 |
         static_cast<std::uint32_t>(i % 20);
}
struct is_not_seven {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t x) const { return (x & 31) != 7; }
};
/// What is at place i of the kept and of the rejected numbers.
struct kept_number {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const { return number_of(nineteen_of_twenty::at(i)); }
};
struct rejected_number {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const { return number_of(20 * i + 7); }
};
struct all_numbers {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const { return number_of(i); }
};
struct all_flags {
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    return nineteen_of_twenty{}(i) ? static_cast<std::uint8_t>(1 + i % 255) : std::uint8_t{0};
  }
};
struct by_three {
  UPSWEEP_HOST_DEVICE int operator()(std::int64_t i) const { return static_cast<int>(i % 3); }
};

/// Runs that begin where nineteen_of_twenty keeps: the byte of element i, and of run k.
struct byte_of_run {
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t k) const {
    return static_cast<std::uint8_t>((byte_of(k) & 0xfe) | (k & 1));  // no neighbour has the same
  }
};
struct bytes_in_runs {
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    return byte_of_run{}(nineteen_of_twenty::before(i + 1) - 1);
  }
};

/// What is at place i when those that are kept come before the others, and its index.
struct kept_then_rejected {
  std::int64_t kept;
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    return byte_of(i < kept ? nineteen_of_twenty::at(i) : 20 * (i - kept) + 7);
  }
};
struct kept_index {
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return nineteen_of_twenty::at(i); }
};

/// What is at place i when the holes are filled, and when the elements are split.
struct filled {
  std::int64_t kept;
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    const nineteen_of_twenty vote;
    return byte_of(vote(i) ? i : vote.at(vote.before(kept) + i / 20));
  }
};
struct split_up {
  UPSWEEP_HOST_DEVICE static std::int64_t begin(int bucket) {
    return bucket == 0 ? 0 : (n + 2) / 3 + (bucket == 1 ? 0 : (n + 1) / 3);
  }
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const {
    const int bucket = i < begin(1) ? 0 : i < begin(2) ? 1 : 2;
    return byte_of((i - begin(bucket)) * 3 + bucket);
  }
};
struct as_given {
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i) const { return byte_of(i); }
};

struct write_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class T, class Value>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, T* out, std::int64_t count, Value value) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    for (std::int64_t i = first; i < count; i += block.num_blocks() * block_threads) out[i] = value(i);
  }
};
struct compare_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx, class T, class Expected>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* got, std::int64_t count, Expected expected,
                                 unsigned long long* wrong) const {
    const std::int64_t first = block.block_index() * block_threads + block.thread_rank();
    unsigned long long mine = 0;
    for (std::int64_t i = first; i < count; i += block.num_blocks() * block_threads) mine += got[i] != expected(i);
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

class forms_large : public gpu_test {
 protected:
  template <class T, class Value>
  static void write(const device_array<T>& to, std::int64_t count, Value value) {
    ASSERT_EQ(cuda_executor().launch(4096, write_kernel{}, to.data(), count, value), status::success);
  }
  template <class T>
  static void expect_written(const T* number, T expected) {
    T got{};
    ASSERT_EQ(cudaMemcpy(&got, number, sizeof got, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(got, expected);
  }
  static void expect_kept_in_place(const device_array<std::uint32_t>& in, const device_array<std::int64_t>& count,
                                   std::int64_t items, std::int64_t kept) {
    const device_array<std::uint8_t> work(
        select_if_workspace_bytes(in.data(), in.data(), count.data(), items, is_not_seven{}));
    if (!work.ok()) return;
    ASSERT_EQ(select_if({work.data(), work.bytes()}, in.data(), in.data(), count.data(), items, is_not_seven{}),
              cudaSuccess);
    expect_written(count.data(), kept);
    expect(in.data(), kept, kept_number{});
  }
  template <class T, class Expected>
  static void expect(const T* got, std::int64_t count, Expected expected) {
    const device_array<unsigned long long> wrong(1);
    ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
    ASSERT_EQ(cuda_executor().launch(4096, compare_kernel{}, got, count, expected, wrong.data()), status::success);
    unsigned long long number = 1;
    ASSERT_EQ(cudaMemcpy(&number, wrong.data(), sizeof number, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(number, 0u);
  }
};

TEST_F(forms_large, holes_are_filled) {
  const device_array<std::uint8_t> items(n);
  const hole_filling<> method;
  const soa_array array{items.data(), items.data(), 1};
  const device_array<std::uint8_t> work(method.workspace_bytes({&array, 1}, n));
  const device_array<std::int64_t> count(1);
  if (!items.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  cuda_executor executor;
  write(items, n, as_given{});
  ASSERT_EQ(method.run(executor, {work.data(), work.bytes()}, {&array, 1}, n, nineteen_of_twenty{}, count.data()),
            status::success);
  const std::int64_t expected = nineteen_of_twenty::before(n);
  std::int64_t kept = 0;
  ASSERT_EQ(cudaMemcpy(&kept, count.data(), sizeof kept, cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(kept, expected);
  expect(items.data(), kept, filled{kept});
  // After the kept ones nothing is written.
  std::vector<std::uint8_t> tail(static_cast<std::size_t>(4096));
  ASSERT_EQ(cudaMemcpy(tail.data(), items.data() + n - 4096, tail.size(), cudaMemcpyDefault), cudaSuccess);
  for (std::int64_t i = 0; i < 4096; ++i) ASSERT_EQ(tail[static_cast<std::size_t>(i)], byte_of(n - 4096 + i));
}

struct length_of_run {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::int64_t k) const {
    const std::int64_t begin = nineteen_of_twenty::at(k), next = nineteen_of_twenty::at(k + 1);
    return static_cast<std::uint32_t>((next < n ? next : n) - begin);
  }
};
struct number_of_run {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(nineteen_of_twenty::before(i + 1) - 1);
  }
};

TEST_F(forms_large, runs_are_counted_in_place) {
  const device_array<std::uint8_t> items(n);
  const std::int64_t runs = nineteen_of_twenty::before(n);
  const device_array<std::uint32_t> lengths(runs), inverse(n);
  const device_array<std::int64_t> count(1);
  unique_results results(count.data());
  results.counts = lengths.data();
  results.inverse = inverse.data();
  const device_array<std::uint8_t> work(unique_workspace_bytes(items.data(), items.data(), results, n));
  if (!items.ok() || !lengths.ok() || !inverse.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  write(items, n, bytes_in_runs{});
  ASSERT_EQ(unique({work.data(), work.bytes()}, items.data(), items.data(), results, n), cudaSuccess);
  expect_written(count.data(), runs);
  expect(items.data(), runs, byte_of_run{});
  expect(lengths.data(), runs, length_of_run{});
  expect(inverse.data(), n, number_of_run{});
}

TEST_F(forms_large, elements_are_split) {
  const device_array<std::uint8_t> in(n), out(n);
  const device_array<std::int64_t> offsets(4);
  const soa_array array{in.data(), out.data(), 1};
  const by_index bucket{by_three{}};
  const device_array<std::uint8_t> work(split_arrays_workspace_bytes({&array, 1}, offsets.data(), n, 3, bucket));
  if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  write(in, n, as_given{});
  ASSERT_EQ(split_arrays({work.data(), work.bytes()}, {&array, 1}, offsets.data(), n, 3, bucket), cudaSuccess);
  std::vector<std::int64_t> got(4);
  ASSERT_EQ(cudaMemcpy(got.data(), offsets.data(), offsets.bytes(), cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(got, (std::vector<std::int64_t>{0, split_up::begin(1), split_up::begin(2), n}));
  expect(out.data(), n, split_up{});
  expect(in.data(), n, as_given{});
}

/// The indices in the order of i % 3.
struct grouped_up {
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const int g = i < split_up::begin(1) ? 0 : i < split_up::begin(2) ? 1 : 2;
    return (i - split_up::begin(g)) * 3 + g;
  }
};

TEST_F(forms_large, indices_are_grouped_and_counted) {
  const device_array<std::int64_t> indices(n), offsets(4), counts(3);
  const by_index group{by_three{}};
  const device_array<std::uint8_t> work(group_by_index_workspace_bytes(indices.data(), offsets.data(), n, 3, group));
  if (!indices.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  ASSERT_EQ(group_by_index({work.data(), work.bytes()}, indices.data(), offsets.data(), n, 3, group), cudaSuccess);
  ASSERT_EQ(histogram_index(counts.data(), n, 3, group), cudaSuccess);
  expect(indices.data(), n, grouped_up{});
  std::vector<std::int64_t> got(4), many(3);
  ASSERT_EQ(cudaMemcpy(got.data(), offsets.data(), offsets.bytes(), cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(many.data(), counts.data(), counts.bytes(), cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(got, (std::vector<std::int64_t>{0, split_up::begin(1), split_up::begin(2), n}));
  EXPECT_EQ(many, (std::vector<std::int64_t>{got[1], got[2] - got[1], n - got[2]}));
}

/// Every item has one output, but for item 0, which has `more` more.
struct count_of {
  std::int64_t more;
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i == 0 ? more + 1 : 1; }
};
struct output_of {
  std::int64_t more;
  UPSWEEP_HOST_DEVICE std::uint8_t operator()(std::int64_t i, std::int64_t j) const {
    return byte_of(i == 0 ? j : i + more);
  }
};

// Of many items, and of one that has many outputs.
TEST_F(forms_large, items_are_expanded) {
  for (const std::int64_t items : {n, std::int64_t{100}}) {
    const std::int64_t more = n - items;
    const device_array<std::int64_t> total(1);
    const device_array<std::uint8_t> out(n);
    // In 8 bytes, so that item 0 can have so many.
    const device_array<std::int64_t> counts(items);
    const device_array<std::uint8_t> work(
        expand_workspace_bytes(counts.data(), out.data(), total.data(), items, output_of{more}));
    if (!out.ok() || !counts.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
    write(counts, items, count_of{more});
    ASSERT_EQ(expand({work.data(), work.bytes()}, static_cast<const std::int64_t*>(counts.data()), out.data(),
                     total.data(), items, output_of{more}),
              cudaSuccess);
    expect_written(total.data(), n);
    expect(out.data(), n, as_given{});
  }
}

TEST_F(forms_large, bytes_are_parted_and_their_indices_listed) {
  const std::int64_t kept = nineteen_of_twenty::before(n);
  const device_array<std::uint8_t> in(n), out(n);
  const device_array<std::int64_t> indices(static_cast<std::size_t>(kept) + 1), count(1);
  const soa_array array{in.data(), out.data(), 1};
  select_results results(count.data());
  results.indices = indices.data();
  const by_index vote{nineteen_of_twenty{}};
  const device_array<std::uint8_t> work(partition_arrays_workspace_bytes({&array, 1}, results, n, vote));
  if (!in.ok() || !out.ok() || !indices.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  write(in, n, as_given{});
  write(indices, kept + 1, all_numbers{});
  ASSERT_EQ(partition_arrays({work.data(), work.bytes()}, {&array, 1}, results, n, vote), cudaSuccess);
  expect_written(count.data(), kept);
  expect(out.data(), n, kept_then_rejected{kept});
  expect(indices.data(), kept, kept_index{});
  expect_written<std::int64_t>(indices.data() + kept, number_of(kept));
  expect(in.data(), n, as_given{});
}

TEST_F(forms_large, bytes_are_kept_by_a_scan_of_votes) {
  using method = vote_scan_compact<default_scan_policy>;
  constexpr std::uint8_t untouched = 0xa5;
  const std::int64_t kept = nineteen_of_twenty::before(n);
  const device_array<std::uint8_t> in(n), out(n);
  const device_array<std::int64_t> count(1);
  const soa_array array{in.data(), out.data(), 1};
  const by_index vote{nineteen_of_twenty{}};
  const device_array<std::uint8_t> work(select_arrays_workspace_bytes<method>({&array, 1}, count.data(), n, vote));
  if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  write(in, n, as_given{});
  ASSERT_EQ(cudaMemset(out.data(), untouched, out.bytes()), cudaSuccess);
  ASSERT_EQ(select_arrays<method>({work.data(), work.bytes()}, {&array, 1}, count.data(), n, vote), cudaSuccess);
  expect_written(count.data(), kept);
  expect(out.data(), kept, kept_then_rejected{kept});
  expect_written(out.data() + kept, untouched);
}

TEST_F(forms_large, the_first_byte_of_each_run_is_kept) {
  constexpr std::uint8_t untouched = 0xa5;
  const std::int64_t kept = nineteen_of_twenty::before(n);
  const device_array<std::uint8_t> in(n), out(n);
  const device_array<std::int64_t> count(1);
  const device_array<std::uint8_t> work(unique_workspace_bytes(in.data(), out.data(), count.data(), n));
  if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "too little device memory";
  write(in, n, bytes_in_runs{});
  ASSERT_EQ(cudaMemset(out.data(), untouched, out.bytes()), cudaSuccess);
  ASSERT_EQ(
      unique({work.data(), work.bytes()}, static_cast<const std::uint8_t*>(in.data()), out.data(), count.data(), n),
      cudaSuccess);
  expect_written(count.data(), kept);
  expect(out.data(), kept, byte_of_run{});
  expect_written(out.data() + kept, untouched);
}

/// Numbers by their value, by flags, and both sides of a partition.
TEST_F(forms_large, numbers_are_kept) {
  constexpr std::uint32_t untouched = 0xa5a5a5a5;
  for (const std::int64_t items : {(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) + 1, n}) {
    SCOPED_TRACE(items);
    const std::int64_t kept = nineteen_of_twenty::before(items);
    const device_array<std::uint32_t> in(items), out(items), rejected(items);
    const device_array<std::uint8_t> flags(items);
    const device_array<std::int64_t> count(1);
    const vote_if<std::uint32_t, is_not_seven> vote{in.data(), {}};
    const device_array<std::uint8_t> work(
        partition_workspace_bytes(in.data(), out.data(), rejected.data(), count.data(), items, vote));
    if (!in.ok() || !out.ok() || !rejected.ok() || !flags.ok() || !work.ok()) GTEST_SKIP() << "too little memory";
    const workspace w{work.data(), work.bytes()};
    const auto begin = [&] {
      ASSERT_EQ(cudaMemset(out.data(), 0xa5, out.bytes()), cudaSuccess);
      ASSERT_EQ(cudaMemset(count.data(), 0xa5, count.bytes()), cudaSuccess);
    };
    const auto expect_kept = [&](cudaError_t called) {
      ASSERT_EQ(called, cudaSuccess);
      expect_written(count.data(), kept);
      expect(out.data(), kept, kept_number{});
      expect_written(out.data() + kept, untouched);
    };
    write(in, items, all_numbers{});
    write(flags, items, all_flags{});
    begin();
    expect_kept(select_if(w, in.data(), out.data(), count.data(), items, is_not_seven{}));
    begin();
    expect_kept(select_flagged(w, in.data(), flags.data(), out.data(), count.data(), items));
    begin();
    ASSERT_EQ(cudaMemset(rejected.data(), 0xa5, rejected.bytes()), cudaSuccess);
    expect_kept(partition(w, in.data(), out.data(), rejected.data(), count.data(), items, vote));
    expect(rejected.data(), items - kept, rejected_number{});
    expect_written(rejected.data() + (items - kept), untouched);
    expect(in.data(), items, all_numbers{});
    // In place: what is kept is written over what has been read.
    expect_kept_in_place(in, count, items, kept);
  }
}

}  // namespace
}  // namespace upsweep::test

#include "compact/streams.cuh"  // in this unit, whose kernels it calls
