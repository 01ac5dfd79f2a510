#include <numeric>

#include "axes.hpp"
#include "checks.hpp"
#include "element_types.hpp"
#include "narrow_sums.hpp"
#include "problem.hpp"
#include "reproducible_sums.hpp"
#include "upsweep/scan/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// Exclusive sums.
class scan_problem final : public problem {
 public:
  scan_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        items_(array_bytes()),
        in_(device.allocate(array_bytes(), "the items")),
        out_(device.allocate(array_bytes(), "the sums")) {
    make_scan_items(shape.distribution, shape.type, shape.seed, items_.data(), shape.n);
    device.copy(in_.data(), items_.data(), array_bytes());
  }

  contender ours(const scan_variant& v) override {
    if (shape_.method == reproducible_method) {
      return on_device(std::string(reproducible_method), reproducible_sums_workspace_bytes(shape_.type, shape_.n),
                       [this](workspace w) {
                         return reproducible_sums(device_.stream(), shape_.type, w, in_.data(), out_.data(), shape_.n);
                       });
    }
    if (is_narrow(shape_.type)) {
      return on_device(variant_name({}), narrow_sums_workspace_bytes(shape_.type, shape_.n), [this](workspace w) {
        return narrow_sums(device_.stream(), shape_.type, w, in_.data(), out_.data(), shape_.n);
      });
    }
    return on_device(variant_name(v), runtime::scan_workspace_bytes(shape_.n, shape_.type, v), [this, v](workspace w) {
      return runtime::exclusive_sum(w, in_.data(), out_.data(), shape_.n, shape_.type, v, device_.stream());
    });
  }
  std::uint64_t bytes() const override { return 2 * array_bytes(); }

 private:
  scan_arrays arrays() const { return {shape_.type, in_.data(), out_.data(), shape_.n}; }
  std::vector<reference_call> cub() override {
    return is_narrow(shape_.type) ? cub_calls_of_narrow(device_.stream(), arrays())
                                  : cub_calls(device_.stream(), arrays());
  }
  std::vector<reference_call> thrust() override { return thrust_calls(device_.stream(), arrays()); }
  contender copy() override { return copy_of(out_.data(), in_.data(), array_bytes()); }

  contender serial() override {
    if (sums_.bytes() < array_bytes()) sums_ = byte_array(array_bytes());
    const auto loop = [this] {
      visit_scanned(shape_.type, [this](auto zero) {
        using T = decltype(zero);
        const T* const in = items_.as<T>();
        std::exclusive_scan(in, in + shape_.n, sums_.as<T>(), zero);
      });
    };
    return on_host(loop, [this] { return wrong_sums(); });
  }

  void clear_outputs() override { fill(out_, cleared); }
  std::string wrong_output(bool) override {
    download(sums_, out_.data(), array_bytes());
    return wrong_sums();
  }
  std::string wrong_sums() { return check_sum(shape_.type, true, items_.data(), sums_.data(), shape_.n); }

  byte_array items_, sums_;
  runtime::buffer in_, out_;
};

}  // namespace

std::unique_ptr<problem> make_scan_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<scan_problem>(device, shape);
}

}  // namespace upsweep::apps
