# shellcheck shell=bash
# What the scripts of this folder share; sourced, after `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # for those that source this
packaging=$root/packaging

say() { printf '%s\n' "$*" >&2; }

# fail STATUS SENTENCE: 2 for bad input, 1 for what could not be done.
fail() {
    say "${0##*/}: $2"
    exit "$1"
}

# As many compilers as there are processors, but no more than memory holds: a file that includes torch takes 2 GB.
build_jobs() {
    local processors memory
    processors=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 2097152) }' /proc/meminfo)
    echo $((memory < 1 ? 1 : memory < processors ? memory : processors))
}

# Where setup.sh --all-tests puts a Python that has TensorBoard.
tensorboard_folder() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/ropelab/tensorboard"; }

# build PRESET TARGETS [CMAKE OPTIONS…]: configures and builds; TARGETS is a word list, "all" for everything.
build() {
    local preset=$1 targets
    read -ra targets <<<"$2"
    shift 2
    cd "$root" || return
    cmake --preset "$preset" "$@"
    cmake --build --preset "$preset" --parallel "$(build_jobs)" --target "${targets[@]}"
}
