#include "picture.hpp"

#include <algorithm>
#include <cmath>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

std::uint8_t byte_of(float channel) {
  return static_cast<std::uint8_t>(std::clamp(channel, 0.f, 1.f) * 255 + 0.5f);
}

}  // namespace

picture::picture(int width, int height, rgb background)
    : width_(width), height_(height), bytes_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
  const std::uint8_t color[3] = {byte_of(background.r), byte_of(background.g), byte_of(background.b)};
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = color[i % 3];
}

void picture::set(int x, int y, rgb color) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3;
  bytes_[at] = byte_of(color.r);
  bytes_[at + 1] = byte_of(color.g);
  bytes_[at + 2] = byte_of(color.b);
}

void picture::disc(float x, float y, float diameter, rgb color, float alpha, blend how) {
  const float radius = diameter / 2;
  // The first pixel whose center, at a half, is not left of the square.
  const auto first = [&](float at) { return std::ceil(at - 0.5f); };
  const auto left = static_cast<int>(std::max(first(x - radius), 0.f));
  const auto top = static_cast<int>(std::max(first(y - radius), 0.f));
  const auto right = static_cast<int>(std::min(first(x + radius), static_cast<float>(width_)));
  const auto bottom = static_cast<int>(std::min(first(y + radius), static_cast<float>(height_)));
  const float channels[3] = {color.r, color.g, color.b};
  for (int row = top; row < bottom; ++row) {
    for (int column = left; column < right; ++column) {
      const float dx = (static_cast<float>(column) + 0.5f - x) / radius;
      const float dy = (static_cast<float>(row) + 0.5f - y) / radius;
      const float a = alpha * disc_opacity(dx * dx + dy * dy);
      if (a <= 0) continue;
      std::uint8_t* const pixel = &bytes_[(static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                                           static_cast<std::size_t>(column)) *
                                          3];
      for (int c = 0; c < 3; ++c) {
        const float there = static_cast<float>(pixel[c]) / 255;
        pixel[c] = byte_of(channels[c] * a + there * (how == blend::over ? 1 - a : 1.f));
      }
    }
  }
}

void picture::put(const picture& from, int left, int top) {
  for (int row = std::max(0, -top); row < from.height_ && top + row < height_; ++row) {
    const int skip = std::max(0, -left), end = std::min(from.width_, width_ - left);
    if (skip >= end) return;
    const auto at = [](const picture& p, int x, int y) {
      return (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width_) + static_cast<std::size_t>(x)) * 3;
    };
    std::copy_n(from.bytes_.begin() + static_cast<std::ptrdiff_t>(at(from, skip, row)), (end - skip) * 3,
                bytes_.begin() + static_cast<std::ptrdiff_t>(at(*this, left + skip, top + row)));
  }
}

}  // namespace upsweep::apps
