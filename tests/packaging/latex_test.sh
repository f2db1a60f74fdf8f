#!/usr/bin/env bash
# latex_test.sh CHECKOUT ROPELAB_CLI: tests that the LaTeX table of `results` compiles. Skipped (status 77) without
# pdflatex and booktabs.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
program=$2

for package in article.cls booktabs.sty; do
    if ! kpsewhich $package >/dev/null 2>&1; then
        echo "skipped: $package is missing; install texlive-latex-recommended for this test."
        exit 77
    fi
done

lab=$scratch/theta_1.ropelab
"$program" sweep --set theta=100,10000 --set fraction=0.25,1 --set seed=1,2 --set iterations=4 --set width=16 \
    --set context=16 --set data_length=5000 --set sample_length=0 --lab "$lab" >/dev/null 2>&1
"$program" results --lab "$lab" --format latex >"$scratch/table.tex"
grep -q '\\toprule' "$scratch/table.tex" || wrong '"results" printed no table'

cat >"$scratch/paper.tex" <<'TEX'
\documentclass{article}
\usepackage{booktabs}
\begin{document}
\tiny
\input{table}
\end{document}
TEX
(cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error paper.tex >latex.log) ||
    wrong "the table does not compile: $(grep -A3 '^!' "$scratch/latex.log")"
[[ -s $scratch/paper.pdf ]] || wrong 'pdflatex produced no page'
