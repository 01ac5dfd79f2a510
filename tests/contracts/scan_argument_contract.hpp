// What scans promise whose n or init lies in device memory, or that give the total: over the policies that take these,
// by a few forms that have each kind of argument beside each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contracts/scan_contract.hpp"

namespace upsweep::test {

/// The arguments of one call of a form, of which the form takes those that it has.
template <class T>
struct scan_arguments {
  const T* in;
  T* out;
  std::int64_t n;             ///< or the bound of the count
  const std::int64_t* count;  ///< of which narrower counts read the low bytes
  const T* init;
  T* total;
};

/// Which call, and which arguments lie in device memory.
struct scan_form {
  const char* name;
  scan_call call;
  bool has_count, count_is_signed, has_init_in_memory, has_total;
};
inline constexpr scan_form scan_forms[] = {
    {"exclusive_counted_init_in_memory_with_total", scan_call::exclusive, true, false, true, true},
    {"exclusive_counted", scan_call::exclusive, true, true, false, false},
    {"exclusive_with_total", scan_call::exclusive, false, false, false, true},
    {"inclusive_counted_with_total", scan_call::inclusive, true, true, false, true},
    {"inclusive_init_in_memory_with_total", scan_call::inclusive_init, false, false, true, true},
};

/// Calls the form by its place among scan_forms.
template <class Policy, class Stream, class T, class Op>
status run_form(const scan_form& form, workspace w, const scan_arguments<T>& a, Op op, T init, Stream stream) {
  const device_value first{a.init};
  const auto run = [&] {
    switch (&form - scan_forms) {
      case 0: {
        const device_count n{reinterpret_cast<const std::uint64_t*>(a.count), a.n};
        return exclusive_scan_with_total<Policy>(w, a.in, a.out, a.total, n, op, first, stream);
      }
      case 1: {
        const device_count n{reinterpret_cast<const std::int32_t*>(a.count), a.n};
        return exclusive_scan<Policy>(w, a.in, a.out, n, op, init, stream);
      }
      case 2:
        return exclusive_scan_with_total<Policy>(w, a.in, a.out, a.total, a.n, op, init, stream);
      case 3:
        return inclusive_scan_with_total<Policy>(w, a.in, a.out, a.total, device_count{a.count, a.n}, op, stream);
      default:
        return inclusive_scan_init_with_total<Policy>(w, a.in, a.out, a.total, a.n, op, first, stream);
    }
  };
  return static_cast<status>(run());
}

/// One policy's calls, so that the tests need not be compiled for each policy.
template <class Stream, class T, class Op>
struct argument_scan {
  scan_under_test<Stream, T, Op> plain;
  status (*run)(const scan_form&, workspace, const scan_arguments<T>&, Op, T init, Stream);
};

template <class Stream, class Items>
class scan_argument_contract {
 public:
  using T = typename Items::item;
  using Op = typename Items::op_type;
  using scan_type = argument_scan<Stream, T, Op>;
  using device_type = test_device<Stream>;

  static void add(const std::string& type_name, const scan_type& scan) {
    for (const scan_form& form : scan_forms) {
      const auto claim = [&](const char* text, void (scan_argument_contract::*check)()) {
        const std::string suite = "scan_arguments/" + type_name + "/" + scan.plain.name() + "/" + form.name;
        add_test<Stream>(suite, text, [scan, &form, check](device_type& device) {
          if (scan.plain.variant.strategy == scan_strategy::cluster && !device.has_clusters()) {
            GTEST_SKIP() << "clusters need sm_90";
          }
          scan_argument_contract contract(device, scan, form);
          (contract.*check)();
        });
      };
      claim("scans_as_many_items_as_there_are", &scan_argument_contract::every_count);
      claim("scans_in_place", &scan_argument_contract::in_place);
      claim("refuses_null_pointers_and_overlaps", &scan_argument_contract::bad_arguments);
      if (form.has_init_in_memory) {
        claim("reads_an_init_that_lies_where_the_first_output_will", &scan_argument_contract::init_in_front);
      }
    }
  }

 private:
  struct call_options {
    bool in_place = false, total_behind = false, init_at_out = false;
    std::size_t in_offset = 0;
  };

  scan_argument_contract(device_type& device, const scan_type& scan, const scan_form& form)
      : device_(device), scan_(scan), form_(form), misused_(device, std::vector<std::uint32_t>{0}) {}

