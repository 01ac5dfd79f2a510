#!/bin/sh
# Compiles the shaders with glslangValidator (Debian: glslang-tools) into the header $1.
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
    printf 'inline constexpr std::uint32_t particle_%s[] = {\n' $stage
    grep -v '^[[:space:]]*//' "$work/$stage"
    echo '};'
  done
  echo '// clang-format on'
} >"$work/spirv.hpp"
cp "$work/spirv.hpp" "$1"
