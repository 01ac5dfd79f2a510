#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "axes.hpp"
#include "checks.hpp"
#include "counter_random.hpp"
#include "failure.hpp"
#include "parallel.hpp"
#include "problem.hpp"
#include "upsweep/sort/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// u32 keys in ascending order, and 64 bytes for each of them in four arrays of 16. The first word of the first array
/// is the key's place in the input.
class payload_problem final : public problem {
 public:
  payload_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        stride_((count() * row_bytes + alignment - 1) / alignment * alignment),
        keys_(array_bytes()),
        rows_(stride_ * arrays),
        keys_in_(device.allocate(array_bytes(), "the keys")),
        keys_out_(device.allocate(array_bytes(), "the sorted keys")),
        rows_in_(device.allocate(rows_.bytes(), "the rows")),
        rows_out_(device.allocate(rows_.bytes(), "the sorted rows")) {
    if (shape.type != scalar_type::u32 || shape.value_type) {
      fail(exit_code::usage, "got {}; expected it with --type u32 and no --values", payload_4x16);
    }
    make_keys(shape.distribution, shape.type, shape.seed, keys_.data(), shape.n);
    chunks(shape.n).in_parallel([&](std::size_t, std::int64_t begin, std::int64_t end) {
      for (std::size_t a = 0; a < arrays; ++a) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::uint64_t hash = mixed(static_cast<std::uint64_t>(i) * arrays + a);
          const std::uint64_t words[2] = {a == 0 ? (hash << 32 | static_cast<std::uint32_t>(i)) : hash, ~hash};
          std::memcpy(row(rows_, a, i), words, row_bytes);
        }
      }
    });
    device.copy(keys_in_.data(), keys_.data(), array_bytes());
    device.copy(rows_in_.data(), rows_.data(), rows_.bytes());
  }

  contender ours(const scan_variant& v) override {
    const runtime::sort_method_with_scan policy{v, sort_method_named(shape_.method).value()};
    return on_device(variant_name(v),
                     runtime::sort_with_values_workspace_bytes(shape_.n, scalar_type::u32, policy) +
                         packed_rows_workspace_bytes(shape_.n, arrays * row_bytes),
                     [this, policy](workspace w) {
                       std::vector<runtime::value_rows> values;
                       const payload_arrays p = on_the_device();
                       for (std::size_t a = 0; a < arrays; ++a) values.push_back({p.in[a], p.out[a], row_bytes});
                       return runtime::sort_with_values(w, p.keys_in, p.keys_out, values, p.n, scalar_type::u32,
                                                        sort_order::ascending, {}, policy, device_.stream());
                     });
  }

  /// The keys as in a sort of them alone, each row once in and once out.
  std::uint64_t bytes() const override {
    return (2 * sizeof(std::uint32_t) + 1) * array_bytes() + 2 * count() * row_bytes * arrays;
  }

 private:
  static constexpr std::size_t arrays = 4, row_bytes = 16, alignment = 256;

  std::byte* row(const byte_array& rows, std::size_t array, std::int64_t i) const {
    return const_cast<std::byte*>(rows.data()) + array * stride_ + static_cast<std::size_t>(i) * row_bytes;
  }
  payload_arrays on_the_device() const {
    payload_arrays p{keys_in_.as<std::uint32_t>(), keys_out_.as<std::uint32_t>(), {}, {}, shape_.n};
    for (std::size_t a = 0; a < arrays; ++a) {
      p.in[a] = rows_in_.as<std::byte>() + a * stride_;
      p.out[a] = rows_out_.as<std::byte>() + a * stride_;
    }
    return p;
  }
  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), on_the_device()); }
  std::vector<reference_call> thrust() override { return {}; }
  contender copy() override { return copy_of(rows_out_.data(), rows_in_.data(), rows_.bytes()); }

  contender serial() override {
    if (sorted_keys_.bytes() < array_bytes()) sorted_keys_ = byte_array(array_bytes());
    if (sorted_rows_.bytes() < rows_.bytes()) sorted_rows_ = byte_array(rows_.bytes());
    const auto loop = [this] {
      const auto* const keys = keys_.as<std::uint32_t>();
      std::vector<std::uint32_t> order(count());
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [=](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
      for (std::int64_t i = 0; i < shape_.n; ++i) {
        const std::uint32_t place = order[static_cast<std::size_t>(i)];
        sorted_keys_.as<std::uint32_t>()[i] = keys[place];
        for (std::size_t a = 0; a < arrays; ++a) std::memcpy(row(sorted_rows_, a, i), row(rows_, a, place), row_bytes);
      }
    };
    return on_host(loop, [this] { return wrong_order(); });
  }

  void clear_outputs() override {
    fill(keys_out_, cleared);
    fill(rows_out_, cleared);
  }
  std::string wrong_output(bool) override {
    download(sorted_keys_, keys_out_.data(), array_bytes());
    download(sorted_rows_, rows_out_.data(), rows_.bytes());
    return wrong_order();
  }
  std::string wrong_order() {
    std::vector<std::uint32_t> places(count());
    for (std::int64_t i = 0; i < shape_.n; ++i) {
      std::memcpy(&places[static_cast<std::size_t>(i)], row(sorted_rows_, 0, i), sizeof(std::uint32_t));
    }
    std::string wrong =
        check_sorted_pairs(scalar_type::u32, keys_.data(), sorted_keys_.data(), places.data(), shape_.n);
    for (std::size_t a = 0; a < arrays && wrong.empty(); ++a) {
      for (std::int64_t i = 0; i < shape_.n && wrong.empty(); ++i) {
        const std::uint32_t place = places[static_cast<std::size_t>(i)];
        if (std::memcmp(row(sorted_rows_, a, i), row(rows_, a, place), row_bytes) != 0) {
          wrong = fmt::format("array {}: row {} is not that of the key", a, i);
        }
      }
    }
    return wrong;
  }

  std::size_t stride_;
  byte_array keys_, rows_, sorted_keys_, sorted_rows_;
  runtime::buffer keys_in_, keys_out_, rows_in_, rows_out_;
};

}  // namespace

std::unique_ptr<problem> make_payload_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<payload_problem>(device, shape);
}

}  // namespace upsweep::apps
