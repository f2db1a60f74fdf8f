#!/usr/bin/env bash
# Tests that CMake chooses, among several CUDA compilers, one with LibTorch's major CUDA version that is not newer than
# LibTorch's CUDA runtime and the driver.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
cmake=$(command -v cmake)

# program FILE WORDS: creates a program that prints the words.
program() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\necho "%s"\n' "$2" >"$1"
    chmod +x "$1"
}
for version in 11.8 12.4 13.0 13.2 13.3; do
    program "$scratch/$version/bin/nvcc" "tools, release $version, V$version.1"
done
# Hide an nvcc of this machine.
program "$scratch/path/nvcc" nothing
cat >"$scratch/choose.cmake" <<END
include($checkout/cmake/RopelabCuda.cmake)
ropelab_find_nvcc(nvcc)
message(STATUS "chosen: <\${nvcc}>")
END

# driver [VERSION]: makes nvidia-smi report this CUDA version, or no version if VERSION is missing.
driver() { program "$scratch/path/nvidia-smi" "| Driver Version: 580.65.06   CUDA Version: ${1:-N/A}     |"; }
# chosen NVCC LIBTORCH FIRST SECOND THIRD: asserts that NVCC is chosen from three compilers for the LibTorch in a folder.
chosen() {
    local nvcc=${1:+$scratch/$1/bin/nvcc}
    expect 0 "chosen: <$nvcc>" env PATH="$scratch/path:$PATH" CUDACXX="$scratch/$4/bin/nvcc" CUDA_HOME="$scratch/$5" \
        "$cmake" "-DLibTorch_LIBRARY_DIRS=$scratch/$2" "-DCMAKE_CUDA_COMPILER=$scratch/$3/bin/nvcc" \
        -P "$scratch/choose.cmake"
}
warns() { grep -q "nvcc $1 is newer than CUDA $2," "$scratch/said" || wrong 'there is no warning of a newer nvcc'; }
warns_of_nothing() { ! grep -q 'is newer than' "$scratch/said" || wrong 'there is a warning of a newer nvcc'; }

# Three LibTorches: the minor version of the first one's CUDA runtime is unknown; the second has a symbolic link as in a
# toolkit; the third is from a wheel.
mkdir -p "$scratch/plain" "$scratch/linked" "$scratch/wheel/nvidia/cu13/lib" "$scratch/none"
touch "$scratch/plain/libcudart.so.13" "$scratch/linked/libcudart.so.13.0.48"
ln -s libcudart.so.13.0.48 "$scratch/linked/libcudart.so.13"
mkdir "$scratch/wheel/nvidia_cuda_runtime-13.2.75.dist-info" "$scratch/wheel/nvidia_cuda_runtime_cu12-12.8.90.dist-info"
touch "$scratch/wheel/nvidia/cu13/lib/libcudart.so.13"

driver
chosen 13.2 plain 13.2 12.4 13.0
chosen 13.0 linked 13.2 12.4 13.0
chosen 13.2 wheel/nvidia/cu13/lib 13.3 13.2 13.0
warns_of_nothing
chosen 12.4 none 11.8 12.4 13.0

driver 13.0
chosen 13.0 plain 13.2 12.4 13.0
chosen 13.0 wheel/nvidia/cu13/lib 13.2 13.3 13.0
chosen 13.0 none 13.2 13.0 12.4
warns_of_nothing

# If all compilers with LibTorch's major version are too new, the oldest of them is chosen.
chosen 13.2 linked 13.3 12.4 13.2
warns 13.2 13.0
driver 12.6
chosen 13.0 plain 13.2 12.4 13.0
warns 13.0 12.6

# No compiler has LibTorch's major version.
chosen 12.4 linked 11.8 12.4 none
chosen '' linked 11.8 none none
