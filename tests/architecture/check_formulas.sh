#!/usr/bin/env bash
# check_formulas.sh CHECKOUT: fails, naming the place, where the sources name a formula (F12 in a comment, "formula 12" in
# a text) that docs/formulas.md does not have, where nothing names one that it has, and where a text says F12, which a
# person takes for a key.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$1"
book=docs/formulas.md
[[ -f $book && -d core && -d ui && -d app ]] || { echo "'$1' is no checkout: it lacks $book, core/, ui/ or app/." && exit 2; }

sources=(core ui app)
kinds=(--include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh')
entries=$(sed -nE 's/^### Formula ([0-9]+): .+/\1/p' "$book")
faults=0

# fault SENTENCE
fault() {
    echo "$1"
    faults=$((faults + 1))
}

for number in $(sort <<<"$entries" | uniq -d); do
    fault "$book has more than one entry of formula $number."
done

# PLACE:NUMBER of every formula that is named.
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
    [[ -z $file ]] || grep -qx "$number" <<<"$entries" || fault "$file:$line names formula $number, which $book lacks."
done <<<"$named"
for number in $entries; do
    grep -q ":$number\$" <<<"$named" || fault "$book has formula $number, which no source names."
done

# Texts: what is left of a line without its comment. Types of numbers in files of weights and the key F2 are called so.
while IFS= read -r place; do
    [[ -z $place || $place == core/store/safetensors.cpp:* || $place == *'F2 renames'* ]] ||
        fault "$place  ^ a text says \"formula 12\", not F12"
done < <(grep -rnE "${kinds[@]}" '"' "${sources[@]}" | sed -E 's|//.*||' | grep -E '".*(\b|\\n)F[0-9]{1,2}\b.*"' || true)

((faults == 0)) || exit 1
echo "Every formula that the sources name is in $book, and every one there is named."
