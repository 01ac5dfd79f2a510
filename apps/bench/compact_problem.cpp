#include <algorithm>

#include "axes.hpp"
#include "checks.hpp"
#include "element_types.hpp"
#include "partitions.hpp"
#include "problem.hpp"
#include "upsweep/compact/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// The elements between two bounds, in order; of a partition, also the others.
class compact_problem final : public problem {
 public:
  compact_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        items_(array_bytes()),
        in_(device.allocate(array_bytes(), "the elements")),
        out_(device.allocate(array_bytes(), "the kept elements")),
        rejected_(device.allocate(partitions() ? array_bytes() : 0, "the rejected elements")),
        kept_(device.allocate(sizeof(std::int64_t), "the count")) {
    make_select_items(shape.distribution, shape.type, shape.kept, shape.seed, items_.data(), shape.n, low_, high_);
    device.copy(in_.data(), items_.data(), array_bytes());
    element_types::visit(shape.type, [this](auto zero) {
      const auto* const in = items_.as<decltype(zero)>();
      expected_ = std::count_if(in, in + shape_.n, between<decltype(zero)>());
    });
  }

  contender ours(const scan_variant& v) override {
    if (partitions()) {
      return on_device("fused", partition_workspace_bytes(arrays()),
                       [this](workspace w) { return partition(device_.stream(), w, arrays()); });
    }
    const compact_method_with_scan method = method_with_scan_of(shape_.method, v);
    const soa_array array{in_.data(), out_.data(), size_of(shape_.type)};
    contender c =
        on_device(name_of_method(shape_.method, v), runtime::select_workspace_bytes({&array, 1}, shape_.n, method),
                  [this, method](workspace w) {
                    return runtime::select_between(w, in_.data(), out_.data(), kept_.as<std::int64_t>(), shape_.n,
                                                   shape_.type, low_, high_, method, device_.stream());
                  });
    if (method.method == compact_method::vote_scan_compact) {
      c.bytes = vote_scan_compact_bytes(v, shape_.n, array_bytes(), kept_bytes());
    }
    return c;
  }
  std::uint64_t bytes() const override { return array_bytes() + (partitions() ? array_bytes() : kept_bytes()); }

 private:
  bool partitions() const { return shape_.what == operation::partition; }
  std::uint64_t kept_bytes() const { return static_cast<std::uint64_t>(expected_) * size_of(shape_.type); }

  template <class T>
  auto between() const {
    return [low = *reinterpret_cast<const T*>(low_), high = *reinterpret_cast<const T*>(high_)](T x) {
      return low <= x && x < high;
    };
  }

  partition_arrays_of_one arrays() const {
    return {{shape_.type, in_.data(), out_.data(), shape_.n, low_, high_, kept_.as<std::int64_t>()}, rejected_.data()};
  }
  std::vector<reference_call> cub() override {
    if (partitions()) return cub_calls(device_.stream(), arrays());
    return cub_calls(device_.stream(), select_arrays_of_one(arrays()));
  }
  std::vector<reference_call> thrust() override { return thrust_calls(device_.stream(), arrays()); }
  contender copy() override { return copy_of(out_.data(), in_.data(), array_bytes()); }

  contender serial() override {
    if (moved_.bytes() < array_bytes()) moved_ = byte_array(array_bytes());
    if (others_.bytes() < rejected_.bytes()) others_ = byte_array(rejected_.bytes());
    const auto loop = [this] {
      element_types::visit(shape_.type, [this](auto zero) {
        using T = decltype(zero);
        const T* const in = items_.as<T>();
        T* const out = moved_.as<T>();
        if (partitions()) {
          count_ = std::partition_copy(in, in + shape_.n, out, others_.as<T>(), between<T>()).first - out;
        } else {
          count_ = std::copy_if(in, in + shape_.n, out, between<T>()) - out;
        }
      });
    };
    return on_host(loop, [this] { return wrong_selection(false); });
  }

  void clear_outputs() override {
    fill(out_, cleared);
    fill(rejected_, cleared);
    fill(kept_, cleared);
  }
  std::string wrong_output(bool rejected_behind) override {
    device_.copy(&count_, kept_.data(), sizeof count_);
    download(moved_, out_.data(), array_bytes());
    if (rejected_.bytes() > 0) download(others_, rejected_.data(), array_bytes());
    return wrong_selection(rejected_behind);
  }
  std::string wrong_selection(bool rejected_behind) {
    const std::string wrong = check_select(shape_.type, items_.data(), shape_.n, low_, high_, moved_.data(), count_);
    if (!partitions() || !wrong.empty()) return wrong;
    const std::byte* const rejected =
        rejected_behind ? moved_.data() + array_bytes() - size_of(shape_.type) : others_.data();
    return check_rejected(shape_.type, items_.data(), shape_.n, low_, high_, rejected, rejected_behind);
  }

  byte_array items_, moved_, others_;
  alignas(8) std::byte low_[8]{}, high_[8]{};
  std::int64_t expected_ = 0, count_ = 0;
  runtime::buffer in_, out_, rejected_, kept_;
};

}  // namespace

std::unique_ptr<problem> make_compact_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<compact_problem>(device, shape);
}

}  // namespace upsweep::apps
