// A summed-area table: prefix sums along the rows of a picture, then down its columns. The sum of any rectangle is then
// four look-ups.
#include "example.cuh"
#include "upsweep/scan/axis_scan.cuh"

int main() {
  if (!has_gpu()) return 0;
  constexpr std::int64_t rows = 70, columns = 200;
  std::vector<unsigned char> picture(rows * columns);
  for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<unsigned char>(i * 7919 % 251);

  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  unsigned char* const pixels = on_device(picture);
  unsigned* const table = zeros<unsigned>(rows * columns);  // wider than the pixels: sums are formed in 32 bits
  check(upsweep::inclusive_sum_axis(pool, pixels, table, upsweep::along({rows, columns}, 1), stream));
  check(upsweep::inclusive_sum_axis(pool, table, table, upsweep::along({rows, columns}, 0), stream));
  wait(stream);

  const auto area = on_host(table, rows * columns);
  const auto at = [&](std::int64_t r, std::int64_t c) { return r < 0 || c < 0 ? 0u : area[r * columns + c]; };
  const auto sum_of = [&](std::int64_t top, std::int64_t left, std::int64_t bottom, std::int64_t right) {
    return at(bottom, right) - at(top - 1, right) - at(bottom, left - 1) + at(top - 1, left - 1);
  };
  unsigned sum = 0;
  for (std::int64_t r = 10; r <= 50; ++r) {
    for (std::int64_t c = 30; c <= 120; ++c) sum += picture[r * columns + c];
  }
  expect(sum_of(10, 30, 50, 120) == sum, "the sum of a rectangle");
  expect(sum_of(0, 0, 0, 0) == picture[0], "the first pixel");
  std::printf("the rectangle has a sum of %u\n", sum);
}
