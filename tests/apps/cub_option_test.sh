#!/usr/bin/env bash
# ./run bench --cub and UPSWEEP_CUB_DIR: which CUB is taken, and what is said of one that is not there. nvcc, the GPU, pip and
# the build are played by scripts.
#
#     cub_option_test.sh SOURCES SCRATCH
set -euo pipefail
sources=$1
scratch=$2
failed=0

expect() { # expect WHAT TEXT PATTERN: the text matches the pattern of [[ ]]
  [[ $2 == $3 ]] && return
  printf '%s: expected %s\n  came: %s\n' "$1" "$3" "$2" >&2
  failed=1
}

rm -rf "$scratch"
mkdir -p "$scratch"/{stubs,project/cmake,caller/nothing}
scratch=$(cd "$scratch" && pwd)

# --- what holds CUB ---

headers() { # headers FOLDER: an include folder with the three parts of a CCCL
  mkdir -p "$1"/{cub,thrust,cuda/std}
  printf '#define CUB_VERSION 300500 // a comment\n' >"$1/cub/version.cuh"
  touch "$1/thrust/version.h" "$1/cuda/std/version"
}
cd "$scratch/caller"
headers plain
headers above/include
headers "a toolkit/include/cccl"
headers wheel/nvidia/cu13/include/cccl
mkdir -p checkout/{cub,thrust,libcudacxx/include}
headers parts
mv parts/cub checkout/cub/
mv parts/thrust checkout/thrust/
mv parts/cuda checkout/libcudacxx/include/
headers alone && rm -r alone/thrust
good=(plain above "a toolkit" wheel checkout)

# --- CMake ---

cat >"$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(option NONE)
set(UPSWEEP_WITH_CUDA ON)
include("$sources/cmake/UpsweepCub.cmake")
message(STATUS "folders: \${upsweep_cub_folders}")
END
configured() { cmake -S "$scratch/project" -B "$scratch/build" -D "UPSWEEP_CUB_DIR=$1" 2>&1 | tr -s ' \n' ' '; }

for folder in "${good[@]}"; do expect "CMake, $folder" "$(configured "$folder")" "*against CUB 3.5.0 of $PWD/$folder -- folders: $PWD/$folder*"; done
expect "a checkout" "$(configured checkout)" "*folders: $PWD/checkout/cub;$PWD/checkout/thrust;$PWD/checkout/libcudacxx/include --*"
expect "CMake, none" "$(configured "")" "*folders: --*"
expect "CMake, nothing" "$(configured nothing)" "*no cub/version.cuh in $PWD/nothing, nor in its include, *"
expect "CMake, CUB alone" "$(configured alone)" "*no $PWD/alone/thrust/version.h, which belongs to the CUB in $PWD/alone*"

# --- run ---

mkdir -p "$scratch/project/apps/bench"
cp "$sources/run" "$scratch/project/run"
cp "$sources/apps/bench/main.cpp" "$scratch/project/apps/bench/"
stub() { # stub NAME: the script on standard input, found first on PATH
  cat >"$scratch/stubs/$1"
  chmod +x "$scratch/stubs/$1"
}
export real_cmake real_python3 scratch
real_cmake=$(command -v cmake)
real_python3=$(command -v python3)
stub nvcc <<<'#!/bin/sh'
stub apt-get <<<'#!/bin/sh
exit 1'
stub sudo <<<'#!/bin/sh
exit 1'
stub nvidia-smi <<<'#!/bin/sh
[ -z "${no_gpu:-}" ] && echo 9.0'
stub cmake <<'END'
#!/usr/bin/env bash
[[ $1 != --version ]] || exec "$real_cmake" --version
echo "$*" >>"$scratch/cmake.txt"
mkdir -p build/cuda/bin
if [[ $1 == --build ]]; then
  printf '#!/bin/sh\necho "bench: $*, in $PWD"\n' >build/cuda/bin/upsweep-bench
  chmod +x build/cuda/bin/upsweep-bench
else
  touch build/cuda/{upsweep-build.txt,CMakeCache.txt}
