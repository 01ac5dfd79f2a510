#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "counter_random.hpp"
#include "primitives.hpp"
#include "problem.hpp"
#include "splats.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/sort/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

using word = std::uint32_t;

constexpr std::string_view top_k_names[] = {"k_1000",      "k_10",          "k_100",    "k_100000",   "zipf_k_10",
                                            "zipf_k_1000", "zipf_k_100000", "f32_k_10", "f32_k_1000", "f32_k_100000"};
constexpr std::string_view group_names[] = {"groups_64", "groups_8", "groups_256", "groups_4096", "groups_65536"};
constexpr std::string_view merge_names[] = {"halves", "one_to_100"};
constexpr std::string_view expand_names[] = {"counts_20", "counts_1", "counts_4", "power_law"};
constexpr std::string_view splat_names[] = {"radius_51", "radius_11", "power_law"};

/// One of the arrays that an operation writes, with what it should hold.
struct output {
  std::size_t element_bytes;
  byte_array expected;
  runtime::buffer memory;
};

/// Any primitive: its inputs are made, and a loop of the CPU says what its outputs should be.
class primitive_problem final : public problem {
 public:
  primitive_problem(device_session& device, const problem_shape& shape) : problem(device, shape) {
    switch (shape.what) {
      case operation::segmented_sort:
        sort_segments();
        break;
      case operation::top_k:
        find_top_k();
        break;
      case operation::group_by:
        group();
        break;
      case operation::merge:
        merge();
        break;
      case operation::expand:
        expand();
        break;
      case operation::splats:
        place_splats();
        break;
      default:
        reduce_runs();
    }
    loop_();
    for (output& o : outputs_) o.memory = device.allocate(o.expected.bytes(), "the results");
  }

  contender ours(const scan_variant&) override {
    return on_device("default", workspace_bytes(), [this](workspace w) { return call(w); });
  }
  std::uint64_t bytes() const override {
    std::uint64_t sum = 0;
    for (const runtime::buffer& b : inputs_) sum += b.bytes();
    for (const output& o : outputs_) sum += o.memory.bytes();
    return sum - unused_bytes_;
  }

 private:
  std::vector<word> keys(std::string_view distribution, std::int64_t n) const {
    std::vector<word> words(static_cast<std::size_t>(n));
    make_keys(distribution, scalar_type::u32, shape_.seed, words.data(), n);
    return words;
  }
  template <class T>
  void add_input(const std::vector<T>& items) {
    inputs_.push_back(device_.allocate(items.size() * sizeof(T), "the input"));
    device_.copy(inputs_.back().data(), items.data(), inputs_.back().bytes());
  }
  template <class T>
  T* add_output(std::size_t n) {
    outputs_.push_back({sizeof(T), byte_array(n * sizeof(T)), {}});
    return outputs_.back().expected.as<T>();
  }

