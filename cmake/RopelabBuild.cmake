# Compile options of all targets, and tools that make a build faster if they are installed.

find_program(ROPELAB_CCACHE ccache)
if(ROPELAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # ccache requires this sloppiness for precompiled headers. With the base, clones in other folders share the objects.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
        CCACHE_NOHASHDIR=1 ${ROPELAB_CCACHE})
endif()

find_program(ROPELAB_MOLD mold)
if(ROPELAB_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
    add_link_options(-fuse-ld=mold)
endif()

if(NOT ROPELAB_SANITIZE STREQUAL "")
    add_compile_options(-fsanitize=${ROPELAB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ROPELAB_SANITIZE})
    if(ROPELAB_SANITIZE MATCHES address)
        # Without it, the loader relocates 90 MB of UBSan's records at each start, which takes half of a start's time.
        add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
    endif()
endif()

# Enables warnings for a target; the headers of libraries are system headers and cause none.
function(ropelab_warnings target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                             $<$<BOOL:${ROPELAB_WERROR}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # With optimization, g++ 12 reports false positives of these two warnings inside std::string (GCC bug 105651).
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
    endif()
endfunction()

# Compiles the files of a target in groups if ROPELAB_UNITY is ON. This takes about a quarter of the processor time,
# because headers take most of it. After an edit, the whole group is compiled, so only the release preset does this.
function(ropelab_unity target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${ROPELAB_UNITY} UNITY_BUILD_BATCH_SIZE 12)
    if(ROPELAB_UNITY)
        # A local name may be equal to a name in another file of the group.
        target_compile_options(${target} PRIVATE -Wno-shadow -Wno-subobject-linkage)
    endif()
endfunction()

# Omits two checks with which a sanitized object is a fifth slower to compile and 40 % larger: null pointers, which
# AddressSanitizer reports where they are used, and alignment. For programs whose own code uses no pointers into files.
function(ropelab_fewer_checks target)
    if(ROPELAB_SANITIZE MATCHES undefined)
        target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment)
    endif()
endfunction()

# Adds a folder if it has a CMakeLists.txt.
function(ropelab_add_folder folder)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
        add_subdirectory(${folder})
    endif()
endfunction()
