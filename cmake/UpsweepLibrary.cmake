# What the targets of upsweep have in common.

# Warnings are for those who change upsweep, and errors where they say so, as .ci/run does: another compiler warns of more.
option(UPSWEEP_WARNINGS_ARE_ERRORS "Stop at a warning in upsweep's own targets" OFF)
function(upsweep_warnings target)
  set(gnu -Wall -Wextra)
  set(errors "")
  if(UPSWEEP_WARNINGS_ARE_ERRORS)
    list(APPEND gnu -Werror)
    set(errors --Werror=all-warnings)
  endif()
  list(JOIN gnu "," gnu_for_nvcc)
  target_compile_definitions(${target} PRIVATE UPSWEEP_WARN_IN_HEADERS)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${gnu}>"
    # GCC 12 sees overlapping copies inside std::string (its bug 105651).
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>"
    "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=${gnu_for_nvcc};${errors}>")
endfunction()

# upsweep_library(NAME SOURCES... CUDA_SOURCES... NO_CUDA_SOURCES... PUBLIC... PRIVATE...)
# The library upsweep_NAME, known to all as upsweep::NAME. CUDA_SOURCES or NO_CUDA_SOURCES are compiled, by whether the CUDA
# half is built. Every header under include/ is public, so a new one is installed and checked without being named.
function(upsweep_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CUDA_SOURCES;NO_CUDA_SOURCES;PUBLIC;PRIVATE")
  set(target upsweep_${name})
  set(sources ${arg_SOURCES})
  if(UPSWEEP_WITH_CUDA)
    upsweep_cuda_sources(cuda_sources ${target} ${arg_CUDA_SOURCES})
    list(APPEND sources ${cuda_sources})
  else()
    list(APPEND sources ${arg_NO_CUDA_SOURCES})
  endif()
  add_library(${target} ${sources})
  add_library(upsweep::${name} ALIAS ${target})

  set(include ${CMAKE_CURRENT_SOURCE_DIR}/include)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${include}/*.hpp ${include}/*.cuh)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${include} FILES ${headers})
  set_property(GLOBAL APPEND PROPERTY UPSWEEP_HEADERS ${headers})

  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  target_include_directories(${target} PRIVATE src)
  if(UPSWEEP_WITH_CUDA)
    if(BUILD_SHARED_LIBS)  # one CUDA runtime for the three libraries
      set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
      target_link_libraries(${target} PUBLIC CUDA::cudart)
    else()
      target_link_libraries(${target} PUBLIC CUDA::cudart_static)
    endif()
  endif()
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    CXX_EXTENSIONS OFF
    # Whatever the project around this one asks for: a shared upsweep exports what its headers declare.
    CXX_VISIBILITY_PRESET default
    CUDA_VISIBILITY_PRESET default
    VISIBILITY_INLINES_HIDDEN OFF
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  upsweep_warnings(${target})
  if(NOT PROJECT_IS_TOP_LEVEL)
    # With the -O3 of the project around it, GCC 12 takes items that a part of a block's threads have for uninitialized.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>")
  endif()
endfunction()

# The C++ sources of a program share most of what they include, and instantiate the same templates: so many of them are one.
option(UPSWEEP_UNITY "Compile several sources of a program as one, in half of the time; OFF: each by itself, as clang-tidy wants" ON)
function(upsweep_compiles_together target sources)
  if(UPSWEEP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources})
  endif()
endfunction()

# GCC collects its garbage later, which saves it a tenth of its time and takes up to 0.6 GB more: where each core has 3 GiB.
cmake_host_system_information(RESULT upsweep_mebibytes QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT upsweep_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR upsweep_mebibytes "${upsweep_mebibytes} / ${upsweep_cores}")
set(upsweep_roomy "")
if(upsweep_mebibytes GREATER 3000)
  set(upsweep_roomy "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-expand=100;--param=ggc-min-heapsize=700000>")
endif()

# What compiles C++ in less time than the -O2 of a release.
set(upsweep_quick "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-O1>" "${upsweep_roomy}")

# In two thirds of the time of -O1. Kernels on the sim take a third longer.
set(upsweep_quickest "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-Og>" "${upsweep_roomy}")

# upsweep_kernels_of_the_sim(SOURCES...)
# Kernels compiled for the sim, in less than half of the time of -O2.
function(upsweep_kernels_of_the_sim)
  if(PROJECT_IS_TOP_LEVEL)  # else the flags are those of the project around it
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${upsweep_quickest}")
  endif()
endfunction()
