# cmake -DPROGRAM=… -DNAME=… -DTOGETHER=… -DFILE=… -DPROPERTIES=… -P ListSuites.cmake
#
# Writes FILE, which registers each suite of the GoogleTest program PROGRAM as a test of CTest, or with TOGETHER the program
# as the test NAME. A suite of which every test is skipped counts as skipped.
set(tests ${NAME})
if(NOT TOGETHER)
    execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+[.]" tests "${listed}")
    list(TRANSFORM tests STRIP)
    list(TRANSFORM tests REPLACE "[.]$" "")
endif()
set(skipped "PASSED  . 0 tests[.]\n[^a-z]*SKIPPED[^\n]*listed below:\n([^\n]*SKIPPED[^\n]*\n)+$")
file(WRITE ${FILE} "")
foreach(test IN LISTS tests)
    set(filter "[[--gtest_filter=${test}.*]]")
    if(TOGETHER)
        set(filter "")
    endif()
    file(APPEND ${FILE} "add_test([[${test}]] [[${PROGRAM}]] ${filter})
set_tests_properties([[${test}]] PROPERTIES ${PROPERTIES} SKIP_REGULAR_EXPRESSION [[${skipped}]])
")
endforeach()
