# Tests: one GoogleTest program a room, made of tests/<room>/*_test.cpp.
find_package(GTest REQUIRED)
find_package(nlohmann_json QUIET)
find_package(OpenSSL REQUIRED)  # SHA-256 of golden samples
include(GoogleTest)
enable_testing()

file(GLOB support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
if(support)
  add_library(sillar_test_support STATIC ${support})
  sillar_own(sillar_test_support)
  set(scope PUBLIC)
else()
  add_library(sillar_test_support INTERFACE)
  set(scope INTERFACE)
endif()
target_include_directories(sillar_test_support ${scope} "${PROJECT_SOURCE_DIR}/tests/support")
target_compile_definitions(sillar_test_support ${scope}
  SILLAR_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
  SILLAR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(sillar_test_support ${scope} sillar::sillar fmt::fmt GTest::gtest OpenSSL::Crypto)
if(TARGET nlohmann_json::nlohmann_json)
  target_link_libraries(sillar_test_support ${scope} nlohmann_json::nlohmann_json)
endif()
if(TARGET sillar_cli)
  target_compile_definitions(sillar_test_support ${scope} SILLAR_CLI="$<TARGET_FILE:sillar_cli>")
endif()

file(GLOB rooms CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/tests/*")
foreach(folder IN LISTS rooms)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  if(NOT sources)
    continue()
  endif()
  cmake_path(GET folder FILENAME room)
  if(room STREQUAL "cli" AND NOT TARGET sillar_cli)
    continue()  # sanitizers run on the library alone
  endif()
  set(name "test_${room}")
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/tests"
    BUILD_RPATH "${SILLAR_BIN_DIR}")  # modules are found as the command finds them
  # Compiling tests takes longer than running them.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${name} PRIVATE sillar_test_support GTest::gtest_main)
  sillar_own(${name})
  add_dependencies(${name} sillar_app)  # tests run the command, and load the modules
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    TEST_PREFIX "${room}."
    PROPERTIES LABELS "${room}" TIMEOUT 600)
endforeach()

# Decoders are registered with OpenZL itself.
if(TARGET test_codec)
  target_link_libraries(test_codec PRIVATE sillar_openzl sillar_zstd)
endif()

# Conversions are held against GDAL's own reading.
if(TARGET test_convert AND SILLAR_GDAL_FOUND)
  target_link_libraries(test_convert PRIVATE GDAL::GDAL)
  target_compile_definitions(test_convert PRIVATE SILLAR_TEST_GDAL=1)
endif()
