# UPSWEEP_CUB_DIR, another CUB than the toolkit's for what is measured or tested against CUB, with the Thrust and libcu++ that
# belong to it: upsweep_uses_cub(TARGET). The library itself is compiled with the toolkit's.

set(UPSWEEP_CUB_DIR "" CACHE PATH "CCCL whose CUB upsweep-bench and the tests take as reference; empty: the toolkit's")

# Sets `folders` to the include folders of the CCCL in `dir`, and `version` to CUB's, as in CUB_VERSION; says what is missing.
function(upsweep_find_cub dir folders version)
  # The folder that has cub/, or one above it, as of a toolkit or the unpacked wheel nvidia-cuda-cccl.
  file(GLOB wheels "${dir}/nvidia/cu*/include/cccl")
  set(found "")
  foreach(folder IN ITEMS ${dir} ${dir}/include/cccl ${dir}/include LISTS wheels)
    if(NOT found AND EXISTS ${folder}/cub/version.cuh)
      set(found ${folder})
      set(thrust ${folder})
      set(libcudacxx ${folder})
    endif()
  endforeach()
  if(NOT found AND EXISTS ${dir}/cub/cub/version.cuh)  # a checkout
    set(found ${dir}/cub)
    set(thrust ${dir}/thrust)
    set(libcudacxx ${dir}/libcudacxx/include)
  endif()
  if(NOT found)
    message(FATAL_ERROR "UPSWEEP_CUB_DIR: no cub/version.cuh in ${dir}, nor in its include, include/cccl, nvidia/cu*/include/cccl or cub")
  endif()
  foreach(file ${thrust}/thrust/version.h ${libcudacxx}/cuda/std/version)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "UPSWEEP_CUB_DIR: no ${file}, which belongs to the CUB in ${found}")
    endif()
  endforeach()
  file(STRINGS ${found}/cub/version.cuh line REGEX "^#define CUB_VERSION [0-9]+")
  if(NOT line MATCHES "CUB_VERSION ([0-9]+)")
    message(FATAL_ERROR "UPSWEEP_CUB_DIR: no CUB_VERSION in ${found}/cub/version.cuh")
  endif()
  set(${version} ${CMAKE_MATCH_1} PARENT_SCOPE)
  set(all ${found} ${thrust} ${libcudacxx})
  list(REMOVE_DUPLICATES all)
  set(${folders} ${all} PARENT_SCOPE)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${found}/cub/version.cuh)
endfunction()

if(UPSWEEP_WITH_CUDA AND UPSWEEP_CUB_DIR)
  upsweep_find_cub("${UPSWEEP_CUB_DIR}" upsweep_cub_folders upsweep_cub_version)
  math(EXPR major "${upsweep_cub_version} / 100000")
  math(EXPR minor "${upsweep_cub_version} / 100 % 1000")
  math(EXPR patch "${upsweep_cub_version} % 100")
  message(STATUS "upsweep: measured against CUB ${major}.${minor}.${patch} of ${UPSWEEP_CUB_DIR}")
endif()

# The CUDA sources of the target are compiled with the CCCL in UPSWEEP_CUB_DIR, where it names one, and with no other.
function(upsweep_uses_cub target)
  if(UPSWEEP_WITH_CUDA AND UPSWEEP_CUB_DIR)
    # Not as system folders, which are searched after those that nvcc adds by itself.
    target_include_directories(${target} BEFORE PRIVATE ${upsweep_cub_folders})
    target_compile_definitions(${target} PRIVATE UPSWEEP_CUB_VERSION=${upsweep_cub_version})
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/check_cub.cuh>")
  endif()
endfunction()
