#!/usr/bin/env bash
# deepsig 1.2.8: bonferroni_correction gives corrected p-values to the wrong comparisons.
#
# It sorts the p-values, corrects them and puts them back with the order of the sorting instead of its inverse. Of p = 0.2,
# 0.9 and 0.004 for three settings the second one, which does not differ from the baseline, comes back as significant with
# 0.012, and the third as 0.4. Sorted input is right; of the 120 orders of five p-values 94 are not. The numbers are also
# not p times the number of tests, but p times the number of tests that are left, as in Holm's method without its maximum.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deepsig==1.2.8 "numpy<2.5"
"$folder/venv/bin/python" - <<'END'
from itertools import permutations

import numpy
from deepsig import bonferroni_correction

given = [0.2, 0.9, 0.004]
seen = [round(float(value), 6) for value in bonferroni_correction(numpy.array(given))]
print("given", given, "corrected", seen)
assert seen == [0.9, 0.012, 0.4]

base = [0.001, 0.004, 0.02, 0.1, 0.3]
right = dict(zip(base, bonferroni_correction(numpy.array(base))))
assert numpy.allclose(list(right.values()), [0.005, 0.016, 0.06, 0.2, 0.3])
wrong = sum(not numpy.allclose(bonferroni_correction(numpy.array(order)), [right[value] for value in order])
            for order in permutations(base))
print("orders of five p-values whose corrected values belong to other tests:", wrong, "of 120")
assert wrong == 94
END
