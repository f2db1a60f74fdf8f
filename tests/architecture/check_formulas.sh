#!/usr/bin/env bash
# check_formulas.sh CHECKOUT: fails if the sources refer to a formula (F12 in a comment, or "formula 12") that
# docs/formulas.md does not have, if no source refers to a formula that it has, or if a text contains F12, which users
# would take for a key. The output lists file and line.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$1"
book=docs/formulas.md
[[ -f $book && -d core && -d ui && -d app ]] || { echo "'$1' is not a checkout: it lacks $book, core/, ui/ or app/." && exit 2; }

sources=(core ui app)
kinds=(--include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh')
entries=$(sed -nE 's/^### Formula ([0-9]+): .+/\1/p' "$book")
faults=0

# fault SENTENCE: prints and counts a fault.
fault() {
    echo "$1"
    faults=$((faults + 1))
}

for number in $(sort <<<"$entries" | uniq -d); do
    fault "$book has more than one entry for formula $number."
done

# FILE:LINE:NUMBER of every reference to a formula.
named=$( {
    grep -rnoE "${kinds[@]}" '//.*' "${sources[@]}" | grep -E '\bF[0-9]{1,2}\b' |
        while IFS=: read -r file line comment; do
            grep -oE '\bF[0-9]{1,2}\b' <<<"$comment" | sed "s|^F|$file:$line:|"
        done
    grep -rnoiE "${kinds[@]}" 'formulas? [0-9]+((, | and | to )[0-9]+)*' "${sources[@]}" |
        while IFS=: read -r file line words; do
            grep -oE '[0-9]+' <<<"$words" | sed "s|^|$file:$line:|"
        done
} || true)

while IFS=: read -r file line number; do
    [[ -z $file ]] || grep -qx "$number" <<<"$entries" || fault "$file:$line refers to formula $number, which $book lacks."
done <<<"$named"
for number in $entries; do
    grep -q ":$number\$" <<<"$named" || fault "$book has formula $number, to which no source refers."
done

# Texts, that is lines without their comments. Exceptions: number types of files of weights, and the key F2.
while IFS= read -r place; do
    [[ -z $place || $place == core/weights/@(safetensors|stored_tensor|gguf).cpp:* || $place == *'F2 renames'* || $place == *'F2 in a figure'* ]] ||
        fault "$place  ^ write \"formula 12\" instead of F12 in a text"
done < <(grep -rnE "${kinds[@]}" '"' "${sources[@]}" | sed -E 's|//.*||' | grep -E '".*(\b|\\n)F[0-9]{1,2}\b.*"' || true)

((faults == 0)) || exit 1
echo "$book has every formula to which the sources refer, and no other."
