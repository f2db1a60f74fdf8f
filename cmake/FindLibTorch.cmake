# Finds LibTorch's headers and CPU libraries, without a CUDA toolkit and without Python.
#
# It searches in ROPELAB_TORCH (CMake or environment), CMAKE_PREFIX_PATH (a folder with include/ and lib/, or with a
# subfolder torch that has them, such as Python's site-packages), and the folder into which packaging/setup.sh unpacks
# LibTorch. It defines:
#
#   LibTorch::cpu    libtorch_cpu and libc10
#   LibTorch::cuda   libtorch_cuda and libc10_cuda, if the prefix has them
#   LibTorch_LIBRARY_DIRS   the folders for a program's run path

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(_cache "$ENV{XDG_CACHE_HOME}")
else()
    set(_cache "$ENV{HOME}/.cache")
endif()
string(REPLACE ":" ";" _environment_prefixes "$ENV{CMAKE_PREFIX_PATH}")
set(_places ${ROPELAB_TORCH} $ENV{ROPELAB_TORCH} ${CMAKE_PREFIX_PATH} ${_environment_prefixes}
            "${_cache}/ropelab/libtorch-2.11.0-${CMAKE_SYSTEM_PROCESSOR}")

# Each configuration searches again, so that another ROPELAB_TORCH takes effect in an existing build folder.
unset(LibTorch_PREFIX CACHE)
unset(LibTorch_CPU CACHE)
unset(LibTorch_C10 CACHE)
unset(LibTorch_CUDA CACHE)
unset(LibTorch_C10_CUDA CACHE)
find_path(LibTorch_PREFIX include/torch/csrc/api/include/torch/torch.h
          PATHS ${_places} PATH_SUFFIXES torch NO_DEFAULT_PATH)
if(LibTorch_PREFIX)
    # Since 2.10, a separate header defines the version.
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
    # The wheel has NVIDIA's libraries beside torch/; libtorch_cpu requires two of them.
    file(GLOB LibTorch_LIBRARY_DIRS "${LibTorch_PREFIX}/lib" "${LibTorch_PREFIX}/../nvidia/*/lib")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_PREFIX LibTorch_CPU LibTorch_C10
                                  VERSION_VAR LibTorch_VERSION
                                  REASON_FAILURE_MESSAGE
                                      "Run packaging/setup.sh, or give a LibTorch 2.8 or newer: -DROPELAB_TORCH=FOLDER.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
    add_library(LibTorch::c10 SHARED IMPORTED)
    set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${LibTorch_C10}")
    add_library(LibTorch::cpu SHARED IMPORTED)
    set_target_properties(LibTorch::cpu PROPERTIES
        IMPORTED_LOCATION "${LibTorch_CPU}"
        INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_PREFIX}/include;${LibTorch_PREFIX}/include/torch/csrc/api/include"
        INTERFACE_LINK_LIBRARIES LibTorch::c10)
    foreach(_dir ${LibTorch_LIBRARY_DIRS})
        # libtorch_cpu is linked to CUDA's runtime, so the linker must find it although RoPE Lab does not use it.
        target_link_options(LibTorch::cpu INTERFACE "LINKER:-rpath-link,${_dir}")
    endforeach()
    if(LibTorch_CUDA AND LibTorch_C10_CUDA)
        add_library(LibTorch::cuda SHARED IMPORTED)
        set_target_properties(LibTorch::cuda PROPERTIES IMPORTED_LOCATION "${LibTorch_CUDA}"
                              INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${LibTorch_C10_CUDA}")
    endif()
endif()
