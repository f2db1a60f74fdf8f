#!/usr/bin/env bash
# statsmodels 0.15.0: Holm's correction calls a comparison without a p-value significant.
#
# Two settings with the same losses seed by seed (an option that has no effect) and runs that diverged both give NaN in
# ttest_rel. multipletests sorts NaN behind the p-values and rejects it with "holm" and the default "hs" if all the others
# are rejected. Benjamini and Hochberg's method does not reject it, but then all corrected p-values are NaN, also
# those of the rejected comparisons. Bonferroni's treats each comparison alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check statsmodels==0.15.0 scipy==1.17.1
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import numpy
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

baseline = numpy.array([3.412, 3.398, 3.421, 3.405, 3.417])
better = baseline - [0.031, 0.028, 0.035, 0.030, 0.033]
worse = baseline + [0.012, 0.015, 0.011, 0.014, 0.013]
p_values = [ttest_rel(losses, baseline).pvalue for losses in (better, worse, baseline)]
print("p-values: better, worse, the same losses:", *(f"{p:.1e}" for p in p_values))
assert numpy.isnan(p_values).tolist() == [False, False, True]

for method, rejects, finite in (("bonferroni", [True, True, False], [True, True, False]),
                                ("holm", [True, True, True], [True, True, False]),
                                ("hs", [True, True, True], [True, True, False]),
                                ("fdr_bh", [True, True, False], [False, False, False])):
    rejected, corrected = multipletests(p_values, method=method)[:2]
    print(f"{method}: significant {rejected.tolist()}, corrected", *(f"{p:.1e}" for p in corrected))
    assert rejected.tolist() == rejects and numpy.isfinite(corrected).tolist() == finite
END
