#!/usr/bin/env bash
# Tests that setup.sh uses a LibTorch 2.8 or newer that ROPELAB_TORCH or CMAKE_PREFIX_PATH names, and downloads nothing.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
setup=("$setup" --no-packages)

make_libtorch "$scratch/old" 2 1
make_libtorch "$scratch/just" 2 8
make_libtorch "$scratch/new/torch" 2 11 headeronly/version.h
make_libtorch "$scratch/major" 3 0
mkdir -p "$scratch/empty"

expect_sentence 2 'version 2.1; 2.8 or newer is required' env ROPELAB_TORCH="$scratch/old" "${setup[@]}"
expect_sentence 2 'version 2.1; 2.8 or newer is required' env CMAKE_PREFIX_PATH="$scratch/old" "${setup[@]}"
expect_sentence 2 'contains no LibTorch' env ROPELAB_TORCH="$scratch/empty" "${setup[@]}"
expect_sentence 2 'contains no LibTorch' env ROPELAB_TORCH="$scratch/nowhere" "${setup[@]}"

expect 0 "LibTorch 2.8: $scratch/just" env ROPELAB_TORCH="$scratch/just" "${setup[@]}"
expect 0 "LibTorch 2.11: $scratch/new/torch" env ROPELAB_TORCH="$scratch/new" "${setup[@]}"
expect 0 "LibTorch 2.11: $scratch/new/torch" env ROPELAB_TORCH="$scratch/new/torch" "${setup[@]}"
expect 0 "LibTorch 3.0: $scratch/major" env CMAKE_PREFIX_PATH="$scratch/empty:$scratch/major" "${setup[@]}"
expect 0 "LibTorch 2.8: $scratch/just" env CMAKE_PREFIX_PATH="$scratch/empty;$scratch/just" "${setup[@]}"
expect 0 "LibTorch 2.8: $scratch/just" env CMAKE_PREFIX_PATH="$scratch/old" ROPELAB_TORCH="$scratch/just" "${setup[@]}"

expect_sentence 2 'no lib/libtorch_cuda.so' env ROPELAB_TORCH="$scratch/just" "${setup[@]}" --cuda
touch "$scratch/just/lib/libtorch_cuda.so"
expect 0 "LibTorch 2.8: $scratch/just" env ROPELAB_TORCH="$scratch/just" "${setup[@]}" --cuda

rm "$scratch/just/lib/libtorch_cpu.so"
expect_sentence 2 'has no lib/libtorch_cpu.so' env ROPELAB_TORCH="$scratch/just" "${setup[@]}"
: >"$scratch/major/include/torch/csrc/api/include/torch/version.h"
expect_sentence 2 'is unknown; 2.8 or newer is required' env ROPELAB_TORCH="$scratch/major" "${setup[@]}"

[[ ! -e $XDG_CACHE_HOME ]] || wrong 'something was written to the cache folder'
