// What the lists on the command line of upsweep-bench span.
#include "axes.hpp"

#include <array>
#include <functional>

#include "failure.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::exit_code;

/// Expects a failure of usage in one line that begins with the origin "--x: " and goes on with `words`.
void expect_refused(const std::function<void()>& parse, const std::string& words) {
  try {
    parse();
    ADD_FAILURE() << "expected: " << words;
  } catch (const apps::failure& error) {
    EXPECT_EQ(error.code(), exit_code::usage);
    const std::string line = error.what();
    EXPECT_TRUE(line.starts_with("--x: " + words)) << "expected: " << words << "\ngot: " << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

using sizes = std::vector<std::int64_t>;

sizes sizes_of(const std::string& text) {
  return apps::size_axis("--x", text);
}

TEST(bench_sizes, are_numbers_powers_and_ranges_that_double) {
  EXPECT_EQ(sizes_of("1000"), sizes{1000});
  EXPECT_EQ(sizes_of("1"), sizes{1});
  EXPECT_EQ(sizes_of("2^0"), sizes{1});
  EXPECT_EQ(sizes_of("2^40"), sizes{std::int64_t{1} << 40});
  EXPECT_EQ(sizes_of("1099511627776"), sizes{std::int64_t{1} << 40});
  EXPECT_EQ(sizes_of("2^10..2^13"), (sizes{1024, 2048, 4096, 8192}));
  EXPECT_EQ(sizes_of("100..1000"), (sizes{100, 200, 400, 800}));
  EXPECT_EQ(sizes_of("7..7"), sizes{7});
  EXPECT_EQ(sizes_of("2^39..2^40"), (sizes{std::int64_t{1} << 39, std::int64_t{1} << 40}));
}

TEST(bench_sizes, of_a_list_come_in_its_order_and_once) {
  EXPECT_EQ(sizes_of("3000,2^2,5..20,10"), (sizes{3000, 4, 5, 10, 20}));
  EXPECT_EQ(sizes_of("8,2^3,1..8"), (sizes{8, 1, 2, 4}));
}

TEST(bench_sizes, that_are_wrong_are_named) {
  const std::string expected = "; expected a number from 1 to 2^40, as 1000 or 2^20";
  for (const std::string part : {"0", "-5", "2^41", "1099511627777", "99999999999999999999", "many", "2^", "2^x",
                                 "2^-1", "2^4294967296", "2^2^2", "1.5", "1e3", "0x10", "+5", " 5", "5 ", "2 ^3"}) {
    expect_refused([&] { sizes_of(part); }, "came \"" + part + "\"" + expected);
    expect_refused([&] { sizes_of("7," + part); }, "came \"" + part + "\"" + expected);
  }
  expect_refused([] { sizes_of("1.."); }, "came \"\"" + expected);
  expect_refused([] { sizes_of("..8"); }, "came \"\"" + expected);
  expect_refused([] { sizes_of("1..2^41"); }, "came \"2^41\"" + expected);
  expect_refused([] { sizes_of("1...8"); }, "came \".8\"" + expected);
  expect_refused([] { sizes_of("1..4..8"); }, "came \"4..8\"" + expected);
  expect_refused([] { sizes_of("2^5..31"); }, "came \"2^5..31\"; expected a range that does not fall");
}

TEST(bench_lists, have_nothing_empty_in_them) {
  EXPECT_EQ(apps::list_axis("--x", "a,b c,a"), (std::vector<std::string>{"a", "b c", "a"}));
  const std::string expected = "; expected a list with commas and nothing empty in it";
  for (const std::string text : {"", ",", "8,", ",8", "8,,9"}) {
    expect_refused([&] { apps::list_axis("--x", text); }, "came \"" + text + "\"" + expected);
    expect_refused([&] { sizes_of(text); }, "came \"" + text + "\"" + expected);
  }
}

TEST(bench_types, are_of_those_known) {
  constexpr std::array known = {scalar_type::u32, scalar_type::f64, scalar_type::u64};
  const auto types_of = [&](const std::string& text) { return apps::type_axis("--x", text, known); };
  EXPECT_EQ(types_of("f64,u32,f64"), (std::vector{scalar_type::f64, scalar_type::u32}));
  for (const std::string type : {"i32", "float", "U32"}) {
    expect_refused([&] { types_of("u64," + type); }, "came \"" + type + "\"; expected one of u32, f64, u64");
  }
}

TEST(bench_words, are_of_those_known) {
  constexpr std::array<std::string_view, 3> known = {"random", "ones", "zipf"};
  const auto words_of = [&](const std::string& text) { return apps::word_axis("--x", text, known); };
  EXPECT_EQ(words_of("zipf,random,zipf"), (std::vector<std::string>{"zipf", "random"}));
  expect_refused([&] { words_of("ones,one"); }, "came \"one\"; expected one of random, ones, zipf");
  expect_refused([&] { words_of("ones,,zipf"); }, "came \"ones,,zipf\"; expected a list");
}

TEST(bench_percentages, become_shares) {
  const auto shares_of = [](const std::string& text) { return apps::percent_axis("--x", text); };
  EXPECT_EQ(shares_of("0,100,0.5,50,5e1"), (std::vector<double>{0, 1, 0.005, 0.5}));
  for (const std::string part : {"101", "100.01", "-1", "nan", "inf", "-inf", "half", "5%", "0x5"}) {
    expect_refused([&] { shares_of("1," + part); }, "came \"" + part + "\"; expected a percentage from 0 to 100");
  }
}

constexpr auto lookback = scan_strategy::decoupled_lookback;
constexpr auto propagate = scan_strategy::scan_then_propagate;
constexpr std::array variants = {
    scan_variant{scan_strategy::serial, block_algorithm::brent_kung, 0, 0},
    scan_variant{propagate, block_algorithm::warp_scans, 256, 16},
    scan_variant{lookback, block_algorithm::warp_scans, 256, 16},
    scan_variant{lookback, block_algorithm::warp_scans, 256, 1},
    scan_variant{lookback, block_algorithm::brent_kung, 256, 16},
    scan_variant{},
};

std::vector<scan_variant> variants_of(const std::string& text) {
  return apps::variant_axis("--x", text, variants);
}

/// Those of `variants` with these indices.
std::vector<scan_variant> picked(const std::vector<std::size_t>& indices) {
  std::vector<scan_variant> some;
  for (const std::size_t i : indices) some.push_back(variants.at(i));
  return some;
}

TEST(bench_variants, have_names) {
  EXPECT_EQ(apps::variant_name(variants[0]), "serial");
  EXPECT_EQ(apps::variant_name(variants[3]), "decoupled_lookback/warp_scans/256x1");
}

TEST(bench_variants, are_named_whole_or_by_their_beginning) {
  EXPECT_EQ(variants_of("default"), picked({5}));
  EXPECT_EQ(variants_of("all"), picked({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(variants_of("serial"), picked({0}));
  EXPECT_EQ(variants_of("decoupled_lookback/warp_scans/256x1"), picked({3})) << "256x16 does not begin so";
  EXPECT_EQ(variants_of("decoupled_lookback/warp_scans"), picked({2, 3}));
  EXPECT_EQ(variants_of("decoupled_lookback"), picked({2, 3, 4}));
}

TEST(bench_variants, of_a_list_come_once) {
  EXPECT_EQ(variants_of("decoupled_lookback/brent_kung,default,decoupled_lookback"), picked({4, 5, 2, 3}));
  EXPECT_EQ(variants_of("serial,all"), picked({0, 1, 2, 3, 4, 5}));
}

TEST(bench_variants, that_do_not_exist_are_named_with_what_could_stand_there) {
  const std::string strategies = "all, serial, scan_then_propagate, decoupled_lookback, default";
  const std::string blocks = "decoupled_lookback/warp_scans, decoupled_lookback/brent_kung";
  const std::string tiles = "decoupled_lookback/warp_scans/256x16, decoupled_lookback/warp_scans/256x1";
  const std::pair<std::string, std::string> mistakes[] = {
      {"warp_scans", strategies},
      {"decoupled", strategies},
      {"default/warp_scans", "default"},
      {"Serial", strategies},
      {"/", strategies},
      {"none/warp_scans", strategies},
      {"decoupled_lookback/warp", blocks},
      {"decoupled_lookback/warp/256x16", blocks},
      {"decoupled_lookback/warp_scans/25", tiles},
      {"decoupled_lookback/warp_scans/256x16/1", "decoupled_lookback/warp_scans/256x16"},
      {"serial/warp_scans", "serial"}};
  for (const auto& [part, expected] : mistakes) {
    const std::string words = "--x: came \"" + part + "\"; expected one of " + expected;
    try {
      variants_of("all," + part);
      ADD_FAILURE() << part;
    } catch (const apps::failure& error) {
      EXPECT_EQ(error.what(), words);
      EXPECT_EQ(error.code(), apps::exit_code::usage);
    }
  }
  expect_refused([] { variants_of("all,"); }, "came \"all,\"; expected a list");
}

}  // namespace
}  // namespace upsweep::test
