#include <algorithm>

#include "axes.hpp"
#include "checks.hpp"
#include "element_types.hpp"
#include "problem.hpp"
#include "upsweep/compact/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// The elements between two bounds, in order.
class compact_problem final : public problem {
 public:
  compact_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        items_(array_bytes()),
        in_(device.allocate(array_bytes(), "the elements")),
        out_(device.allocate(array_bytes(), "the kept elements")),
        kept_(device.allocate(sizeof(std::int64_t), "the count")) {
    make_select_items(shape.distribution, shape.type, shape.kept, shape.seed, items_.data(), shape.n, low_, high_);
    device.copy(in_.data(), items_.data(), array_bytes());
    element_types::visit(shape.type, [this](auto zero) {
      const auto* const in = items_.as<decltype(zero)>();
      expected_ = std::count_if(in, in + shape_.n, between<decltype(zero)>());
    });
  }

  contender ours(const scan_variant& v) override {
    const soa_array array{in_.data(), out_.data(), size_of(shape_.type)};
    return on_device(variant_name(v), runtime::select_workspace_bytes(v, {&array, 1}, shape_.n),
                     [this, v](workspace w) {
                       return runtime::select_between(device_.stream(), v, w, shape_.type, in_.data(), out_.data(),
                                                      shape_.n, low_, high_, kept_.as<std::int64_t>());
                     });
  }
  std::uint64_t bytes() const override {
    return array_bytes() + static_cast<std::uint64_t>(expected_) * size_of(shape_.type);
  }

 private:
  template <class T>
  auto between() const {
    return [low = *reinterpret_cast<const T*>(low_), high = *reinterpret_cast<const T*>(high_)](T x) {
      return low <= x && x < high;
    };
  }

  select_arrays_of_one arrays() const {
    return {shape_.type, in_.data(), out_.data(), shape_.n, low_, high_, kept_.as<std::int64_t>()};
  }
  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), arrays()); }
  std::vector<reference_call> thrust() override { return thrust_calls(device_.stream(), arrays()); }
  contender copy() override { return copy_of(out_.data(), in_.data(), array_bytes()); }

  contender serial() override {
    if (moved_.bytes() < array_bytes()) moved_ = byte_array(array_bytes());
    const auto loop = [this] {
      element_types::visit(shape_.type, [this](auto zero) {
        using T = decltype(zero);
        const T* const in = items_.as<T>();
        T* const out = moved_.as<T>();
        count_ = std::copy_if(in, in + shape_.n, out, between<T>()) - out;
      });
    };
    return on_host(loop, [this] { return wrong_selection(); });
  }

  void clear_outputs() override {
    fill(out_, cleared);
    fill(kept_, cleared);
  }
  std::string wrong_output(bool) override {
    device_.copy(&count_, kept_.data(), sizeof count_);
    download(moved_, out_.data(), array_bytes());
    return wrong_selection();
  }
  std::string wrong_selection() {
    return check_select(shape_.type, items_.data(), shape_.n, low_, high_, moved_.data(), count_);
  }

  byte_array items_, moved_;
  alignas(8) std::byte low_[8]{}, high_[8]{};
  std::int64_t expected_ = 0, count_ = 0;
  runtime::buffer in_, out_, kept_;
};

}  // namespace

std::unique_ptr<problem> make_compact_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<compact_problem>(device, shape);
}

}  // namespace upsweep::apps
