#include "checks.hpp"
#include "problem.hpp"
#include "segment_sums.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// Exclusive sums in each of many segments, by keys of the items' type or by offsets.
template <class T>
class segments_problem final : public problem {
 public:
  segments_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        by_key_(shape.what == operation::by_key),
        items_(array_bytes()),
        keys_(array_bytes()),
        offsets_(make_segments(shape.distribution, shape.seed, keys_.as<T>(), shape.n)),
        in_(device.allocate(array_bytes(), "the items")),
        out_(device.allocate(array_bytes(), "the sums")),
        device_keys_(device.allocate(array_bytes(), "the keys")),
        device_offsets_(device.allocate(offset_bytes(), "the offsets")) {
    make_scan_items("random", shape.type, shape.seed, items_.data(), shape.n);
    device.copy(in_.data(), items_.data(), array_bytes());
    device.copy(device_keys_.data(), keys_.data(), array_bytes());
    device.copy(device_offsets_.data(), offsets_.data(), offset_bytes());
  }

  contender ours(const scan_variant&) override {
    return on_device("default", segment_sums_workspace_bytes(by_key_, arrays()),
                     [this](workspace w) { return segment_sums(device_.stream(), by_key_, w, arrays()); });
  }
  std::uint64_t bytes() const override { return 2 * array_bytes() + (by_key_ ? array_bytes() : offset_bytes()); }

 private:
  std::size_t offset_bytes() const { return offsets_.size() * sizeof(std::int64_t); }
  segment_arrays<T> arrays() const {
    return {in_.as<T>(),
            out_.as<T>(),
            shape_.n,
            device_keys_.as<T>(),
            device_offsets_.as<std::int64_t>(),
            static_cast<std::int64_t>(offsets_.size()) - 1};
  }
  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), by_key_, arrays()); }
  std::vector<reference_call> thrust() override { return {}; }
  contender copy() override { return copy_of(out_.data(), in_.data(), array_bytes()); }

  contender serial() override {
    if (sums_.bytes() < array_bytes()) sums_ = byte_array(array_bytes());
    const auto loop = [this] {
      const auto* const in = items_.as<T>();
      auto* const out = sums_.as<T>();
      for (std::size_t s = 0; s + 1 < offsets_.size(); ++s) {
        T sum = 0;
        for (std::int64_t i = offsets_[s]; i < offsets_[s + 1]; ++i) {
          out[i] = sum;
          sum += in[i];
        }
      }
    };
    return on_host(loop, [this] { return wrong_sums(); });
  }

  void clear_outputs() override { fill(out_, cleared); }
  std::string wrong_output(bool) override {
    download(sums_, out_.data(), array_bytes());
    return wrong_sums();
  }
  std::string wrong_sums() { return check_segment_sums(items_.as<T>(), keys_.as<T>(), sums_.as<T>(), shape_.n); }

  bool by_key_;
  byte_array items_, keys_, sums_;
  std::vector<std::int64_t> offsets_;
  runtime::buffer in_, out_, device_keys_, device_offsets_;
};

}  // namespace

std::unique_ptr<problem> make_segments_problem(device_session& device, const problem_shape& shape) {
  if (shape.type == scalar_type::u64) return std::make_unique<segments_problem<std::uint64_t>>(device, shape);
  return std::make_unique<segments_problem<std::uint32_t>>(device, shape);
}

}  // namespace upsweep::apps
