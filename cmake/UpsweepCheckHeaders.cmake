# check_headers: every public header compiles when it is the only include: with the C++ compiler, since the sim runs what is
# in a .cuh; those that are CUDA's alone (cuda_*.cuh, drop_in.cuh) with nvcc. One file that includes them all compiles with
# nvcc for the oldest GPU.

get_property(headers GLOBAL PROPERTY UPSWEEP_HEADERS)
set(cxx_sources "")
set(cuda_sources "")
set(all_text "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE ".*/include/(upsweep/.*)" "\\1" name ${header})
  string(REPLACE "/" "_" file ${name})
  set(file ${PROJECT_BINARY_DIR}/check_headers/${file})
  string(APPEND all_text "#include \"${name}\"\n")
  if(header MATCHES "/(cuda_[^/]*|drop_in)\\.cuh$")
    file(CONFIGURE OUTPUT ${file}.cu CONTENT "#include \"${name}\"\n")
    list(APPEND cuda_sources ${file}.cu)
  else()
    file(CONFIGURE OUTPUT ${file}.cpp CONTENT "#include \"${name}\"\n")
    list(APPEND cxx_sources ${file}.cpp)
  endif()
endforeach()

add_custom_target(check_headers)
function(upsweep_check_headers name)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${name} PRIVATE upsweep::upsweep)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  upsweep_warnings(${name})
  add_dependencies(check_headers ${name})
endfunction()

upsweep_check_headers(check_headers_cxx ${cxx_sources})
if(UPSWEEP_WITH_CUDA AND cuda_sources)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/check_headers/all.cu CONTENT "${all_text}")
  upsweep_check_headers(check_headers_cuda ${cuda_sources})
  # To PTX nvcc reads them once; the host's compiler, which takes three times as long, has them all in the file of all.
  set_target_properties(check_headers_cuda PROPERTIES CUDA_ARCHITECTURES 90-virtual CUDA_PTX_COMPILATION ON
    CUDA_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/read_by_nvcc.sh)
  upsweep_check_headers(check_headers_sm75 ${PROJECT_BINARY_DIR}/check_headers/all.cu)
  set_target_properties(check_headers_sm75 PROPERTIES CUDA_ARCHITECTURES 75)
endif()
