#!/usr/bin/env bash
# replay_test.sh PROGRAM FOLDER…: gives the program every file of the folders, as each kind of input that a file of its
# name can be, and checks nothing but that the program survives: it ends in time with status 0, 1 or 2 and without a
# report of a sanitizer, for which the test is meant. Skipped (77) without the folders.
set -euo pipefail
program=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$work XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work
ulimit -c 0
tried=0
faults=0

# attempt NAME ARGUMENT…
attempt() {
    local name=$1 status=0 why=
    shift
    timeout -k 5 120 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    tried=$((tried + 1))
    ((status <= 2)) || why="status $status"
    ! grep -qE 'Sanitizer|runtime error:' "$work/err" || why="a report of a sanitizer"
    [[ -n $why ]] || return 0
    echo "$name: $1 ends with $why: $(grep -m 1 -E 'Sanitizer|runtime error:|.' "$work/err" | head -c 300)"
    faults=$((faults + 1))
}

# Commands that change a file get a copy.
try() {
    local name=$1 file=$2
    case $file in
    *.json | *.gguf | *.safetensors)
        attempt "$name" frequencies --hf-config "$file"
        attempt "$name" cache --hf-config "$file"
        attempt "$name" anatomy --hf-config "$file"
        [[ $file != */tok* ]] || attempt "$name" data tokens --data "$work/text.txt" --tokenizer "$file"
        [[ $file != */exp* ]] || attempt "$name" sweep --plan --experiment "$file"
        [[ $file != */pool* ]] || attempt "$name" lecture class theta-and-fraction --pool "$file" --lab "$work/new.ropelab"
        ;;
    *.model | *.vocab) attempt "$name" data tokens --data "$work/text.txt" --tokenizer "$file" ;;
    *.ropelab)
        attempt "$name" results --lab "$file"
        attempt "$name" export --lab "$file" --format csv --output "$work/export-$tried"
        attempt "$name" probe --lab "$file" --run 1
        attempt "$name" sweep --resume --lab "$file"
        ;;
    *.md) attempt "$name" lecture check "$file" ;;
    *.pdf | *.svg | *.png)
        [[ ! -x $(dirname "$program")/ropelab ]] || attempt "$name" verify "$file"
        ;;
    *.ropelab-*) ;; # copied with its lab
    *)
        attempt "$name" data info "$file"
        attempt "$name" data tokens --data "$file"
        ;;
    esac
}

printf 'a text to read, a text to read\n%.0s' {1..50} >"$work/text.txt"
for folder; do
    if [[ ! -d $folder ]]; then
        echo "The folder $folder is not there, so its inputs are not tried."
        exit 77
    fi
    cp -r "$folder" "$work/inputs"
    chmod -R u+w "$work/inputs"
    # Inputs that are too large to keep.
    if [[ -f $folder/make_deep.py ]]; then python3 "$folder/make_deep.py" "$work/inputs/deep" >/dev/null; fi
    while IFS= read -r -d '' file; do
        try "${file#"$work/inputs/"}" "$file"
    done < <(find "$work/inputs" -type f -print0 | sort -z)
    rm -rf "$work/inputs"
done
echo "$tried commands, $faults faults."
((faults == 0 && tried > 0))
