#!/usr/bin/env bash
# Among several CUDA compilers the build chooses one of LibTorch's CUDA that is not newer than LibTorch and the driver.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
cmake=$(command -v cmake)

# program FILE WORDS: makes a program that prints these words.
program() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\necho "%s"\n' "$2" >"$1"
    chmod +x "$1"
}
for version in 11.8 12.4 13.0 13.2 13.3; do
    program "$scratch/$version/bin/nvcc" "tools, release $version, V$version.1"
done
# Whatever nvcc this machine has is hidden.
program "$scratch/path/nvcc" nothing
cat >"$scratch/choose.cmake" <<END
include($checkout/cmake/RopelabCuda.cmake)
ropelab_find_nvcc(nvcc)
message(STATUS "chosen: <\${nvcc}>")
END

# driver VERSION: nvidia-smi names this CUDA version from now on; without VERSION there is no driver.
driver() { program "$scratch/path/nvidia-smi" "| Driver Version: 580.65.06   CUDA Version: ${1:-N/A}     |"; }
# chosen NVCC LIBTORCH FIRST SECOND THIRD: of three compilers NVCC is chosen for the LibTorch in this folder.
chosen() {
    local nvcc=${1:+$scratch/$1/bin/nvcc}
    expect 0 "chosen: <$nvcc>" env PATH="$scratch/path:$PATH" CUDACXX="$scratch/$4/bin/nvcc" CUDA_HOME="$scratch/$5" \
        "$cmake" "-DLibTorch_LIBRARY_DIRS=$scratch/$2" "-DCMAKE_CUDA_COMPILER=$scratch/$3/bin/nvcc" \
        -P "$scratch/choose.cmake"
}
warns() { grep -q "nvcc $1 is newer than CUDA $2," "$scratch/said" || wrong 'no warning of a newer nvcc'; }
warns_of_nothing() { ! grep -q 'is newer than' "$scratch/said" || wrong 'a warning of a newer nvcc'; }

# A LibTorch with a runtime of no known minor version, one with a link as in a toolkit, one of a wheel.
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

# All of LibTorch's major version are newer: the oldest of them.
chosen 13.2 linked 13.3 12.4 13.2
warns 13.2 13.0
driver 12.6
chosen 13.0 plain 13.2 12.4 13.0
warns 13.0 12.6

# None has LibTorch's major version.
chosen 12.4 linked 11.8 12.4 none
chosen '' linked 11.8 none none
