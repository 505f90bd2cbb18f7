# The options of the build, and the settings that hold for every target.
option(SILLAR_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SILLAR_CLI "Build the command" ON)
option(SILLAR_BENCH "Build the benchmarks" OFF)
option(SILLAR_WERROR "Treat warnings of our own code as errors" ON)
set(SILLAR_PROJ AUTO CACHE STRING "CRS look-up through PROJ: AUTO, ON or OFF")
set(SILLAR_GDAL AUTO CACHE STRING "Conversion from and to GDAL rasters: AUTO, ON or OFF")
set_property(CACHE SILLAR_PROJ SILLAR_GDAL PROPERTY STRINGS AUTO ON OFF)
set(SILLAR_SANITIZE "" CACHE STRING "Sanitizers of our own code: address;undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# The archive goes into modules and a Python extension as well.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # Line tables cost no speed, and give profiles and crash reports their names.
  set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
  if(SILLAR_SANITIZE)
    set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")  # -O0 under a sanitizer is too slow for the corpora
  endif()
endif()

# ccache hashes paths below its base directory relative to the build folder: then all checkouts,
# and all build folders with the same flags, share their objects. OpenZL is most of a build.
find_program(SILLAR_CCACHE ccache)
find_program(SILLAR_ENV env)
mark_as_advanced(SILLAR_CCACHE SILLAR_ENV)
if(PROJECT_IS_TOP_LEVEL AND SILLAR_CCACHE AND SILLAR_ENV)
  foreach(language IN ITEMS C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
        "${SILLAR_ENV}" "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${SILLAR_CCACHE}")
    endif()
  endforeach()
endif()
