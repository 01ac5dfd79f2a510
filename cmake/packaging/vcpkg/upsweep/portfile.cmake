# A port for an overlay: vcpkg install upsweep --overlay-ports=cmake/packaging/vcpkg
#
# What was tried of it is in ../../README.md. In a registry, vcpkg_from_github sets SOURCE_PATH instead.
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
