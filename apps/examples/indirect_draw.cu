// What a renderer takes over from a frame, all of it in device memory: the living particles at the front of its vertex
// buffers, indices from back to front, and the arguments of an indirect draw, whose count no host has read. Here the
// host plays the renderer: it draws points into a picture of characters.
#include <string>

#include "example.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/sort/radix_sort.cuh"

struct place {
  float x, y;
};
// As Vulkan (VkDrawIndexedIndirectCommand) and OpenGL (DrawElementsIndirectCommand) have it.
struct draw_indexed {
  std::uint32_t index_count, instance_count, first_index;
  std::int32_t vertex_offset;
  std::uint32_t first_instance;
};
struct is_alive {
  const int* life;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return life[i] > 0; }
};

constexpr int width = 64, height = 20;
int pixel_of(const place& p) {
  return static_cast<int>(p.y * height) * width + static_cast<int>(p.x * width);
}

int main() {
  if (!has_gpu()) return 0;
  constexpr int n = 4000;
  std::vector<place> at(n);
  std::vector<float> far(n);
  std::vector<char> color(n);
  std::vector<int> left(n);
  for (unsigned i = 0; i < n; ++i) {
    at[i] = {static_cast<float>(i * 2654435761u >> 8) / 0x1000000, static_cast<float>(i * 7919 % n) / n};
    far[i] = static_cast<float>(i * 31 % n);  // each another depth
    color[i] = "@%#*+=-:."[static_cast<int>(far[i]) * 9 / n];
    left[i] = static_cast<int>(i % 3) - 1;
  }
  // The picture, by each pixel's nearest living particle.
  std::string right(width * height, ' ');
  std::vector<float> nearest(width * height, n);
  for (int i = 0; i < n; ++i) {
    const int pixel = pixel_of(at[i]);
    if (left[i] > 0 && far[i] < nearest[pixel]) nearest[pixel] = far[i], right[pixel] = color[i];
  }

  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  place* const places = on_device(at);  // these would be the renderer's buffers, imported into CUDA
  float* const depths = on_device(far);
  char* const colors = on_device(color);
  int *const life = on_device(left), *const live = zeros<int>(1);
  std::uint32_t* const order = zeros<std::uint32_t>(n);
  draw_indexed* const draw = on_device(std::vector<draw_indexed>{{0, 1, 0, 0, 0}});

  // One vote compacts the arrays in place, and writes the count twice: for the next call, and for the draw.
  const upsweep::soa_array arrays[] = {
      {places, places, sizeof *places}, {depths, depths, sizeof *depths}, {colors, colors, sizeof *colors}};
  upsweep::select_results results(live);
  results.indirect.draw = &draw->index_count;
  check(upsweep::select_arrays(pool, arrays, results, n, upsweep::by_index{is_alive{life}}, stream));
  check(upsweep::argsort(pool, depths, order, upsweep::device_count{live, n}, upsweep::sort_order::descending, {},
                         stream));
  wait(stream);

  // The draw: near particles come last, and cover the others.
  const auto indices = on_host(order, n);
  const auto vertices = on_host(places, n);
  const auto shades = on_host(colors, n);
  const auto points = on_host(draw, 1)[0].index_count;
  std::string picture(width * height, ' ');
  for (std::uint32_t i = 0; i < points; ++i) picture[pixel_of(vertices[indices[i]])] = shades[indices[i]];
  expect(picture == right, "the picture");
  for (int row = 0; row < height; ++row) std::puts(picture.substr(row * width, width).c_str());
  std::printf("%u of %d particles drawn\n", points, n);
}
