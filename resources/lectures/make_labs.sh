#!/bin/sh
# Trains the recorded runs of the lectures again: ./make_labs.sh [PROGRAM] [FOLDER]
#
# PROGRAM is ropelab-cli; it is searched in the build folders and in PATH. FOLDER receives the labs; without it, those
# of the lectures are replaced. All settings and seeds are fixed, the text is the program's synthetic language, and the
# runs compute in float32 on two threads, so that a machine repeats its own values. Another processor can differ in the
# last digits. It takes about six minutes on two cores, and the lab of a model that others trained as long again.
# $ROPELAB_SMOLLM2 names this model, without which its lab stays as it is; packaging/setup.sh --all-tests fetches it.
# $ROPELAB_SHAKESPEARE is the text on which it is measured.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-}
for candidate in "$here/../../build/release/bin/ropelab-cli" "$here/../../build/dev/bin/ropelab-cli" ropelab-cli; do
    [ -n "$program" ] || ! command -v "$candidate" >/dev/null || program=$candidate
done
[ -n "$program" ] || { echo "ropelab-cli was not found; name it: ./make_labs.sh PROGRAM" >&2; exit 2; }
target=${2:-$here/labs}
mkdir -p "$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Trains a sweep: train NAME PRESET SETTINGS …
train() {
    name=$1
    preset=$2
    shift 2
    for setting in "$@" precision=float32 threads=2 device=cpu sample_length=200; do
        set -- "$@" --set "$setting"
    done
    # The settings without --set come first; they are dropped.
    while [ "$1" != --set ]; do shift; done
    echo "training $name" >&2
    "$program" sweep --preset "$preset" "$@" --lab "$work/$name.ropelab" >/dev/null
}

# Stores the lab as one small file that can be read in a folder without write permission: no write-ahead log, no
# checkpoints, and of the snapshots only the last one of each run (store NAME without-snapshots: none; store NAME
# with-a-replay: for the seed of the best run also those of three earlier steps, which Inspect plays; store NAME
# without-distances: without the curves by distance, which are most of a snapshot of 270 heads).
store() {
    python3 - "$work/$1.ropelab" "$target/$1.ropelab" "${2:-}" <<'PYTHON'
import os, shutil, sqlite3, sys
source, target, snapshots = sys.argv[1:]
lab = sqlite3.connect(source, isolation_level=None)
lab.execute("DELETE FROM snapshot WHERE ?1 = 'without-snapshots' "
            "OR iteration < (SELECT max(iteration) FROM snapshot AS other WHERE other.run = snapshot.run) "
            "AND NOT (?1 = 'with-a-replay' AND iteration IN (0, 50, 100) "
            "AND run IN (SELECT id FROM run WHERE json_extract(settings, '$.seed') = 1341))", [snapshots])
lab.execute("DELETE FROM snapshot WHERE ?1 = 'without-distances' AND (part LIKE '%by_distance' OR part = 'distances')",
            [snapshots])
lab.execute("DELETE FROM choice WHERE name = 'models'")  # the paths of this machine
lab.execute("PRAGMA journal_mode=DELETE")
lab.execute("VACUUM")
lab.close()
shutil.copyfile(source, target)
size = os.stat(target).st_size
print(f"{os.path.basename(target)}: {size // 1024} kB", file=sys.stderr)
if size >= 2 << 20:
    sys.exit(f"{target} has {size} bytes; a recorded lab must stay below 2 MB.")
PYTHON
}

# The sweep that the window offers first: its first start shows these runs.
train lecture-minute lecture-minute probe_every=25
store lecture-minute with-a-replay

# Three bases with three seeds, and the quantities that the stored predictions need.
train three-thetas theta-minute theta=500,10000,500000 seed=1,2,3 iterations=600 warmup=30 evaluate_every=50
"$program" results --lab "$work/three-thetas.ropelab" --measure >/dev/null
store three-thetas

# Five rotated fractions with three seeds.
train fractions theta-minute theta=10000 "fraction=0,2 ch,0.1,0.25,1" seed=1,2,3 probe_every=0 \
    iterations=600 warmup=30 evaluate_every=50
store fractions

# One run of a context of 128 tokens, evaluated at 512 with four scalings, before and after 100 steps of fine-tuning: as
# a lecture stores it live (core/study/extrapolation.h), with rounded losses.
train beyond theta-minute theta=10000 seed=1 iterations=600 warmup=30 evaluate_every=50
for method in none linear ntk yarn; do
    "$program" probe --lab "$work/beyond.ropelab" --extrapolate 4 --scaling "$method" --fine-tune 100 --json \
        >"$work/$method.json" 2>/dev/null
done
python3 - "$work/beyond.ropelab" "$work" <<'PYTHON'
import json, sqlite3, sys
lab = sqlite3.connect(sys.argv[1])
for method in ("none", "linear", "ntk", "yarn"):
    with open(f"{sys.argv[2]}/{method}.json", encoding="utf-8") as file:
        result = json.load(file)
    stored = {key: result[key] for key in ("factor", "iteration")}
    stored["evaluations"] = [
        {key: each[key] for key in ("scaling", "steps", "sequences", "loss")}
        | {"loss_by_position": [round(loss, 4) for loss in each["loss_by_position"]]} for each in result["evaluations"]]
    lab.execute("INSERT INTO run_result (run, kind, text, created) VALUES (1, 'extrapolation', ?, "
                "strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", [json.dumps(stored)])
    for each in result["evaluations"]:
        for place in ("inside", "beyond"):
            name = f"loss_{place}_{method}_{each['steps']}"
            lab.execute("INSERT INTO measurement (run, name, value) VALUES (1, ?, ?)", [name, each[f"loss_{place}"]])
