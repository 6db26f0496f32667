# Installs the build tree BUILD to a folder of its own. Builds the project SOURCE against it in one language at a time,
# and runs the programs. A build that fails must say why.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component library)
if(NOT EXISTS "${WORK}/prefix/share/licenses/weft/THIRD-PARTY.txt")
  message(FATAL_ERROR "an installed weft must have the notices of the software that it contains")
endif()
# By the environment: an argument of several folders would be cut at their semicolons.
string(REPLACE ";" ":" prefix_path "${WORK}/prefix;${PREFIX_PATH}")
set(ENV{CMAKE_PREFIX_PATH} "${prefix_path}")

function(configure folder)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${folder}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release ${ARGN}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  set(status ${status} PARENT_SCOPE)
  # One line, because CMake wraps its output.
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  set(said "${said}" PARENT_SCOPE)
endfunction()

function(builds_and_runs language)
  configure("${WORK}/${language}" "-DLANGUAGES=${language}" ${ARGN}
            "-DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${WORK}/${language}/bin")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "a project in ${language} is not configured (${status}): ${said}")
  endif()
  run("${CMAKE_COMMAND}" --build "${WORK}/${language}")
  file(GLOB programs "${WORK}/${language}/bin/*")
  if(NOT programs)
    message(FATAL_ERROR "no example in ${language} was built")
  endif()
  foreach(program IN LISTS programs)
    run("${MPIRUN}" "${MPI_KIND}" 2 "${program}")
  endforeach()
endfunction()

function(is_refused sentence)
  file(REMOVE_RECURSE "${WORK}/refused")
  configure("${WORK}/refused" ${ARGN})
  string(FIND "${said}" "${sentence}" position)
  if(status EQUAL 0 OR position EQUAL -1)
    message(FATAL_ERROR "${ARGN} should be refused (${status}) with '${sentence}'; said: ${said}")
  endif()
endfunction()

builds_and_runs(CXX "-DCMAKE_CXX_COMPILER=${CXX}")
builds_and_runs(C "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_CXX_COMPILER=${CXX}")

set(remedy "add CXX to the languages of project()")
is_refused("weft needs a project with the language CXX or C; given LANGUAGES NONE; ${remedy}" -DLANGUAGES=NONE)
find_program(fortran NAMES "$ENV{FC}" gfortran flang ifx)
if(fortran)
  is_refused("given LANGUAGES Fortran; ${remedy}" -DLANGUAGES=Fortran "-DCMAKE_Fortran_COMPILER=${fortran}")
endif()
is_refused("given find_package(weft) in find_weft(); ${remedy}" -DLANGUAGES=C -DIN_FUNCTION=ON
           "-DCMAKE_C_COMPILER=${CC}")
is_refused("weft needs a C++ compiler, which links libweft; given none" -DLANGUAGES=C "-DCMAKE_C_COMPILER=${CC}"
           -DCMAKE_CXX_COMPILER=CMAKE_CXX_COMPILER-NOTFOUND)
