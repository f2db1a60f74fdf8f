# ropelab_add_test(NAME SOURCES a_test.cpp … LIBRARIES ropelab::core … [LABELS unit …] [ENVIRONMENT A=b …]
#                  [TOGETHER | APART])
#
# Adds a GoogleTest program and registers each of its suites as one test of CTest, because most tests take less time than
# the start of their program: loading LibTorch takes 0.3 s. With TOGETHER, the program is one test of CTest, because its
# suites share a trained run; with APART, each of its tests is, because they take long and two processors can share them.
# With sanitizers, every program is one test, because its start takes up to 0.6 s.
if(ROPELAB_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
    add_library(ropelab_source_file STATIC EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/source_file.cpp)
    target_include_directories(ropelab_source_file PUBLIC ${CMAKE_SOURCE_DIR})
    target_compile_definitions(ropelab_source_file PRIVATE ROPELAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    ropelab_warnings(ropelab_source_file)
endif()

function(ropelab_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 TEST "TOGETHER;APART" "TIMEOUT" "SOURCES;LIBRARIES;LABELS;ENVIRONMENT")
    if(NOT TEST_LABELS)
        set(TEST_LABELS unit)
    endif()
    if(NOT TEST_TIMEOUT)
        set(TEST_TIMEOUT 300)
    endif()
    add_executable(${name} ${TEST_SOURCES})
    ropelab_warnings(${name})
    ropelab_unity(${name})
    ropelab_fewer_checks(${name})
    if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O2" AND CMAKE_BUILD_TYPE STREQUAL "Release")
        # With -O0, tests compile in about 63 % of the processor time of -O1, and those of core and of commands run as long:
        # their own code computes little, unless it repeats what a model or a kernel computes.
        set(level -O0)
        if(TEST_LIBRARIES MATCHES "LibTorch::cpu|ropelab::kernels|Qt6::Test")
            set(level -O1)
        endif()
        target_compile_options(${name} PRIVATE ${level})
    endif()
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${TEST_LIBRARIES} ropelab_source_file GTest::gmock GTest::gtest_main)
    # Spinning OpenMP threads of tests that run in parallel would slow each other down.
    set(environment "OMP_WAIT_POLICY=PASSIVE;${TEST_ENVIRONMENT}")
    if(TEST_APART)
        gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
            PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT} ENVIRONMENT "${environment}")
        return()
    endif()
    set(suites ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
    if(ROPELAB_SANITIZE)
        set(TEST_TOGETHER TRUE)
        set(TEST_TIMEOUT 1800)
    endif()
    add_custom_command(TARGET ${name} POST_BUILD BYPRODUCTS ${suites} VERBATIM
        COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${name}> -DNAME=${name} -DTOGETHER=${TEST_TOGETHER} -DFILE=${suites}
                "-DPROPERTIES=LABELS [[${TEST_LABELS}]] TIMEOUT ${TEST_TIMEOUT} ENVIRONMENT [[${environment}]]"
                -P ${CMAKE_SOURCE_DIR}/cmake/ListSuites.cmake)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake CONTENT
"if(EXISTS [[${suites}]])
  include([[${suites}]])
else()
  add_test([[${name}_NOT_BUILT]] [[${name}_NOT_BUILT]])
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake)
endfunction()
