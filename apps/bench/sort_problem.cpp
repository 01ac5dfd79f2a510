#include <algorithm>
#include <numeric>

#include "axes.hpp"
#include "checks.hpp"
#include "element_types.hpp"
#include "key_rank.hpp"
#include "problem.hpp"
#include "upsweep/sort/runtime.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

/// Keys in ascending order, alone or with a 32-bit value each, which is the key's place in the input.
class sort_problem final : public problem {
 public:
  sort_problem(device_session& device, const problem_shape& shape)
      : problem(device, shape),
        keys_(array_bytes()),
        keys_in_(device.allocate(array_bytes(), "the keys")),
        keys_out_(device.allocate(array_bytes(), "the sorted keys")),
        values_in_(device.allocate(value_bytes(), "the values")),
        values_out_(device.allocate(value_bytes(), "the sorted values")) {
    make_keys(shape.distribution, shape.type, shape.seed, keys_.data(), shape.n);
    device.copy(keys_in_.data(), keys_.data(), array_bytes());
    if (!pairs()) return;
    places_ = byte_array(value_bytes());
    std::iota(places_.as<std::uint32_t>(), places_.as<std::uint32_t>() + shape.n, 0u);
    device.copy(values_in_.data(), places_.data(), value_bytes());
  }

  contender ours(const scan_variant& v) override {
    const runtime::sort_method_with_scan policy{v, sort_method_named(shape_.method).value()};
    return on_device(name_of_policy(policy),
                     (pairs() ? runtime::sort_pairs_workspace_bytes(shape_.n, shape_.type, policy)
                              : runtime::sort_keys_workspace_bytes(shape_.n, shape_.type, policy)),
                     [this, policy](workspace w) { return sort_by(policy, w); });
  }

  /// Once for the histograms, and there and back for each digit of 8 bits.
  std::uint64_t bytes() const override {
    const std::uint64_t passes = size_of(shape_.type);
    return (2 * passes + 1) * array_bytes() + 2 * passes * value_bytes();
  }

 private:
  bool pairs() const { return shape_.value_type.has_value(); }
  std::size_t value_bytes() const { return pairs() ? count() * sizeof(std::uint32_t) : 0; }

  /// The scan variant, as of other operations, after the method if one was named.
  static std::string name_of_policy(const runtime::sort_method_with_scan& p) {
    if (p.method == sort_method::default_sort) return variant_name(p.scan);
    std::string name(name_of(p.method));
    return p.method == sort_method::upsweep_downsweep ? name + "/" + variant_name(p.scan) : name;
  }

  status sort_by(const runtime::sort_method_with_scan& policy, workspace w) {
    const runtime::stream s = device_.stream();
    if (!pairs()) {
      return runtime::sort_keys(w, keys_in_.data(), keys_out_.data(), shape_.n, shape_.type, sort_order::ascending, {},
                                policy, s);
    }
    return runtime::sort_pairs(w, keys_in_.data(), keys_out_.data(), values_in_.as<std::uint32_t>(),
                               values_out_.as<std::uint32_t>(), shape_.n, shape_.type, sort_order::ascending, {},
                               policy, s);
  }

  sort_arrays arrays() {
    if (keys_spare_.bytes() < array_bytes()) {
      keys_spare_ = device_.allocate(array_bytes(), "a second buffer of keys");
      values_spare_ = device_.allocate(value_bytes(), "a second buffer of values");
    }
    return {shape_.type,
            keys_in_.data(),
            keys_out_.data(),
            keys_spare_.data(),
            values_in_.as<const std::uint32_t>(),
            values_out_.as<std::uint32_t>(),
            values_spare_.as<std::uint32_t>(),
            shape_.n};
  }
  std::vector<reference_call> cub() override { return cub_calls(device_.stream(), arrays()); }
  std::vector<reference_call> thrust() override { return thrust_calls(device_.stream(), arrays()); }
  contender copy() override { return copy_of(keys_out_.data(), keys_in_.data(), array_bytes()); }

  /// std::stable_sort by the rank of the key.
  contender serial() override {
    const auto loop = [this] { key_types::visit(shape_.type, [this](auto key) { sort_on_host<decltype(key)>(); }); };
    return on_host(loop, [this] { return wrong_order(); });
  }

  template <class Key>
  void sort_on_host() {
    if (sorted_keys_.bytes() < array_bytes()) sorted_keys_ = byte_array(array_bytes());
    if (sorted_values_.bytes() < value_bytes()) sorted_values_ = byte_array(value_bytes());
    const Key* const in = keys_.as<Key>();
    Key* const out = sorted_keys_.as<Key>();
    if (!pairs()) {
      std::copy(in, in + shape_.n, out);
      std::stable_sort(out, out + shape_.n, [](Key a, Key b) { return rank_of(a) < rank_of(b); });
      return;
    }
    auto* const order = sorted_values_.as<std::uint32_t>();
    std::iota(order, order + shape_.n, 0u);
    std::stable_sort(order, order + shape_.n,
                     [in](std::uint32_t a, std::uint32_t b) { return rank_of(in[a]) < rank_of(in[b]); });
    std::transform(order, order + shape_.n, out, [in](std::uint32_t place) { return in[place]; });
  }

  status fill_in_place() override {
    const status s = device_.copy_async(keys_out_.data(), keys_in_.data(), array_bytes());
    return s == status::success ? device_.copy_async(values_out_.data(), values_in_.data(), value_bytes()) : s;
  }
  void clear_outputs() override {
    for (const auto* b : {&keys_out_, &values_out_, &keys_spare_, &values_spare_}) fill(*b, cleared);
  }
  std::string wrong_output(bool in_spare) override {
    download(sorted_keys_, (in_spare ? keys_spare_ : keys_out_).data(), array_bytes());
    download(sorted_values_, (in_spare ? values_spare_ : values_out_).data(), value_bytes());
    return wrong_order();
  }
  std::string wrong_order() {
    if (!pairs()) return check_sorted_keys(shape_.type, keys_.data(), sorted_keys_.data(), shape_.n);
    return check_sorted_pairs(shape_.type, keys_.data(), sorted_keys_.data(), sorted_values_.as<std::uint32_t>(),
                              shape_.n);
  }

  byte_array keys_, places_, sorted_keys_, sorted_values_;
  runtime::buffer keys_in_, keys_out_, values_in_, values_out_, keys_spare_, values_spare_;
};

}  // namespace

std::unique_ptr<problem> make_sort_problem(device_session& device, const problem_shape& shape) {
  return std::make_unique<sort_problem>(device, shape);
}

}  // namespace upsweep::apps
