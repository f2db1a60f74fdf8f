#!/usr/bin/env bash
# Fetching, unpacking and upgrading, with the real pip and made-up wheels from a folder instead of the package index.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"

arch=$(uname -m)
for python in python3 /usr/bin/python3; do
    ! "$python" -m pip --version >/dev/null 2>&1 || break
    [[ $python == python3 ]] || { echo 'skipped: no pip here' && exit 77; }
done
[[ -f $checkout/packaging/libtorch-$arch.txt ]] || { echo "skipped: there is no LibTorch wheel for $arch" && exit 77; }

python3 "$checkout/tests/packaging/make_wheels.py" "$scratch/index" "$arch"
mkdir "$scratch/packaging"
cp "$checkout"/packaging/*.{sh,txt} "$scratch/packaging"
cp "$scratch/index"/*.txt "$scratch/packaging"
# No compiler of this machine's.
IFS=: read -ra path_folders <<<"$PATH"
without_nvcc=
for path_folder in "${path_folders[@]}"; do
    [[ -e $path_folder/nvcc ]] || without_nvcc+=${without_nvcc:+:}$path_folder
done
export PATH=$without_nvcc CUDA_HOME=$scratch/no_toolkit
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$scratch/index PIP_CONFIG_FILE=/dev/null
setup=("$scratch/packaging/setup.sh" --no-packages)
cache=$XDG_CACHE_HOME/ropelab
folder=$cache/libtorch-2.11.0-$arch
compiler=$cache/nvcc-13.0.88-$arch

# holds_only NAMES…: the cache folder has these and nothing else.
holds_only() {
    [[ $(ls "$cache") == "$(printf '%s\n' "$@" | sort)" ]] || wrong "the cache folder holds: $(ls -m "$cache")"
}

# A wheel that is not the pinned one is refused and leaves no LibTorch.
sed -i '/^torch==/s/sha256:..../sha256:0000/' "$scratch/packaging/libtorch-$arch.txt"
expect 1 'pip could not fetch torch==2.11.0 with the pinned hash' "${setup[@]}" --no-cuda
[[ ! -e $folder && ! -e $folder.partial ]] || wrong 'a refused wheel left something'
cp "$scratch/index/libtorch-$arch.txt" "$scratch/packaging"

# What a run that was killed leaves behind does not end up in the next one's folder.
mkdir -p "$folder.partial/torch/lib" "$folder.replaced" "$folder.wheels"
touch "$folder.partial/torch/lib/left_over" "$folder.wheels/torch-2.11.0-cp311-cp311-manylinux_2_28_$arch.whl"
expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
holds_only "libtorch-2.11.0-$arch" setup.lock
[[ $(cd "$folder/torch/lib" && echo *) == 'libc10.so libtorch_cpu.so' ]] ||
    wrong "the CPU's libraries: $(ls "$folder/torch/lib")"
[[ -f $folder/nvidia/cu13/lib/libcupti.so.13 ]] || wrong "CUPTI is not in the wheel's own layout"
[[ ! -e $folder/nvidia/cu13/lib/libcupti_static.a && ! -e $folder/torch/__init__.py ]] || wrong 'too much was unpacked'

# The second run touches nothing and needs no pip.
mkdir "$scratch/without_python"
printf '#!/bin/sh\nexit 1\n' >"$scratch/without_python/python3"
chmod +x "$scratch/without_python/python3"
touch "$folder/kept"
PATH=$scratch/without_python:$PATH expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
[[ -e $folder/kept ]] || wrong 'a second run unpacked again'

# An upgrade that fails leaves the CPU's folder as it was; one that succeeds replaces it, and serves the CPU too.
mv "$scratch/index/nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_$arch.whl" "$scratch/away.whl"
expect 1 'pip could not fetch nvidia-cudnn-cu13' "${setup[@]}" --cuda
expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
[[ -e $folder/kept ]] || wrong 'a failed upgrade replaced the folder'
mv "$scratch/away.whl" "$scratch/index/nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_$arch.whl"
expect 0 "LibTorch 2.11.0 (CPU and CUDA): $folder" "${setup[@]}" --cuda
holds_only "libtorch-2.11.0-$arch" "nvcc-13.0.88-$arch" setup.lock
[[ -f $folder/torch/lib/libtorch_cuda.so && -f $folder/nvidia/cudnn/lib/libcudnn.so.9 ]] || wrong 'CUDA is not there'
expect 0 "LibTorch 2.11.0 (CPU and CUDA): $folder" "${setup[@]}" --no-cuda

# The compiler came with it, stays, and gives way to one that is installed.
[[ -x $compiler/nvidia/cu13/bin/nvcc && -x $compiler/nvidia/cu13/nvvm/bin/cicc ]] || wrong 'the compiler is not there'
touch "$compiler/kept"
expect 0 "CUDA compiler 13.0.88: $compiler" "${setup[@]}" --cuda
[[ -e $compiler/kept ]] || wrong 'a second run unpacked the compiler again'
mkdir -p "$scratch/toolkit/bin"
# shellcheck disable=SC2016 # for the made-up compiler to expand
printf '#!/bin/sh\necho "Cuda compilation tools, release $RELEASE, V"\n' >"$scratch/toolkit/bin/nvcc"
chmod +x "$scratch/toolkit/bin/nvcc"
CUDA_HOME=$scratch/toolkit RELEASE=12.4 expect 0 "CUDA compiler 12.4: $scratch/toolkit" "${setup[@]}" --cuda
CUDA_HOME=$scratch/toolkit RELEASE=11.8 expect 0 "CUDA compiler 13.0.88: $compiler" "${setup[@]}" --cuda
rm -rf "$compiler"
sed -i '/^nvidia-nvvm==/s/sha256:..../sha256:0000/' "$scratch/packaging/cuda-wheels-$arch.txt"
expect 1 'pip could not fetch nvidia-nvvm==13.0.88 with the pinned hash' "${setup[@]}" --cuda
[[ ! -e $compiler && ! -e $compiler.partial ]] || wrong 'a refused wheel left a compiler'
cp "$scratch/index/cuda-wheels-$arch.txt" "$scratch/packaging"

# Two at once: one waits for the other, and both find it.
rm -rf "$cache"
"${setup[@]}" --no-cuda >"$scratch/first" 2>&1 </dev/null &
expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
wait $! || wrong "the other of two setups failed: $(<"$scratch/first")"
holds_only "libtorch-2.11.0-$arch" setup.lock
