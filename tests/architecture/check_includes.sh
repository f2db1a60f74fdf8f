#!/usr/bin/env bash
# check_includes.sh CHECKOUT: fails, naming file, line and rule, if a source includes what its folder may not know.
#   app → ui → core/{data,store,experiment,stats,interop,bench} → core/{rope,spec}
#   core/{model,train} → core/{rope,spec}, and of core/cuda the table of its kernels alone; core/cuda → nothing
set -euo pipefail
cd "$1"
[[ -d core && -d ui && -d app ]] || { echo "'$1' is no checkout: it lacks core/, ui/ or app/." && exit 2; }

qt='<(Q[A-Za-z]+|Qt[A-Za-z]*/.*|q[a-z]+\.h)>|"(Q[A-Z]\w*|q[a-z]+\.h)"|qcustomplot'
torch='[<"](torch|ATen|c10|caffe2|nvfuser)/'
data='core/(data|store|experiment|stats|interop|bench)/'
engine='core/(model|train|cuda)/'
window='"(ui|app)/'
files='nlohmann/|sqlite3\.h|curl/|openssl/|archive(_entry)?\.h|boost/|CLI/'
violations=0

# forbid RULE PATTERN FOLDER…: no source of these folders has an #include that matches.
forbid() {
    local rule=$1 pattern=$2 folder found
    shift 2
    for folder in "$@"; do
        [[ -d $folder ]] || continue
        found=$(grep -rnE --include='*.h' --include='*.hpp' --include='*.cpp' --include='*.cu' --include='*.cuh' \
            "^[[:space:]]*#[[:space:]]*include[[:space:]]*.*($pattern)" "$folder" || true)
        [[ -n $found ]] || continue
        printf '%s\n' "$found" "  ^ $rule" ''
        violations=$((violations + $(wc -l <<<"$found")))
    done
}

base=(core/rope core/spec)
middle=(core/data core/store core/experiment core/stats core/interop core/bench)
top=(core/model core/train core/cuda)

forbid 'core knows nothing of Qt' "$qt" core
forbid 'core knows nothing of the programs above it' "$window" core
forbid 'core/rope and core/spec stand on the standard library alone' \
    "$data|$engine|$torch|<[A-Za-z0-9_]+/|$files|g(test|mock)/" "${base[@]}"
forbid 'only the engine knows LibTorch' "$torch" "${middle[@]}" ui app
forbid 'the engine is opened at run time, not included' "$engine" "${middle[@]}" ui app
forbid 'the engine knows plain structs, no files and no experiments' "$data|$files" "${top[@]}"
forbid 'model and train know the table of the CUDA kernels alone' '"core/cuda/([^c]|c[^u])' core/model core/train
forbid 'the CUDA kernels stand on the standard library and CUDA alone' "$torch|core/(model|train|kernels|rope|spec)/" \
    core/cuda
forbid 'the window does not know the programs' '"app/' ui
forbid "includes are written from the checkout's root" '"\.\.?/' core ui app

if ((violations)); then
    echo "$violations includes break the direction in which the folders depend on each other."
    exit 1
fi
echo 'Every include keeps to the direction in which the folders depend on each other.'