  Op op() const { return Items::op(misused_.data()); }
  std::size_t workspace_bytes(std::int64_t n) const {
    return scan_.plain.workspace_bytes(form_.call, n, op(), Items::init());
  }

  /// One call of a form with room for n + 1 items, and all that can be checked about it. `count`: in device memory.
  void check(std::size_t n, std::int64_t count, const call_options& how = {}) {
    SCOPED_TRACE("n = " + std::to_string(n) + (form_.has_count ? ", count " + std::to_string(count) : ""));
    const auto bound = static_cast<std::int64_t>(n);
    const std::size_t valid = form_.has_count ? items_counted(bound, count) : n;
    guarded_array<T, Stream> in(device_, Items::items(n + 1), how.in_offset);
    const std::vector<T> items = in.items();
    guarded_array<T, Stream> other(device_, n + 1);
    if (how.init_at_out) {
      std::vector<T> content = other.items();
      content[0] = Items::init();
      other.set(content);
    }
    guarded_array<T, Stream>& out = how.in_place ? in : other;
    guarded_array<T, Stream> init(device_, {Items::init()}), total(device_, 1);
    guarded_array<std::int64_t, Stream> counter(device_, std::vector<std::int64_t>{count});
    guarded_array<unsigned char, Stream> work(device_, workspace_bytes(bound), 1);

    std::vector<T> expected = out.items(), expected_total = total.items();
    T& the_total = how.total_behind ? expected[n] : expected_total[0];
    std::optional<T> sum;
    if (form_.call != scan_call::inclusive) sum = Items::init();
    std::uint32_t unused = 0;
    for (std::size_t i = 0; i < valid; ++i) {
      if (form_.call == scan_call::exclusive) expected[i] = *sum;
      sum = sum ? Items::op(&unused)(*sum, items[i]) : items[i];
      if (form_.call != scan_call::exclusive) expected[i] = *sum;
    }
    if (form_.has_total && sum) the_total = *sum;

    const scan_arguments<T> a{in.data(),
                              out.data(),
                              bound,
                              counter.data(),
                              how.init_at_out ? out.data() : init.data(),
                              how.total_behind ? out.data() + n : total.data()};
    ASSERT_EQ(scan_.run(form_, {work.data(), work.size()}, a, op(), Items::init(), device_.stream()), status::success)
        << device_.message();
    EXPECT_TRUE(same_items(out.items(), expected));
    EXPECT_TRUE(same_items(total.items(), expected_total));
    if (!how.in_place) in.expect_unchanged();
    init.expect_unchanged();
    counter.expect_unchanged();
    work.expect_guards();
    EXPECT_EQ(misused_.items()[0], 0u) << "the operator ran on a lane without data, or on values that do not adjoin";
  }

  /// Of `bound` items, those that there are.
  std::size_t items_counted(std::int64_t bound, std::int64_t count) const {
    if (count < 0) return form_.count_is_signed ? 0 : static_cast<std::size_t>(bound);
    return static_cast<std::size_t>(std::min(bound, count));
  }