  void sort_segments() {
    auto in = keys("uniform", shape_.n);
    std::vector<word> numbers(in.size());
    const auto offsets = make_segments(shape_.distribution, shape_.seed, numbers.data(), shape_.n);
    add_input(in);
    add_input(offsets);
    more_ = static_cast<std::int64_t>(offsets.size()) - 1;
    auto* const out = add_output<word>(in.size());
    loop_ = [in = std::move(in), offsets, out] {
      std::copy(in.begin(), in.end(), out);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) std::sort(out + offsets[s], out + offsets[s + 1]);
    };
  }

  /// Floats of 0 and more, which their bits order as well.
  bool has_floats() const { return shape_.distribution.starts_with("f32"); }

  void find_top_k() {
    more_ = std::min(number_of(shape_.distribution), shape_.n);
    auto in = keys(shape_.distribution.starts_with("zipf") ? "zipf" : "uniform", shape_.n);
    if (has_floats()) {
      for (word& w : in) w = std::bit_cast<word>(static_cast<float>(w >> 8) * 0x1p-24f);
    }
    add_input(in);
    loop_ = [in = std::move(in), k = more_, out = add_output<word>(static_cast<std::size_t>(more_))]() mutable {
      std::nth_element(in.begin(), in.begin() + (k - 1), in.end(), std::greater());
      std::copy(in.begin(), in.begin() + k, out);
      std::sort(out, out + k, std::greater());
    };
  }

  /// Sums of values, or lengths, which are sums of ones, or the number of the run of each key.
  void reduce_runs() {
    const bool has_values = shape_.what == operation::reduce_by_key, has_numbers = shape_.what == operation::unique;
    std::vector<word> in(static_cast<std::size_t>(shape_.n));
    const auto offsets = make_segments(shape_.distribution, shape_.seed, in.data(), shape_.n);
    auto values = has_values ? keys("uniform", shape_.n) : std::vector<word>(in.size(), 1);
    add_input(in);
    if (has_values) add_input(values);
    const std::size_t runs = offsets.size() - 1;
    auto* const keys_out = add_output<word>(runs);
    auto* const sums = add_output<word>(has_numbers ? in.size() : runs);
    *add_output<std::int64_t>(1) = static_cast<std::int64_t>(runs);
    loop_ = [in = std::move(in), values = std::move(values), offsets, keys_out, sums, has_numbers] {
      for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
        keys_out[r] = in[static_cast<std::size_t>(offsets[r])];
        if (has_numbers) {
          std::fill(sums + offsets[r], sums + offsets[r + 1], static_cast<word>(r));
          continue;
        }
        sums[r] = std::accumulate(values.begin() + offsets[r], values.begin() + offsets[r + 1], word{0});
      }
    };
  }

  void group() {
    more_ = number_of(shape_.distribution);
    auto in = keys("uniform", shape_.n);
    for (word& g : in) g %= static_cast<word>(more_);
    add_input(in);
    auto* const order = add_output<word>(in.size());
    auto* const offsets = add_output<std::int64_t>(static_cast<std::size_t>(more_) + 1);
    loop_ = [in = std::move(in), order, offsets, groups = static_cast<std::size_t>(more_)] {
      std::vector<std::int64_t> at(groups + 1);
      for (const word g : in) ++at[g + 1];
      std::partial_sum(at.begin(), at.end(), at.begin());
      std::copy(at.begin(), at.end(), offsets);
      for (std::size_t i = 0; i < in.size(); ++i) order[at[in[i]]++] = static_cast<word>(i);
    };
  }

  void merge() {
    more_ = shape_.distribution == "halves" ? shape_.n / 2 : shape_.n / 101;
    auto a = keys("uniform", shape_.n);
    std::vector<word> b(a.begin() + more_, a.end());
    a.resize(static_cast<std::size_t>(more_));
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    add_input(a);
    add_input(b);
    auto* const out = add_output<word>(count());
    loop_ = [a = std::move(a), b = std::move(b), out] { std::merge(a.begin(), a.end(), b.begin(), b.end(), out); };
  }

  void expand() {
    const random_words words(shape_.seed);
    std::vector<word> counts(count());
    const auto most = static_cast<std::uint64_t>(number_of(shape_.distribution));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::uint64_t random = words[static_cast<std::int64_t>(i)];
      // counts_20: 0 to 19; power_law: 2 on average, and one of a million has a thousand.
      counts[i] = most > 1    ? static_cast<word>(random % most)
                  : most == 1 ? 1
                              : static_cast<word>(1 / std::sqrt(static_cast<double>((random >> 11) + 1) * 0x1p-53));
      counts[i] = std::min<word>(counts[i], 100'000);
    }
    more_ = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    add_input(counts);
    auto* const items = add_output<word>(static_cast<std::size_t>(more_));
    *add_output<std::int64_t>(1) = more_;
    loop_ = [counts = std::move(counts), items] {
      auto* at = items;
      for (std::size_t i = 0; i < counts.size(); ++i) at = std::fill_n(at, counts[i], static_cast<word>(i));
    };
  }

  void place_splats() {
    const random_words words(shape_.seed);
    std::vector<tile_box> boxes(count());
    std::vector<float> depths(count());
    const auto most = static_cast<std::uint64_t>(number_of(shape_.distribution));
    for (std::size_t i = 0; i < count(); ++i) {
      const std::uint64_t random = words[static_cast<std::int64_t>(i)];
      // radius_51: 0 to 51 pixels; power_law: 16 on average, up to 1000.
      const double chance = static_cast<double>((random >> 43) + 1) * 0x1p-21,
                   radius = most > 0 ? static_cast<double>((random >> 43) % (most + 1))
                                     : std::min(8 / std::sqrt(chance), 1000.0);
      const double x = static_cast<double>(random % 1920), y = static_cast<double>((random >> 11) % 1080);
      const auto tile_at = [](double at, int end) {
        return static_cast<std::uint16_t>(std::clamp(at / tile_side, 0.0, static_cast<double>(end)));
      };
      boxes[i] = {tile_at(x - radius, tiles_x), tile_at(y - radius, tiles_y), tile_at(x + radius + tile_side, tiles_x),
                  tile_at(y + radius + tile_side, tiles_y)};
      depths[i] = static_cast<float>((random >> 22) % 1'000'000) * 0.001f;
      more_ += boxes[i].tiles();
    }
    add_input(boxes);
    add_input(depths);
    const auto room = static_cast<std::size_t>(room_for_pairs(more_));
    auto* const splats = add_output<word>(room);
    auto* const begins = add_output<word>(2 * screen_tiles);
    *add_output<std::int64_t>(1) = more_;
    std::memset(splats, cleared, room * sizeof(word));  // after the last, where nobody writes
    unused_bytes_ = (room - static_cast<std::size_t>(more_)) * sizeof(word);
    loop_ = [boxes = std::move(boxes), depths = std::move(depths), splats, begins] {
      std::vector<word> order(boxes.size());
      std::iota(order.begin(), order.end(), word{0});
      std::stable_sort(order.begin(), order.end(), [&](word a, word b) { return depths[a] < depths[b]; });
      std::vector<word> at(screen_tiles + 1);
      for (const tile_box& b : boxes) {
        for (int j = 0; j < b.tiles(); ++j) ++at[static_cast<std::size_t>(b.tile(j)) + 1];
      }
      std::partial_sum(at.begin(), at.end(), at.begin());
      for (std::size_t t = 0; t < screen_tiles; ++t) {
        const bool has_any = at[t] < at[t + 1];
        begins[t] = has_any ? at[t] : 0;
        begins[screen_tiles + t] = has_any ? at[t + 1] : 0;
      }
      for (const word s : order) {
        for (int j = 0; j < boxes[s].tiles(); ++j) splats[at[static_cast<std::size_t>(boxes[s].tile(j))]++] = s;
      }
    };
  }

  primitive_arrays arrays() const {
    primitive_arrays a{shape_.what, shape_.n, more_, has_floats(), {}, {}};
    for (std::size_t i = 0; i < inputs_.size(); ++i) a.in[i] = inputs_[i].data();
    for (std::size_t i = 0; i < outputs_.size(); ++i) a.out[i] = outputs_[i].memory.data();
    return a;
  }
  expand_results expanded() const {
    expand_results results(arrays().offsets_out(1));
    results.capacity = more_;
    return results;
  }

  unique_results numbered_runs() const {
    unique_results results(arrays().offsets_out(2));
    results.inverse = arrays().words_out(1);
    return results;
  }

  std::size_t workspace_bytes() const {
    using enum scalar_type;
    switch (shape_.what) {
      case operation::segmented_sort:
        return runtime::segmented_sort_workspace_bytes(shape_.n, more_, u32, 0);
      case operation::top_k:
        return runtime::top_k_workspace_bytes(shape_.n, more_, has_floats() ? f32 : u32, 0);
      case operation::reduce_by_key:
        return runtime::reduce_by_key_workspace_bytes(shape_.n, u32, u32);
      case operation::run_lengths:
        return runtime::run_length_encode_workspace_bytes(shape_.n, u32);
      case operation::unique:
        return runtime::unique_workspace_bytes(shape_.n, u32);
      case operation::group_by:
        return runtime::group_by_workspace_bytes(shape_.n, static_cast<int>(more_), 1);
      case operation::merge:
        return runtime::merge_workspace_bytes(more_, shape_.n - more_, u32);
      case operation::splats:
        return splats_workspace_bytes(arrays());
      default:
        return runtime::expand_workspace_bytes(shape_.n, expanded());
    }
  }

  status call(workspace w) const {
    using enum scalar_type;
    const primitive_arrays a = arrays();
    const runtime::stream s = device_.stream();
    constexpr auto up = sort_order::ascending;
    switch (shape_.what) {
      case operation::segmented_sort:
        return runtime::segmented_sort_keys(w, a.in[0], a.out[0], a.offsets_in(1), a.offsets_in(1) + 1, a.n, a.more,
                                            u32, up, {}, s);
      case operation::top_k:
        return runtime::top_k_keys(w, a.in[0], a.out[0], a.n, a.more, a.has_floats ? f32 : u32, sort_order::descending,
                                   {}, s);
      case operation::reduce_by_key:
        return runtime::reduce_by_key(w, a.in[0], a.out[0], a.in[1], a.out[1], a.offsets_out(2), a.n, u32, u32, s);
      case operation::run_lengths:
        return runtime::run_length_encode(w, a.in[0], a.out[0], a.words_out(1), a.offsets_out(2), a.n, u32, s);
      case operation::unique:
        return runtime::unique(w, a.in[0], a.out[0], numbered_runs(), a.n, u32, s);
      case operation::group_by:
        return runtime::group_by(w, a.words_in(0), a.words_out(0), a.offsets_out(1), a.n, static_cast<int>(a.more), s);
      case operation::merge:
        return runtime::merge_keys(w, a.in[0], a.in[1], a.out[0], a.more, a.n - a.more, u32, up, s);
      case operation::splats:
        return splats(s, w, a);
      default:
        return runtime::expand(w, a.words_in(0), a.words_out(0), expanded(), a.n, s);
    }
  }

  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), arrays()); }
  std::vector<reference_call> thrust() override { return {}; }
  contender serial() override {
    return on_host([this] { loop_(); }, [] { return std::string(); });
  }
  contender copy() override {
    return copy_of(outputs_[0].memory.data(), inputs_[0].data(),
                   std::min(outputs_[0].memory.bytes(), inputs_[0].bytes()));
  }

  void clear_outputs() override {
    for (const output& o : outputs_) fill(o.memory, cleared);
  }
  std::string wrong_output(bool in_any_order) override {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const output& o = outputs_[k];
      byte_array got;
      download(got, o.memory.data(), o.memory.bytes());
      if (in_any_order) std::sort(got.as<word>(), got.as<word>() + more_, std::greater());
      for (std::size_t at = 0; at < o.memory.bytes(); at += o.element_bytes) {
        std::uint64_t is = 0, expected = 0;
        std::memcpy(&is, got.as<char>() + at, o.element_bytes);
        std::memcpy(&expected, o.expected.as<char>() + at, o.element_bytes);
        if (is == expected) continue;
        return fmt::format("element {} of output {} is {}; expected {}", at / o.element_bytes, k, is, expected);
      }
    }
    return "";
  }

  std::int64_t more_ = 0;
  std::uint64_t unused_bytes_ = 0;  // of outputs
  std::vector<runtime::buffer> inputs_;
  std::vector<output> outputs_;
  std::function<void()> loop_;
};

}  // namespace

