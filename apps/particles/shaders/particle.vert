// A particle as a point. The attributes are the particle system's own arrays, the view is what the frame has left there.
#version 450

layout(location = 0) in vec4 position;  // w: seconds left
layout(location = 1) in vec4 velocity;  // w: seconds of the whole life
layout(location = 2) in vec4 color;

layout(std140, binding = 0) uniform view {
  mat4 clip;
  vec4 depth_plane;
  float pixels, alpha, additive, nearest;
};

layout(location = 0) out vec4 light;

void main() {
  gl_Position = clip * vec4(position.xyz, 1);
  gl_PointSize = max(pixels / gl_Position.w, 1);
  light = vec4(color.rgb, alpha * min(position.w / velocity.w, 1));
}
