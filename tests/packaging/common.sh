# shellcheck shell=bash
# Functions for the tests of this folder, which source this file with the checkout as $1. The tests write only to $scratch.

checkout=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset ROPELAB_TORCH CMAKE_PREFIX_PATH
export XDG_CACHE_HOME=$scratch/cache
# shellcheck disable=SC2034 # used by the scripts that source this file
setup=$checkout/packaging/setup.sh

# wrong TEXT: reports a failure with the last command's output, and ends the test.
wrong() {
    echo "failed: $1"
    [[ ! -s $scratch/said ]] || sed 's/^/    /' "$scratch/said"
    exit 1
}

# expect STATUS WORDS COMMAND…: runs the command and asserts its exit status and that its output contains WORDS.
expect() {
    local status=$1 words=$2 got=0
    shift 2
    "$@" >"$scratch/said" 2>&1 </dev/null || got=$?
    [[ $got == "$status" ]] || wrong "the exit status is $got instead of $status: $*"
    [[ -z $words ]] || grep -qF -- "$words" "$scratch/said" || wrong "the output does not contain '$words': $*"
}

# expect_sentence STATUS WORDS COMMAND…: like expect, and asserts that the output is one line that ends with a full stop.
expect_sentence() {
    expect "$@"
    [[ $(wc -l <"$scratch/said") == 1 && $(<"$scratch/said") == *. ]] || wrong "the output is not one sentence: ${*:3}"
}

# make_libtorch FOLDER MAJOR MINOR [HEADER]: creates a fake LibTorch; HEADER is the header that defines the version.
make_libtorch() {
    local header=$1/include/torch/${4:-csrc/api/include/torch/version.h}
    mkdir -p "$1/lib" "$1/include/torch/csrc/api/include/torch" "$(dirname "$header")"
    touch "$1/lib/libtorch_cpu.so" "$1/include/torch/csrc/api/include/torch/version.h"
    printf '#pragma once\n#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n' "$2" "$3" >>"$header"
}
