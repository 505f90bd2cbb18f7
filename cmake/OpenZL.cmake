# OpenZL, and the room that wraps it (src/sillar/codec/openzl), as objects inside the library.
#
# An installed package is taken first. Else the C sources are compiled that the crate openzl-sys
# carries: cargo only downloads and verifies them, no Rust is compiled. OpenZL chooses its SIMD
# code at compile time, so on x86-64 these sources are compiled once per variant:
#
#   baseline   as the target CPU says                 names as they are
#   v3         -march=x86-64-v3, OpenZL's C only      every name begins with v3_
#
# The wrapper is compiled once per variant too, never with -march: inline functions of the
# standard library must not be left in the program in a form that older CPUs cannot run.
set(SILLAR_OZL_PROVIDER auto CACHE STRING "OpenZL from: auto, system or crate")
set(SILLAR_OZL_CODECS auto CACHE STRING "zstd and lz4 from: auto, system or crate")
set_property(CACHE SILLAR_OZL_PROVIDER SILLAR_OZL_CODECS PROPERTY STRINGS auto system crate)
set(SILLAR_OZL_VENDOR_DIR "" CACHE PATH
  "Folder filled by `cargo vendor --locked --versioned-dirs` in third_party/openzl-pin; empty: made at need")
set(SILLAR_CARGO "" CACHE FILEPATH "The cargo (1.70 or newer) that downloads; empty: the one in PATH")
set(sillar_ozl_pin "${PROJECT_SOURCE_DIR}/third_party/openzl-pin")

# ---------------------------------------------------------------- which variants
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_SIZEOF_VOID_P EQUAL 8
    AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  set(sillar_x86_64 ON)
else()
  set(sillar_x86_64 OFF)
