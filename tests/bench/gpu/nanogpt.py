"""nanogpt.py FOLDER DEVICE SCRATCH: measures nanoGPT's train.py and generate and writes the results as JSON.

On cuda it uses the model shape of Huang et al. 2025 with torch.compile, on cpu nanoGPT's documented CPU settings.
FOLDER is a checkout of nanoGPT, which is not changed; SCRATCH is a folder for temporary files."""

import json
import pathlib
import pickle
import re
import shutil
import statistics
import subprocess
import sys
import time

# nanoGPT's own output is redirected to stderr.
out, sys.stdout = sys.stdout, sys.stderr
folder, device, scratch = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
copy = scratch / "nanoGPT"
shutil.rmtree(copy, ignore_errors=True)
shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"))
sys.path.insert(0, str(copy))

import numpy
import torch

data = copy / "data" / "ropelab"
data.mkdir()
numbers = numpy.random.default_rng(1)
for name, size in (("train", 1003854), ("val", 111540)):
    numbers.integers(0, 65, size, dtype=numpy.uint16).tofile(data / f"{name}.bin")
with open(data / "meta.pkl", "wb") as stream:
    pickle.dump({"vocab_size": 65, "itos": {}, "stoi": {}}, stream)

on_gpu = device == "cuda"
shape = dict(n_layer=6, n_head=6, n_embd=384) if on_gpu else dict(n_layer=4, n_head=4, n_embd=128)
rest = dict(
    dataset="ropelab", device=device, compile=on_gpu, eval_iters=1, eval_interval=10**6, log_interval=1,
    batch_size=64 if on_gpu else 12, block_size=256 if on_gpu else 64, dropout=0.2 if on_gpu else 0.0,
    max_iters=150 if on_gpu else 40, gradient_accumulation_steps=1, out_dir="out", learning_rate=1e-3,
)
command = [sys.executable, "train.py", *(f"--{key}={value}" for key, value in {**shape, **rest}.items())]
process = subprocess.run(command, cwd=copy, capture_output=True, text=True)
times = [float(ms) for ms in re.findall(r"^iter \d+: .*time ([0-9.]+)ms", process.stdout, re.M)]
result = {"torch": torch.__version__, "shape": {**shape, **rest}}
if process.returncode or len(times) < 20:
    result["error"] = (process.stderr.strip().splitlines() or ["train.py wrote no error message"])[-1]
else:
    result["milliseconds_per_step"] = statistics.median(times[len(times) // 2 :])

from model import GPT, GPTConfig

model = GPT(GPTConfig(block_size=256, vocab_size=65, n_layer=6, n_head=6, n_embd=384, dropout=0.0, bias=False))
model.to(device).eval()
prompt = torch.zeros((1, 1), dtype=torch.long, device=device)
length = 500 if on_gpu else 100
with torch.no_grad():
    model.generate(prompt, 5)
    begin = time.perf_counter()
    model.generate(prompt, length).cpu()
    result["tokens_per_second"] = length / (time.perf_counter() - begin)
print(json.dumps(result), file=out)
