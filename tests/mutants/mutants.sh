# The command ./run mutants, which `run` sources: plants each of the bugs of tests/mutants/*.mutants in a copy of the sources
# of its own, and asks whether the tests that a mutant names turn red. The base, a copy of the sources and a build of it, has
# no mutant; its content is compared with the sources when the command begins. What a mutant takes of it are hard links, so
# ninja compiles what depends on the edited file, of the libraries too, and no more.

mutants_dir=build/mutants
mutants_source=$mutants_dir/source # the base
mutants_build=$mutants_dir/build
mutants_planted=$mutants_dir/planted # a folder for each mutant at work
mutants_table=$mutants_dir/table.md
mutants_limit=300 # seconds that a program may take longer than it took without a mutant

# --- the table -----------------------------------------------------------------------------------------------------------

# By number of the mutant:
mutant_name=() mutant_why=() mutant_file=() mutant_tests=()

# read_mutants: stops when a mutant is not complete, or its old lines do not occur exactly once, when all that is wrong is said.
read_mutants() {
  local table fields m
  table=$(python3 tests/mutants/anchor.py list) || stop 1 "the table of mutants does not fit the sources"
  mapfile -t fields <<<"$table"
  for ((m = 0; 4 * m < ${#fields[@]}; ++m)); do
    mutant_name[m]=${fields[4 * m]} mutant_why[m]=${fields[4 * m + 1]}
    mutant_file[m]=${fields[4 * m + 2]} mutant_tests[m]=${fields[4 * m + 3]}
  done
}

# --- the base ------------------------------------------------------------------------------------------------------------

list_sources() { # with a zero byte after each
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -path ./build -prune -o -path ./.git -prune -o -type f -printf '%P\0'
  fi
}

# Makes the copy like the sources. A file whose content is the same keeps its date, and is not built again.
copy_sources() {
  local file
  local -A wanted=()
  while IFS= read -rd '' file; do
    [[ -f $file ]] || continue
    wanted[$file]=1
    if ! cmp -s "$file" "$mutants_source/$file"; then
      mkdir -p "$mutants_source/$(dirname "$file")"
      cp "$file" "$mutants_source/$file"
    fi
  done < <(list_sources)
  while IFS= read -rd '' file; do
    [[ -n ${wanted[$file]:-} ]] || rm "$mutants_source/$file"
  done < <(find $mutants_source -type f -printf '%P\0')
}

# configure_base: with relative paths, so that a copy of the base is a build of its own. ninja runs all commands in the build's
# folder.
configure_base() {
  local text path
  cmake -S $mutants_source -B $mutants_build -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_SUPPRESS_REGENERATION=ON \
    -D CMAKE_BUILD_RPATH_USE_ORIGIN=ON -D UPSWEEP_CUDA=OFF -D UPSWEEP_APPS=OFF -D UPSWEEP_TESTS=ON \
    -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON -D UPSWEEP_WARNINGS_ARE_ERRORS=OFF || return
  text=$(<$mutants_build/build.ninja)
  for path in "$PWD" "$(pwd -P)"; do
    text=${text//"$path/$mutants_source"/../source}
    text=${text//"$path/$mutants_build"/.}
  done
  # By this CMake names what a custom command makes a second time, which must not be the same name twice.
  text=${text/cmake_ninja_workdir = .\//cmake_ninja_workdir = /}
  printf '%s\n' "$text" >$mutants_build/build.ninja
  if [[ $text == *"/$mutants_dir/"* ]]; then
    say "mutants cannot be built below a folder with such a name: $PWD"
    return 1
  fi
}

# copy_base FOLDER: compilers and linkers put a new file where an old one was, which stays as it is in the base. ninja
# appends to its logs, and so they are true copies.
copy_base() {
  local file
  rm -rf "$1"
  mkdir -p "$1"
  cp -al $mutants_source $mutants_build "$1"
  for file in .ninja_log .ninja_deps; do
    rm -f "$1/build/$file"
    cp -p "$mutants_build/$file" "$1/build/$file"
  done
}

# libraries_of PROGRAM...: what the programs are linked with and this build makes.
libraries_of() { ninja -C $mutants_build -t query "${@/#/bin/}" | sed -n 's/^    | \([^/|].*\)/\1/p' | sort -u; }

# objects_of PROGRAM STEM: its object files, those first in whose name there is a word of the stem.
objects_of() {
  local objects words=${2//_/|}
  objects=$(ninja -C $mutants_build -t query "bin/$1" | sed -n 's/^    \([^|].*\.o\)$/\1/p')
  grep -E "($words)[^/]*\$" <<<"$objects" || true
  grep -Ev "($words)[^/]*\$" <<<"$objects" || true
}

# build_of BUILD PROGRAM THREADS OBJECT...: builds the program of these of its objects alone, each of which registers its own
# tests.
build_of() {
  local build=$1 program=$2 threads=$3 libraries link
  shift 3
  mapfile -t libraries < <(libraries_of "$program")
  ninja -C "$build" -j "$threads" "$@" "${libraries[@]}" || return
  link=$(ninja -C $mutants_build -t commands -s "bin/$program" | sed 's/ [^ ]*\.dir\/[^ ]*\.o\>//g')
  [[ $link == *' -o '* ]] && rm -f "$build/bin/$program" && (cd "$build" && eval "${link/ -o / $* -o }")
}

# --- running tests -------------------------------------------------------------------------------------------------------

# run_program BUILD NAME SECONDS SHARDS FILTER...: runs a GoogleTest program up to its first failed test, in so many processes
# side by side, and by one filter after the other. Sets `result` (passed, caught or ERROR), and of a test that failed `by`,
# `test` and `said`. The outputs are appended to `log`.
run_program() {
  local folder=$1 name=$2 limit=$3 shards=$4 filter shard rc=0 process="" began=$SECONDS
  local -A shard_of=()
  shift 4
  for filter; do
    for ((shard = 0; shard < shards; ++shard)); do
      rm -f "$folder/output.$shard" # which may be a link to the base's
      (
        cd "$folder"
        export GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard
        exec timeout --foreground --kill-after=10 "$limit" "bin/$name" --gtest_fail_fast --gtest_color=no "--gtest_filter=$filter"
      ) >"$folder/output.$shard" 2>&1 </dev/null &
      shard_of[$!]=$shard
    done
    # The braces take what bash says of a program that crashes.
    {
      while ((rc == 0 && ${#shard_of[@]})); do
        wait -n -p process "${!shard_of[@]}" || rc=$?
        shard=${shard_of[$process]}
        unset "shard_of[$process]"
        cat "$folder/output.$shard" >>"$log"
      done
      if ((${#shard_of[@]})); then
        kill "${!shard_of[@]}" || true
        wait "${!shard_of[@]}" || true
      fi
    } 2>/dev/null
    ((rc == 0)) || break
  done
  result=passed by="" test="" said=""
  ((rc == 0)) || read_failure "$folder/output.$shard" "$rc" "$limit" $((SECONDS - began))
}

# read_failure OUTPUT STATUS LIMIT SECONDS: sets `result` (caught or ERROR), `by`, `test` and `said` by what a program that failed
# wrote, after so many seconds.
read_failure() {
  local output=$1 rc=$2 line failing=0
  result=caught

  # Of the first failure: the sim's diagnostic, else what same_items says, else the test's own words, else what was compared.
  local sim="" actual="" words="" compared=""
  while IFS= read -r line; do
    case $line in
      '[ RUN      ] '*)
        [[ -z $compared ]] || break
        test=${line#*] }
        ;;
      '[  FAILED  ] '* | 'Google Test trace:' | 'seed '*'; again: '*) break ;;
      *': Failure')
        [[ -z $compared ]] || break
        failing=1
        ;;
      *)
        ((failing)) || continue
        case $line in
          sim:*) : "${sim:=$line}" ;;
          '  Actual: false ('*) : "${actual:=${line#*Actual: false (}}" ;;
          'Expected equality of these values:') compared='not equal:' ;;
          '    Which is: '*) compared+=" = ${line#*: }," ;;
          '  '*) [[ $compared != 'not equal:'* ]] || compared+=" ${line#  }" ;;
          Expected* | 'Value of:'* | '') ;;
          *) : "${words:=$line}" ;;
        esac
        : "${compared:=${line:-?}}"
        ;;
    esac
  done <"$output"
  said=${sim:-${actual%)}}
  said=${said:-${words:-${compared%,}}}
  while [[ $said =~ [^\ ]*\.\./source/ ]]; do said=${said/"${BASH_REMATCH[0]}"/}; done
  case $said in
    *race:* | *'nothing wrote'* | *'outside of an array'* | *'neither the block'* | *'an allocation of'* | \
      *'that are not aligned to'* | *bulk_fence* | *'before wait_for_previous'* | *'its block ends'* | *'which has ended'*)
      by="the checker"
      ;;
    sim:*) by="the sim" ;;
    *) by="the values" ;;
  esac
  if ((rc == 124 || (rc == 137 && $4 >= $3))); then
    by="the time limit" said="still running after $3 s"
  elif [[ $rc == 137 || -z $test || ($rc -le 128 && -z $compared) ]]; then
    # It was killed, as where there is too little memory, or did not come to a test.
    result=ERROR by="" said="exit status $rc"
  elif ((rc > 128)); then
    by="a crash" said="signal $((rc - 128))${said:+; $said}"
  fi
}

