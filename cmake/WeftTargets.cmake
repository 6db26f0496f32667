# The targets of src/. tools/tidy.py checks the order of the folders' includes; here it decides only the linking:
#   weft_planning   base layout plan model planner       no MPI
#                   ooc/plan bmmc/plan ooc_choice        their run and ranks belong to weft
#   weft_disk       disk                                 liburing if installed; no MPI
#   weft_kernel     kernel                               OpenMP, no MPI; FFTW is loaded at run time
#   weft_disk_runs  ooc/run bmmc/run                     execution of passes on disks, no MPI
#   weft            all of the above and the rest        MPI

set(WEFT_PLANNING_FOLDERS base layout plan model planner ooc/plan bmmc/plan ooc_choice)
set(WEFT_DISK_FOLDERS disk)
set(WEFT_KERNEL_FOLDERS kernel)
set(WEFT_DISK_RUN_FOLDERS ooc/run bmmc/run)
set(WEFT_RANKS_FOLDERS comm exchange run probe ooc/ranks bmmc/ranks api)

# Collects the sources of folders below src/; a missing folder has none.
function(weft_sources out)
  set(found)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp")
    list(APPEND found ${sources})
    # Sources with a definition of from_string: other sources would instantiate it without the table of an enum.
    list(FILTER sources INCLUDE REGEX "/(words|base/precision|disk/backend)\\.cpp$")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Sets the compile options of weft's own targets, including warnings.
