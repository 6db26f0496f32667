# The source of ducc0, whose FFT is compiled into weft: WEFT_DUCC0_DIR, WEFT_DUCC0_VERSION.
# It is fetched by `tools/setup ducc0`, with a pinned version and checksum, if build/deps lacks it.
get_filename_component(weft_ducc0_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT WEFT_DUCC0_DIR)
  execute_process(COMMAND "${weft_ducc0_root}/tools/setup" ducc0 WORKING_DIRECTORY "${weft_ducc0_root}"
                  RESULT_VARIABLE weft_status OUTPUT_VARIABLE weft_output ERROR_VARIABLE weft_output)
  file(GLOB weft_found "${weft_ducc0_root}/build/deps/ducc0-*/PKG-INFO")
  if(NOT weft_status EQUAL 0 OR NOT weft_found)
    message(FATAL_ERROR "weft: the source of ducc0 must be there or be fetched from PyPI; it could not be fetched:\n"
                        "${weft_output}\nName an unpacked source with -DWEFT_DUCC0_DIR=...")
  endif()
  get_filename_component(WEFT_DUCC0_DIR "${weft_found}" DIRECTORY)
endif()
if(NOT EXISTS "${WEFT_DUCC0_DIR}/src/ducc0/fft/fft1d_impl.h")
  message(FATAL_ERROR "weft: WEFT_DUCC0_DIR must be an unpacked source of ducc0, with src/ducc0/fft in it; given "
                      "'${WEFT_DUCC0_DIR}'; leave it out, and it is fetched")
endif()
file(STRINGS "${WEFT_DUCC0_DIR}/PKG-INFO" weft_line REGEX "^Version: " LIMIT_COUNT 1)
string(REPLACE "Version: " "" WEFT_DUCC0_VERSION "${weft_line}")
