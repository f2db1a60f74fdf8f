#!/usr/bin/env bash
# transformers 5.24.0: rope_scaling beside rope_parameters replaces it whole, theta included.
#
# Version 5 writes rope_parameters = {rope_type, rope_theta}; version 4 wrote rope_theta and rope_scaling. Files that were
# edited by hand, or passed through both, have rope_scaling for the context extension and rope_parameters with theta. Then
# the class uses the default theta of 10,000 without a warning: a model of theta 500,000 loads with other frequencies. With
# theta at the top level the same scaling keeps it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
"$folder/venv/bin/python" - <<'END'
from transformers import LlamaConfig

scaling = {"rope_type": "linear", "factor": 4.0}
both = LlamaConfig(rope_parameters={"rope_type": "default", "rope_theta": 500000.0}, rope_scaling=dict(scaling))
top = LlamaConfig(rope_theta=500000.0, rope_scaling=dict(scaling))
print("theta in rope_parameters:", both.rope_parameters)
print("theta at the top level:  ", top.rope_parameters)
assert both.rope_parameters == {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}
assert top.rope_parameters == {"rope_type": "linear", "factor": 4.0, "rope_theta": 500000.0}
END
