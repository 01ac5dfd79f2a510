# ./run package, sourced by run: packages in dist/, and a program of tests/install that is built against each.

# try_package PREFIX: configures, builds and runs the consumer of tests/install against what lies under PREFIX.
try_package() {
  local prefix=$1 scratch=$2/consumer language=CXX
  rm -rf "$scratch"
  step "configuring a program against it" cmake -S tests/install/consumer -B "$scratch" -G Ninja -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_PREFIX_PATH="$prefix" -D CONSUMER_LANGUAGE=$language -D CONSUMER_VERSION="$version"
  step "building the program" cmake --build "$scratch"
  step "running it" "$scratch/particles"
}

cmd_package() {
  (($# == 0)) || stop 2 "package takes no arguments"
  start_log package
  set_up "to make packages" dpkg-dev=dpkg-shlibdeps pkg-config=pkg-config
  prepare programs
  local version kind scratch=build/package made
  version=$(sed -nE 's/^#define UPSWEEP_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' scan/include/upsweep/version.hpp | paste -sd .)
  step "building libraries and programs" cmake --build "$build" --target upsweep_scan upsweep_compact upsweep_sort \
    upsweep-cull upsweep-sort upsweep-particles upsweep-bench
  rm -rf $scratch
  mkdir -p $scratch dist
  for kind in TGZ DEB; do
    step "packing a $kind" cpack -G $kind --config "$build/CPackConfig.cmake" -B "$PWD/$scratch/$kind"
    made=$(find "$scratch/$kind" -maxdepth 1 \( -name '*.tar.gz' -o -name '*.deb' \))
    mkdir -p "$scratch/$kind/root"
    if [[ $kind == DEB ]]; then
      dpkg-deb -x "$made" "$scratch/$kind/root"
      try_package "$PWD/$scratch/$kind/root/usr" "$scratch/$kind"
    else
      tar -xzf "$made" -C "$scratch/$kind/root" --strip-components=1
      try_package "$PWD/$scratch/$kind/root" "$scratch/$kind"
    fi
    mv "$made" dist/
    say "dist/${made##*/} is made, and a program was built against it"
  done
}
