#!/bin/sh
# Doxygen reads headers and pages, and has no warning; each public name has its docstring. What ./run docs asks for,
# without writing the pages.
#   reference.sh DOXYGEN
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
export UPSWEEP_ROOT="$PWD" UPSWEEP_VERSION=0
{
  cat docs/Doxyfile
  echo "OUTPUT_DIRECTORY = $scratch"
  echo "WARN_LOGFILE = $scratch/warnings.txt"
  echo "GENERATE_HTML = NO"
} | "$1" - >"$scratch/log.txt" 2>&1 || { cat "$scratch/log.txt"; exit 1; }
[ ! -s "$scratch/warnings.txt" ] || { cat "$scratch/warnings.txt"; exit 1; }
python3 tests/docs/names.py "$scratch/xml"