  void every_count() {
    const std::int64_t tile = scan_.plain.tile_items;
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, tile - 1, tile, tile + 1, 7 * tile + 5, 40 * tile}) {
      std::vector<std::int64_t> counts = {n};
      if (form_.has_count) counts = {-1, 0, 1, tile - 1, tile, tile + 1, 2 * tile, 4 * tile, n - 1, n, n + 1, 1 << 30};
      for (const std::int64_t count : counts) check(static_cast<std::size_t>(n), count);
      if (testing::Test::HasFailure()) return;
    }
  }

  void in_place() {
    const std::int64_t tile = scan_.plain.tile_items;
    for (const std::int64_t n : {std::int64_t{1}, tile, 3 * tile + 1}) {
      for (const std::size_t offset : {std::size_t{0}, alignof(T), sizeof(T)}) {
        for (const std::int64_t count : {std::int64_t{0}, n / 2, n}) {
          check(static_cast<std::size_t>(n), count, {.in_place = true, .total_behind = true, .in_offset = offset});
        }
      }
    }
  }

  void init_in_front() {
    const std::int64_t tile = scan_.plain.tile_items;
    for (const std::int64_t n : {std::int64_t{1}, tile, 5 * tile + 1}) {
      check(static_cast<std::size_t>(n), n, {.total_behind = true, .init_at_out = true});
    }
  }

  void bad_arguments() {
    constexpr std::int64_t n = 50;
    guarded_array<T, Stream> in(device_, Items::items(n)), out(device_, n), init(device_, {Items::init()});
    guarded_array<std::int64_t, Stream> count(device_, std::vector<std::int64_t>{n});
    guarded_array<T, Stream> total(device_, 1);
    guarded_array<unsigned char, Stream> work(device_, workspace_bytes(n));
    const scan_arguments<T> good{in.data(), out.data(), n, count.data(), init.data(), total.data()};
    std::size_t bytes = work.size();
    const auto expect_refused = [&](const char* what, auto change, bool applies = true) {
      if (!applies) return;
      SCOPED_TRACE(what);
      scan_arguments<T> a = good;
      change(a);
      EXPECT_EQ(scan_.run(form_, {work.data(), bytes}, a, op(), Items::init(), device_.stream()),
                status::invalid_value);
      in.expect_unchanged();
      out.expect_unchanged();
      init.expect_unchanged();
      count.expect_unchanged();
      total.expect_unchanged();
      work.expect_unchanged();
    };
    const auto in_words = [](T* p) { return reinterpret_cast<std::int64_t*>(p); };
    const bool counts = form_.has_count, remembers = form_.has_init_in_memory, totals = form_.has_total;
    expect_refused("n < 0", [](auto& a) { a.n = -1; });
    expect_refused("null in", [](auto& a) { a.in = nullptr; });
    expect_refused("null out", [](auto& a) { a.out = nullptr; });
    expect_refused(
        "null count", [](auto& a) { a.count = nullptr; }, counts);
    expect_refused(
        "null init", [](auto& a) { a.init = nullptr; }, remembers);
    expect_refused(
        "null total", [](auto& a) { a.total = nullptr; }, totals);
    expect_refused(
        "null total of none", [](auto& a) { a.total = nullptr, a.n = 0; }, totals);
    expect_refused(
        "count in out", [&](auto& a) { a.count = in_words(a.out + n - 1); }, counts);
    expect_refused(
        "init in out", [](auto& a) { a.init = a.out + 1; }, remembers);
    expect_refused(
        "total in in", [&](auto& a) { a.total = in.data() + n - 1; }, totals);
    expect_refused(
        "total in out", [](auto& a) { a.total = a.out; }, totals);
    expect_refused(
        "total at init", [&](auto& a) { a.total = init.data(); }, totals && remembers);
    expect_refused(
        "total at count", [](auto& a) { a.count = reinterpret_cast<std::int64_t*>(a.total); }, totals && counts);
    if (bytes == 0) return;
    --bytes;
    expect_refused("a workspace one byte too small", [](auto&) {});
  }

  device_type& device_;
  const scan_type scan_;
  const scan_form& form_;
  guarded_array<std::uint32_t, Stream> misused_;
};

template <class Stream, class Items, class... Policies>
void add_scan_argument_contract(const std::string& type_name, std::tuple<Policies...>) {
  using T = typename Items::item;
  using Op = typename Items::op_type;
  (scan_argument_contract<Stream, Items>::add(
       type_name, {make_scan_under_test<Policies, Stream, T, Op>(), run_form<Policies, Stream, T, Op>}),
   ...);
}

/// Every strategy that takes these arguments, by small tiles; values that are published in one word, and apart.
template <class Stream>
bool add_scan_argument_contracts() {
  using small = warp_scans<32>;
  add_scan_argument_contract<Stream, joined_spans<std::uint32_t>>(
      "span8", std::tuple<decoupled_lookback<small, 1>, decoupled_lookback_pipelined<64, 2>, single_block<small, 1>,
                          cluster<small, 1, 4>>{});
  add_scan_argument_contract<Stream, joined_spans<std::uint32_t>>("span8/direct",
                                                                  std::tuple<direct_lookback<small, 1>>{});
  add_scan_argument_contract<Stream, joined_spans<std::uint32_t>>("span8/direct_in_two_launches",
                                                                  std::tuple<direct_reduce_then_scan<small, 1>>{});
  add_scan_argument_contract<Stream, joined_spans<std::uint32_t>>("span8/reproducible",
                                                                  std::tuple<reproducible_scan<64, 2>>{});
  add_scan_argument_contract<Stream, joined_spans<std::uint64_t>>("span16",
                                                                  std::tuple<chained_scan<warp_scans<64>, 1>>{});
  return true;
}

}  // namespace upsweep::test
