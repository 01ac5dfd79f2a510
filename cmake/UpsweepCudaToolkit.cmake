# upsweep_find_cuda_toolkit(...)
# find_package(CUDAToolkit ...). That of CMake 3.25.1 fails with CUDA 13 in a project that requires CMake 3.25: it calls
# CUDA::nvToolsExt deprecated without asking whether there is one. A lower requirement leaves that out.
macro(upsweep_find_cuda_toolkit)
  set(upsweep_required_cmake ${CMAKE_MINIMUM_REQUIRED_VERSION})
  if(CMAKE_VERSION VERSION_LESS 3.26)
    set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
  endif()
  find_package(CUDAToolkit ${ARGN})
  set(CMAKE_MINIMUM_REQUIRED_VERSION ${upsweep_required_cmake})
endmacro()
