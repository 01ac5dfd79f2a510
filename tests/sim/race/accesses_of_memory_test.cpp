// Reads of what nothing wrote, places that are not there, and that no access is missed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "race_checker_fixture.hpp"

namespace upsweep::test {
namespace {

class accesses_of_memory : public race_checker_test {};
INSTANTIATE_TEST_SUITE_P(orders, accesses_of_memory, testing::ValuesIn(all_orders), name_of_order);

// --- memory that nothing wrote ---

TEST_P(accesses_of_memory, finds_reads_of_what_nothing_wrote) {
  expect_report(
      2, kernel<32>([](auto& block, auto& s) {
        if (block.lane() < 5) s.x[block.lane()] = 1;
        block.barrier();
        if (block.lane() == 0) use(s.x[5]);  // #never written
      }),
      {"lane 0, at " + line_of("never written") + ": reads 4 bytes that nothing wrote: shared memory, byte 20"});
  expect_report(grid(1, 64), kernel<32>([](auto& block, auto&) {
                  use(static_cast<const int*>(block.dynamic_shared())[block.lane() / 2]);
                }),
                {"reads 4 bytes that nothing wrote: shared memory"});
  auto workspace = empty_array<int>(4);
  expect_report(1, kernel<32>([w = workspace.data()](auto&, auto&) { use(w[3]); }),
                {"reads 4 bytes that nothing wrote: device memory"});
  ASSERT_EQ(device_.executor().fill(workspace.data() + 3, 0, 4), status::success);
  expect_silence(1, kernel<32>([w = workspace.data()](auto&, auto&) { use(w[3]); }));
  auto copied = array(std::vector<int>(4, 1));
  ASSERT_EQ(device_.executor().copy(copied.data(), workspace.data(), 16), status::success);
  expect_silence(1, kernel<32>([c = copied.data()](auto&, auto&) { use(c[3]); }));
  expect_report(1, kernel<32>([c = copied.data()](auto&, auto&) { use(c[2]); }), {"that nothing wrote"});
}

struct padded {
  std::uint64_t a;
  std::uint32_t b;
};

TEST_P(accesses_of_memory, forgives_padding_and_nothing_else) {
  auto items = empty_array<padded>(2);
  expect_silence(1, kernel<32>([p = items.data()](auto& block, auto&) {
                   if (block.lane() != 0) return;
                   p[0].a = 1;
                   p[0].b = 2;
                   p[1] = p[0];
                 }));
  auto words = empty_array<int>(4);
  const auto body = [w = words.data()](auto& block, int written) {
    if (block.lane() != 0) return;
    for (int i = 0; i < written; ++i) w[i] = i;
    use(block.template load_vector<4>(static_cast<const int*>(w)));  // #vector
  };
  expect_report(1, kernel<32>([=](auto& block, auto&) { body(block, 3); }),
                {"reads 16 bytes that nothing wrote", line_of("vector")});
  expect_silence(1, kernel<32>([=](auto& block, auto&) { body(block, 4); }));
}

// --- places that are not there ---

TEST_P(accesses_of_memory, finds_accesses_outside_of_arrays) {
  auto data = array(std::vector<int>(10, 1));
  int* const d = data.data();
  expect_report(1, kernel<32>([=](auto& block, auto&) { use(d[block.lane() / 3]); }),
                {"reads 4 bytes outside of an array: device memory, byte 552 of 1064"});
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) d[-1] = 1;  // #in front
                }),
                {"lane 3, at " + line_of("in front"), "writes 4 bytes outside of an array"});
  expect_report(1, kernel<32>([](auto& block, auto& s) {
                  if (block.lane() == 3) (&s)[1].x[0] = 1;
                }),
                {"writes 4 bytes outside of an array: shared memory"});

  void* memory = nullptr;
  ASSERT_EQ(device_.executor().allocate(&memory, 400), status::success);
  auto* const m = static_cast<int*>(memory);
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) m[103] = 1;
                }),
                {"writes 4 bytes, 12 bytes behind the end of an allocation of 400 bytes"});
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) m[-1] = 1;
                }),
                {"writes 4 bytes, 4 bytes before an allocation of 400 bytes"});
  ASSERT_EQ(device_.executor().deallocate(memory), status::success);
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) m[0] = 1;
                }),
                {"writes 4 bytes"});
  const std::vector<int> host(std::size_t{1} << 20, 1);
  expect_report(1, kernel<32>([h = host.data()](auto&, auto&) { use(h[1 << 19]); }),
                {"reads 4 bytes in memory that is neither the block's shared memory nor device memory"});
}

