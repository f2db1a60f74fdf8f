# shellcheck shell=bash
# Functions for the scripts of this folder, which source this file after `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # used by the scripts that source this file
packaging=$root/packaging

# say TEXT…: prints a line to standard error.
say() { printf '%s\n' "$*" >&2; }

# fail STATUS SENTENCE: prints the sentence and exits; STATUS is 2 for bad input and 1 for a failure.
fail() {
    say "${0##*/}: $2"
    exit "$1"
}

# Prints the number of parallel compilers: one per processor, but limited by the available memory, because compiling a
# file that includes torch needs 2 GB.
build_jobs() {
    local processors memory
    processors=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 2097152) }' /proc/meminfo)
    echo $((memory < 1 ? 1 : memory < processors ? memory : processors))
}

# Prints the folder of the Python environment with TensorBoard that setup.sh --all-tests creates.
tensorboard_folder() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/ropelab/tensorboard"; }

# build PRESET TARGETS [CMAKE OPTIONS…]: configures and builds TARGETS, which are separated by spaces ("all": everything).
build() {
    local preset=$1 targets
    read -ra targets <<<"$2"
    shift 2
    cd "$root" || return
    cmake --preset "$preset" "$@"
    cmake --build --preset "$preset" --parallel "$(build_jobs)" --target "${targets[@]}"
}
