#!/usr/bin/env bash
# hostile_test.sh FOLDER PROGRAM: gives the program the inputs of a folder that once crashed it, misled it or ran without
# end. Each must end within 90 seconds (a few on a free machine) and 1 GB with status 1 or 2 and one printable
# sentence, or be read safely. Skipped (77) without the folder.
set -euo pipefail
folder=$1
program=$2
[[ -d $folder ]] || { echo "The folder $folder is not there, so its inputs are not tried." && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$work XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work
faults=0

# attempt STATUSES NAME ARGUMENT…: runs the program; its status must be one of STATUSES, and what it says printable.
attempt() {
    local allowed=$1 name=$2 status=0 memory
    shift 2
    /usr/bin/env time -f %M -o "$work/memory" timeout 90 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    memory=$(tail -n 1 "$work/memory")
    local why=
    [[ " $allowed " == *" $status "* ]] || why="ends with status $status, not one of $allowed"
    ((status == 0)) || [[ -s $work/err ]] || why="says nothing"
    ((memory < 1000000)) || why="needs $memory kB"
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/err" "$work/out" || why="prints control characters"
    ! grep -q 'json.exception' "$work/err" || why="prints a library's text"
    [[ -n $why ]] || return 0
    echo "$name $why: $(head -c 300 "$work/err")"
    faults=$((faults + 1))
}

# drawn STATUSES NAME ARGUMENT…: the same for what the window's program draws, where it was built.
drawn() { [[ ! -x $(dirname "$program")/ropelab ]] || attempt "$@"; }

copy() { cp "$folder/$1" "$work/$1" && echo "$work/$1"; }

python3 "$folder/make_deep.py" "$work/deep" >/dev/null
for lab in "$folder"/lab-view-loop.ropelab "$folder"/lab-trigger-loop.ropelab; do
    name=$(basename "$lab")
    attempt 2 "results of $name" results --lab "$(copy "$name")"
    attempt 2 "resuming $name" sweep --resume --lab "$(copy "$name")"
    drawn 2 "the figure of $name" figure validation-loss --lab "$(copy "$name")" --output "$work/x.svg"
done
drawn 0 "the figure of a lab with a wrong colour" figure validation-loss --lab "$(copy lab-color-one-2.ropelab)" \
    --output "$work/x.svg"
attempt "0 2" "the probe of a lab with flat snapshots" probe --lab "$(copy lab-snap-1d.ropelab)" --run 1
for experiment in "$work"/deep/exp-deep-*.json; do
    attempt 2 "$(basename "$experiment")" sweep --plan --experiment "$experiment"
done
printf 'a text to read, a text to read\n' >"$work/text.txt"
attempt 2 "a deep tokenizer" data tokens --data "$work/text.txt" --tokenizer "$work/deep/tok-deep.json"
for results in "$work/deep/pool-deep.json" "$folder/pool-types.json" "$folder/pool-esc.json"; do
    attempt "0 1 2" "$(basename "$results")" lecture class theta-and-fraction --pool "$results" --lab "$work/new.ropelab"
done
for figure in fig-count.pdf fig-opt-help.svg fig-opt-lab.svg; do
    drawn "1 2" "$figure" verify "$folder/$figure"
done
# A lecture names this pipe, relative to the folder of the process; reading it would never end.
mkdir -p "$work/lec" && mkfifo "$work/lec/fifo"
pushd "$work" >/dev/null
for lecture in "$folder"/lec-*.md "$work"/deep/tex-deep.md; do
    drawn "0 1 2" "slides of $(basename "$lecture")" lecture slides "$lecture" --output "$work/slides.html"
    ! grep -qiE 'href="? *javascript:' "$work/slides.html" 2>/dev/null ||
        { echo "The slides of $lecture link to a script." && faults=$((faults + 1)); }
    drawn "0 1 2" "the handout of $(basename "$lecture")" lecture handout "$lecture" --output "$work/handout.pdf"
done
popd >/dev/null
((faults == 0)) || exit 1
echo "All inputs are refused or read safely."
