# Checks an object of src/isa: cmake -DNM=nm -DOBJDUMP=objdump -DOBJECT=file -DENTRY=name -P symbols.cmake
#   - The entry is the only symbol that other objects can use. A shared function with wide instructions could otherwise
#     replace the one that runs on every processor.
#   - It has no group of functions that the linker could take for another's.
#   - It runs nothing at start, before the processor is known.
execute_process(COMMAND "${NM}" --extern-only --defined-only "${OBJECT}" OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(LENGTH symbols count)
if(NOT count EQUAL 1 OR NOT symbols MATCHES " T ${ENTRY}$")
  list(SUBLIST symbols 0 5 first)
  list(JOIN first "\n  " first)
  message(FATAL_ERROR "only ${ENTRY} may be global in ${OBJECT}; it has ${count} global symbols:\n  ${first}")
endif()
execute_process(COMMAND "${OBJDUMP}" --section-headers "${OBJECT}" OUTPUT_VARIABLE sections
                COMMAND_ERROR_IS_FATAL ANY)
if(sections MATCHES "\\.(init_array|ctors|preinit_array|group)")
  message(FATAL_ERROR "${OBJECT} must have no section ${CMAKE_MATCH_0}")
endif()
if(sections MATCHES "LINK_ONCE")
  message(FATAL_ERROR "${OBJECT} must have no groups that the linker may merge")
endif()
message(STATUS "${ENTRY}: nothing else leaves the object")