std::span<const primitive> primitives() {
  static const primitive all[] = {
      {operation::segmented_sort, "Times sorts of the keys of many segments against CUB's.",
       "--n 2^26 --distribution lengths_1,lengths_100,lengths_10000,power_law", segment_distributions()},
      {operation::top_k,
       "Times the k largest keys, sorted, against CUB's, which come in any order; from CUB without them,\na sort of "
       "all.",
       "--n 2^20,2^24,2^28 --distribution k_10,zipf_k_1000,f32_k_1000", top_k_names},
      {operation::reduce_by_key, "Times sums of runs of equal keys against CUB's.",
       "--n 2^26,2^28 --distribution lengths_1,lengths_8,lengths_1000", segment_distributions()},
      {operation::run_lengths, "Times lengths of runs of equal keys against CUB's.",
       "--n 2^26,2^28 --distribution lengths_1,lengths_8,lengths_1000", segment_distributions()},
      {operation::unique,
       "Times the first key of each run with the number of each key's run against CUB's and a scan of where runs "
       "begin.",
       "--n 2^26 --distribution lengths_1,lengths_8,lengths_1000", segment_distributions()},
      {operation::group_by,
       "Times the order of items by group, and where groups begin, against a sort of pairs by CUB and a search.",
       "--n 2^20,2^24 --distribution groups_8,groups_256,groups_4096", group_names},
      {operation::merge, "Times merges of two sorted arrays against CUB's.", "--n 2^20,2^28", merge_names},
      {operation::expand,
       "Times items repeated as often as their counts say against a scan by CUB and a thread for each item.",
       "--n 2^20,2^24 --distribution counts_1,counts_20,power_law", expand_names},
      {operation::splats,
       "Times splats to tiles, near ones first, and where each tile's begin and end, against a thread for each "
       "splat\nand "
       "a sort by tile and depth by CUB.",
       "--n 1000000 --distribution radius_11,radius_51,power_law", splat_names}};
  return all;
}

const primitive& primitive_of(operation what) {
  return *std::ranges::find(primitives(), what, &primitive::what);
}

std::unique_ptr<problem> make_primitive_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<primitive_problem>(device, shape);
}

}  // namespace upsweep::apps