lab.commit()
lab.close()
PYTHON
store beyond

# Learned positions and rotation, fused and operation by operation, with counted operations. The models are tiny: their
# times mean nothing, and the lecture uses only the counts.
echo 'training speed' >&2
"$program" reproduce theta-speed --scale smoke --lab "$work/speed.ropelab" >/dev/null
store speed without-snapshots

# Printed means of the two papers as imported runs of one step, so that Results draws them: losses and speeds of the theta
# paper's table 2, and of the partial-RoPE paper the logarithms of two models' perplexities on LAMBADA.
python3 - "$here/../published" "$work/published" <<'PYTHON'
import json, math, os, sys
source, target = sys.argv[1:]

def load(name):
    with open(f"{source}/{name}.json", encoding="utf-8") as file:
        return json.load(file)

def write(lab, name, config, values):
    folder = f"{target}/{lab}/{name}"
    os.makedirs(folder)
    with open(f"{folder}/metrics.jsonl", "w", encoding="utf-8") as file:
        file.write(json.dumps({"config": config}) + "\n" + json.dumps({"step": 1} | values) + "\n")

for text, rows in load("theta_paper")["table_2"].items():
    text = text.replace("tinyshakespeare", "Shakespeare")  # names below axes take their height
    for row in rows:
        theta = row["theta"]
        name = f"{theta // 1000}k" if theta >= 1000 else str(theta)
        write("published-losses", f"{text} {name}", {"rope_theta": theta, "text": text},
              {"val_loss": row["best_validation_loss"]["mean"],
               "generated_tokens_per_second": row["generated_tokens_per_second"]["mean"]})
models = {"Llama-3.2-1B x FW x Seq. Len. 2048": "1B", "Llama-3.1-8B x FW x Seq. Len. 2048": "8B"}
for row in load("partial_rope_paper")["lambada_perplexity"]:
    if row["config"] in models:
        model, percent = models[row["config"]], row["rope"].split("%")[0]
        write("published-perplexities", f"{model} {percent}", {"fraction": float(percent) / 100, "model": model},
              {"val_loss": math.log(row["openai"]["mean"])})
PYTHON
for name in published-losses published-perplexities; do
    "$program" import "$work/published/$name" --lab "$work/$name.ropelab" >/dev/null
    # A perplexity on a benchmark is no validation loss.
    [ "$name" = published-losses ] || python3 -c 'import sqlite3, sys
lab = sqlite3.connect(sys.argv[1])
lab.execute("UPDATE summary SET test_loss = best_validation_loss")
lab.commit()' "$work/$name.ropelab"
    store "$name"
done

# SmolLM2-135M-Instruct as it is, and with θ = 10,000 instead of its 100,000: 11 sequences of 1,024 tokens. The second run
# has the rises of the loss at the first 64 and the last 256 positions as measurements, with their 95 % intervals, paired
# by sequence (t of 10 degrees of freedom).
if [ -z "${ROPELAB_SMOLLM2:-}" ]; then
    echo "real-model.ropelab is kept, because ROPELAB_SMOLLM2 does not name SmolLM2's GGUF file" >&2
    exit 0
fi
echo 'measuring real-model' >&2
for theta in 100000 10000; do
    "$program" probe --model "$ROPELAB_SMOLLM2" --theta "$theta" --text-file "${ROPELAB_SHAKESPEARE:-tinyshakespeare}" \
        --context 1024 --sequences 11 --map 0 --store "$work/real-model.ropelab" --json >"$work/$theta.json"
done
python3 - "$work/real-model.ropelab" "$work" <<'PYTHON'
import json, sqlite3, statistics, sys
lab = sqlite3.connect(sys.argv[1])
own, misread = (json.load(open(f"{sys.argv[2]}/{theta}.json", encoding="utf-8")) for theta in (100000, 10000))
for name, positions in (("first_64", slice(0, 64)), ("last_256", slice(-256, None))):
    rises = [statistics.fmean(b[positions]) - statistics.fmean(a[positions])
             for a, b in zip(own["sequence_losses"], misread["sequence_losses"], strict=True)]
    assert len(rises) == 11
    mean, half = statistics.fmean(rises), 2.2281 * statistics.stdev(rises) / len(rises) ** 0.5
    for end, value in (("", mean), ("_low", mean - half), ("_high", mean + half)):
        lab.execute("INSERT INTO measurement (run, name, value) VALUES (2, ?, ?)", [f"loss_rise_{name}{end}", value])
lab.execute("UPDATE run SET name = 'θ ' || cast(json_extract(settings, '$.theta') / 1000 AS integer) || 'k'")  # a curve has no space for the model's name
lab.commit()
lab.close()
PYTHON
store real-model without-distances
