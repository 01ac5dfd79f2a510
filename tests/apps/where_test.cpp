// Conditions on particles: what is understood, and what the kernel makes of it.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "cull.hpp"
#include "failure.hpp"
#include "keep_flags.hpp"
#include "support.hpp"
#include "where.hpp"

namespace upsweep::test {
namespace {

using apps::bound_where;
using apps::particle_table;

/// One particle of many_types.
struct row {
  std::int8_t i8;
  std::uint8_t u8;
  std::int16_t i16;
  std::uint16_t u16;
  std::int32_t i32;
  std::uint32_t u32;
  std::int64_t i64;
  std::uint64_t u64;
  float f32;
  double f64;
};

/// Small numbers, at which comparisons turn, and now and then those at the ends of the types.
template <class T>
T some_value(std::mt19937_64& random) {
  const auto near_zero = static_cast<double>(random() % 9) - 4;
  if constexpr (std::is_floating_point_v<T>) {
    const T rare[] = {
        T(0.3),    T(-0.0), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(), T(0x1p63),
        T(0x1p53), T(-0.5)};
    return random() % 4 == 0 ? rare[random() % std::size(rare)] : static_cast<T>(near_zero);
  } else {
    using limits = std::numeric_limits<T>;
    const T rare[] = {limits::min(), limits::max(), static_cast<T>(limits::max() - 1),
                      static_cast<T>((std::uint64_t{1} << 53) + 1)};
    if (random() % 4 == 0) return rare[random() % std::size(rare)];
    return static_cast<T>(std::is_signed_v<T> || near_zero >= 0 ? near_zero : -near_zero);
  }
}

particle_table many_types(std::int64_t count, std::vector<row>& rows) {
  std::mt19937_64 random(seed());
  particle_table table;
  table.count = count;
  rows.resize(static_cast<std::size_t>(count));
  const auto fill = [&]<class T>(T row::*member, const char* name, scalar_type type) {
    T* const to = table.add(name, type).data.as<T>();
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = rows[i].*member = some_value<T>(random);
  };
  fill(&row::i8, "i8", scalar_type::i8);
  fill(&row::u8, "u8", scalar_type::u8);
  fill(&row::i16, "i16", scalar_type::i16);
  fill(&row::u16, "u16", scalar_type::u16);
  fill(&row::i32, "i32", scalar_type::i32);
  fill(&row::u32, "u32", scalar_type::u32);
  fill(&row::i64, "i64", scalar_type::i64);
  fill(&row::u64, "u64", scalar_type::u64);
  fill(&row::f32, "f32", scalar_type::f32);
  fill(&row::f64, "a name, of 64 bits", scalar_type::f64);
  return table;
}

bound_where bound(const std::string& text, const particle_table& table) {
  return apps::bind_where(apps::parse_where("--where", text), table, {{"f32", "i8", "u8"}, "i16"}, "--where", "table");
}

/// What the kernel says of every particle, on the sim.
std::vector<std::uint8_t> flags_of(const bound_where& where, const particle_table& table, bool inverted = false) {
  apps::device_session sim("sim");
  apps::keep_test test;
  test.where = {where.steps.data(), static_cast<int>(where.steps.size())};
  test.inverted = inverted;
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(table.count) + 1, 77);
  EXPECT_EQ(apps::keep_flags(sim.stream(), test, flags.data(), table.count), status::success);
  EXPECT_EQ(flags.back(), 77);
  flags.pop_back();
  return flags;
}

TEST(where, means_what_it_says) {
  std::vector<row> rows;
  const particle_table table = many_types(5000, rows);
  const std::pair<const char*, std::function<bool(const row&)>> cases[] = {
      {"i8 == 2 && u8 > 1", [](const row& r) { return r.i8 == 2 && r.u8 > 1; }},
      {"i8 == 2 || u8 > 1 && u16 < 3", [](const row& r) { return r.i8 == 2 || (r.u8 > 1 && r.u16 < 3); }},
      {"(i8 == 2 || u8 > 1) && u16 < 3", [](const row& r) { return (r.i8 == 2 || r.u8 > 1) && r.u16 < 3; }},
      {"!(i8 == 2) && !u8", [](const row& r) { return r.i8 != 2 && r.u8 == 0; }},
      {"i16 - 3 - 2 > -4", [](const row& r) { return r.i16 - 3 - 2 > -4; }},
      {"i16 + 2 * 3 >= 8", [](const row& r) { return r.i16 + 6 >= 8; }},
      {"i32 / 2 == 0.5", [](const row& r) { return r.i32 == 1; }},
      {"i32 % 3 == -1", [](const row& r) { return r.i32 % 3 == -1; }},
      {"u64 % 4 != 3", [](const row& r) { return r.u64 % 4 != 3; }},
      {"i32 % 0 == 0", [](const row&) { return true; }},
      {"i64 % -1 == 0", [](const row&) { return true; }},
      {"i64 == 9223372036854775807", [](const row& r) { return r.i64 == std::numeric_limits<std::int64_t>::max(); }},
      {"i64 == -9223372036854775808", [](const row& r) { return r.i64 == std::numeric_limits<std::int64_t>::min(); }},
      {"u64 == 18446744073709551614", [](const row& r) { return r.u64 == ~std::uint64_t{1}; }},
      {"i64 == 9007199254740993", [](const row& r) { return r.i64 == (std::int64_t{1} << 53) + 1; }},
      {"i64 == 9007199254740992.0", [](const row& r) { return r.i64 == std::int64_t{1} << 53; }},
      {"i64 > 9007199254740992.0", [](const row& r) { return r.i64 > std::int64_t{1} << 53; }},
      {"u64 < 9223372036854775808.0", [](const row& r) { return r.u64 < std::uint64_t{1} << 63; }},
      {"i64 < u64", [](const row& r) { return std::cmp_less(r.i64, r.u64); }},
      {"u64 <= i64", [](const row& r) { return std::cmp_less_equal(r.u64, r.i64); }},
      {"u8 > -1", [](const row&) { return true; }},
      {"u64 > -1", [](const row&) { return true; }},
      {"i64 > 0.5", [](const row& r) { return r.i64 > 0; }},
      {"-0.5 < i64", [](const row& r) { return r.i64 >= 0; }},
      {"u64 > -0.5", [](const row&) { return true; }},
      {"f32 <= 0.3", [](const row& r) { return r.f32 <= 0.3f; }},
      {"0.3 == f32", [](const row& r) { return r.f32 == 0.3f; }},
      {"f32 + 0 > 0.3", [](const row& r) { return double{r.f32} > 0.3; }},
      {"f32 != f32", [](const row& r) { return std::isnan(r.f32); }},
      {"!(f32 < 1) && !(f32 >= 1)", [](const row& r) { return std::isnan(r.f32); }},
      {"f32", [](const row& r) { return r.f32 != 0; }},
      {"-f32 * 2 < `a name, of 64 bits`", [](const row& r) { return -double{r.f32} * 2 < r.f64; }},
      {"x > 1 && y < 2 && z >= 1 && lifetime == 3",
       [](const row& r) { return r.f32 > 1 && r.i8 < 2 && r.u8 >= 1 && r.i16 == 3; }},
      {"i64 + 1 < i64", [](const row& r) { return r.i64 == std::numeric_limits<std::int64_t>::max(); }},
      {"u32 - 4 < 0", [](const row& r) { return std::int64_t{r.u32} - 4 < 0; }},
      {"+u16 == - -3", [](const row& r) { return r.u16 == 3; }},
      {"1e1 > i32 && .5 < i32", [](const row& r) { return r.i32 < 10 && r.i32 > 0; }},
  };
  for (const auto& [text, expected] : cases) {
    const bound_where where = bound(text, table);
    const auto flags = flags_of(where, table), others = flags_of(where, table, true);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(flags[i], expected(rows[i]) ? 1 : 0) << text << ", particle " << i;
      ASSERT_EQ(others[i], expected(rows[i]) ? 0 : 1) << text << ", particle " << i;
      ASSERT_EQ(where(table, static_cast<std::int64_t>(i)), expected(rows[i])) << text << ", particle " << i;
    }
  }
}

