#!/usr/bin/env bash
# Tests the download, unpacking and upgrade of LibTorch, with the real pip and with fake wheels from a folder instead of
# the package index.
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
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$scratch/index PIP_CONFIG_FILE=/dev/null
setup=("$scratch/packaging/setup.sh" --no-packages)
cache=$XDG_CACHE_HOME/ropelab
folder=$cache/libtorch-2.11.0-$arch

# holds_only NAMES…: asserts that the cache folder contains these files and no others.
holds_only() {
    [[ $(ls "$cache") == "$(printf '%s\n' "$@" | sort)" ]] || wrong "the cache folder contains: $(ls -m "$cache")"
}

# A wheel with another hash is rejected, and no LibTorch is left behind.
sed -i '/^torch==/s/sha256:..../sha256:0000/' "$scratch/packaging/libtorch-$arch.txt"
expect 1 'pip could not download torch==2.11.0 with the pinned hash' "${setup[@]}" --no-cuda
[[ ! -e $folder && ! -e $folder.partial ]] || wrong 'a rejected wheel left files behind'
cp "$scratch/index/libtorch-$arch.txt" "$scratch/packaging"

# Files that a killed run left behind do not end up in the folder of the next run.
mkdir -p "$folder.partial/torch/lib" "$folder.replaced" "$folder.wheels"
touch "$folder.partial/torch/lib/left_over" "$folder.wheels/torch-2.11.0-cp311-cp311-manylinux_2_28_$arch.whl"
expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
holds_only "libtorch-2.11.0-$arch" setup.lock
[[ $(cd "$folder/torch/lib" && echo *) == 'libc10.so libtorch_cpu.so' ]] ||
    wrong "the CPU's libraries: $(ls "$folder/torch/lib")"
[[ -f $folder/nvidia/cu13/lib/libcupti.so.13 ]] || wrong 'CUPTI is not in the folder that the wheel has'
[[ ! -e $folder/nvidia/cu13/lib/libcupti_static.a && ! -e $folder/torch/__init__.py ]] ||
    wrong 'unneeded files were unpacked'

# The second run changes nothing and needs no pip.
mkdir "$scratch/without_python"
printf '#!/bin/sh\nexit 1\n' >"$scratch/without_python/python3"
chmod +x "$scratch/without_python/python3"
touch "$folder/kept"
PATH=$scratch/without_python:$PATH expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
[[ -e $folder/kept ]] || wrong 'a second run unpacked again'

# A failed upgrade to CUDA does not change the CPU's folder; a successful one replaces it and also serves --no-cuda.
mv "$scratch/index/nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_$arch.whl" "$scratch/away.whl"
expect 1 'pip could not download nvidia-cudnn-cu13' "${setup[@]}" --cuda
expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
[[ -e $folder/kept ]] || wrong 'a failed upgrade replaced the folder'
mv "$scratch/away.whl" "$scratch/index/nvidia_cudnn_cu13-9.19.0.56-py3-none-manylinux_2_27_$arch.whl"
expect 0 "LibTorch 2.11.0 (CPU and CUDA): $folder" "${setup[@]}" --cuda
holds_only "libtorch-2.11.0-$arch" setup.lock
[[ -f $folder/torch/lib/libtorch_cuda.so && -f $folder/nvidia/cudnn/lib/libcudnn.so.9 ]] ||
    wrong 'the CUDA libraries are missing'
expect 0 "LibTorch 2.11.0 (CPU and CUDA): $folder" "${setup[@]}" --no-cuda

# Of two parallel runs, one waits for the other, and both succeed.
rm -rf "$cache"
"${setup[@]}" --no-cuda >"$scratch/first" 2>&1 </dev/null &
expect 0 "LibTorch 2.11.0 (CPU): $folder" "${setup[@]}" --no-cuda
wait $! || wrong "the other of two parallel runs failed: $(<"$scratch/first")"
holds_only "libtorch-2.11.0-$arch" setup.lock
