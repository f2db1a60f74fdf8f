#!/usr/bin/env bash
# Shows check_formulas.sh made-up trees: a good one, then each fault alone.
set -euo pipefail
check=$(dirname "${BASH_SOURCE[0]}")/check_formulas.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

lay_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{core/store,ui,app,docs}
    printf '# Formulas\n\n### Formula 1: one\n\n### Formula 12: twelve\n\n### Formula 13: more\n' >"$tree/docs/formulas.md"
    printf '/// Turns a pair (F1); B(m), F12–F13.\nint turn();\n' >"$tree/core/turn.h"
    printf 'auto why = tr("Men et al. 2024, formulas 12 and 13");  // F12\n' >"$tree/ui/why.cpp"
    printf 'if (type == "F16") return 2;\n' >"$tree/core/store/safetensors.cpp"
    printf 'tr("F2 renames a run."); Key_F9; "BF16"\n' >"$tree/ui/keys.cpp"
}

lay_good_tree
bash "$check" "$tree" >/dev/null || { echo "a tree without fault was refused:" && bash "$check" "$tree"; exit 1; }

missed=0
# expect_refused FILE LINE WORDS: with the line at the file's end, the check fails and says the words.
expect_refused() {
    lay_good_tree
    printf '%s\n' "$2" >>"$tree/$1"
    local said
    if said=$(bash "$check" "$tree"); then
        echo "not noticed: $2 in $1"
        missed=$((missed + 1))
    elif ! grep -qF "$3" <<<"$said"; then
        echo "refused without \"$3\": $said"
        missed=$((missed + 1))
    fi
}

expect_refused core/new.h '/// As in F14.' 'core/new.h:1 names formula 14'
expect_refused ui/new.cpp 'tr("Liu et al. 2023, formula 14")' 'ui/new.cpp:1 names formula 14'
expect_refused ui/new.cpp 'tr("long\nFormulas 12 to 14")' 'ui/new.cpp:1 names formula 14'
expect_refused docs/formulas.md '### Formula 14: unused' 'formula 14, which no source names'
expect_refused docs/formulas.md '### Formula 12: again' 'more than one entry of formula 12'
expect_refused ui/new.cpp 'tr("Bound (F12): fails")' 'ui/new.cpp:1:tr("Bound (F12): fails")'
expect_refused app/new.cpp 'out << "a line\nF12";' 'app/new.cpp:1:'
expect_refused core/new.cpp 'theory = "context bound (F12)";' 'core/new.cpp:1:'

((missed == 0)) || exit 1
echo 'Every made-up fault was found, with its place.'
