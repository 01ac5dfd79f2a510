#!/bin/sh
# Writes the header $1: the shaders as text, for OpenGL, and as glslangValidator (Debian: glslang-tools) compiles them, for
# Vulkan.
set -e
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  echo '// Made by compile.sh from particle.vert and particle.frag.'
  echo '#pragma once'
  echo
  echo '#include <cstdint>'
  echo
  echo '// clang-format off'
  for stage in vert frag; do
    glslangValidator -V --target-env vulkan1.1 -x -o "$work/$stage" "particle.$stage" >&2
    printf 'inline constexpr char particle_%s_text[] = R"glsl(' $stage
    sed 1d "particle.$stage"
    printf ')glsl";\ninline constexpr std::uint32_t particle_%s[] = {\n' $stage
    grep -v '^[[:space:]]*//' "$work/$stage"
    echo '};'
  done
  echo '// clang-format on'
} >"$work/shaders.hpp"
cp "$work/shaders.hpp" "$1"