fi
END
stub python3 <<'END'
#!/usr/bin/env bash
[[ "$1 $2" == "-m pip" ]] || exec "$real_python3" "$@"
[[ -z ${no_pip:-} ]] || exit 1
[[ $3 == download ]] || exit 0
echo fetched >>"$scratch/pip.txt"
[[ -z ${no_network:-} ]] || exit 1
while [[ $1 != --dest ]]; do shift; done
cd "$scratch/caller/wheel"
"$real_python3" -m zipfile -c "$scratch/project/$2/a.whl" nvidia
END
export PATH=$scratch/stubs:$PATH
bench() { # bench ARGUMENTS...: sets `out`, what was said and then the exit status, and `asked`, what CMake was
  rm -f "$scratch/cmake.txt"
  out=$("$scratch/project/run" bench "$@" 2>&1) && out+=" [0]" || out+=" [$?]"
  asked=$(cat "$scratch/cmake.txt" 2>/dev/null || true)
}

bench scan --n 8
expect "without --cub" "$out" "*bench: scan --n 8, in $PWD \[0\]"
expect "without --cub, asked" "$asked" "*-D UPSWEEP_CUB_DIR="$'\n'"--build*"
bench --cub toolkit scan
expect "toolkit" "$out" "*bench: scan, in * \[0\]"
expect "toolkit, asked" "$asked" "--build build/cuda --target upsweep-bench"
for folder in "${good[@]}"; do
  bench scan --cub "$folder" --n 8
  expect "run, $folder" "$out" "*bench: scan --n 8, in $PWD \[0\]"
  expect "run, $folder, asked" "$asked" "--fresh *-D UPSWEEP_CUB_DIR=$PWD/$folder"$'\n'"--build*"
done
bench --cub "$PWD/checkout"
expect "the same again" "$asked" "--build build/cuda --target upsweep-bench"
bench
expect "back to the toolkit's" "$asked" "--fresh *-D UPSWEEP_CUB_DIR="$'\n'"--build*"

bench --help
expect "help" "$out" "Measures *Examples:*upsweep-bench scan*--version*\[0\]"
expect "help, asked" "$asked" ""

no_network=1 bench --cub pip
expect "no network" "$out" "*run: pip fetched no nvidia-cuda-cccl (build/log/bench.log says why); * name its folder by --cub DIR \[4\]"
no_pip=1 bench --cub pip
expect "no pip" "$out" "run: --cub pip needs python3 with pip; * \[4\]"
expect "no pip, asked" "$asked" ""
bench --cub pip scan
expect "pip" "$out" "*bench: scan, in * \[0\]"
expect "pip, asked" "$asked" "*-D UPSWEEP_CUB_DIR=$scratch/project/build/cccl"$'\n'"--build*"
no_network=1 no_pip=1 bench --cub pip scan
expect "pip, kept" "$out" "*bench: scan, in * \[0\]"
expect "pip, calls" "$(wc -l <"$scratch/pip.txt")" "2"

for mistake in "--cub" "--cub --n" "scan --cub"; do
  bench $mistake
  expect "$mistake" "$out" "run: --cub needs a folder, pip or toolkit \[2\]"
done
bench --cub ""
expect "empty" "$out" "run: --cub needs a folder, pip or toolkit \[2\]"
bench --cub gone
expect "no folder" "$out" "run: --cub: gone is no folder \[2\]"
bench --cub nothing
expect "no CUB" "$out" "run: --cub: no cub/version.cuh in nothing, nor in its include, * \[2\]"
no_gpu=1 bench --cub plain
expect "no GPU" "$out" "run: --cub needs a GPU, and nvidia-smi finds none \[5\]"
without_nvcc=
rm "$scratch/stubs/nvcc"
while read -r -d : folder; do [[ -e $folder/nvcc ]] || without_nvcc+=:$folder; done <<<"$PATH:"
CUDACXX="" PATH=${without_nvcc#:} bench --cub plain
expect "no nvcc" "$out" "run: --cub needs nvcc, and there is none on PATH \[4\]"
exit $failed
