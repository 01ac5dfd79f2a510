# ./run fuzz: what the programs read, by clang's libFuzzer with its sanitizers. Sourced by `run`.

cmd_fuzz() {
  local seconds=60 name failed=0
  local -A seeds=([ply]=tests/fuzz/seeds/ply [npy]=tests/fuzz/seeds/npy [csv]=tests/fuzz/seeds/csv
    [where]=tests/fuzz/seeds/where [json]='configs/cull configs/variants')
  while (($#)); do
    [[ $1 == --seconds && ${2:-} =~ ^[1-9][0-9]{0,6}$ ]] || stop 2 "fuzz takes --seconds N; see ./run help"
    seconds=$2
    shift 2
  done
  start_log fuzz
  set_up "to fuzz" $to_build clang=clang++
  step "configuring build/fuzz" cmake -S tests/fuzz -B build/fuzz -G Ninja -D CMAKE_CXX_COMPILER=clang++
  step "building the fuzzers" cmake --build build/fuzz
  for name in ply npy csv where json; do
    mkdir -p "build/fuzz/corpus/$name"
    say "fuzzing $name for $seconds s; the log is build/log/fuzz.$name.log"
    build/fuzz/fuzz_$name -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus/$name" ${seeds[$name]} \
      >"build/log/fuzz.$name.log" 2>&1 </dev/null || failed=1
    sed -n 's/^stat::number_of_executed_units: /  inputs tried: /p; s/^Test unit written to /  a surprise; again: build\/fuzz\/fuzz_'"$name"' /p' \
      "build/log/fuzz.$name.log"
  done
  ((failed == 0)) || stop 1 "there was a surprise; the logs are build/log/fuzz.*.log"
}
