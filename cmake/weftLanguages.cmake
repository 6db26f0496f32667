# Enables C++ in a project with C only. If that is impossible, weft_NOT_FOUND_MESSAGE has the reason.
# This is a file and not a function, because the variables of enable_language() would be local to a function.
unset(weft_NOT_FOUND_MESSAGE)
if(CMAKE_CXX_COMPILER_LOADED)
  return()
endif()

if(NOT CMAKE_C_COMPILER_LOADED)
  get_property(weft_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  string(REPLACE ";" " " weft_languages "${weft_languages}")
  set(weft_NOT_FOUND_MESSAGE
      "weft needs a project with the language CXX or C; given LANGUAGES ${weft_languages}; \
add CXX to the languages of project()")
  return()
endif()
if(CMAKE_CURRENT_FUNCTION)
  set(weft_NOT_FOUND_MESSAGE
      "weft needs the language CXX and cannot enable it in a function; given find_package(weft) in \
${CMAKE_CURRENT_FUNCTION}(); add CXX to the languages of project()")
  return()
endif()
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  set(weft_NOT_FOUND_MESSAGE
      "weft needs a C++ compiler, which links libweft; given none; install one, or name it by -DCMAKE_CXX_COMPILER=...")
  return()
endif()
enable_language(CXX)
