#include <fmt/core.h>

#include <algorithm>

#include "checks.hpp"
#include "partitions.hpp"
#include "problem.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// Random u32 by their highest bits: one pass of a radix sort, which is what the references do.
class split_problem final : public problem {
 public:
  split_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        bits_(bucket_bits_named(shape.distribution)),
        items_(array_bytes()),
        in_(device.allocate(array_bytes(), "the elements")),
        out_(device.allocate(array_bytes(), "the buckets")),
        offsets_(device.allocate((buckets() + 1) * sizeof(std::int64_t), "the offsets")) {
    make_keys("uniform", shape.type, shape.seed, items_.data(), shape.n);
    device.copy(in_.data(), items_.data(), array_bytes());
  }

  contender ours(const scan_variant&) override {
    contender c = on_device("default", split_workspace_bytes(arrays()), [this](workspace w) {
      return split(device_.stream(), w, arrays(), offsets_.as<std::int64_t>());
    });
    c.check = [this, in_order = c.check](const std::function<status()>& call) {
      const std::string wrong = in_order(call);
      return wrong.empty() ? wrong_offsets() : wrong;
    };
    return c;
  }
  std::uint64_t bytes() const override { return 2 * array_bytes(); }

 private:
  std::size_t buckets() const { return std::size_t{1} << bits_; }
  std::uint32_t bucket(std::uint32_t x) const { return x >> (32 - bits_); }

  split_arrays_of_one arrays() const {
    return {in_.as<const std::uint32_t>(), out_.as<std::uint32_t>(), shape_.n, bits_};
  }
  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), arrays()); }
  std::vector<reference_call> thrust() override { return {}; }
  contender copy() override { return copy_of(out_.data(), in_.data(), array_bytes()); }

  contender serial() override {
    if (moved_.bytes() < array_bytes()) moved_ = byte_array(array_bytes());
    const auto loop = [this] {
      const auto* const in = items_.as<std::uint32_t>();
      std::vector<std::int64_t> places = offsets_on_host();
      for (std::int64_t i = 0; i < shape_.n; ++i) {
        moved_.as<std::uint32_t>()[places[bucket(in[i])]++] = in[i];
      }
    };
    return on_host(loop, [this] { return wrong_order(); });
  }

  std::vector<std::int64_t> offsets_on_host() const {
    std::vector<std::int64_t> offsets(buckets() + 1);
    const auto* const in = items_.as<std::uint32_t>();
    for (std::int64_t i = 0; i < shape_.n; ++i) ++offsets[bucket(in[i]) + 1];
    for (std::size_t b = 0; b < buckets(); ++b) offsets[b + 1] += offsets[b];
    return offsets;
  }

  void clear_outputs() override {
    fill(out_, cleared);
    fill(offsets_, cleared);
  }
  std::string wrong_output(bool) override {
    download(moved_, out_.data(), array_bytes());
    return wrong_order();
  }
  std::string wrong_order() {
    return check_split(items_.as<std::uint32_t>(), moved_.as<std::uint32_t>(), shape_.n, bits_);
  }
  std::string wrong_offsets() {
    const std::vector<std::int64_t> expected = offsets_on_host();
    std::vector<std::int64_t> offsets(expected.size());
    device_.copy(offsets.data(), offsets_.data(), offsets_.bytes());
    const auto at = std::mismatch(offsets.begin(), offsets.end(), expected.begin());
    if (at.first == offsets.end()) return "";
    return fmt::format("offset {} is {}; expected {}", at.first - offsets.begin(), *at.first, *at.second);
  }

  int bits_;
  byte_array items_, moved_;
  runtime::buffer in_, out_, offsets_;
};

}  // namespace

std::unique_ptr<problem> make_split_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<split_problem>(device, shape);
}

}  // namespace upsweep::apps
