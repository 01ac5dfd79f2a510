// Conditions by plain CPU code.
#include <bit>

#include "where.hpp"

namespace upsweep::apps {
namespace {

/// A value on the host. Comparisons are those of long double, which holds every integer of 64 bits and every double.
struct host_value {
  where_type type = where_type::truth;
  std::uint64_t bits = 0;

  long double number() const {
    if (type == where_type::real) return std::bit_cast<double>(bits);
    return type == where_type::natural ? static_cast<long double>(bits)
                                       : static_cast<long double>(static_cast<std::int64_t>(bits));
  }
  double real() const {
    if (type == where_type::real) return std::bit_cast<double>(bits);
    return type == where_type::natural ? static_cast<double>(bits)
                                       : static_cast<double>(static_cast<std::int64_t>(bits));
  }
  bool truth() const { return type == where_type::real ? std::bit_cast<double>(bits) != 0 : bits != 0; }
};

bool compares(where_kind kind, long double a, long double b) {
  switch (kind) {
    case where_kind::less:
      return a < b;
    case where_kind::at_most:
      return a <= b;
    case where_kind::more:
      return a > b;
    case where_kind::at_least:
      return a >= b;
    case where_kind::equal:
      return a == b;
    default:
      return a != b;
  }
}

std::uint64_t computed(const where_node& node, const host_value& a, const host_value& b) {
  if (node.type == where_type::real) {
    const double x = a.real(), y = b.real();
    double z = x / y;
    if (node.kind == where_kind::sum) z = x + y;
    if (node.kind == where_kind::difference) z = x - y;
    if (node.kind == where_kind::product) z = x * y;
    return std::bit_cast<std::uint64_t>(z);
  }
  if (node.kind == where_kind::sum) return a.bits + b.bits;
  if (node.kind == where_kind::difference) return a.bits - b.bits;
  if (node.kind == where_kind::product) return a.bits * b.bits;
  if (b.bits == 0) return 0;
  if (node.type == where_type::natural) return a.bits % b.bits;
  const auto divisor = static_cast<std::int64_t>(b.bits);
  return divisor == -1 ? 0 : static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits) % divisor);
}

std::uint64_t element_bits(const table_column& c, std::int64_t i) {
  const auto whole = [&]<class T>(T) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(c.data.as<T>()[i]));
  };
  switch (c.type) {
    case scalar_type::i8:
      return whole(std::int8_t{});
    case scalar_type::u8:
      return whole(std::uint8_t{});
    case scalar_type::i16:
      return whole(std::int16_t{});
    case scalar_type::u16:
      return whole(std::uint16_t{});
    case scalar_type::i32:
      return whole(std::int32_t{});
    case scalar_type::u32:
      return whole(std::uint32_t{});
    case scalar_type::i64:
      return whole(std::int64_t{});
    case scalar_type::u64:
      return whole(std::uint64_t{});
    case scalar_type::f32:
      return std::bit_cast<std::uint64_t>(static_cast<double>(c.data.as<float>()[i]));
    default:
      return std::bit_cast<std::uint64_t>(c.data.as<double>()[i]);
  }
}

}  // namespace

bool bound_where::operator()(const particle_table& particles, std::int64_t i) const {
  thread_local std::vector<host_value> values;  // one particle's after the other's
  values.resize(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const where_node& node = nodes[k];
    const host_value &a = values[node.left], &b = values[node.right];
    std::uint64_t bits = 0;
    switch (node.kind) {
      case where_kind::property:
        bits = element_bits(particles.columns[columns[k]], i);
        break;
      case where_kind::number:
        bits = node.bits;
        break;
      case where_kind::negation:
        bits = node.type == where_type::real ? std::bit_cast<std::uint64_t>(-a.real()) : std::uint64_t{0} - a.bits;
        break;
      case where_kind::inversion:
        bits = a.truth() ? 0 : 1;
        break;
      case where_kind::conjunction:
        bits = a.truth() && b.truth() ? 1 : 0;
        break;
      case where_kind::disjunction:
        bits = a.truth() || b.truth() ? 1 : 0;
        break;
      default:
        bits = is_comparison(node.kind) ? std::uint64_t{compares(node.kind, a.number(), b.number())}
                                        : computed(node, a, b);
    }
    values[k] = {node.type, bits};
  }
  return values.back().truth();
}

}  // namespace upsweep::apps
