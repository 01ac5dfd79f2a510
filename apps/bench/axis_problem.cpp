#include <algorithm>

#include "checks.hpp"
#include "problem.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/simt/scalar_types.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

using summed_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;

/// "columns_3" of n items: n / 3 rows, summed down each column; "rows_100": n / 100 rows, summed along each. At least
/// one row and column; what is left of the n is not summed.
array_axis axis_of(std::string_view distribution, std::int64_t n) {
  const std::int64_t columns = std::min(number_of(distribution), n);
  return along({n / columns, columns}, distribution.starts_with("columns") ? 0 : 1);
}

/// Exclusive sums along an axis.
class axis_problem final : public problem {
 public:
  axis_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        axis_(axis_of(shape.distribution, shape.n)),
        items_(array_bytes()),
        in_(device.allocate(array_bytes(), "the items")),
        out_(device.allocate(array_bytes(), "the sums")) {
    make_scan_items("random", shape.type, shape.seed, items_.data(), shape.n);
    device.copy(in_.data(), items_.data(), array_bytes());
  }

  contender ours(const scan_variant&) override {
    return on_device("default", runtime::sum_axis_workspace_bytes(axis_, shape_.type), [this](workspace w) {
      return runtime::exclusive_sum_axis(w, in_.data(), out_.data(), axis_, shape_.type, device_.stream());
    });
  }
  std::uint64_t bytes() const override { return 2 * static_cast<std::uint64_t>(axis_.items()) * size_of(shape_.type); }

 private:
  std::vector<reference_call> cub() override { return {}; }
  std::vector<reference_call> thrust() override { return {}; }
  contender copy() override { return copy_of(out_.data(), in_.data(), bytes() / 2); }

  /// Calls f(in, out) for each line: iterators of its items.
  template <class T, class F>
  void for_each_line(F f) {
    for (std::int64_t line = 0; line < axis_.outer * axis_.inner; ++line) {
      const std::int64_t first = line / axis_.inner * axis_.length * axis_.inner + line % axis_.inner;
      f(items_.as<T>() + first, sums_.as<T>() + first);
    }
  }

  contender serial() override {
    if (sums_.bytes() < array_bytes()) sums_ = byte_array(array_bytes());
    const auto loop = [this] {
      summed_types::visit(shape_.type, [this](auto zero) {
        for_each_line<decltype(zero)>([&](const auto* in, auto* out) {
          auto sum = zero;
          for (std::int64_t i = 0; i < axis_.length * axis_.inner; i += axis_.inner) {
            out[i] = sum;
            sum += in[i];
          }
        });
      });
    };
    return on_host(loop, [this] { return wrong_sums(); });
  }

  void clear_outputs() override { fill(out_, cleared); }
  std::string wrong_output(bool) override {
    download(sums_, out_.data(), array_bytes());
    return wrong_sums();
  }
  /// Of the first line that has any. Lines side by side are gathered together: they share the lines of the cache.
  std::string wrong_sums() {
    const std::int64_t together = std::min<std::int64_t>(16, axis_.inner);
    std::string wrong;
    summed_types::visit(shape_.type, [&](auto zero) {
      using T = decltype(zero);
      const auto length = static_cast<std::size_t>(axis_.length);
      std::vector<T> in(length * static_cast<std::size_t>(together)), out(in.size());
      for (std::int64_t o = 0; o < axis_.outer; ++o) {
        for (std::int64_t c = 0; c < axis_.inner; c += together) {
          const std::int64_t first = o * axis_.length * axis_.inner + c;
          const auto lines = static_cast<std::size_t>(std::min(together, axis_.inner - c));
          for (std::size_t i = 0; i < length; ++i) {
            const std::int64_t row = first + static_cast<std::int64_t>(i) * axis_.inner;
            for (std::size_t l = 0; l < lines; ++l) {
              in[l * length + i] = items_.as<T>()[row + static_cast<std::int64_t>(l)];
              out[l * length + i] = sums_.as<T>()[row + static_cast<std::int64_t>(l)];
            }
          }
          for (std::size_t l = 0; l < lines; ++l) {
            wrong = check_sum(shape_.type, true, &in[l * length], &out[l * length], axis_.length);
            if (!wrong.empty()) return;
          }
        }
      }
    });
    return wrong;
  }

  array_axis axis_;
  byte_array items_, sums_;
  runtime::buffer in_, out_;
};

}  // namespace

std::unique_ptr<problem> make_axis_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<axis_problem>(device, shape);
}

}  // namespace upsweep::apps
