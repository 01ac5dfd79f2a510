# cmake --install: libraries, headers, and the package that find_package(upsweep) reads.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
install(TARGETS upsweep_scan upsweep_compact upsweep_sort upsweep_upsweep EXPORT upsweep
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT upsweep NAMESPACE upsweep:: FILE upsweep-targets.cmake DESTINATION ${package_dir})
if(UPSWEEP_WITH_NCCL)
  install(TARGETS upsweep_nccl EXPORT upsweep-nccl FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT upsweep-nccl NAMESPACE upsweep:: FILE upsweep-nccl-targets.cmake DESTINATION ${package_dir})
  install(FILES cmake/FindNCCL.cmake DESTINATION ${package_dir})
endif()

configure_package_config_file(cmake/upsweep-config.cmake.in ${PROJECT_BINARY_DIR}/upsweep-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/upsweep-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/upsweep-config.cmake
  ${PROJECT_BINARY_DIR}/upsweep-config-version.cmake
  cmake/UpsweepBoost.cmake
  cmake/UpsweepCudaToolkit.cmake
  DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(UpsweepPkgConfig)
if(PROJECT_IS_TOP_LEVEL)
  include(UpsweepPackage)  # cpack
endif()