endif()
if(sillar_x86_64 AND CMAKE_OBJCOPY AND CMAKE_NM AND CMAKE_LINKER
    AND CMAKE_C_COMPILER_LOADED AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF" AND NOT SILLAR_SANITIZE)
  set(variants "baseline;v3")
else()
  set(variants "baseline")
endif()
set(SILLAR_OPENZL_VARIANTS "${variants}" CACHE STRING "OpenZL variants: baseline or baseline;v3")

# ---------------------------------------------------------------- zstd and lz4
# sillar_ozl_vendor(): sets `vendor` to the folder of the crates, downloading them once.
macro(sillar_ozl_vendor)
  if(SILLAR_OZL_VENDOR_DIR)
    set(vendor "${SILLAR_OZL_VENDOR_DIR}")
  else()
    # The folder is named after the lock file, so a changed pin is never mixed with an old one.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${sillar_ozl_pin}/Cargo.lock")
    file(SHA256 "${sillar_ozl_pin}/Cargo.lock" digest)
    string(SUBSTRING "${digest}" 0 8 digest)
    set(vendor "${CMAKE_BINARY_DIR}/vendor-${digest}")
    if(NOT EXISTS "${vendor}")
      if(SILLAR_CARGO)
        set(cargo "${SILLAR_CARGO}")
      else()
        find_program(SILLAR_CARGO_FOUND cargo)
        mark_as_advanced(SILLAR_CARGO_FOUND)
        set(cargo "${SILLAR_CARGO_FOUND}")
      endif()
      if(NOT cargo)
        message(FATAL_ERROR "OpenZL is not installed, and there is no cargo (1.70 or newer) to download "
          "its sources. Install one, or give the sources with -DSILLAR_OZL_VENDOR_DIR=.")
      endif()
      message(STATUS "OpenZL: downloading the sources named in third_party/openzl-pin/Cargo.lock")
      file(REMOVE_RECURSE "${vendor}.part")
      execute_process(
        COMMAND "${cargo}" vendor --locked --versioned-dirs "${vendor}.part"
        WORKING_DIRECTORY "${sillar_ozl_pin}"
        OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE result)
      if(NOT result EQUAL 0)
        message(FATAL_ERROR "cargo could not download the sources of OpenZL:\n${said}\n"
          "They can be given by hand with -DSILLAR_OZL_VENDOR_DIR=.")
      endif()
      # An interrupted download never looks like a whole one.
      file(RENAME "${vendor}.part" "${vendor}")
    endif()
  endif()
endmacro()

# sillar_ozl_objects(target folder sources...): C of others, compiled quietly, without our rules.
function(sillar_ozl_objects name)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES
    C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  # Assertions of OpenZL are for its authors; hostile input may meet one, so sanitizers run without.
  if(SILLAR_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_definitions(${name} PRIVATE NDEBUG)
  endif()
  if("thread" IN_LIST SILLAR_SANITIZE)
    set(flags -fsanitize=thread -O1 -g1)
  elseif(SILLAR_SANITIZE)
    set(flags -fsanitize=address -O1 -g1)  # with undefined one file compiles for minutes
  else()
    set(flags -O3 -g0)
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:C>:-w> "$<$<COMPILE_LANGUAGE:C>:${flags}>"
    -ffunction-sections -fdata-sections "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
endfunction()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND NOT SILLAR_OZL_CODECS STREQUAL "crate")
  pkg_check_modules(SILLAR_ZSTD QUIET IMPORTED_TARGET "libzstd>=1.5.0")
  pkg_check_modules(SILLAR_LZ4 QUIET IMPORTED_TARGET "liblz4>=1.9.0")
else()
  set(SILLAR_ZSTD_FOUND OFF)
  set(SILLAR_LZ4_FOUND OFF)
endif()
if(SILLAR_OZL_CODECS STREQUAL "system" AND NOT (SILLAR_ZSTD_FOUND AND SILLAR_LZ4_FOUND))
  message(FATAL_ERROR "SILLAR_OZL_CODECS=system, but libzstd (1.5) or liblz4 (1.9) was not found")
endif()

# What OpenZL and the codec room compile against: an interface for each of the two.
add_library(sillar_zstd INTERFACE)
add_library(sillar_lz4 INTERFACE)
if(SILLAR_ZSTD_FOUND)
  target_link_libraries(sillar_zstd INTERFACE PkgConfig::SILLAR_ZSTD)
else()
  sillar_ozl_vendor()
  file(GLOB zstd_root "${vendor}/zstd-sys-*/zstd/lib")
  file(GLOB sources "${zstd_root}/common/*.c" "${zstd_root}/compress/*.c" "${zstd_root}/decompress/*.c")
  if(sillar_x86_64)
    enable_language(ASM)
    list(APPEND sources "${zstd_root}/decompress/huf_decompress_amd64.S")
  endif()
  sillar_ozl_objects(sillar_zstd_objects ${sources})
  target_compile_definitions(sillar_zstd_objects PRIVATE XXH_NAMESPACE=ZSTD_ ZSTD_LEGACY_SUPPORT=0
    $<$<NOT:$<BOOL:${sillar_x86_64}>>:ZSTD_DISABLE_ASM=1>)
  target_include_directories(sillar_zstd SYSTEM INTERFACE "${zstd_root}")
  target_sources(sillar PRIVATE $<TARGET_OBJECTS:sillar_zstd_objects>)
endif()
if(SILLAR_LZ4_FOUND)
  target_link_libraries(sillar_lz4 INTERFACE PkgConfig::SILLAR_LZ4)
else()
  sillar_ozl_vendor()
  file(GLOB lz4_root "${vendor}/lz4-sys-*/liblz4/lib")
  sillar_ozl_objects(sillar_lz4_objects "${lz4_root}/lz4.c" "${lz4_root}/lz4hc.c")
  target_include_directories(sillar_lz4 SYSTEM INTERFACE "${lz4_root}")
  target_sources(sillar PRIVATE $<TARGET_OBJECTS:sillar_lz4_objects>)
endif()
target_link_libraries(sillar PRIVATE sillar_zstd sillar_lz4)

# ---------------------------------------------------------------- OpenZL
add_library(sillar_openzl INTERFACE)  # its headers, for the wrapper
if(NOT SILLAR_OZL_PROVIDER STREQUAL "crate")
  find_package(openzl CONFIG QUIET)
endif()
if(TARGET OpenZL::openzl)
  # A package is compiled once, and its allocations cannot be counted.
  set(variants "baseline")
  target_link_libraries(sillar_openzl INTERFACE OpenZL::openzl)
  target_link_libraries(sillar PRIVATE OpenZL::openzl)
  message(STATUS "OpenZL: the installed package")
elseif(SILLAR_OZL_PROVIDER STREQUAL "system")
  message(FATAL_ERROR "SILLAR_OZL_PROVIDER=system, but OpenZL is not installed")
else()
  set(variants ${SILLAR_OPENZL_VARIANTS})
  sillar_ozl_vendor()
  file(GLOB ozl_root "${vendor}/openzl-sys-*/openzl")
  if(NOT IS_DIRECTORY "${ozl_root}/src/openzl")
    message(FATAL_ERROR "There is no openzl-sys-*/openzl in ${vendor}")
  endif()
  message(STATUS "OpenZL: ${ozl_root} (${variants})")
  file(GLOB_RECURSE ozl_sources "${ozl_root}/src/openzl/*.c")
  # By far the slowest file to compile goes first, so that it never runs alone at the end.
  list(FIND ozl_sources "${ozl_root}/src/openzl/codecs/lz/decode_field_lz.c" slowest)
  if(slowest GREATER 0)
    list(REMOVE_AT ozl_sources ${slowest})
    list(PREPEND ozl_sources "${ozl_root}/src/openzl/codecs/lz/decode_field_lz.c")
  endif()
  if(sillar_x86_64)
    enable_language(ASM)
    list(APPEND ozl_sources "${ozl_root}/src/openzl/fse/decompress/huf_decompress_amd64.S")
  endif()
  # Its allocations go through four functions of ours, which hold a decode to a budget.
  set_source_files_properties("${ozl_root}/src/openzl/common/allocation.c" PROPERTIES COMPILE_DEFINITIONS
    "malloc=sillar_zl_malloc;calloc=sillar_zl_calloc;realloc=sillar_zl_realloc;free=sillar_zl_free")
  target_compile_definitions(sillar PRIVATE SILLAR_OPENZL_BUDGET=1)

  function(sillar_openzl_library name)
    sillar_ozl_objects(${name} ${ozl_sources})
    target_include_directories(${name} SYSTEM PRIVATE "${ozl_root}/include" "${ozl_root}/src")
    target_link_libraries(${name} PRIVATE sillar_zstd sillar_lz4)
    target_compile_definitions(${name} PRIVATE $<$<NOT:$<BOOL:${sillar_x86_64}>>:ZSTD_DISABLE_ASM=1>)
  endfunction()
  target_include_directories(sillar_openzl SYSTEM INTERFACE "${ozl_root}/include" "${ozl_root}/src")

  sillar_openzl_library(openzl_baseline)
  target_sources(sillar PRIVATE $<TARGET_OBJECTS:openzl_baseline>)
  if(NOT APPLE)
    target_link_libraries(sillar PRIVATE m)
  endif()

  if("v3" IN_LIST variants)
    # All objects become one, whose own names get the prefix; what it lacks (zstd, lz4, libc,
    # sillar_zl_*) keeps its name and is shared with the other variant.
    sillar_openzl_library(openzl_v3_objects)
    target_compile_options(openzl_v3_objects PRIVATE $<$<COMPILE_LANGUAGE:C>:-march=x86-64-v3>)
    add_library(openzl_v3_raw STATIC $<TARGET_OBJECTS:openzl_v3_objects>)
    set_target_properties(openzl_v3_raw PROPERTIES LINKER_LANGUAGE C)
    set(v3 "${CMAKE_CURRENT_BINARY_DIR}/openzl_v3")
    add_custom_command(
      OUTPUT "${v3}.o" "${v3}.syms"
      COMMAND "${CMAKE_LINKER}" -r --whole-archive "$<TARGET_FILE:openzl_v3_raw>" -o "${v3}_raw.o"
      COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DINPUT=${v3}_raw.o" -DPREFIX=v3_
        "-DOUTPUT=${v3}.syms" -P "${PROJECT_SOURCE_DIR}/cmake/ListSymbols.cmake"
      COMMAND "${CMAKE_OBJCOPY}" "--redefine-syms=${v3}.syms" "${v3}_raw.o" "${v3}.o"
      DEPENDS openzl_v3_raw "${PROJECT_SOURCE_DIR}/cmake/ListSymbols.cmake"
      COMMENT "Renaming OpenZL v3"
      VERBATIM)
    target_sources(sillar PRIVATE "${v3}.o")
    target_compile_definitions(sillar PRIVATE SILLAR_OPENZL_HAS_V3=1)
  endif()
endif()

# ---------------------------------------------------------------- the wrapper, once per variant
file(GLOB wrapper CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/sillar/codec/openzl/*.cpp")
if(wrapper)
  get_target_property(core_definitions sillar COMPILE_DEFINITIONS)
  foreach(variant IN LISTS variants)
    set(name sillar_openzl_${variant})
    add_library(${name} OBJECT ${wrapper})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_compile_definitions(${name} PRIVATE ${core_definitions} SILLAR_OPENZL_VARIANT=${variant})
    target_link_libraries(${name} PRIVATE sillar_openzl sillar_zstd sillar_lz4 Threads::Threads fmt::fmt)
    sillar_own(${name})
    if(variant STREQUAL "baseline")
      target_sources(sillar PRIVATE $<TARGET_OBJECTS:${name}>)
    else()
      # The wrapper's calls into OpenZL get the prefix as well.
      set(renamed)
      list(LENGTH wrapper count)
      foreach(index RANGE 1 ${count})
        list(APPEND renamed "${v3}_wrapper_${index}.o")
      endforeach()
      add_custom_command(
        OUTPUT ${renamed}
        COMMAND "${CMAKE_COMMAND}" "-DOBJCOPY=${CMAKE_OBJCOPY}" "-DSYMS=${v3}.syms"
          "-DINPUTS=$<JOIN:$<TARGET_OBJECTS:${name}>,|>" "-DOUTPUT=${v3}_wrapper_"
          -P "${PROJECT_SOURCE_DIR}/cmake/RenameObjects.cmake"
        DEPENDS $<TARGET_OBJECTS:${name}> "${v3}.syms" "${PROJECT_SOURCE_DIR}/cmake/RenameObjects.cmake"
        COMMENT "Renaming the wrapper of OpenZL v3"
        VERBATIM)
      target_sources(sillar PRIVATE ${renamed})
    endif()
  endforeach()
endif()
