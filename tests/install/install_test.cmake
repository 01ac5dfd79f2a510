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
