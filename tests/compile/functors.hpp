// Functors as programs write them: their operator() is not const.
#pragma once

#include <cstdint>
#include <tuple>

#if defined(__CUDACC__)
#include <cuda/std/tuple>
#define CALLS_HOST_DEVICE __host__ __device__
namespace tuples = cuda::std;
#else
#define CALLS_HOST_DEVICE
namespace tuples = std;
#endif

namespace calls {

struct sum {
  template <class A, class B>
  CALLS_HOST_DEVICE auto operator()(const A& x, const B& y) {
    return x + y;
  }
};
struct same {
  CALLS_HOST_DEVICE bool operator()(const int& x, const int& y) { return x == y; }
};
struct not_less {
  CALLS_HOST_DEVICE bool operator()(const int& x, const int& y) { return y < x; }
};
struct is_odd {
  CALLS_HOST_DEVICE bool operator()(const int& x) { return x % 2 != 0; }
};
struct at_odd {
  CALLS_HOST_DEVICE bool operator()(std::int64_t i) { return i % 2 != 0; }
};
struct halved {
  CALLS_HOST_DEVICE float operator()(const int& x) { return static_cast<float>(x) / 2; }
};
struct at_quarter {
  CALLS_HOST_DEVICE std::int64_t operator()(std::int64_t i) { return i / 4; }
};
struct particle {
  float depth;
  int id;
};
struct fields {
  CALLS_HOST_DEVICE tuples::tuple<const float&, const int&> operator()(const particle& p) {
    return tuples::tuple<const float&, const int&>(p.depth, p.id);
  }
};

}  // namespace calls