# try_mutant MUTANT FOLDER THREADS SLOWER: writes result (caught, SURVIVED or ERROR), program, by, test and said into the folder's
# file `result`, a line each. SLOWER is how many jobs share a core.
try_mutant() {
  local folder=$2 log=$2/log result=ERROR program="" by="" test="" said="its lines were not found in the copy" stem at
  local -a objects
  copy_base "$folder"
  if stem=$(python3 tests/mutants/anchor.py plant "${mutant_name[$1]}" "$folder/source"); then
    stem=${stem##*/}
    stem=${stem%.*}
    for program in ${mutant_tests[$1]}; do
      printf '\n### mutant %s, %s\n' "${mutant_name[$1]}" "$program" >>"$log"
      # What one file of the tests finds spares compiling the others. The files and the tests that are called like the source
      # are the first that should see it.
      mapfile -t objects < <(objects_of "$program" "$stem")
      for ((at = 0; at < ${#objects[@]}; at += $3)); do
        if ! build_of "$folder/build" "$program" "$3" "${objects[@]:at:$3}" >>"$log" 2>&1 </dev/null; then
          result=ERROR said="it does not compile" by="" test=""
          break 2
        fi
        run_program "$folder/build" "$program" $(((mutants_limit + ${seconds_of[$program]:-0}) * $4)) "$3" "*$stem*" "-*$stem*"
        [[ $result == passed ]] || break 2
      done
      result=SURVIVED said=""
    done
  fi
  printf '%s\n' "$result" "$program" "$by" "$test" "$said" >"$folder/result"
}

# expect_to_pass PROGRAM: builds and runs it without a mutant; stops when it fails. Sets seconds_of[PROGRAM].
expect_to_pass() {
  local program=$1 result by test said began cores
  cores=$(nproc)
  step "building $program as it is" ninja -C $mutants_build "bin/$program"
  began=$SECONDS
  printf '%-64s' "running it, which must pass ..."
  run_program $mutants_build "$program" 3600 "$cores" '*'
  seconds_of[$program]=$(((SECONDS - began) * cores))
  say "$((SECONDS - began)) s"
  [[ $result == passed ]] || stop 1 "$program fails without a mutant, at $test: $said; the log is $log"
}

# --- the command ---------------------------------------------------------------------------------------------------------

# choose_mutants ONLY SAMPLE: sets `chosen`.
choose_mutants() {
  local m start k matching=() quick=()
  for m in "${!mutant_name[@]}"; do
    [[ ${mutant_name[m]} =~ $1 ]] || continue
    matching+=("$m")
    [[ ${mutant_tests[m]%% *} != *_race_test ]] || quick+=("$m")
  done
  ((${#matching[@]} > 0)) || stop 1 "no mutant's name matches '$1'"
  if (($2 == 0 || $2 >= ${#matching[@]})); then
    chosen=("${matching[@]}")
    return
  fi
  # Of those whose first program needs no library of kernels, which takes minutes to build; the full run takes the others.
  if ((${#quick[@]} >= $2)); then matching=("${quick[@]}"); fi
  # Evenly over the table, and so over the modules; from another mutant on for every commit, or else every day.
  start=$(git rev-parse --verify --short=8 HEAD 2>/dev/null) && start=$((16#${start:0:8})) || start=$((EPOCHSECONDS / 86400))
  chosen=()
  for ((k = 0; k < $2; ++k)); do
    chosen+=("${matching[$(((start + k * ${#matching[@]} / $2) % ${#matching[@]}))]}")
  done
}

markdown_row() {
  local cell text="|"
  for cell in "$@"; do text+=" ${cell//|/\\|} |"; done
  say "$text" >>$mutants_table
}

# try_mutants JOBS: tries the mutants `chosen`, so many at a time, says of each what came of it, and counts the results in `count`.
try_mutants() {
  local jobs=$1 cores threads slower next=0 process="" m folder fields several=() single=()
  ((jobs <= ${#chosen[@]})) || jobs=${#chosen[@]}
  cores=$(nproc)
  threads=$((jobs < cores ? cores / jobs : 1)) slower=$(((jobs + cores - 1) / cores))
  # Those that may take several programs begin first, so that they are not what is waited for at the end.
  if ((jobs > 1)); then
    for m in "${chosen[@]}"; do
      if [[ ${mutant_tests[m]} == *' '* ]]; then several+=("$m"); else single+=("$m"); fi
    done
    chosen=("${several[@]}" "${single[@]}")
  fi
  while ((next < ${#chosen[@]} || ${#at_work[@]})); do
    while ((next < ${#chosen[@]} && ${#at_work[@]} < jobs)); do
      m=${chosen[next]}
      # With job control each has a process group, and nothing of it is left when it is stopped.
      set -m
      try_mutant "$m" "$mutants_planted/${mutant_name[m]}" "$threads" "$slower" </dev/null &
      set +m
      at_work[$!]=$m
      next=$((next + 1))
    done
    wait -n -p process "${!at_work[@]}" || true
    [[ -n ${process:-} ]] || continue
    m=${at_work[$process]}
    unset "at_work[$process]"
    folder=$mutants_planted/${mutant_name[m]}
    fields=(ERROR "" "" "" "its process ended early")
    [[ ! -e $folder/result ]] || mapfile -t fields <"$folder/result"
    [[ ! -e $folder/log ]] || cat "$folder/log" >>"$log"
    rm -rf "$folder"
    count[${fields[0]}]=$((count[${fields[0]}] + 1))
    [[ ${fields[0]} != caught ]] || caught_by[${fields[1]}]=1
    printf '%-52s %-8s %s\n' "${mutant_name[m]}" "${fields[0]}" \
      "${fields[1]:+${fields[1]}: }${fields[2]:+by ${fields[2]}, }${fields[3]:+${fields[3]}: }${fields[4]}"
    markdown_row "${mutant_name[m]}" "${fields[@]}" "${mutant_why[m]}"
  done
}

stop_mutants() {
  local process
  for process in "${!at_work[@]}"; do kill -- "-$process" 2>/dev/null || true; done
}

cmd_mutants() {
  local only="" sample=0 jobs=1 list=0 tested=0 m program began
  while (($#)); do
    case $1 in
      --list) list=1 ;;
      --tested) tested=1 ;;
      --only | --sample | --jobs)
        (($# > 1)) || stop 2 "$1 needs a value"
        local "${1#--}=$2"
        shift
        ;;
      *) stop 2 "mutants does not know '$1'; see ./run help" ;;
    esac
    shift
  done
  [[ $sample =~ ^(0|[1-9][0-9]{0,5})$ ]] || stop 2 "--sample needs a number below 10^6 (0 for all), not '$sample'"
  [[ $jobs =~ ^[1-9][0-9]{0,2}$ ]] || stop 2 "--jobs needs a number from 1 to 999, not '$jobs'"
  [[ "" =~ $only ]] || (($? == 1)) || stop 2 "--only needs a regular expression, not '$only'"
  read_mutants
  local chosen=()
  choose_mutants "$only" "$sample"
  if ((list)); then
    for m in "${chosen[@]}"; do
      printf '%-52s %s\n' "${mutant_name[m]}" "${mutant_why[m]}"
    done
    say "${#chosen[@]} mutants; the lines of all ${#mutant_name[@]} occur exactly once in their files"
    return
  fi

  mkdir -p $mutants_source
  exec {mutants_lock}>"$mutants_dir/lock"
  flock -n "$mutants_lock" || stop 1 "another ./run mutants is at work in $mutants_dir"
  start_log mutants
  set_up "to build and test" $to_build $to_test
  step "copying the sources to $mutants_source" copy_sources
  step "configuring $mutants_build" configure_base
  local -A seconds_of=() first=() caught_by=()
  for m in "${chosen[@]}"; do first[${mutant_tests[m]%% *}]=1; done
  if ((tested)); then
    local libraries
    mapfile -t libraries < <(libraries_of "${!first[@]}")
    step "building the libraries" ninja -C $mutants_build "${libraries[@]}"
    for program in "${!first[@]}"; do seconds_of[$program]=600; done # at most; it tells a mutant that hangs from one that survives
  else
    for program in "${!first[@]}"; do expect_to_pass "$program"; done
  fi

  local -A count=([caught]=0 [SURVIVED]=0 [ERROR]=0)
  local -A at_work=() # process: mutant
  trap stop_mutants EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  rm -rf $mutants_planted
  : >$mutants_table
  markdown_row mutant result program by "first failed test" "what it said" why
  markdown_row --- --- --- --- --- --- ---
  began=$SECONDS
  try_mutants "$jobs"
  # A further program of a mutant is rarely needed: whether it passes without the mutant is asked when it has failed.
  for program in "${!caught_by[@]}"; do [[ -n ${seconds_of[$program]:-} ]] || expect_to_pass "$program"; done
  say "${#chosen[@]} mutants in $((SECONDS - began)) s: ${count[caught]} caught, ${count[SURVIVED]} survived," \
    "${count[ERROR]} errors"
  say "the table is $mutants_table, the full log $log"
  ((count[caught] == ${#chosen[@]}))
}
