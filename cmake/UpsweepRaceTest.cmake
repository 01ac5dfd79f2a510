# upsweep_race_options(TARGET -O1|-Og)
# Compiles a target so that the race checker sees its accesses.
function(upsweep_race_options target optimised)
  target_compile_options(${target} PRIVATE
    # With _FORTIFY_SOURCE, which some systems set, the C library's headers replace memset and its like.
    # -O1 compiles in two thirds of the time of -O2, and the programs run as fast; it would inline less.
    -U_FORTIFY_SOURCE ${optimised} -finline-functions -finline-small-functions
    -g1 -fsanitize=thread -fno-tree-vectorize
    -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -fno-builtin-memcmp
    "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param tsan-instrument-func-entry-exit=0>"
    # GCC does not instrument the store in `*p = f()` unless f is inlined.
    "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param max-inline-insns-single=2000 --param early-inlining-insns=200>"
    "${upsweep_roomy}")
endfunction()

# What most tests include, compiled once as these programs are.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/race_headers.cpp CONTENT "")
add_library(upsweep_race_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/race_headers.cpp)
target_include_directories(upsweep_race_headers PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/scan/include)
target_link_libraries(upsweep_race_headers PRIVATE GTest::gtest)
target_compile_features(upsweep_race_headers PRIVATE cxx_std_20)
target_compile_definitions(upsweep_race_headers PRIVATE UPSWEEP_RACE_CHECK)
set_target_properties(upsweep_race_headers PROPERTIES CXX_EXTENSIONS OFF)
upsweep_warnings(upsweep_race_headers)
upsweep_race_options(upsweep_race_headers -O1)
target_precompile_headers(upsweep_race_headers PRIVATE ${upsweep_most_tests_include})

# upsweep_race_test(NAME SOURCES... SHARDS n COST n RUNS_SHORTLY)
# A GoogleTest program whose kernels run on the sim under the race checker (tests/sim/race), and its ctest entry, labelled
# race.
function(upsweep_race_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUNS_SHORTLY" "SHARDS;COST" "SOURCES")
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  upsweep_test(${name} SOURCES ${arg_SOURCES} DEFINITIONS UPSWEEP_RACE_CHECK SHARDS ${arg_SHARDS} COST ${arg_COST}
    UPSWEEP upsweep_race_sim LABELS race)
  upsweep_race_options(${name} $<IF:$<BOOL:${arg_RUNS_SHORTLY}>,-Og,-O1>)
  target_precompile_headers(${name} REUSE_FROM upsweep_race_headers)
  target_link_options(${name} PRIVATE -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp)
endfunction()