function(weft_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor)
  if(WEFT_UNITY)
    # GCC takes the sources for headers, in which types without a namespace would be a mistake.
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of overlaps in the operator+ of std::string, wrongly (GCC bug 105329).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(WEFT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(WEFT_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(WEFT_SANITIZE)
    # PUBLIC: a target that links an instrumented object needs the sanitizers' run time.
    target_compile_options(${target} PUBLIC -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                            -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(WEFT_SANITIZE_THREADS)
    # GCC warns of every fence, because the sanitizer does not see fences.
    target_compile_options(${target} PUBLIC -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endif()
endfunction()

# Adds an object library of folders of src/. It cannot be empty, so without sources it gets one blank file.
function(weft_add_objects target)
  weft_sources(sources ${ARGN})
  if(NOT sources)
    set(sources "${PROJECT_BINARY_DIR}/${target}_blank.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "")
  endif()
  add_library(${target} OBJECT ${sources})
  weft_compile_options(${target})
  target_include_directories(
    ${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                     "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
  target_compile_definitions(${target} PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
endfunction()

# Puts the shipped machines into a source file, so that they are part of the library.
function(weft_add_machines target)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/model/machines/*.json")
  set(weft_machines "")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND weft_machines "    Shipped{\"${name}\", R\"json(${text})json\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  configure_file("${PROJECT_SOURCE_DIR}/src/model/shipped_machines.cpp.in"
                 "${PROJECT_BINARY_DIR}/shipped_machines.cpp" @ONLY)
  target_sources(${target} PRIVATE "${PROJECT_BINARY_DIR}/shipped_machines.cpp")
endfunction()

function(weft_add_planning)
  weft_add_objects(weft_planning ${WEFT_PLANNING_FOLDERS})
  weft_add_machines(weft_planning)
  target_link_libraries(weft_planning PUBLIC Threads::Threads PRIVATE nlohmann_json::nlohmann_json)
endfunction()

function(weft_add_disk)
  weft_add_objects(weft_disk ${WEFT_DISK_FOLDERS})
  target_link_libraries(weft_disk PUBLIC Threads::Threads PRIVATE nlohmann_json::nlohmann_json)
  if(WEFT_LIBURING)
    target_include_directories(weft_disk SYSTEM PRIVATE ${LIBURING_INCLUDE_DIRS})
    target_compile_definitions(weft_disk PRIVATE WEFT_HAVE_LIBURING)
    target_link_libraries(weft_disk PUBLIC ${WEFT_LIBURING})
  endif()
endfunction()

function(weft_add_kernel)
  weft_add_objects(weft_kernel ${WEFT_KERNEL_FOLDERS})
  target_link_libraries(weft_kernel PUBLIC OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of the deliberately undefined operands in its own AVX-512 header (GCC bug 105593).
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/kernel/transpose.cpp" PROPERTIES COMPILE_OPTIONS
                                "-Wno-uninitialized;-Wno-maybe-uninitialized")
  endif()
  target_compile_definitions(weft_kernel PRIVATE WEFT_DUCC0_VERSION="${WEFT_DUCC0_VERSION}" ${WEFT_HAVE_WIDE_SETS})
  weft_add_dispatched(ducc0_lines objects INCLUDE "${WEFT_DUCC0_DIR}/src")
  weft_add_dispatched(twiddle_products twiddle_objects)
  list(APPEND objects ${twiddle_objects})
  # Each target that links weft_kernel's objects links these too.
  add_library(weft_isa OBJECT IMPORTED GLOBAL)
  set_target_properties(weft_isa PROPERTIES IMPORTED_OBJECTS "${objects}")
  add_custom_target(weft_isa_objects DEPENDS ${objects})
  add_dependencies(weft_kernel weft_isa_objects)
  target_sources(weft_kernel INTERFACE $<TARGET_OBJECTS:weft_isa>)
endfunction()

# The kernels of applications, which use weft's public headers alone.
function(weft_add_applications)
  set(folder "${PROJECT_SOURCE_DIR}/apps")
  add_library(weft_dns_kernels OBJECT "${folder}/dns/kernels.cpp")
  weft_compile_options(weft_dns_kernels)
  target_compile_features(weft_dns_kernels PUBLIC cxx_std_20)
  target_include_directories(weft_dns_kernels PUBLIC "${folder}" "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(weft_dns_kernels PRIVATE ${WEFT_HAVE_WIDE_SETS})
  weft_add_dispatched(dns_rows objects SOURCE "${folder}/dns/row_kernels.cpp")
  add_library(weft_dns_isa OBJECT IMPORTED GLOBAL)
  set_target_properties(weft_dns_isa PROPERTIES IMPORTED_OBJECTS "${objects}")
  add_custom_target(weft_dns_isa_objects DEPENDS ${objects})
  add_dependencies(weft_dns_kernels weft_dns_isa_objects)
  target_sources(weft_dns_kernels INTERFACE $<TARGET_OBJECTS:weft_dns_isa>)
endfunction()

function(weft_add_disk_runs)
  weft_add_objects(weft_disk_runs ${WEFT_DISK_RUN_FOLDERS})
  target_link_libraries(weft_disk_runs PUBLIC OpenMP::OpenMP_CXX Threads::Threads)
endfunction()

function(weft_add_library)
  weft_sources(sources ${WEFT_RANKS_FOLDERS})
  add_library(weft ${sources} $<TARGET_OBJECTS:weft_planning> $<TARGET_OBJECTS:weft_disk>
                   $<TARGET_OBJECTS:weft_kernel> $<TARGET_OBJECTS:weft_disk_runs>)
  target_sources(weft PRIVATE $<TARGET_OBJECTS:weft_isa>)
  add_dependencies(weft weft_isa_objects)
  set_target_properties(weft PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION 0)
  add_library(weft::weft ALIAS weft)
  weft_compile_options(weft)
  target_compile_definitions(weft PRIVATE WEFT_VERSION="${PROJECT_VERSION}")
  target_include_directories(
    weft PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE "${PROJECT_SOURCE_DIR}/src")
  # OpenMP and threads are needed only to link libweft, not to include its headers.
  target_link_libraries(
    weft PUBLIC MPI::MPI_CXX
    PRIVATE OpenMP::OpenMP_CXX Threads::Threads ${CMAKE_DL_LIBS} ${WEFT_LIBURING}
            $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
endfunction()

# Adds the preloaded library by which waiting ranks of MPICH yield. `weft -n` finds it in the Python package.
function(weft_add_mpich_yield)
  add_library(weft_yield MODULE "${PROJECT_SOURCE_DIR}/tools/mpich_yield.c")
  target_compile_options(weft_yield PRIVATE -Wall -Wextra)
  target_link_libraries(weft_yield PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(weft_yield PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python/weft")
  install(TARGETS weft_yield LIBRARY DESTINATION weft COMPONENT python)
endfunction()
