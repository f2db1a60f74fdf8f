# shellcheck shell=bash
# What the tests of this folder share; sourced with the checkout as $1. Nothing they do reaches beyond $scratch.

checkout=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset ROPELAB_TORCH CMAKE_PREFIX_PATH
export XDG_CACHE_HOME=$scratch/cache
# shellcheck disable=SC2034 # for those that source this
setup=$checkout/packaging/setup.sh

# wrong WHAT: the test has failed.
wrong() {
    echo "wrong: $1"
    [[ ! -s $scratch/said ]] || sed 's/^/    /' "$scratch/said"
    exit 1
}

# expect STATUS WORDS COMMAND…: runs it; its exit status and all it says must be these.
expect() {
    local status=$1 words=$2 got=0
    shift 2
    "$@" >"$scratch/said" 2>&1 </dev/null || got=$?
    [[ $got == "$status" ]] || wrong "exit status $got, not $status, of: $*"
    grep -qF -- "$words" "$scratch/said" || wrong "no word of '$words' from: $*"
}

# expect_sentence STATUS WORDS COMMAND…: the same, and it says one line that ends with a full stop.
expect_sentence() {
    expect "$@"
    [[ $(wc -l <"$scratch/said") == 1 && $(<"$scratch/said") == *. ]] || wrong "not one sentence from: ${*:3}"
}

# make_libtorch FOLDER MAJOR MINOR [HEADER]: a made-up LibTorch; HEADER is where the version stands.
make_libtorch() {
    local header=$1/include/torch/${4:-csrc/api/include/torch/version.h}
    mkdir -p "$1/lib" "$1/include/torch/csrc/api/include/torch" "$(dirname "$header")"
    touch "$1/lib/libtorch_cpu.so" "$1/include/torch/csrc/api/include/torch/version.h"
    printf '#pragma once\n#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n' "$2" "$3" >>"$header"
}
