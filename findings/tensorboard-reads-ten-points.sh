#!/usr/bin/env bash
# tensorboard 2.21.0: EventAccumulator reads ten random points of a loss curve that was logged in the newer of two forms.
#
# A scalar is stored as simple_value or as a tensor. TensorFlow 2 and what builds on it write tensors, and so does torch's
# add_scalar with new_style=True; TensorBoard shows both as one kind of curve. The class with which scripts read them for tables
# and plots does not: it keeps a reservoir of 10,000 scalars, but of 10 tensors. Of 1000 steps in the newer form it gives nine
# random ones and the last, without a message, so that the smallest loss, its step and means over steps are wrong.
# size_guidance={"tensors": 0} keeps all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tensorboard==2.21.0
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'END'
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.scalar.summary_v2 import scalar_pb
from tensorboard.summary.writer.event_file_writer import EventFileWriter


def older(loss):
    return Summary(value=[Summary.Value(tag="loss", simple_value=loss)])


def newer(loss):
    return scalar_pb("loss", loss)


def read(folder, **options):
    events = EventAccumulator(folder, **options)
    events.Reload()
    is_older = "loss" in events.Tags()["scalars"]
    return [event.step for event in (events.Scalars if is_older else events.Tensors)("loss")]


for form in (older, newer):
    writer = EventFileWriter(form.__name__)
    for step in range(1000):
        writer.add_event(Event(step=step, wall_time=step, summary=form(2 - step / 1000)))
    writer.close()
    print(f"{form.__name__} form: of 1000 steps, {len(read(form.__name__))} are read, from {read(form.__name__)[0]} to",
          read(form.__name__)[-1])
steps = read("newer")
print(steps)
assert read("older") == read("newer", size_guidance={"tensors": 0}) == list(range(1000))
assert len(steps) == 10 and steps[-1] == 999 and steps != list(range(990, 1000))
END
