# Compiles a file of src/isa once for each instruction set, so that one library runs well on every processor.
# docs/adr/0014-instruction-sets.md gives the reasons.
#
# The objects for wider sets must not leak. The linker could take a function from one of them, such as an inline
# function of the standard library. It would end the program on an older processor. So each object is linked with itself
# (which dissolves its groups of shared functions), and all its symbols but the entry become local.

set(WEFT_INSTRUCTION_SETS v1)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT APPLE)
  find_program(WEFT_LD NAMES ld.bfd ld)
  if(WEFT_LD AND CMAKE_OBJCOPY)
    list(APPEND WEFT_INSTRUCTION_SETS v3 v4)
  else()
    message(STATUS "weft: ld and objcopy of GNU binutils are missing, so that only baseline instructions are used")
  endif()
endif()
# A definition for sources that call the wider sets.
set(WEFT_HAVE_WIDE_SETS)
if("v3" IN_LIST WEFT_INSTRUCTION_SETS)
  set(WEFT_HAVE_WIDE_SETS WEFT_HAVE_WIDE_SETS)
endif()
get_filename_component(weft_isa_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

# Adds the objects of src/isa/NAME.cpp, whose entry is weft_NAME_LEVEL, to the list of files OUT.
# SOURCE: another file. INCLUDE: folders of headers of others. The tests read the names in WEFT_DISPATCHED.
function(weft_add_dispatched name out)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "SOURCE" "INCLUDE")
  set_property(GLOBAL APPEND PROPERTY WEFT_DISPATCHED ${name})
  set(source "${weft_isa_root}/src/isa/${name}.cpp")
  if(given_SOURCE)
    set(source "${given_SOURCE}")
  endif()
  set(objects)
  foreach(level IN LISTS WEFT_INSTRUCTION_SETS)
    set(target "weft_${name}_${level}")
    add_library(${target} OBJECT "${source}")
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
    target_include_directories(${target} PRIVATE "${weft_isa_root}/src" "${weft_isa_root}/include")
    target_include_directories(${target} SYSTEM PRIVATE ${given_INCLUDE})
    target_compile_definitions(${target} PRIVATE WEFT_ISA_LEVEL=${level})
    target_compile_options(${target} PRIVATE -Wall -Wextra -fno-lto $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    if(level STREQUAL "v1")
      target_compile_definitions(${target} PRIVATE WEFT_ISA_BASELINE)
    else()
      target_compile_options(${target} PRIVATE -march=x86-64-${level})
      set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS OFF) # one entry is enough for clang-tidy
    endif()
    if(NOT WEFT_LD OR NOT CMAKE_OBJCOPY)
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
      continue()
    endif()
    set(object "${CMAKE_BINARY_DIR}/isa/${name}_${level}.o")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${CMAKE_BINARY_DIR}/isa"
      COMMAND "${WEFT_LD}" -r --force-group-allocation -o "${object}" $<TARGET_OBJECTS:${target}>
      COMMAND "${CMAKE_OBJCOPY}" "--keep-global-symbol=weft_${name}_${level}" "${object}"
      DEPENDS ${target} $<TARGET_OBJECTS:${target}>
      COMMENT "Localising the symbols of ${name} for ${level}"
      VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
