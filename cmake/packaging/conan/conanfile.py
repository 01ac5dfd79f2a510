"""conan create cmake/packaging/conan --build=missing -s compiler.cppstd=20

From the root of a clone; -o "upsweep/*:cuda=True" with nvcc, -o "upsweep/*:system_boost=True" for the Boost of the system."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Upsweep(ConanFile):
    name = "upsweep"
    description = "Prefix sums, stream compaction and radix sort in CUDA C++20, and the same kernels on the CPU"
    license = "MIT"
    topics = ("cuda", "scan", "radix-sort", "stream-compaction")
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cuda": [True, False], "system_boost": [True, False]}
    default_options = {"shared": False, "cuda": False, "system_boost": False}

    def _root(self):
        return os.path.abspath(os.path.join(self.recipe_folder, "..", "..", ".."))

    def set_version(self):
        with open(os.path.join(self._root(), "scan/include/upsweep/version.hpp")) as header:
            self.version = ".".join(re.findall(r"#define UPSWEEP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read()))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "scan/*", "compact/*", "sort/*"):
            copy(self, pattern, self._root(), self.export_sources_folder, excludes=["cmake/packaging/*"])

    def requirements(self):
        if not self.options.system_boost:
            self.requires("boost/[>=1.74 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({"UPSWEEP_TESTS": False, "UPSWEEP_APPS": False,
                                          "UPSWEEP_CUDA": "ON" if self.options.cuda else "OFF"})
        toolchain.generate()
        if not self.options.system_boost:
            from conan.tools.cmake import CMakeDeps
            CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package brings its own upsweep-config.cmake
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "upsweep")]
