#!/usr/bin/env bash
# Tests check_formulas.sh with a synthetic source tree: first without faults, then with each fault alone.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/architecture/synthetic_tree.sh
source "$here/synthetic_tree.sh"

run_check() {
    bash "$here/check_formulas.sh" "$tree"
}

make_good_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{core/weights,ui,app,docs}
    printf '# Formulas\n\n### Formula 1: one\n\n### Formula 12: twelve\n\n### Formula 13: more\n' >"$tree/docs/formulas.md"
    printf '/// Rotates a pair (F1); B(m), F12–F13.\nint rotate();\n' >"$tree/core/rotate.h"
    printf 'auto why = tr("Men et al. 2024, formulas 12 and 13");  // F12\n' >"$tree/ui/why.cpp"
    printf 'if (type == "F16") return 2;\n' >"$tree/core/weights/safetensors.cpp"
    printf 'tr("F2 renames a run."); Key_F9; "BF16"\n' >"$tree/ui/keys.cpp"
}

expect_accepted

expect_rejected core/new.h '/// As in F14.' 'core/new.h:1 refers to formula 14'
expect_rejected ui/new.cpp 'tr("Liu et al. 2023, formula 14")' 'ui/new.cpp:1 refers to formula 14'
expect_rejected ui/new.cpp 'tr("long\nFormulas 12 to 14")' 'ui/new.cpp:1 refers to formula 14'
expect_rejected docs/formulas.md '### Formula 14: unused' 'formula 14, to which no source refers'
expect_rejected docs/formulas.md '### Formula 12: again' 'more than one entry for formula 12'
expect_rejected ui/new.cpp 'tr("Bound (F12): fails")' 'ui/new.cpp:1:tr("Bound (F12): fails")'
expect_rejected app/new.cpp 'out << "a line\nF12";' 'app/new.cpp:1:'
expect_rejected core/new.cpp 'theory = "context bound (F12)";' 'core/new.cpp:1:'

finish 'The check found every fault with its file and line.'
