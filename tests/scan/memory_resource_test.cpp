// Calls that take their workspace from a resource: of every protocol, all of it given back, whatever happens.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory_resource>
#include <new>
#include <numeric>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/test_device.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::test {
namespace {

/// Memory that is taken and given back, with its size.
class account {
 public:
  void* take(std::size_t bytes) {
    ++taken;
    void* const p = std::malloc(bytes);
    open_[p] = bytes;
    return p;
  }
  void give(void* p, std::size_t bytes) {
    const auto at = open_.find(p);
    if (at == open_.end() || at->second != bytes) {
      ++wrong;
    } else {
      open_.erase(at);
    }
    std::free(p);
  }
  void expect_balanced(int times) const {
    EXPECT_EQ(taken, times);
    EXPECT_EQ(wrong, 0) << "given back another piece than was taken";
    EXPECT_TRUE(open_.empty()) << open_.size() << " pieces were not given back";
  }
  int taken = 0, wrong = 0;

 private:
  std::map<void*, std::size_t> open_;
};

/// A type of stream to which ours converts, as those of libcu++ and rmm are.
struct stream_view {
  stream_view(sim_stream s) : of(s) {}
  sim_stream of;
};

struct async_resource : account {
  void* allocate_async(std::size_t bytes, std::size_t, stream_view) { return take(bytes); }
  void deallocate_async(void* p, std::size_t bytes, std::size_t, stream_view) { give(p, bytes); }
};
struct stream_first_resource : account {
  void* allocate(stream_view, std::size_t bytes, std::size_t) { return take(bytes); }
  void deallocate(stream_view, void* p, std::size_t bytes, std::size_t) noexcept { give(p, bytes); }
};
struct stream_last_resource : account {
  void* allocate(std::size_t bytes, stream_view) { return take(bytes); }
  void deallocate(void* p, std::size_t bytes, stream_view) { give(p, bytes); }
};
struct plain_resource : account {
  void* allocate(std::size_t bytes, std::size_t) { return take(bytes); }
  void deallocate(void* p, std::size_t bytes, std::size_t) { give(p, bytes); }
};

template <class Resource>
class memory_resources : public testing::Test {};
using all_protocols = testing::Types<async_resource, stream_first_resource, stream_last_resource, plain_resource>;
TYPED_TEST_SUITE(memory_resources, all_protocols);

TYPED_TEST(memory_resources, give_every_module_its_workspace_and_get_it_back) {
  constexpr int n = 5000;
  std::vector<int> items(n), out(n), keys(n, 3), expected(n);
  std::iota(items.begin(), items.end(), 1);
  std::inclusive_scan(items.begin(), items.end(), expected.begin());
  TypeParam resource;
  ASSERT_EQ(inclusive_sum(resource, items.data(), out.data(), n, sim_stream{}), status::success);
  EXPECT_EQ(out, expected);
  ASSERT_EQ(inclusive_sum_by_key(resource, keys.data(), items.data(), out.data(), n), status::success);
  EXPECT_EQ(out, expected);
  const std::vector<int> ends{0, n};
  ASSERT_EQ(inclusive_sum_segmented(resource, items.data(), ends.data(), out.data(), n, 1), status::success);
  EXPECT_EQ(out, expected);
  std::int64_t kept = 0;
  ASSERT_EQ(select_if(resource, items.data(), out.data(), &kept, n, between<int>{10, 20}), status::success);
  EXPECT_EQ(kept, 10);
  EXPECT_EQ(out[9], 19);
  ASSERT_EQ(sort_keys(resource, items.data(), out.data(), n, sort_order::descending), status::success);
  EXPECT_EQ(out[0], n);
  EXPECT_EQ(out[n - 1], 1);
  resource.expect_balanced(resource.taken);
  EXPECT_GE(resource.taken, 4);
}

TYPED_TEST(memory_resources, are_not_asked_for_nothing) {
  std::vector<int> items(10), out(10);
  TypeParam resource;
  EXPECT_EQ(exclusive_sum(resource, items.data(), out.data(), 0), status::success);
  EXPECT_EQ(exclusive_sum(resource, items.data(), out.data(), -1), status::invalid_value);
  resource.expect_balanced(0);
}

TYPED_TEST(memory_resources, get_back_what_a_refused_call_has_taken) {
  std::vector<int> items(5000);
  TypeParam resource;
  EXPECT_EQ(exclusive_sum(resource, items.data(), items.data() + 1, 4999), status::invalid_value);
  resource.expect_balanced(1);
}

struct empty_resource {
  void* allocate(std::size_t, std::size_t) { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) { ADD_FAILURE() << "nothing was taken"; }
};
struct throwing_resource {
  void* allocate(std::size_t, std::size_t) { throw std::bad_alloc(); }
  void deallocate(void*, std::size_t, std::size_t) { ADD_FAILURE() << "nothing was taken"; }
};

TEST(memory_resource, that_has_no_memory_leaves_everything_as_it_was) {
  std::vector<int> items(5000, 1), out(5000, 7);
  empty_resource empty;
  EXPECT_EQ(exclusive_sum(empty, items.data(), out.data(), 5000), status::memory_allocation);
  throwing_resource throwing;
  EXPECT_EQ(exclusive_sum(throwing, items.data(), out.data(), 5000), status::memory_allocation);
  EXPECT_EQ(out, std::vector<int>(5000, 7));
}

TEST(memory_resource, may_be_the_stream_pool_or_one_of_the_standard_library) {
  std::vector<int> items(5000, 1), out(5000);
  EXPECT_EQ(inclusive_sum(stream_pool{}, items.data(), out.data(), 5000, sim_stream{}), status::success);
  EXPECT_EQ(out[4999], 5000);
  std::pmr::unsynchronized_pool_resource pool;
  EXPECT_EQ(inclusive_sum(pool, out.data(), out.data(), 5000, sim_stream{}), status::success);
  EXPECT_EQ(out[1], 3);
  const stream_pool constant;
  EXPECT_EQ(exclusive_sum(constant, items.data(), out.data(), 5000, sim_stream{}), status::success);
  EXPECT_EQ(out[4999], 4999);
}

}  // namespace
}  // namespace upsweep::test