/// A condition of the grammar; `is_truth`: one that has a truth, not a number.
std::string some_condition(std::mt19937_64& random, int depth, bool is_truth) {
  const auto pick = [&](auto&& from) { return std::string(from[random() % std::size(from)]); };
  const auto part = [&](bool truth) { return some_condition(random, depth - 1, truth); };
  const char *joins[] = {" && ", " || "}, *compared[] = {" < ", " <= ", ">", ">=", " == ", "!="},
             *computed[] = {" + ", "-", " * ", "/"}, *leaves[] = {"i8",  "u8",  "i16", "u16", "i32",
                                                                  "u32", "i64", "u64", "f32", "`a name, of 64 bits`",
                                                                  "0",   "1",   "2.5", "3",   "9223372036854775808",
                                                                  "4e18"};
  if (is_truth) {
    if (depth > 1 && random() % 2 == 0) return "(" + part(true) + ")" + pick(joins) + "(" + part(true) + ")";
    if (depth > 1 && random() % 6 == 0) return "!(" + part(true) + ")";
    return "(" + part(false) + ")" + pick(compared) + "(" + part(false) + ")";
  }
  if (depth <= 0 || random() % 2 == 0) return pick(leaves);
  if (random() % 6 == 0) return "-" + part(false);
  return "(" + part(false) + ")" + pick(computed) + "(" + part(false) + ")";
}

