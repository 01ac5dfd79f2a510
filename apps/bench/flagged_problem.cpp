#include <fmt/format.h>

#include <algorithm>

#include "axes.hpp"
#include "checks.hpp"
#include "problem.hpp"
#include "upsweep/compact/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// The elements of one or several arrays whose byte flag is set, in order.
class flagged_problem final : public problem {
 public:
  flagged_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        layout_(element_layout_named(shape.distribution)),
        stride_((count() * layout_.element_bytes + alignment - 1) / alignment * alignment),
        elements_(stride_ * layout_.arrays),
        flags_(count()),
        in_(device.allocate(elements_.bytes(), "the elements")),
        out_(device.allocate(elements_.bytes(), "the kept elements")),
        device_flags_(device.allocate(flags_.bytes(), "the flags")),
        kept_(device.allocate(sizeof(std::int64_t), "the count")) {
    expected_ = make_flagged_elements(shape.kept, shape.seed, elements_.data(), elements_.bytes(),
                                      flags_.as<std::uint8_t>(), shape.n);
    device.copy(in_.data(), elements_.data(), elements_.bytes());
    device.copy(device_flags_.data(), flags_.data(), flags_.bytes());
  }

  contender ours(const scan_variant& v) override {
    std::vector<soa_array> arrays;
    const flagged_arrays a = on_the_device();
    for (std::size_t k = 0; k < a.arrays; ++k) arrays.push_back({a.in[k], a.out[k], a.element_bytes});
    return on_device(variant_name(v), runtime::select_workspace_bytes(v, arrays, shape_.n),
                     [this, v, arrays](workspace w) {
                       return runtime::select_flagged(device_.stream(), v, w, arrays, shape_.n,
                                                      device_flags_.as<std::uint8_t>(), kept_.as<std::int64_t>());
                     });
  }
  /// An element of a sector or more need not be read where it is dropped.
  std::uint64_t bytes() const override {
    constexpr std::size_t sector = 32;
    const auto kept = static_cast<std::uint64_t>(expected_);
    const std::uint64_t read = layout_.element_bytes < sector ? count() : kept;
    return count() + (read + kept) * layout_.element_bytes * layout_.arrays;
  }

 private:
  static constexpr std::size_t alignment = 256;

  flagged_arrays on_the_device() const {
    flagged_arrays a{layout_.arrays,          layout_.element_bytes, {}, {}, shape_.n, device_flags_.as<std::uint8_t>(),
                     kept_.as<std::int64_t>()};
    for (std::size_t k = 0; k < a.arrays; ++k) {
      a.in[k] = in_.as<std::byte>() + k * stride_;
      a.out[k] = out_.as<std::byte>() + k * stride_;
    }
    return a;
  }
  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), on_the_device()); }
  std::vector<reference_call> thrust() override { return {}; }
  contender copy() override { return copy_of(out_.data(), in_.data(), elements_.bytes()); }

  contender serial() override {
    if (moved_.bytes() < elements_.bytes()) moved_ = byte_array(elements_.bytes());
    const auto loop = [this] {
      for (std::size_t k = 0; k < layout_.arrays; ++k) {
        const std::byte* from = elements_.data() + k * stride_;
        std::byte* to = moved_.data() + k * stride_;
        for (std::int64_t i = 0; i < shape_.n; ++i, from += layout_.element_bytes) {
          if (flags_.as<std::uint8_t>()[i] != 0) to = std::copy_n(from, layout_.element_bytes, to);
        }
      }
      count_ = expected_;
    };
    return on_host(loop, [this] { return wrong_selection(); });
  }

  void clear_outputs() override {
    fill(out_, cleared);
    fill(kept_, cleared);
  }
  std::string wrong_output(bool) override {
    device_.copy(&count_, kept_.data(), sizeof count_);
    download(moved_, out_.data(), elements_.bytes());
    return wrong_selection();
  }
  std::string wrong_selection() {
    for (std::size_t k = 0; k < layout_.arrays; ++k) {
      const std::string wrong = check_flagged(elements_.data() + k * stride_, layout_.element_bytes,
                                              flags_.as<std::uint8_t>(), shape_.n, moved_.data() + k * stride_, count_);
      if (!wrong.empty()) return layout_.arrays == 1 ? wrong : fmt::format("array {}: {}", k, wrong);
    }
    return "";
  }

  element_layout layout_;
  std::size_t stride_;
  byte_array elements_, flags_, moved_;
  std::int64_t expected_ = 0, count_ = 0;
  runtime::buffer in_, out_, device_flags_, kept_;
};

}  // namespace

std::unique_ptr<problem> make_flagged_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<flagged_problem>(device, shape);
}

}  // namespace upsweep::apps
