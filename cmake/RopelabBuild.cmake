# What every target of the project is built with, and the tools that make a build faster where they are present.

find_program(ROPELAB_CCACHE ccache)
if(ROPELAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # The sloppiness is what ccache asks for where precompiled headers are used.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                    ${ROPELAB_CCACHE})
endif()

find_program(ROPELAB_MOLD mold)
if(ROPELAB_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
    add_link_options(-fuse-ld=mold)
endif()

if(NOT ROPELAB_SANITIZE STREQUAL "")
    add_compile_options(-fsanitize=${ROPELAB_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ROPELAB_SANITIZE})
endif()

# Warnings for the project's own code; libraries' headers come in as system headers.
function(ropelab_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                             $<$<BOOL:${ROPELAB_WERROR}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # With optimisation g++ 12 reports these two inside std::string where nothing is wrong (its bug 105651).
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
    endif()
endfunction()

# Adds a folder that has a CMakeLists.txt.
function(ropelab_add_folder folder)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
        add_subdirectory(${folder})
    endif()
endfunction()
