# cmake -D upsweep=... -D project=... -D scratch=... -D nm=... -P around_test.cmake
# Configures `project` and compiles one file of upsweep in it, which stands for the libraries: they take minutes. What
# its header declares must be exported.
file(REMOVE_RECURSE ${scratch})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${project} -B ${scratch} -G Ninja -D UPSWEEP=${upsweep} COMMAND_ERROR_IS_FATAL ANY)
set(object upsweep/scan/CMakeFiles/upsweep_scan.dir/src/status.cpp.o)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${scratch} --target ${object} COMMAND_ERROR_IS_FATAL ANY)
# In a shared library of that object alone, of which nm tells what is exported.
execute_process(COMMAND ${cxx} -shared -o ${scratch}/status.so ${scratch}/${object} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${nm} -DC --defined-only ${scratch}/status.so OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "upsweep::[a-z0-9_:]*status_text")
  message(FATAL_ERROR "status_text is not exported:\n${symbols}")
endif()
