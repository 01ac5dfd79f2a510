# A port for an overlay: vcpkg install upsweep --overlay-ports=cmake/packaging/vcpkg
#
# NOT TRIED: vcpkg is not a package of Debian or PyPI, and could not be fetched where this was written. The options below are
# those with which the library is built and installed elsewhere (../package.sh). In a registry, vcpkg_from_github takes
# the place of SOURCE_PATH.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

set(cuda OFF)
if("cuda" IN_LIST FEATURES)
  set(cuda ON)
endif()
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DUPSWEEP_TESTS=OFF -DUPSWEEP_APPS=OFF -DUPSWEEP_CUDA=${cuda})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/upsweep)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
