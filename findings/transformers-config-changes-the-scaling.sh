#!/usr/bin/env bash
# transformers 5.24.0: a config writes theta into the dictionary that it is given as rope_scaling.
#
# A sweep that builds one config per theta with one shared scaling dictionary gets the first theta in all of them: the first
# config stores its rope_theta in the dictionary, and the next one takes it from there rather than its own argument.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check transformers==5.24.0
"$folder/venv/bin/python" - 2>/dev/null <<'END'
from transformers import LlamaConfig

scaling = {"rope_type": "linear", "factor": 4.0}
thetas = [500.0, 10000.0, 500000.0]
shared = [LlamaConfig(rope_theta=theta, rope_scaling=scaling).rope_parameters["rope_theta"] for theta in thetas]
copied = [LlamaConfig(rope_theta=theta, rope_scaling={"rope_type": "linear", "factor": 4.0}).rope_parameters["rope_theta"]
          for theta in thetas]
print("asked for", thetas, "with one dictionary", shared, "with a new one each", copied)
print("the dictionary afterwards:", scaling)
assert shared == [500.0, 500.0, 500.0]
assert copied == thetas
assert scaling["rope_theta"] == 500.0
END
