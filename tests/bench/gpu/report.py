"""report.py RESULTS OUTPUT: combines the results of gpu_report in the folder RESULTS into OUTPUT.json and OUTPUT.md."""

import json
import pathlib
import sys

results, output = pathlib.Path(sys.argv[1]), sys.argv[2]


def read(name):
    file = results / name
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


report = json.loads((results / "machine.json").read_text())
# The parts that were measured; the others are omitted.
parts = ("steps_beside_the_cpu", "training", "graphs", "cohorts", "theta_and_fraction", "evaluation", "generation", "memory", "check")
found = {part: read(f"measured.{part}.json") for part in ("machine", *parts)}
report["measured"] = found.pop("machine") or {}
report["measured"].update({part: values for part, values in found.items() if values})
report["nanogpt"] = read("nanogpt.json")
report["not_run"] = (results / "not_run").read_text().splitlines()
report["tests"] = {}
tests = read("device_test.json")
if tests is not None:
    cases = [case for suite in tests["testsuites"] for case in suite["testsuite"]]
    skipped = sum(case["result"] == "SKIPPED" for case in cases)
    failed = {
        f"{case['classname']}.{case['name']}": case["failures"][0]["failure"] for case in cases if "failures" in case
    }
    report["tests"]["device_test"] = {
        "passed": len(cases) - skipped - len(failed), "skipped": skipped, "failed": failed,
    }
pathlib.Path(output + ".json").write_text(json.dumps(report, indent=2) + "\n")


def short(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


lines = [f"# {report['title']}", "", f"{report['machine']}, {report['date']}, commit {report['commit']}.", ""]
for name, tests in report["tests"].items():
    lines.append(f"- {name}: {tests['passed']} passed, {tests['skipped']} skipped, {len(tests['failed'])} failed")
    lines += [f"  - {case}: {' '.join(words.split())}" for case, words in tests["failed"].items()]
lines += [f"- Not run: {sentence}" for sentence in report["not_run"]] + [""]
for part, values in report["measured"].items():
    if not isinstance(values, dict):
        lines.append(f"- {part}: {short(values)}")
        continue
    nested = all(isinstance(value, dict) for value in values.values())
    columns = list(dict.fromkeys(key for value in values.values() for key in value)) if nested else ["value"]
    lines += ["", f"## {part.replace('_', ' ')}", "", "| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, value in values.items():
        cells = [short(value.get(column, "")) for column in columns] if nested else [short(value)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")

measured, nanogpt = report["measured"], report["nanogpt"]
if measured.get("device") == "cuda" and any("error" not in value for value in measured.get("cohorts", {}).values()):
    steps, grid = 5000, 54
    widths = {
        int(width): value["milliseconds_per_step"]
        for width, value in measured["cohorts"].items()
        if "error" not in value
    }
    width = min(widths, key=lambda w: -(-grid // w) * widths[w])
    lines += ["", "## Computed from the time per step, without evaluation", ""]
    lines.append(f"- one run of {steps} steps: {steps * widths.get(1, float('nan')) / 1000:.4g} s")
    lines.append(f"- {grid} runs, {width} at a time: {steps * -(-grid // width) * widths[width] / 60000:.4g} min")

if nanogpt:
    on_cuda = measured.get("device") == "cuda"
    own = measured.get("training", {}).get("paper, bfloat16" if on_cuda else "small, float32")
    lines += ["", "## Comparison with nanoGPT", ""]
    if "error" in nanogpt:
        lines.append(f"Its train.py did not run: {nanogpt['error']}")
    elif own:
        theirs, ours = nanogpt["milliseconds_per_step"], own["milliseconds_per_step"]
        speedup = f"{theirs / ours:.3g} times as fast"
        lines.append(f"- training: nanoGPT {theirs:.4g} ms per step, RoPE Lab {ours:.4g} ms per step, {speedup}")
    generated = measured.get("generation", {})
    rolling = generated.get("rolling, bfloat16", generated.get("rolling"))
    if rolling:
        theirs, ours = nanogpt["tokens_per_second"], rolling["tokens_per_second"]
        speedup = f"{ours / theirs:.3g} times as fast"
        lines.append(f"- generation: nanoGPT {theirs:.4g} characters per second, RoPE Lab {ours:.4g}, {speedup}")
pathlib.Path(output + ".md").write_text("\n".join(lines) + "\n")
print(output + ".md")
