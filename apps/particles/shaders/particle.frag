// A disc that fades towards its edge.
#version 450

layout(location = 0) in vec4 light;
layout(location = 0) out vec4 pixel;

void main() {
  const vec2 from_center = gl_PointCoord * 2 - 1;
  pixel = vec4(light.rgb, light.a * max(1 - dot(from_center, from_center), 0));
}
