# Finds LibTorch's headers and CPU libraries, without a CUDA toolkit and without Python.
#
# Looked for in: ROPELAB_TORCH (CMake or environment), CMAKE_PREFIX_PATH (the folder that holds include/ and lib/, or
# one with torch/ below it, as in a Python site-packages), then the folder that packaging/setup.sh unpacks.
#
#   LibTorch::cpu    libtorch_cpu and libc10
#   LibTorch::cuda   libtorch_cuda and libc10_cuda, where the prefix has them
#   LibTorch_LIBRARY_DIRS   what a program's run path needs

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(_cache "$ENV{XDG_CACHE_HOME}")
else()
    set(_cache "$ENV{HOME}/.cache")
endif()
string(REPLACE ":" ";" _environment_prefixes "$ENV{CMAKE_PREFIX_PATH}")
set(_places ${ROPELAB_TORCH} $ENV{ROPELAB_TORCH} ${CMAKE_PREFIX_PATH} ${_environment_prefixes}
            "${_cache}/ropelab/libtorch-2.11.0-${CMAKE_SYSTEM_PROCESSOR}")

# Looked for anew at each configuration, so that another ROPELAB_TORCH takes effect in an existing build folder.
unset(LibTorch_PREFIX CACHE)
unset(LibTorch_CPU CACHE)
unset(LibTorch_C10 CACHE)
unset(LibTorch_CUDA CACHE)
unset(LibTorch_C10_CUDA CACHE)
find_path(LibTorch_PREFIX include/torch/csrc/api/include/torch/torch.h
          PATHS ${_places} PATH_SUFFIXES torch NO_DEFAULT_PATH)
if(LibTorch_PREFIX)
    # From 2.10 on the numbers stand in a header of their own.
    set(_header "${LibTorch_PREFIX}/include/torch/headeronly/version.h")
    if(NOT EXISTS "${_header}")
        set(_header "${LibTorch_PREFIX}/include/torch/csrc/api/include/torch/version.h")
    endif()
    file(STRINGS "${_header}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX REPLACE "[^0-9;]" "" LibTorch_VERSION "${_lines}")
    string(REPLACE ";" "." LibTorch_VERSION "${LibTorch_VERSION}")
    find_library(LibTorch_CPU torch_cpu PATHS "${LibTorch_PREFIX}/lib" NO_DEFAULT_PATH)
    find_library(LibTorch_C10 c10 PATHS "${LibTorch_PREFIX}/lib" NO_DEFAULT_PATH)
    find_library(LibTorch_CUDA torch_cuda PATHS "${LibTorch_PREFIX}/lib" NO_DEFAULT_PATH)
    find_library(LibTorch_C10_CUDA c10_cuda PATHS "${LibTorch_PREFIX}/lib" NO_DEFAULT_PATH)
    # The wheel keeps NVIDIA's libraries beside torch/; libtorch_cpu itself needs two of them.
    file(GLOB LibTorch_LIBRARY_DIRS "${LibTorch_PREFIX}/lib" "${LibTorch_PREFIX}/../nvidia/*/lib")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_PREFIX LibTorch_CPU LibTorch_C10
                                  VERSION_VAR LibTorch_VERSION
                                  REASON_FAILURE_MESSAGE "Run packaging/setup.sh, or name a LibTorch 2.8 or newer with -DROPELAB_TORCH=FOLDER.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
    add_library(LibTorch::c10 SHARED IMPORTED)
    set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${LibTorch_C10}")
    add_library(LibTorch::cpu SHARED IMPORTED)
    set_target_properties(LibTorch::cpu PROPERTIES
        IMPORTED_LOCATION "${LibTorch_CPU}"
        INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_PREFIX}/include;${LibTorch_PREFIX}/include/torch/csrc/api/include"
        INTERFACE_LINK_LIBRARIES LibTorch::c10)
    foreach(_dir ${LibTorch_LIBRARY_DIRS})
        # libtorch_cpu names CUDA's runtime; the linker must find it although nothing of ours uses it.
        target_link_options(LibTorch::cpu INTERFACE "LINKER:-rpath-link,${_dir}")
    endforeach()
    if(LibTorch_CUDA AND LibTorch_C10_CUDA)
        add_library(LibTorch::cuda SHARED IMPORTED)
        set_target_properties(LibTorch::cuda PROPERTIES IMPORTED_LOCATION "${LibTorch_CUDA}"
                              INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${LibTorch_C10_CUDA}")
    endif()
endif()
