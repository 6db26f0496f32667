# Installs the build tree BUILD to a folder of its own, builds the project SOURCE against it, runs what came out.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component library)
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix;${PREFIX_PATH}" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${WORK}/bin")
run("${CMAKE_COMMAND}" --build "${WORK}/build")

file(GLOB programs "${WORK}/bin/*")
if(NOT programs)
  message(FATAL_ERROR "no example was built")
endif()
foreach(program IN LISTS programs)
  run("${MPIRUN}" "${MPI_KIND}" 2 "${program}")
endforeach()
