#!/usr/bin/env bash
# check_includes.sh CHECKOUT: fails if a source includes a header that its folder may not include. The output lists file,
# line and rule. An arrow means "may include":
#   app → ui → core/{report,lecture} → core/{reproduce,interop,bench} → core/study → core/sweep → core/run → core/forecast →
#   core/experiment → core/machine → core/results → core/stats → core/weights → core/store → core/data → core/table → core/contract → core/plan → core/settings → core/rope → core/base
#   core/engine: torch_engine → train → probe → model → parts → attention → operations → device → core/contract
#   ui: window → lecture → statements; window → rooms/*, models, statements → rotary → probes → figures → session → help → shell → controls → common → plot, animation, sound → figure → theme
set -euo pipefail
cd "$1"
[[ -d core && -d ui && -d app ]] || { echo "'$1' is not a checkout: it lacks core/, ui/ or app/." && exit 2; }

qt='<(Q[A-Za-z]+|Qt[A-Za-z]*/.*|q[a-z]+\.h)>|"(Q[A-Z]\w*|q[a-z]+\.h)"|qcustomplot'
torch='[<"](torch|ATen|c10|caffe2|nvfuser)/'
data='core/(data|store|weights|table|machine|experiment|forecast|run|sweep|study|lecture|report|reproduce|results|stats|interop|bench)/'
engine='core/engine/'
window='"(ui|app)/'
files='nlohmann/|sqlite3\.h|curl/|openssl/|archive(_entry)?\.h|boost/|CLI/'
violations=0

# forbid RULE PATTERN FOLDER…: reports every #include in these folders that matches the pattern.
forbid() {
    local rule=$1 pattern=$2 folder found
    shift 2
    for folder in "$@"; do
        [[ -d $folder ]] || continue
        found=$(grep -rnE --include='*.h' --include='*.hpp' --include='*.cpp' \
            "^[[:space:]]*#[[:space:]]*include[[:space:]]*.*($pattern)" "$folder" || true)
        [[ -n $found ]] || continue
        printf '%s\n' "$found" "  ^ $rule" ''
        violations=$((violations + $(wc -l <<<"$found")))
    done
}

base=(core/contract core/plan core/settings core/rope core/base)
middle=(core/data core/store core/weights core/table core/machine core/experiment core/forecast core/run core/sweep core/study core/lecture core/report core/reproduce core/results core/stats core/interop core/bench)

forbid 'core must not include Qt' "$qt" core
forbid 'core must not include ui or app' "$window" core
forbid 'core/base, core/rope, core/settings, core/plan and core/contract may include only the standard library and each other' \
    "$data|$engine|$torch|<[A-Za-z0-9_]+/|$files|g(test|mock)/" "${base[@]}"
above=''
for folder in contract plan settings rope base; do
    [[ -z $above ]] || forbid "core/$folder must not include the folders above it" "\"core/($above)/" "core/$folder"
    above="$above${above:+|}$folder"
done
forbid 'only core/engine may include LibTorch' "$torch" "${middle[@]}" ui app
forbid 'the engine is loaded at run time and must not be included' "$engine" "${middle[@]}" ui app
forbid 'the engine must not include files, experiments or their libraries' "$data|$files" core/engine
forbid 'only core/lecture may include yaml-cpp' '[<"]yaml-cpp/' core/data core/store core/weights core/table core/machine core/experiment core/forecast core/run core/sweep core/study core/reproduce core/results core/stats core/interop core/bench core/report "${base[@]}" ui app
forbid 'ui must not include app' '"app/' ui

# The folders of ropelab_core, highest first: no folder may include a folder above it or, in the same line, beside it.
above=''
for line in 'report lecture' 'reproduce interop bench' 'study' 'sweep' 'run' 'forecast' 'experiment' 'machine' 'results' 'stats' 'weights' 'store' 'data' 'table'; do
    for folder in $line; do
        others=$(tr ' ' '\n' <<<"$above $line" | grep -vx "$folder" | grep . | paste -sd '|' || true)
        [[ -z $others ]] ||
            forbid "core/$folder must not include the folders above or beside it" "\"core/($others)/" "core/$folder"
    done
    above="$above $line"
done

# The folders of the engine, highest first.
above=''
for folder in train probe model parts attention operations device; do
    [[ -z $above ]] ||
        forbid "core/engine/$folder must not include the folders above it" "\"core/engine/($above)/" "core/engine/$folder"
    above="$above${above:+|}$folder"
done

# The folders of ui, highest first: no folder may include a folder above it.
above=ui/window
rooms=(ui/models ui/statements)
for room in ui/rooms/*/; do rooms+=("${room%/}"); done
for room in "${rooms[@]}"; do
    others=$(printf '%s\n' "${rooms[@]}" | grep -vx "$room" | paste -sd '|')
    forbid 'a room must not include another room, ui/lecture or ui/window' "\"($others|ui/lecture|$above)/" "$room"
done
forbid 'ui/lecture must not include rooms, models or ui/window' "\"($above|ui/rooms|ui/models)/" ui/lecture
above="$above|ui/lecture|ui/rooms|ui/models|ui/statements"
for folder in ui/rotary ui/probes ui/figures ui/session ui/help ui/shell ui/controls ui/common ui/plot ui/animation ui/sound ui/figure ui/theme; do
    forbid "$folder must not include the folders above it" "\"($above)/" "$folder"
    above="$above|$folder"
done
above=''
for folder in ui/lecture/course ui/lecture/presentation ui/lecture/documents ui/lecture/questions; do
    [[ -z $above ]] || forbid "$folder must not include $above" "\"($above)/" "$folder"
    above="${above:+$above|}$folder"
done
forbid 'ui/figure/paint must not include ui/figure/export' '"ui/figure/export/' ui/figure/paint
forbid 'ui/plot must not include ui/animation or ui/sound' '"ui/(animation|sound)/' ui/plot
forbid 'ui/animation must not include ui/sound' '"ui/sound/' ui/animation
forbid 'paths in #include must begin at the root of the checkout' '"\.\.?/' core ui app

if ((violations)); then
    echo "$violations includes violate the layers of the folders."
    exit 1
fi
echo 'All includes follow the layers of the folders.'
