#include <fmt/core.h>

#include <algorithm>

#include "axes.hpp"
#include "checks.hpp"
#include "problem.hpp"
#include "upsweep/compact/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// The elements of one or several arrays whose byte flag is set, in order, or at the front in place.
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
    holes_ = std::count(flags_.as<std::uint8_t>(), flags_.as<std::uint8_t>() + expected_, std::uint8_t{0});
    device.copy(in_.data(), elements_.data(), elements_.bytes());
    device.copy(device_flags_.data(), flags_.data(), flags_.bytes());
  }

  contender ours(const scan_variant& v) override {
    const compact_method_with_scan method = method_with_scan_of(shape_.method, v);
    contender c = selecting(name_of_method(shape_.method, v), method);
    if (method.method == compact_method::vote_scan_compact) {
      c.bytes = vote_scan_compact_bytes(v, shape_.n, count(), static_cast<std::uint64_t>(expected_) * element_bytes());
    }
    return c;
  }
  std::uint64_t bytes() const override {
    return fills_holes() ? count() + 2 * static_cast<std::uint64_t>(holes_) * element_bytes() : bytes_of_stable();
  }

 private:
  static constexpr std::size_t alignment = 256;

  bool fills_holes() const { return shape_.method == name_of(compact_method::hole_filling); }
  /// Of all arrays.
  std::size_t element_bytes() const { return layout_.element_bytes * layout_.arrays; }
  /// An element of a sector or more need not be read where it is dropped.
  std::uint64_t bytes_of_stable() const {
    constexpr std::size_t sector = 32;
    const auto kept = static_cast<std::uint64_t>(expected_);
    const std::uint64_t read = layout_.element_bytes < sector ? count() : kept;
    return count() + (read + kept) * element_bytes();
  }

  /// hole_filling works in place, on a copy of the elements that is made before each call.
  contender selecting(std::string name, const compact_method_with_scan& method) {
    const bool in_place = method.method == compact_method::hole_filling;
    std::vector<soa_array> arrays;
    const flagged_arrays a = on_the_device();
    for (std::size_t k = 0; k < a.arrays; ++k) {
      arrays.push_back({in_place ? a.out[k] : a.in[k], a.out[k], a.element_bytes});
    }
    contender c =
        on_device(std::move(name), runtime::select_workspace_bytes(arrays, shape_.n, method),
                  [this, method, arrays](workspace w) {
                    return runtime::select_flagged(w, arrays, device_flags_.as<std::uint8_t>(),
                                                   kept_.as<std::int64_t>(), shape_.n, method, device_.stream());
                  });
    if (in_place) {
      c.capturable = false;
      c.prepare = [this] { return device_.copy_async(out_.data(), in_.data(), elements_.bytes()); };
    }
    c.check = checking(c.prepare, [this, in_place] { return wrong_arrays(in_place ? check_filled : check_flagged); });
    return c;
  }
  std::vector<contender> stable() override {
    contender c = selecting("fused", compact_method::fused);
    c.bytes = bytes_of_stable();
    return {c};
  }

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
    return on_host(loop, [this] { return wrong_selection(check_flagged); });
  }

  void clear_outputs() override {
    fill(out_, cleared);
    fill(kept_, cleared);
  }
  std::string wrong_output(bool) override { return wrong_arrays(check_flagged); }
  using array_check = decltype(check_flagged);
  std::string wrong_arrays(array_check* check) {
    device_.copy(&count_, kept_.data(), sizeof count_);
    download(moved_, out_.data(), elements_.bytes());
    return wrong_selection(check);
  }
  std::string wrong_selection(array_check* check) {
    for (std::size_t k = 0; k < layout_.arrays; ++k) {
      const std::string wrong = check(elements_.data() + k * stride_, layout_.element_bytes, flags_.as<std::uint8_t>(),
                                      shape_.n, moved_.data() + k * stride_, count_);
      if (!wrong.empty()) return layout_.arrays == 1 ? wrong : fmt::format("array {}: {}", k, wrong);
    }
    return "";
  }

  element_layout layout_;
  std::size_t stride_;
  byte_array elements_, flags_, moved_;
  std::int64_t expected_ = 0, count_ = 0;
  std::int64_t holes_ = 0;  // dropped elements before the last that is kept, were the kept ones at the front
  runtime::buffer in_, out_, device_flags_, kept_;
};

}  // namespace

std::unique_ptr<problem> make_flagged_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<flagged_problem>(device, shape);
}

}  // namespace upsweep::apps
