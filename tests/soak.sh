# ./run soak: the tests whose suites depend on the seed, under one new seed after another. Sourced by `run`.

soak_filter='sim_random*:sim_crowded*'

# soak_one SEED PROGRAM...: runs the programs by that seed into a log, which stays when one fails.
soak_one() {
  local seed=$1 program child="" rc=0
  shift
  trap '[[ -z $child ]] || kill "$child" 2>/dev/null; rm -f "build/log/soak.$seed.log"; exit 143' TERM
  for program; do
    timeout 1800 "$build/bin/$program" --gtest_brief=1 "--gtest_filter=$soak_filter" "--sim-seed=$seed" \
      >"build/log/soak.$seed.log" 2>&1 </dev/null &
    child=$!
    wait "$child" || rc=$?
    if ((rc != 0)); then
      printf '%s\n' "$program" >"build/log/soak.$seed.failed"
      return "$rc"
    fi
  done
  rm -f "build/log/soak.$seed.log"
}

# soak_failure SEED: which program and tests failed, and the commands that run them again.
soak_failure() {
  local seed=$1 program again
  program=$(cat "build/log/soak.$seed.failed")
  say "failed: $program with seed $seed; its log is build/log/soak.$seed.log"
  sed -n 's/^\[  FAILED  \] \([^ ,]*\).*ms)$/  \1/p' "build/log/soak.$seed.log"
  again=$(sed -n 's/^seed [0-9]*; again: /  /p' "build/log/soak.$seed.log")
  say "again:"
  say "${again:-  $PWD/$build/bin/$program '--gtest_filter=$soak_filter' --sim-seed=$seed}"
}

cmd_soak() {
  local minutes="" count="" first="" filter="" program rc finished failed="" passed=0 stopped=0
  local cores start said next end seconds
  local -a programs=() wanted=(sim_test scan_contract_test compact_contract_test sort_contract_test)
  local -A seed_of=()
  while (($#)); do
    (($# > 1)) || stop 2 "$1 needs a value; see ./run help"
    case $1 in
      --minutes) minutes=$2 ;;
      --seeds) count=$2 ;;
      --sim-seed) first=$2 ;;
      --filter) filter=$2 ;;
      *) stop 2 "soak does not know '$1'; see ./run help" ;;
    esac
    [[ $1 == --filter || $2 =~ ^(0|[1-9][0-9]{0,11})$ ]] || stop 2 "$1 needs a number below 10^12, not '$2'"
    shift 2
  done
  [[ "" =~ $filter ]] || (($? == 1)) || stop 2 "--filter needs a regular expression, not '$filter'"
  [[ -n $minutes$count ]] || stop 2 "soak needs --minutes N or --seeds COUNT"
  [[ $minutes != 0 && $count != 0 ]] || stop 2 "soak runs for one minute or one seed at least"
  start_log soak
  prepare all
  mapfile -t -O "${#wanted[@]}" wanted < <(ctest --test-dir "$build" -N -L race |
    sed -n 's/^ *Test *#[0-9]*: \([^. ]*\).*/\1/p' | sort -u)
  for program in "${wanted[@]}"; do
    if [[ $program =~ $filter ]]; then programs+=("$program"); fi
  done
  ((${#programs[@]})) || stop 2 "no program matches '$filter'; there are ${wanted[*]}"
  step "building ${#programs[@]} test programs" cmake --build "$build" --target "${programs[@]}"
  wanted=("${programs[@]}")
  programs=()
  for program in "${wanted[@]}"; do
    if [[ $("$build/bin/$program" --gtest_list_tests "--gtest_filter=$soak_filter") == *$'\n  '* ]]; then
      programs+=("$program")
    fi
  done
  ((${#programs[@]})) || stop 1 "no test of ${wanted[*]} depends on the seed"

  first=${first:-$(date +%s)}
  cores=$(nproc) next=$first end=$((first + ${count:-1000000000000}))
  start=$SECONDS said=$SECONDS seconds=$((60 * ${minutes:-1000000000}))
  rm -f build/log/soak.*.failed
  say "running the tests $soak_filter of ${programs[*]} by seeds from $first on; Ctrl-C ends it"
  trap 'stopped=1' INT
  while ((!stopped)) && [[ -z $failed ]]; do
    # A seed that has begun is brought to its end.
    while ((${#seed_of[@]} < cores && next < end && SECONDS - start < seconds)); do
      soak_one "$next" "${programs[@]}" &
      seed_of[$!]=$next
      next=$((next + 1))
    done
    ((${#seed_of[@]})) || break
    rc=0 finished=""
    wait -n -p finished "${!seed_of[@]}" || rc=$?
    [[ -n ${finished:-} ]] || continue # a signal came
    if ((rc == 0)); then
      passed=$((passed + 1))
    elif ((!stopped)); then
      failed=${seed_of[$finished]}
    fi
    unset "seed_of[$finished]"
    if ((SECONDS - said >= 10)); then
      said=$SECONDS
      say "seeds passed: $passed, in $((SECONDS - start)) s"
    fi
  done
  trap - INT
  if ((${#seed_of[@]})); then
    kill "${!seed_of[@]}" 2>/dev/null || true
    wait "${!seed_of[@]}" 2>/dev/null || true
  fi
  if [[ -n $failed ]]; then
    soak_failure "$failed"
    say "seeds passed: $passed, in $((SECONDS - start)) s; failed: $failed"
    exit 1
  fi
  if ((stopped)); then
    say "stopped; seeds passed: $passed, in $((SECONDS - start)) s"
    exit 130
  fi
  say "seeds from $first on: $passed, in $((SECONDS - start)) s; all passed"
}
