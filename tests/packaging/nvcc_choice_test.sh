#!/usr/bin/env bash
# Of several CUDA compilers the build takes one of LibTorch's CUDA that is not newer than the driver's.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"

# program NAME WORDS: a program of that path that prints these words.
program() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\necho "%s"\n' "$2" >"$1"
    chmod +x "$1"
}
for version in 12.4 13.0 13.2; do program "$scratch/$version/bin/nvcc" "tools, release $version, V$version.1"; done
mkdir "$scratch/torch" && touch "$scratch/torch/libcudart.so.13"
cat >"$scratch/choose.cmake" <<END
include($checkout/cmake/RopelabCuda.cmake)
set(LibTorch_LIBRARY_DIRS $scratch/torch)
set(CMAKE_CUDA_COMPILER $scratch/13.2/bin/nvcc)
set(ENV{CUDACXX} $scratch/12.4/bin/nvcc)
set(ENV{CUDA_HOME} $scratch/13.0)
ropelab_find_nvcc(nvcc)
message(STATUS "chosen: \${nvcc}")
END
# chosen DRIVER VERSION: with a driver of that CUDA, or none, the compiler of this version is taken.
chosen() {
    rm -rf "$scratch/driver"
    [[ -z $1 ]] || program "$scratch/driver/nvidia-smi" "| Driver Version: 580.65.06   CUDA Version: $1     |"
    expect 0 "chosen: $scratch/$2/bin/nvcc" env PATH="$scratch/driver:/usr/bin:/bin" cmake -P "$scratch/choose.cmake"
}
chosen '' 13.2
chosen 13.2 13.2
chosen 13.0 13.0
chosen 12.6 13.2
