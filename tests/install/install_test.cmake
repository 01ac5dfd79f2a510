# cmake -D build=... -D consumer=... -D scratch=... -D language=CXX|CUDA -P install_test.cmake
# Installs `build` under `scratch`, then configures, builds and runs the consumer against that.

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE out)
  message("${out}")
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "${what} failed: ${rc}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
run("the installation" ${CMAKE_COMMAND} --install ${build} --prefix ${scratch}/prefix)
set(cuda "")
if(language STREQUAL "CUDA")
  set(cuda -D CMAKE_CUDA_ARCHITECTURES=${architectures} -D CMAKE_CUDA_COMPILER=${cuda_compiler})
endif()
run("the consumer's configuration" ${CMAKE_COMMAND} -S ${consumer} -B ${scratch}/build -G ${generator}
  -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CONSUMER_LANGUAGE=${language}
  -D CONSUMER_VERSION=${version} ${cuda})
run("the consumer's build" ${CMAKE_COMMAND} --build ${scratch}/build)
run("the consumer" ${scratch}/build/particles)

# The same program without CMake, by what pkg-config says.
find_program(pkg_config NAMES pkg-config pkgconf)
if(language STREQUAL "CXX" AND pkg_config AND cxx)
  file(GLOB_RECURSE pc ${scratch}/prefix/upsweep.pc)
  get_filename_component(pc_dir ${pc} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${pc_dir})
  execute_process(COMMAND ${pkg_config} --cflags --libs upsweep OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run("the build by pkg-config" ${cxx} -std=c++20 ${consumer}/particles.cpp -o ${scratch}/by_pkg_config ${flags})
  run("the program by pkg-config" ${scratch}/by_pkg_config)
endif()