TEST(where, is_the_same_by_steps_and_by_nodes) {
  std::vector<row> rows;
  const particle_table table = many_types(700, rows);
  std::mt19937_64 random(seed() + 1);
  std::int64_t kept = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::string text = some_condition(random, 4, true);
    bound_where where;
    try {
      where = bound(text, table);
    } catch (const apps::failure& refused) {
      // Signs before what is more than 2^63.
      ASSERT_NE(std::string(refused.what()).find("-2^63"), std::string::npos) << refused.what();
      continue;
    }
    const auto flags = flags_of(where, table);
    for (std::int64_t i = 0; i < table.count; ++i) {
      ASSERT_EQ(flags[static_cast<std::size_t>(i)], where(table, i) ? 1 : 0) << text << ", particle " << i;
      kept += flags[static_cast<std::size_t>(i)];
    }
  }
  EXPECT_GT(kept, 20000);
}

TEST(where, says_where_it_was_not_understood) {
  std::vector<row> rows;
  const particle_table table = many_types(1, rows);
  const struct {
    const char *text, *words;
  } cases[] = {
      {"i8 >", "column 5 of \"i8 >\": expected a number, a property or \"(\"; got the end"},
      {"", "column 1 of \"\": expected a number, a property or \"(\"; got the end"},
      {"0 < i8 < 5", "column 8 of \"0 < i8 < 5\": expected &&, || or the end"},
      {"i8 = 5", "column 4 of \"i8 = 5\": expected an operator, or the end, as \"==\" is written here; got \"=\""},
      {"i8 > 5 and u8", "as \"&&\" is written here; got \"and\""},
      {"not i8", "column 1 of \"not i8\": expected a number, a property or \"(\", as \"!\" is written here"},
      {"(i8 > 5", "column 8 of \"(i8 > 5\": expected an operator or \")\"; got the end"},
      {"i8 > 1e999", "column 6 of \"i8 > 1e999\": expected a number, as 12, 0.5 or 1e-3; got \"1e999\""},
      {"i8 > 0x10", "got \"0x10\""},
      {"abs(i8) > 5", "expected an operator, or the end, as conditions have no functions; got \"(\""},
      {"i8 ^ 2 > 5", "as conditions have no powers, and x*x is the square of x; got \"^\""},
      {"i8 ** 2 > 5", "as conditions have no powers"},
      {"i8 > 5;", "got \";\""},
      {"`i8 > 5", "column 1 of \"`i8 > 5\": expected a \"`\" after the name too"},
      {"(i8 > 3) + 1", "expected a number beside \"+\"; got a comparison"},
      {"-(i8 > 3)", "expected a number beside \"-\"; got a comparison"},
      {"f32 % 2", "column 5 of \"f32 % 2\": expected whole numbers beside \"%\"; got a float"},
      {"-9223372036854775809 < i8", "expected a number from -2^63 on"},
      {"i7 > 3", "table: no property \"i7\", which --where needs in column 1; it has i8, u8"},
  };
  for (const auto& c : cases) {
    try {
      static_cast<void>(bound(c.text, table));
      ADD_FAILURE() << c.text << " was understood";
    } catch (const apps::failure& refused) {
      EXPECT_NE(std::string(refused.what()).find(c.words), std::string::npos) << refused.what();
    }
  }
  const std::string deep = std::string(200, '(') + "i8" + std::string(200, ')'), wide = [] {
    std::string text = "i8";
    for (int i = 0; i < 20; ++i) text = "i8 + (" + text + ")";
    return text;
  }();
  EXPECT_THROW(static_cast<void>(bound(deep, table)), apps::failure);
  EXPECT_THROW(static_cast<void>(bound(wide, table)), apps::failure);
  std::string flat = "i8 == 0";
  for (int i = 1; i < 200; ++i) flat += " || i8 == " + std::to_string(i);
  EXPECT_EQ(bound(flat, table)(table, 0), rows[0].i8 >= 0);
}

}  // namespace
}  // namespace upsweep::test
