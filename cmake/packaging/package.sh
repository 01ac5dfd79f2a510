# ./run package, sourced by run: packages in dist/, and a program of tests/install that is built against each.

# try_package PREFIX SCRATCH CXX|CUDA: configures, builds and runs the consumer of tests/install against what lies under PREFIX.
try_package() {
  local prefix=$1 scratch=$2/consumer language=$3
  rm -rf "$scratch"
  step "configuring a program in $language against it" cmake -S tests/install/consumer -B "$scratch" -G Ninja -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_PREFIX_PATH="$prefix" -D CONSUMER_LANGUAGE=$language -D CONSUMER_VERSION="$version"
  step "building the program" cmake --build "$scratch"
  step "running it" "$scratch/particles"
}

cmd_package() {
  local what=programs
  while (($#)); do
    case $1 in
      --cuda) what=cuda ;;
      *) stop 2 "package does not know '$1'; see ./run help" ;;
    esac
    shift
  done
  [[ $what != cuda ]] || [[ -n $(nvcc_path) ]] || stop 4 "package --cuda needs nvcc, and there is none on PATH"
  start_log package
  set_up "to make packages" dpkg-dev=dpkg-shlibdeps pkg-config=pkg-config
  prepare $what
  local version kind scratch=build/package made prefix language languages=(CXX)
  [[ $(cat "$build/upsweep-build.txt") != "the CUDA half"* ]] || languages+=(CUDA)
  version=$(sed -nE 's/^#define UPSWEEP_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' scan/include/upsweep/version.hpp | paste -sd .)
  step "building libraries and programs" cmake --build "$build" --target upsweep_scan upsweep_compact upsweep_sort \
    upsweep-cull upsweep-sort upsweep-particles upsweep-bench
  rm -rf $scratch
  mkdir -p $scratch dist
  for kind in TGZ DEB; do
    step "packing a $kind" cpack -G $kind --config "$build/CPackConfig.cmake" -B "$PWD/$scratch/$kind"
    made=$(find "$scratch/$kind" -maxdepth 1 \( -name '*.tar.gz' -o -name '*.deb' \))
    prefix=$PWD/$scratch/$kind/root
    mkdir -p "$prefix"
    if [[ $kind == DEB ]]; then
      dpkg-deb -x "$made" "$prefix"
      prefix+=/usr
    else
      tar -xzf "$made" -C "$prefix" --strip-components=1
    fi
    for language in "${languages[@]}"; do try_package "$prefix" "$scratch/$kind" "$language"; done
    mv "$made" dist/
    say "dist/${made##*/} is made, and a program was built against it"
  done
}
