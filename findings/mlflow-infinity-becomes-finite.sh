#!/usr/bin/env bash
# mlflow 3.17.2 stores an infinite loss as a finite number.
#
# A run that diverges to infinity comes back from the SQLite store as 1.7976931348623157e308, which isfinite() accepts and a
# plot draws; NaN has a column of its own and comes back as NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlflow==3.17.2
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import math

import mlflow

mlflow.set_tracking_uri("sqlite:///runs.db")
logged = [1.0, math.inf, -math.inf, math.nan]
with mlflow.start_run() as run:
    for step, value in enumerate(logged):
        mlflow.log_metric("loss", value, step=step)
read = [point.value for point in mlflow.MlflowClient().get_metric_history(run.info.run_id, "loss")]
print("logged", logged, "read", read)
assert read[:3] == [1.0, 1.7976931348623157e308, -1.7976931348623157e308] and math.isnan(read[3])
assert all(map(math.isfinite, read[:3]))
END
