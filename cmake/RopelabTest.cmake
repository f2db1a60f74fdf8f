# ropelab_add_test(NAME SOURCES a_test.cpp … LIBRARIES ropelab::core … [LABELS unit …] [ENVIRONMENT A=b …] [SERIAL]
#                  [TOGETHER])
#
# Adds a GoogleTest program and registers each of its tests with CTest. With SERIAL, CTest runs these tests one at a
# time, because they share a display. With TOGETHER, the program is one test of CTest, because its tests share what takes
# longer than they do: loading LibTorch takes 0.3 s, and a run that a suite trains as long again.
if(ROPELAB_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
endif()

function(ropelab_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 TEST "SERIAL;TOGETHER" "TIMEOUT" "SOURCES;LIBRARIES;LABELS;ENVIRONMENT")
    if(NOT TEST_LABELS)
        set(TEST_LABELS unit)
    endif()
    if(NOT TEST_TIMEOUT)
        set(TEST_TIMEOUT 300)
    endif()
    add_executable(${name} ${TEST_SOURCES})
    ropelab_warnings(${name})
    ropelab_unity(${name})
    if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O2" AND CMAKE_BUILD_TYPE STREQUAL "Release")
        # A third less processor time than with -O2, and the tests run as long: their own code computes little.
        target_compile_options(${name} PRIVATE -O1)
    endif()
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name} PRIVATE ROPELAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                               ROPELAB_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared/data")
    set(properties LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT})
    if(TEST_SERIAL)
        list(APPEND properties RUN_SERIAL TRUE)
    endif()
    # Spinning OpenMP threads of tests that run in parallel would slow each other down.
    list(APPEND properties ENVIRONMENT "OMP_WAIT_POLICY=PASSIVE;${TEST_ENVIRONMENT}")
    if(TEST_TOGETHER)
        add_test(NAME ${name} COMMAND ${name})
        set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT}
                             ENVIRONMENT "OMP_WAIT_POLICY=PASSIVE;${TEST_ENVIRONMENT}")
    else()
        gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
    endif()
endfunction()
