#!/usr/bin/env bash
# lecture_formulas_test.sh CHECKOUT: compares the index of rendered formulas with the formulas of the lectures.
set -euo pipefail
script=$1/resources/lectures/formulas/make_formulas.py
command -v python3 >/dev/null || { echo 'skipped: python3 is missing.'; exit 77; }
python3 "$script" --check

# A formula that is not rendered, and a picture that no lecture needs, are found.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/formulas"
cp "$1"/resources/lectures/*.md "$copy"
cp "$1"/resources/lectures/formulas/* "$copy/formulas"
# shellcheck disable=SC2016 # TeX's dollar signs
printf '\nA new formula: $x_{17}$\n' >>"$copy/clocks.md"
touch "$copy/formulas/0000000000000000.svg"
if python3 "$copy/formulas/make_formulas.py" --check 2>"$copy/errors"; then
    echo 'The check accepts a formula that is not rendered.'
    exit 1
fi
# shellcheck disable=SC2016 # TeX's dollar signs
grep -qF 'not rendered: $x_{17}$' "$copy/errors"
grep -qF 'superfluous: 0000000000000000.svg' "$copy/errors"
