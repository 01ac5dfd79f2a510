// The orders of each customer, by time: two more columns go along. Where a customer's orders begin is in device memory.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "example.cuh"
#include "upsweep/sort/segmented_sort_with_values.cuh"

int main() {
  if (!has_gpu()) return 0;
  constexpr int customers = 700;
  std::vector<int> offsets{0};
  for (int c = 0; c < customers; ++c) offsets.push_back(offsets.back() + c * 37 % 20);  // some have no orders
  const int n = offsets.back();
  std::vector<std::int64_t> time(n);
  std::vector<double> price(n);
  std::vector<std::uint8_t> state(n);
  for (int i = 0; i < n; ++i) {
    time[i] = 1'700'000'000 + i * 7919LL % 1009;
    price[i] = i * 0.25;
    state[i] = static_cast<std::uint8_t>(i % 5);
  }
  std::int64_t *const times = on_device(time), *const sorted = zeros<std::int64_t>(n);
  double *const prices = on_device(price), *const prices_sorted = zeros<double>(n);
  std::uint8_t *const states = on_device(state), *const states_sorted = zeros<std::uint8_t>(n);
  int* const begins = on_device(offsets);
  const auto stream = new_stream();

  check(upsweep::segmented_sort_with_values(
      upsweep::stream_pool{}, times, sorted,
      std::tuple{upsweep::value_array{prices, prices_sorted}, upsweep::value_array{states, states_sorted}}, begins,
      begins + 1, n, customers, upsweep::sort_order::descending, {}, stream));
  wait(stream);

  const auto found = on_host(sorted, n);
  const auto found_price = on_host(prices_sorted, n);
  const auto found_state = on_host(states_sorted, n);
  std::vector<int> from(n);
  std::iota(from.begin(), from.end(), 0);
  for (int c = 0; c < customers; ++c) {
    std::stable_sort(from.begin() + offsets[c], from.begin() + offsets[c + 1],
                     [&](int a, int b) { return time[a] > time[b]; });
  }
  for (int i = 0; i < n; ++i) {
    expect(found[i] == time[from[i]], "the latest order of a customer comes first");
    expect(found_price[i] == price[from[i]] && found_state[i] == state[from[i]], "each price and state with its order");
  }
  std::printf("%d orders of %d customers\n", n, customers);
}
