#!/usr/bin/env bash
# latex_test.sh CHECKOUT ROPELAB_CLI: tests that the LaTeX of `results`, `reproduce` and `report` and the PGFPlots figures
# of `figure` compile. Skipped (status 77) without pdflatex and the packages of the tables; without pgfplots or the window
# program, no PGFPlots figure is tested.
set -euo pipefail
# shellcheck source=tests/packaging/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$1"
program=$2

for package in article.cls array.sty booktabs.sty graphicx.sty longtable.sty rotating.sty; do
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
grep -q 'begin{sidewaystable}' "$scratch/table.tex" || wrong 'the wide table is not turned'
"$program" results --lab "$lab" --format latex --columns paper --best-bold --test paired >"$scratch/narrow.tex"
grep -q 'paired by seed' "$scratch/narrow.tex" || wrong 'the table does not name its test'
"$program" results --lab "$lab" --format latex --columns paper --test paired >"$scratch/paired.tex"
"$program" results --lab "$lab" --format latex --columns paper --test welch >"$scratch/welch.tex"
! cmp -s "$scratch/paired.tex" "$scratch/welch.tex" || wrong "the paired test and Welch's test print the same table"
XDG_CACHE_HOME=$scratch ROPELAB_DATA='' "$program" reproduce bpc --scale smoke --format latex >"$scratch/sheet.tex" 2>/dev/null
grep -q 'label{tab:bpc-' "$scratch/sheet.tex" || wrong '"reproduce" printed no table'

cat >"$scratch/paper.tex" <<'TEX'
\documentclass{article}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{rotating}
\begin{document}
\tiny
See tables \ref{tab:results} and \ref{tab:bpc-bits_per_character}.
\input{table}
\input{sheet}
\end{document}
TEX
(cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error paper.tex >latex.log) ||
    wrong "the table does not compile: $(grep -A3 '^!' "$scratch/latex.log")"
[[ -s $scratch/paper.pdf ]] || wrong 'pdflatex produced no page'

sed -i 's/{table}$/{narrow}/' "$scratch/paper.tex"
(cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error paper.tex >latex.log) ||
    wrong "the narrow table does not compile: $(grep -A3 '^!' "$scratch/latex.log")"

"$program" report --lab "$lab" --output "$scratch/report" >/dev/null
[[ -s $scratch/report/figures/validation-loss.pdf ]] || wrong 'the report has no figure'
(cd "$scratch/report" && pdflatex -interaction=nonstopmode -halt-on-error report.tex >latex.log) ||
    wrong "the report does not compile: $(grep -A3 '^!' "$scratch/report/latex.log")"
[[ -s $scratch/report/report.pdf ]] || wrong 'pdflatex produced no page of the report'

if ! kpsewhich pgfplots.sty >/dev/null 2>&1; then
    echo "pgfplots is missing, so no figure was compiled; install texlive-pictures for this test."
    exit 0
fi
[[ -x $(dirname "$program")/ropelab ]] || exit 0
for figure in validation-loss loss-by-theta group-means improvement; do
    "$program" figure $figure --lab "$lab" --output "$scratch/$figure.tex" >/dev/null 2>&1 ||
        wrong "the figure $figure was not written"
    [[ -s $scratch/$figure.dat ]] || wrong "the figure $figure has no data"
done
for figure in spectrum context-bound cache-error rope-cache; do
    "$program" figure $figure --setup "head_dim=16 context=64" --output "$scratch/$figure.tex" >/dev/null 2>&1 ||
        wrong "the figure $figure was not written"
done
{
    printf '%s\n' '\documentclass{article}' '\usepackage{pgfplots}' '\pgfplotsset{compat=1.16}' '\begin{document}'
    for file in "$scratch"/*.dat; do printf '\\input{%s}\\clearpage\n' "$(basename "${file%.dat}")"; done
    printf '%s\n' '\end{document}'
} >"$scratch/figures.tex"
(cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error figures.tex >figures.log) ||
    wrong "a figure does not compile: $(grep -A3 '^!' "$scratch/figures.log")"
[[ -s $scratch/figures.pdf ]] || wrong 'pdflatex produced no page of figures'

# A paper of two pages in two columns with a table and three figures, none of them wider than its column.
"$program" results --lab "$lab" --format latex --columns paper --best-bold >"$scratch/column.tex"
for figure in validation-loss loss-by-theta; do
    "$program" figure $figure --lab "$lab" --size-for icml-column --output "$scratch/$figure-column.pdf" >/dev/null 2>&1 ||
        wrong "the figure $figure was not written for a column"
done
"$program" figure group-means --lab "$lab" --size-for icml-column --output "$scratch/means-column.tex" >/dev/null 2>&1 ||
    wrong 'the figure group-means was not written for a column'
words='The base of the rotary frequencies decides how far a head can tell two positions apart.'
paragraph=$(for _ in {1..20}; do printf '%s ' "$words"; done)
cat >"$scratch/columns.tex" <<TEX
\\documentclass[twocolumn]{article}
\\usepackage{booktabs}
\\usepackage{graphicx}
\\usepackage{pgfplots}
\\pgfplotsset{compat=1.16}
\\textwidth=6.75in \\oddsidemargin=-0.125in \\textheight=8.5in \\topmargin=-0.5in \\columnsep=0.25in
\\begin{document}
$paragraph
\\input{column}
\\begin{figure}\\includegraphics{validation-loss-column}\\caption{Validation loss.}\\end{figure}
\\begin{figure}\\includegraphics{loss-by-theta-column}\\caption{Loss against the base.}\\end{figure}

$paragraph
\\begin{figure}\\input{means-column}\\caption{Means of the groups.}\\end{figure}

$paragraph
\\end{document}
TEX
(cd "$scratch" && pdflatex -interaction=nonstopmode -halt-on-error columns.tex >columns.log) ||
    wrong "the paper does not compile: $(grep -A3 '^!' "$scratch/columns.log")"
grep -q '(2 pages' "$scratch/columns.log" || wrong "the paper has not two pages: $(grep 'Output written' "$scratch/columns.log")"
! grep -E '^Overfull .hbox \([0-9]{2,}' "$scratch/columns.log" || wrong 'the table or a figure is wider than its column'
