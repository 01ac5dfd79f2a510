# cpack: a .deb and a .tar.gz of what cmake --install installs. ./run package calls it, and tries what comes out.
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME upsweep)
set(CPACK_PACKAGE_VENDOR upsweep)
set(CPACK_PACKAGE_CONTACT "the maintainers of upsweep <maintainers@upsweep.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(upsweep_kind sim)
if(UPSWEEP_WITH_CUDA)
  set(upsweep_kind cuda${CUDAToolkit_VERSION_MAJOR})
endif()
set(CPACK_PACKAGE_FILE_NAME upsweep-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}-${upsweep_kind})

set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)                     # of the programs
if(NOT BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libboost-context-dev)   # of those who link the static libraries
endif()
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Prefix sums, stream compaction and radix sort: libraries, headers, and the programs
upsweep-cull, upsweep-sort, upsweep-particles and upsweep-bench. Every kernel runs on the CPU too.")
include(CPack)
