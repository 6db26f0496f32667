# Installs libweft, its headers and the files for find_package(weft).
include(CMakePackageConfigHelpers)

install(TARGETS weft EXPORT weftTargets COMPONENT library)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/weft" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT library)
# The notices of ducc0 and others must accompany a binary.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD-PARTY.txt"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/weft" COMPONENT library)

set(weft_config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${weft_config_folder}" COMPONENT library)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/weftConfig.cmake" INSTALL_DESTINATION "${weft_config_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weftConfig.cmake" "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/weftLanguages.cmake"
        DESTINATION "${weft_config_folder}" COMPONENT library)
