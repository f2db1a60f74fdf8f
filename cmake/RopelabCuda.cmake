# Finds a CUDA compiler for core/cuda; it is not an error if there is none.

# ropelab_find_nvcc(VARIABLE): sets VARIABLE to an nvcc 12 or newer, or to an empty string if there is none. An nvcc
# with the major version of LibTorch's CUDA runtime is preferred, and among those the first that is not newer than that
# runtime and the driver, because a driver rejects the PTX of a newer compiler.
function(ropelab_find_nvcc variable)
    ropelab_libtorch_cudart(cudart)
    string(REGEX MATCH "[0-9]+$" major "${cudart}")
    ropelab_newest_cuda(newest "${cudart}")
    ropelab_nvcc_candidates(candidates)
    ropelab_choose_nvcc(found "${newest}" "^${major}\\." ${candidates})
    if(found STREQUAL "")
        ropelab_choose_nvcc(found "${newest}" "." ${candidates})
    endif()
    set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# ropelab_nvcc_candidates(VARIABLE): sets VARIABLE to the list of possible compilers, in this order:
# CMAKE_CUDA_COMPILER, CUDACXX, the path, CUDA_HOME (/usr/local/cuda), and the compiler that packaging/setup.sh --cuda
# unpacked.
function(ropelab_nvcc_candidates variable)
    if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
        set(cache "$ENV{XDG_CACHE_HOME}")
    else()
        set(cache "$ENV{HOME}/.cache")
    endif()
    set(cuda_home "$ENV{CUDA_HOME}")
    if(cuda_home STREQUAL "")
        set(cuda_home /usr/local/cuda)
    endif()
    find_program(on_path nvcc PATHS ENV PATH NO_DEFAULT_PATH NO_CACHE)
    file(GLOB fetched "${cache}/ropelab/nvcc-*-${CMAKE_SYSTEM_PROCESSOR}/nvidia/cu*/bin/nvcc")
    set(${variable} ${CMAKE_CUDA_COMPILER} $ENV{CUDACXX} ${on_path} ${cuda_home}/bin/nvcc ${fetched} PARENT_SCOPE)
endfunction()

# ropelab_choose_nvcc(VARIABLE NEWEST MATCHING NVCC…): sets VARIABLE to the first nvcc 12 or newer whose version matches
# the regular expression MATCHING and is not newer than NEWEST (empty: any version). If all are newer, it sets VARIABLE
# to the oldest of them and prints a message.
function(ropelab_choose_nvcc variable newest matching)
    set(${variable} "" PARENT_SCOPE)
    set(oldest "")
    foreach(nvcc IN LISTS ARGN)
        ropelab_nvcc_version(version "${nvcc}")
        if(version VERSION_LESS 12 OR NOT version MATCHES "${matching}")
            continue()
        endif()
        if(newest STREQUAL "" OR NOT version VERSION_GREATER newest)
            set(${variable} "${nvcc}" PARENT_SCOPE)
            return()
        endif()
        if(oldest STREQUAL "" OR version VERSION_LESS oldest)
            set(oldest "${version}")
            set(${variable} "${nvcc}" PARENT_SCOPE)
        endif()
    endforeach()
    if(NOT oldest STREQUAL "")
        message(STATUS "CUDA kernels: nvcc ${oldest} is newer than CUDA ${newest}, which LibTorch and the driver support,"
                       " and no older nvcc is suitable; the driver may reject the kernels on a GPU newer than Hopper.")
    endif()
endfunction()

# ropelab_nvcc_version(VARIABLE NVCC): sets VARIABLE to the version of NVCC, such as 13.0, or to an empty string if the
# file does not exist or is not an nvcc.
function(ropelab_nvcc_version variable nvcc)
    set(${variable} "" PARENT_SCOPE)
    if(EXISTS "${nvcc}")
        execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE said ERROR_QUIET)
        if(said MATCHES "release ([0-9]+\\.[0-9]+)")
            set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        endif()
    endif()
endfunction()

# ropelab_newest_cuda(VARIABLE CUDART): sets VARIABLE to the newest CUDA version that both LibTorch's runtime CUDART and
# the driver support, or to an empty string if neither version is known.
function(ropelab_newest_cuda variable cudart)
    ropelab_cudart_version(newest "${cudart}")
    ropelab_driver_cuda(driver)
    if(newest STREQUAL "" OR (NOT driver STREQUAL "" AND driver VERSION_LESS newest))
        set(newest "${driver}")
    endif()
    set(${variable} "${newest}" PARENT_SCOPE)
endfunction()

# ropelab_driver_cuda(VARIABLE): sets VARIABLE to the CUDA version that the NVIDIA driver supports, such as 13.0, or to
# an empty string if there is no driver.
function(ropelab_driver_cuda variable)
    set(${variable} "" PARENT_SCOPE)
    find_program(nvidia_smi nvidia-smi NO_CACHE)
    if(nvidia_smi)
        execute_process(COMMAND "${nvidia_smi}" OUTPUT_VARIABLE said ERROR_QUIET)
        if(said MATCHES "CUDA Version *: *([0-9]+\\.[0-9]+)")
            set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
        endif()
    endif()
endfunction()

# ropelab_cudart_version(VARIABLE FILE): sets VARIABLE to the version of the CUDA runtime FILE, such as 13.0. It is
# taken from the name of the file to which FILE links, or from the wheel of FILE; it is empty if neither contains it.
function(ropelab_cudart_version variable file)
    set(${variable} "" PARENT_SCOPE)
    if(file STREQUAL "")
        return()
    endif()
    string(REGEX MATCH "[0-9]+$" major "${file}")
    get_filename_component(folder "${file}" DIRECTORY)
    file(REAL_PATH "${file}" target)
    file(GLOB wheels "${folder}/../../../nvidia_cuda_runtime*-${major}.*.dist-info")
    foreach(name IN LISTS target wheels)
        if(name MATCHES "(\\.so\\.|-)(${major}\\.[0-9]+)[^/]*$")
            set(${variable} "${CMAKE_MATCH_2}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

# ropelab_libtorch_cudart(VARIABLE): sets VARIABLE to the file of the CUDA runtime to which LibTorch is linked, or to an
# empty string if there is none.
function(ropelab_libtorch_cudart variable)
    set(found "")
    foreach(folder IN LISTS LibTorch_LIBRARY_DIRS)
        file(GLOB files "${folder}/libcudart.so.[0-9]*")
        list(APPEND found ${files})
    endforeach()
    list(FILTER found INCLUDE REGEX "\\.so\\.[0-9]+$")
    list(POP_FRONT found first)
    set(${variable} "${first}" PARENT_SCOPE)
endfunction()
