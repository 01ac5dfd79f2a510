# main() of every test program, which takes --sim-seed.
add_library(upsweep_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_link_libraries(upsweep_test_main PUBLIC GTest::gtest)
target_include_directories(upsweep_test_main PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_features(upsweep_test_main PUBLIC cxx_std_20)
set_target_properties(upsweep_test_main PROPERTIES CXX_EXTENSIONS OFF)
upsweep_warnings(upsweep_test_main)
target_include_directories(upsweep_test_main PRIVATE ${PROJECT_SOURCE_DIR}/scan/include)
# What most tests include, and how all print a status.
set(upsweep_most_tests_include
  <gtest/gtest.h> <algorithm> <cstdint> <functional> <string> <vector> "${PROJECT_SOURCE_DIR}/tests/support/print_status.hpp")
target_precompile_headers(upsweep_test_main PRIVATE ${upsweep_most_tests_include})

# Puts how a status is printed before the first line of what has no precompiled header to bring it.
function(upsweep_prints_status name)
  set(option "SHELL:-include support/print_status.hpp")
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(option $<$<COMPILE_LANGUAGE:CUDA>:${option}>)
  endif()
  target_compile_options(${name} PRIVATE "${option}")
endfunction()

add_custom_target(gpu_tests)

# upsweep_test_needs(ENTRY runs|reads TARGETS...)
# What the ctest entry needs built, for ./run test --filter; reads: nvcc has read it then, and nothing of it runs. They are
# written to tests-need.txt, an entry a line.
function(upsweep_test_needs)
  list(JOIN ARGN " " line)
  set_property(GLOBAL APPEND_STRING PROPERTY UPSWEEP_TESTS_NEED "${line}\n")
endfunction()

# upsweep_test(NAME SOURCES... LIBRARIES... DEFINITIONS... LABELS... SHARDS n COST n)
# A GoogleTest program of that name, and its ctest entry. Every run writes test-results/NAME.xml, from which ./run counts
# the single tests. SHARDS cuts a long program into n entries that ctest runs side by side; it begins with those of the
# highest COST, in seconds. UPSWEEP names another library than upsweep itself. With the label gpu, the target gpu_tests builds
# it, and no two run at a time. RUNS_SHORTLY: it takes longer to compile than to run.
function(upsweep_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUNS_SHORTLY;READ_TOGETHER" "SHARDS;COST;UPSWEEP" "SOURCES;LIBRARIES;DEFINITIONS;LABELS")
  if(NOT arg_UPSWEEP)
    set(arg_UPSWEEP upsweep::upsweep)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_UPSWEEP} ${arg_LIBRARIES} upsweep_test_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  upsweep_warnings(${name})
  upsweep_prints_status(${name})
  if(NOT race IN_LIST arg_LABELS)
    # In three quarters of the time of -O2; the sim runs as fast.
    target_compile_options(${name} PRIVATE "${upsweep_quick}")
    target_precompile_headers(${name} REUSE_FROM upsweep_test_main)
  endif()
  if(arg_RUNS_SHORTLY)
    target_compile_options(${name} PRIVATE "${upsweep_quickest}")
  endif()

  set(lock "")
  if(gpu IN_LIST arg_LABELS)
    add_dependencies(gpu_tests ${name})
    set(lock RESOURCE_LOCK gpu)
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(entry ${name})
    if(arg_SHARDS GREATER 1)
      set(entry ${name}.${shard})
    endif()
    add_test(NAME ${entry}
      COMMAND ${name} --gtest_brief=1 --gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${entry}.xml)
    upsweep_test_needs(${entry} runs ${name})
    set_tests_properties(${entry} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}"
      LABELS "gtest;${arg_LABELS}"
      TIMEOUT 900
      COST ${arg_COST}
      ${lock})
  endforeach()
endfunction()

# The same for a program that needs nvcc to compile and a GPU to run; without a GPU its tests skip and say why. The macro
# UPSWEEP_FULL_PRODUCT asks for the whole cross product where a covering selection would do. Where there is no GPU, and
# UPSWEEP_GPU_TESTS does not ask for more, nvcc reads the C++ alone, all templates too, in a quarter of the time.
# READ_TOGETHER: then all its sources are read as one, the headers once; each has a variable `added`, and no other name that
# another has.
function(upsweep_gpu_test name)
  if(NOT UPSWEEP_WITH_CUDA)
    return()
  endif()
  if(UPSWEEP_GPU_TESTS STREQUAL "ON" OR (UPSWEEP_GPU_TESTS STREQUAL "AUTO" AND upsweep_gpus))
    upsweep_test(${name} ${ARGN} LABELS gpu)
  else()
    upsweep_reads_gpu_test(${name} ${ARGN})
  endif()
  if(UPSWEEP_FULL_GPU_TESTS)
    target_compile_definitions(${name} PRIVATE UPSWEEP_FULL_PRODUCT)
  endif()
endfunction()

function(upsweep_reads_gpu_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "READ_TOGETHER" "" "SOURCES;LIBRARIES;DEFINITIONS")
  if(arg_READ_TOGETHER)
    set(together "")
    foreach(source IN LISTS arg_SOURCES)
      get_filename_component(stem ${source} NAME_WE)
      string(APPEND together
        "#define added added_by_${stem}\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n#undef added\n")
    endforeach()
    set(arg_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/${name}.cu)
    file(CONFIGURE OUTPUT ${arg_SOURCES} CONTENT "${together}")
  endif()
  add_library(${name} OBJECT ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE upsweep::upsweep ${arg_LIBRARIES} GTest::gtest)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF CUDA_ARCHITECTURES 90-virtual CUDA_PTX_COMPILATION ON)
  upsweep_warnings(${name})
  upsweep_prints_status(${name})
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --help OUTPUT_VARIABLE nvcc_help)
  if(nvcc_help MATCHES "--fdevice-syntax-only")
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--fdevice-syntax-only>)
    set_target_properties(${name} PROPERTIES CUDA_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/read_by_nvcc.sh)
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "SKIP: no GPU here; cmake -D UPSWEEP_GPU_TESTS=ON compiles it all the same")
  set_tests_properties(${name} PROPERTIES LABELS "gtest;gpu" SKIP_REGULAR_EXPRESSION "SKIP: ")
  upsweep_test_needs(${name} reads ${name})
endfunction()