TEST_P(accesses_of_memory, finds_bulk_copies_outside_of_arrays) {
  auto data = array(std::vector<int>(64, 1));
  const auto load = [d = data.data()](auto& block, auto& s, int to, int from) {
    if (block.thread_rank() != 0) return;
    block.phase_init(s.phase, 1);
    block.phase_arrive_expect(s.phase, 256);
    block.bulk_load(s.x + to, d + from, 256, s.phase);  // #stray load
  };
  for (const auto& [to, from, what] :
       {std::tuple{1056, 0, "writes 256 bytes"}, {1 << 24, 0, "writes 256 bytes"}, {0, 4, "reads 256 bytes"}}) {
    expect_report(1, kernel<32>([=](auto& block, auto& s) { load(block, s, to, from); }),
                  {"at " + line_of("stray load"), what});
  }
  const auto store = [d = data.data()](auto& block, auto& s, int to, int from) {
    for (int i = block.lane(); i < 64; i += 32) s.x[i] = i;
    block.bulk_fence();
    block.warp_sync();
    if (block.lane() == 0) block.bulk_store(d + to, s.x + from, 256);  // #stray store
  };
  for (const auto& [to, from, what] : {std::tuple{4, 0, "writes 256 bytes"}, {0, 1 << 24, "reads 256 bytes"}}) {
    expect_report(1, kernel<32>([=](auto& block, auto& s) { store(block, s, to, from); }),
                  {"at " + line_of("stray store"), what});
  }
}

TEST_P(accesses_of_memory, finds_misaligned_accesses) {
  auto data = array(std::vector<int>(10, 1));
  auto* const bytes = reinterpret_cast<unsigned char*>(data.data());
  expect_report(1, kernel<32>([=](auto&, auto&) {
                  use(*reinterpret_cast<const int*>(bytes + 2));  // #askew
                }),
                {"at " + line_of("askew") + ": reads 4 bytes that are not aligned to 4"});
}

// --- how accesses come to be seen ---

struct wide {
  int word[9];
};

TEST_P(accesses_of_memory, sees_copies_of_any_size) {
  auto data = array(std::vector<int>(64, 1));
  const auto expect_race = [&](auto access) {
    expect_report(1, kernel<64>([=, d = data.data()](auto& block, auto& s) {
                    if (block.thread_rank() == 40) s.x[5] = 1;
                    if (block.thread_rank() == 0) access(d, s.x);
                  }),
                  {"race: it ", "of shared memory"});
  };
  expect_race([](const int* d, int* x) { std::memcpy(x, d, 4 * static_cast<std::size_t>(d[0]) + 20); });
  expect_race([](const int* d, int* x) { std::memcpy(x, d, 64); });
  expect_race([](const int* d, int* x) { std::memmove(x, d, 4 * static_cast<std::size_t>(d[0]) + 20); });
  expect_race([](const int* d, int* x) { std::copy(d, d + d[0] * 20, x); });
  expect_race([](const int*, int* x) { std::memset(x, 0, 256); });
  expect_race([](const int* d, int* x) { *reinterpret_cast<wide*>(x) = *reinterpret_cast<const wide*>(d); });
}

}  // namespace
}  // namespace upsweep::test
