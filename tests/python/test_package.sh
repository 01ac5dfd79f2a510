#!/usr/bin/env bash
# Builds the wheel of apps/python over the libraries of a build, installs it, and runs its tests: pytest, the examples of its
# docstrings, and a type checker.  test_package.sh BUILD
set -euo pipefail
build=$1
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$source/apps/python/wheel.sh"
work=$build/python
mkdir -p "$work"
if ! python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "SKIP: the Python package needs python3, 3.11 or later, with venv"
  exit 0
fi
if ! in_venv "$work/venv" nanobind scikit-build-core ninja numpy pytest hypothesis mypy >"$work/venv.log" 2>&1; then
  tail -n 3 "$work/venv.log"
  echo "SKIP: pip cannot fetch what the tests of the Python package need"
  exit 0
fi
python=$work/venv/bin/python
rm -rf "$work/wheels"
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$work/wheels" "$source/apps/python" \
  -C build-dir="$work/{wheel_tag}" -C cmake.define.UPSWEEP_PYTHON_LIBRARIES="$build"
"$python" "$source/apps/python/check_wheel.py" "$work"/wheels/*.whl
"$python" -m pip install --quiet --no-deps --force-reinstall "$work"/wheels/*.whl
cd "$work" # where no folder is called upsweep
"$python" -m mypy --config-file "$source/apps/python/pyproject.toml" -p upsweep
rc=0
"$python" -m pytest -q -p no:cacheprovider --junitxml=results.xml "$source/apps/python/tests" || rc=$?
sed 's/></>\n</g' results.xml >"$build/test-results/python_package.xml"
exit $rc
