# The functions and interface targets by which our own targets are made.
if(SILLAR_SANITIZE)
  set(sanitized ON)
  list(JOIN SILLAR_SANITIZE "," sanitizers)
else()
  set(sanitized OFF)
endif()

add_library(sillar_warnings INTERFACE)
target_compile_options(sillar_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  $<$<BOOL:${SILLAR_WERROR}>:-Werror>
  # GCC 12 reports overlaps inside std::string operator+ that are not there (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Instrumented code confuses this analysis; the plain build still makes it.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${sanitized}>>:-Wno-maybe-uninitialized>)

# Sanitizers, paths and linking; unlike warnings these hold for every target that we own.
add_library(sillar_flags INTERFACE)
target_compile_options(sillar_flags INTERFACE
  # No build path inside a binary, and one ccache entry for all checkouts.
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(NOT APPLE)
  # Only what is used is loaded at start.
  target_link_options(sillar_flags INTERFACE "LINKER:--as-needed" "LINKER:--gc-sections")
  target_compile_options(sillar_flags INTERFACE -ffunction-sections -fdata-sections)
endif()
if(sanitized)
  target_compile_options(sillar_flags INTERFACE
    "-fsanitize=${sanitizers}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sillar_flags INTERFACE "-fsanitize=${sanitizers}")
endif()

# sillar_own(target): our rules for our code.
function(sillar_own target)
  target_link_libraries(${target} PRIVATE
    $<BUILD_INTERFACE:sillar_warnings> $<BUILD_INTERFACE:sillar_flags>)
endfunction()

# sillar_room(name): the sources of one room go into the library; a room may be empty.
# Sub-folders are not part of it, and geo/proj_*.cpp belongs to a module.
function(sillar_room name)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/sillar/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/geo/proj_[^/]*\\.cpp$")
  if(sources)
    target_sources(sillar PRIVATE ${sources})
  endif()
endfunction()

# sillar_module(name library pattern): a module beside the command that links `library`.
function(sillar_module name library pattern)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${pattern}")
  if(NOT sources)
    return()
  endif()
  add_library(${name} MODULE ${sources})
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${SILLAR_BIN_DIR}"
    BUILD_RPATH "$ORIGIN"
    INSTALL_RPATH "$ORIGIN")
  target_link_libraries(${name} PRIVATE sillar::sillar fmt::fmt ${library})
  if(NOT APPLE)
    # The module holds a copy of the library: none of its symbols may meet the command's.
    target_link_options(${name} PRIVATE "LINKER:--exclude-libs,ALL")
  endif()
  sillar_own(${name})
endfunction()

# sillar_find_optional(PROJ|GDAL option): sets <option>_FOUND as the option AUTO, ON or OFF says.
macro(sillar_find_optional package option)
  set(${option}_FOUND OFF)
  if(NOT ${option} STREQUAL "OFF")
    if("${package}" STREQUAL "PROJ")
      find_package(PROJ CONFIG QUIET)
      if(NOT TARGET PROJ::proj)
        pkg_check_modules(SILLAR_LIBPROJ QUIET IMPORTED_TARGET proj)
        if(SILLAR_LIBPROJ_FOUND)
          add_library(PROJ::proj ALIAS PkgConfig::SILLAR_LIBPROJ)
        endif()
      endif()
      if(TARGET PROJ::proj)
        set(${option}_FOUND ON)
      endif()
    else()
      # GDAL's own version file accepts one minor version only, so the comparison is ours.
      find_package(GDAL CONFIG QUIET)
      if(NOT TARGET GDAL::GDAL)
        find_package(GDAL MODULE QUIET)
      endif()
      if(TARGET GDAL::GDAL AND GDAL_VERSION VERSION_GREATER_EQUAL 3.6)
        set(${option}_FOUND ON)
      endif()
    endif()
    if(NOT ${option}_FOUND AND NOT ${option} STREQUAL "AUTO")
      message(FATAL_ERROR "${option}=${${option}}, but ${package} was not found")
    endif()
  endif()
  message(STATUS "${package}: ${${option}_FOUND}")
endmacro()
