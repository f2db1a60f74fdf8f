#!/usr/bin/env bash
# trackio 0.43.0 stores when a batch of metrics was written, not when log() was called.
#
# Points wait in a queue that is emptied every half second; the timestamp is set then, one for the whole batch. Steps of 20
# ms come back in groups of equal times with jumps between them. Time per step and tokens per second from the timestamps
# are then 0, infinite or those of the queue. The clock has to be logged as a metric of its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check trackio==0.43.0
TRACKIO_DIR=$folder/runs "$folder/venv/bin/python" - 2>/dev/null <<'END'
import time
from datetime import datetime

import trackio
from trackio.sqlite_storage import SQLiteStorage

steps = 60
trackio.init(project="pace", name="run")
for step in range(steps):
    trackio.log({"loss": 3.0, "clock": time.time()})
    time.sleep(0.02)
trackio.finish()
points = SQLiteStorage.get_logs("pace", "run")
stored = [datetime.fromisoformat(point["timestamp"]).timestamp() for point in points]
clocks = [point["clock"] for point in points]


def pauses(times):
    return [later - earlier for earlier, later in zip(times, times[1:])]


late = max(time - clock for time, clock in zip(stored, clocks))
print(f"{len(points)} steps, {len(set(clocks))} times of log(), {len(set(stored))} timestamps, at most {late:.2f} s late")
print(f"longest pause between two steps: of log() {max(pauses(clocks)):.2f} s, of timestamps {max(pauses(stored)):.2f} s")
print("steps that took no time by the timestamps:", pauses(stored).count(0.0))
assert len(points) == len(set(clocks)) == steps
assert pauses(stored).count(0.0) > 0 and late > 0.1
END
