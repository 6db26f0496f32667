# Finds FFTW 3 in CMAKE_PREFIX_PATH, in FFTW_ROOT or in the system's folders.
#
# Components: float, double, longdouble, and for each of these <precision>_threads and <precision>_mpi.
# Defines FFTW_FOUND, FFTW_VERSION (from pkg-config's file, if there is one), FFTW_INCLUDE_DIR and the imported
# targets FFTW::<component>. FFTW's own CMake files are not used: distributions ship them incomplete.
include(FindPackageHandleStandardArgs)

find_path(FFTW_INCLUDE_DIR fftw3.h)
find_path(FFTW_MPI_INCLUDE_DIR fftw3-mpi.h HINTS "${FFTW_INCLUDE_DIR}")
mark_as_advanced(FFTW_INCLUDE_DIR FFTW_MPI_INCLUDE_DIR)

foreach(precision float double longdouble)
  set(suffix "")
  if(precision STREQUAL "float")
    set(suffix "f")
  elseif(precision STREQUAL "longdouble")
    set(suffix "l")
  endif()
  foreach(part "" _threads _mpi)
    set(component "${precision}${part}")
    if(NOT component IN_LIST FFTW_FIND_COMPONENTS)
      continue()
    endif()
    set(header "${FFTW_INCLUDE_DIR}")
    if(part STREQUAL "_mpi")
      set(header "${FFTW_MPI_INCLUDE_DIR}")
    endif()
    find_library(FFTW_${component}_LIBRARY NAMES fftw3${suffix}${part})
    mark_as_advanced(FFTW_${component}_LIBRARY)
    if(FFTW_${component}_LIBRARY AND header)
      set(FFTW_${component}_FOUND TRUE)
      if(NOT TARGET FFTW::${component})
        add_library(FFTW::${component} UNKNOWN IMPORTED)
        set_target_properties(
          FFTW::${component} PROPERTIES IMPORTED_LOCATION "${FFTW_${component}_LIBRARY}"
                                        INTERFACE_INCLUDE_DIRECTORIES "${header}")
        if(part)
          set_property(TARGET FFTW::${component} PROPERTY INTERFACE_LINK_LIBRARIES FFTW::${precision})
        endif()
      endif()
    endif()
  endforeach()
endforeach()

set(FFTW_VERSION)
if(FFTW_double_LIBRARY)
  get_filename_component(fftw_folder "${FFTW_double_LIBRARY}" DIRECTORY)
  if(EXISTS "${fftw_folder}/pkgconfig/fftw3.pc")
    file(STRINGS "${fftw_folder}/pkgconfig/fftw3.pc" fftw_line REGEX "^Version:" LIMIT_COUNT 1)
    string(REGEX REPLACE "^Version: *" "" FFTW_VERSION "${fftw_line}")
  endif()
endif()
find_package_handle_standard_args(
  FFTW
  REQUIRED_VARS FFTW_INCLUDE_DIR
  VERSION_VAR FFTW_VERSION
  HANDLE_COMPONENTS)
