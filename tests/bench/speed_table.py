#!/usr/bin/env python3
"""Measures the speed table of README.md, of RoPE Lab and of the peers whose folders are named, in turns.

    speed_table.py build/release/bin/ropelab_bench [--nanogpt FOLDER] [--llmc FOLDER] [--pairs 3] [--threads 2]
                   [--rows "training step,six runs,1 stream,16 streams"]

Prints Markdown: medians with the smallest and largest of the pairs, then how many times as fast as RoPE Lab in float32 each
one is, by the ratios of the pairs. On a busy machine only the ratios mean something. --nanogpt requires torch; --llmc a C
compiler: its CPU reference is compiled with the shape of the row.
"""
import argparse, array, contextlib, datetime, json, os, pathlib, random, re, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser()
parser.add_argument("bench")
parser.add_argument("--nanogpt")
parser.add_argument("--llmc")
parser.add_argument("--pairs", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
parser.add_argument("--rows", default="")
options = parser.parse_args()

SMALL = {"layers": 4, "heads": 4, "width": 128, "context": 64, "batch": 12, "dropout": 0.0}
PAPER = {"layers": 6, "heads": 6, "width": 384, "context": 256, "batch": 8, "dropout": 0.2}
OWN, NANOGPT = ["float32", "bfloat16", "int8"], ["nanoGPT", "nanoGPT autocast", "nanoGPT compiled"]
# Benchmarks of our precisions (tests/bench); what the peers measure; runs or tokens per repetition, 0: milliseconds.
ROWS = {
    "training step, nanoGPT's CPU setting": (["train/nanogpt_cpu_float32", "train/nanogpt_cpu_bfloat16"], SMALL, "train"),
    "training step, theta paper's shape": (["train/theta_paper_float32", "train/theta_paper_bfloat16"], PAPER, "train"),
    "six runs as a cohort, per step": (["train/small_cohort_of_six"], None, "train"),
    "six runs one after another, per step": (["train/small_alone"], None, "six"),
    "generation, 1 stream, theta paper's shape": (
        ["generate/paper_rolling", "generate/paper_rolling_bfloat16", "generate/paper_rolling_int8"], PAPER, "generate"),
    "generation, 16 streams, theta paper's shape": (
        ["generate/paper_16_streams", "generate/paper_16_streams_bfloat16", "generate/paper_16_streams_int8"], None,
        "generate"),
}


def own(name, kind):
    """Milliseconds per step, or tokens per second."""
    command = [options.bench, f"--benchmark_filter=^{name}/real_time$", "--benchmark_format=json",
               f"--benchmark_min_time={options.seconds}"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    result = json.loads(output[output.index("{"):])["benchmarks"][0]
    return result["tokens/s"] if kind == "generate" else result["real_time"] * (6 if kind == "six" else 1)


models = {}


def nanogpt(how, shape, kind):
    import torch
    torch.set_num_threads(options.threads)
    sys.path.insert(0, options.nanogpt)
    from model import GPT, GPTConfig
    key = (how, shape["width"])
    if key not in models:
        torch.manual_seed(1)
        with contextlib.redirect_stdout(sys.stderr):
            model = GPT(GPTConfig(block_size=shape["context"], vocab_size=65, n_layer=shape["layers"],
                                  n_head=shape["heads"], n_embd=shape["width"], dropout=shape["dropout"], bias=False))
            optimizer = model.configure_optimizers(0.1, 1e-3, (0.9, 0.99), "cpu")
        models[key] = (torch.compile(model) if "compiled" in how else model, optimizer)
    model, optimizer = models[key]
    if kind == "generate":  # without a KV cache; from the context's length on, each token costs the same
        model.eval()
        begin, tokens = time.perf_counter(), 0
        while time.perf_counter() - begin < options.seconds:
            model.generate(torch.zeros((1, shape["context"]), dtype=torch.long), 8)
            tokens += 8
        return tokens / (time.perf_counter() - begin)
    model.train()
    x = torch.randint(65, (shape["batch"], shape["context"] + 1))

    def step():
        with torch.autocast("cpu", torch.bfloat16, enabled="autocast" in how):
            loss = model(x[:, :-1].contiguous(), x[:, 1:].contiguous())[1]
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    step()  # compiles
    times, begin = [], time.perf_counter()
    while time.perf_counter() - begin < options.seconds or len(times) < 3:
        start = time.perf_counter()
        step()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.mean(times)


def llmc(shape):
    """A copy of train_gpt2.c with this batch size and context, weights at random, and tokens at random."""
    layers, width, context, batch = (shape[name] for name in ("layers", "width", "context", "batch"))
    with tempfile.TemporaryDirectory() as folder:
        source = (pathlib.Path(options.llmc) / "train_gpt2.c").read_text()
        source = re.sub(r"int B = 4;", f"int B = {batch};", re.sub(r"int T = 64;", f"int T = {context};", source))
        program = pathlib.Path(folder) / "train_gpt2"
        subprocess.run(["cc", "-x", "c", "-", "-o", program, "-I", options.llmc, "-O3", "-Ofast", "-march=native", "-fopenmp",
                        "-DOMP", "-lm"], input=source, text=True, check=True, capture_output=True)
        count = (65 + context) * width + layers * (12 * width**2 + 13 * width) + 2 * width
        header = array.array("i", [20240326, 3, context, 65, layers, shape["heads"], width, 65] + 248 * [0])
        weights = array.array("f", (random.gauss(0, 0.02) for _ in range(count)))
        (program.parent / "gpt2_124M.bin").write_bytes(header.tobytes() + weights.tobytes())
        data = program.parent / "dev" / "data" / "tinyshakespeare"
        data.mkdir(parents=True)
        tokens = array.array("H", (random.randrange(65) for _ in range(100_000)))
        for part in ("train", "val"):
            start = array.array("i", [20240520, 1, len(tokens)] + 253 * [0])
            (data / f"tiny_shakespeare_{part}.bin").write_bytes(start.tobytes() + tokens.tobytes())
        # It ends at its first sample, because it has no tokenizer.
        output = subprocess.run(["stdbuf", "-oL", program], cwd=folder, capture_output=True, text=True, errors="replace",
                                env={**os.environ, "OMP_NUM_THREADS": str(options.threads)}).stdout
    return statistics.mean([float(took) for took in re.findall(r"took ([0-9.]+) ms", output)][3:])


def contenders(row):
    benchmarks, shape, kind = ROWS[row]
    for precision, name in zip(OWN, benchmarks):
        yield precision, lambda name=name: own(name, kind)
    if not shape:
        return
    for how in NANOGPT if options.nanogpt and kind == "train" else NANOGPT[:1] if options.nanogpt else []:
        yield how, lambda how=how: nanogpt(how, shape, kind)
    if options.llmc and kind == "train" and shape["dropout"] == 0:
        yield "llm.c", lambda: llmc(shape)


def spread(values, unit):
    digits = 0 if statistics.median(values) >= 20 else 1 if unit == " ms" else 2 if unit == " ×" else 0
    words = [f"{value:,.{digits}f}" for value in (statistics.median(values), min(values), max(values))]
    return f"{words[0]}{unit} ({words[1]} to {words[2]})"


def command_output(*command):
    found = subprocess.run(command, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
versions = []
if options.nanogpt:
    import torch
    versions.append(f"nanoGPT {command_output('git', '-C', options.nanogpt, 'rev-parse', '--short', 'HEAD')}".strip()
                    + f" with PyTorch {torch.__version__}")
if options.llmc:
    versions.append(f"llm.c {command_output('git', '-C', options.llmc, 'rev-parse', '--short', 'HEAD')}".strip()
                    + f" with {command_output('cc', '--version').splitlines()[0]}")
print(f"{datetime.date.today()}, {processor.group(1) if processor else 'unknown processor'}, {os.cpu_count()} cores, "
      f"{options.threads} threads, load {os.getloadavg()[0]:.1f}, {options.pairs} pairs; " + "; ".join(versions) + "\n")
chosen = [row for row in ROWS if any(part.strip() in row for part in options.rows.split(","))]
columns = ["float32", "bfloat16", "int8", *(NANOGPT if options.nanogpt else []), *(["llm.c"] if options.llmc else [])]
tables = {"medians": [], "ratios": []}
for row in chosen:
    figures = {}
    for pair in range(options.pairs + 1):  # the first one warms up
        for name, measure in contenders(row):
            value = measure()
            if pair > 0:
                figures.setdefault(name, []).append(value)
    is_speed = ROWS[row][2] == "generate"
    cells = {name: spread(values, " tokens/s" if is_speed else " ms") for name, values in figures.items()}
    ratios = {name: spread([(b / a if is_speed else a / b) for a, b in zip(figures["float32"], values)], " ×")
              for name, values in figures.items() if name != "float32"}
    tables["medians"].append([row, *(cells.get(name, "") for name in columns)])
    tables["ratios"].append([row, *(ratios.get(name, "") for name in columns[1:])])
    print(f"measured: {row}", file=sys.stderr, flush=True)
for title, heads in (("medians", columns), ("ratios", columns[1:])):
    print("| " + " | ".join(["" if title == "medians" else "speed relative to RoPE Lab in float32", *heads]) + " |")
    print("|---" * (len(heads) + 1) + "|")
    for line in tables[title]:
        print("| " + " | ".join(line) + " |")
    print()
