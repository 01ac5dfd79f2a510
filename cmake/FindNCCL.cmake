# NCCL: from the system, NCCL_ROOT, or the wheel nvidia-nccl-cu13 (or -cu12) of the Python that `python3` is.
# NCCL_FOUND, NCCL_VERSION, and the target NCCL::nccl.
set(nccl_hints "")
if(NOT NCCL_ROOT AND NOT NCCL_INCLUDE_DIR)
  find_program(NCCL_PYTHON python3)
  mark_as_advanced(NCCL_PYTHON)
  if(NCCL_PYTHON)
    execute_process(COMMAND ${NCCL_PYTHON} -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
      OUTPUT_VARIABLE nccl_hints OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${nccl_hints}/include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${nccl_hints}/lib)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) [0-9]+$")
  string(REGEX MATCHALL "[0-9]+" NCCL_VERSION "${nccl_lines}")
  list(JOIN NCCL_VERSION "." NCCL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
