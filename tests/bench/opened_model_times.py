#!/usr/bin/env python3
"""Compares the times of an opened GGUF file with those of Hugging Face transformers, in turns.

    opened_model_times.py FILE.gguf build/release/bin/ropelab_opened_model_times [--pairs 3] [--threads 2]

Requires torch, transformers, gguf and accelerate. Prints the ratio of the medians (above 1: RoPE Lab is faster) and the
smallest and largest ratio of a pair. Prefill computes the logits of the last token only, in both programs.
"""
import argparse, os, statistics, subprocess, time

import torch
from transformers import AutoModelForCausalLM

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("program")
parser.add_argument("--pairs", type=int, default=3)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--precisions", default="float32,bfloat16")
parser.add_argument("--peers", default="sdpa,eager")
parser.add_argument("--works", default="prefill 2048,generate 128")
options = parser.parse_args()
torch.set_num_threads(options.threads)
torch.set_grad_enabled(False)

folder, file = os.path.split(options.model)
peers = {kind: AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32,
                                                    attn_implementation=kind).eval()
         for kind in options.peers.split(",")}
environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
ours = {precision: subprocess.Popen([options.program, options.model, precision], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True, env=environment)
        for precision in options.precisions.split(",")}


def own_seconds(precision, work):
    process = ours[precision]
    process.stdin.write(work + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def peer_seconds(kind, work):
    what, tokens = work.split()
    length = int(tokens) if what == "prefill" else 16
    ids = torch.tensor([[i * 7919 % 40000 for i in range(length)]])
    begin = time.perf_counter()
    if what == "prefill":
        peers[kind](ids, use_cache=True, logits_to_keep=1)
    else:
        peers[kind].generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=int(tokens),
                             min_new_tokens=int(tokens), do_sample=False)
    return time.perf_counter() - begin


for work in options.works.split(","):
    for kind in peers:
        peer_seconds(kind, work)  # the first call of each is not counted
    for precision in ours:
        own_seconds(precision, work)
    times = {}
    for _ in range(options.pairs):
        for kind in peers:
            times.setdefault(kind, []).append(peer_seconds(kind, work))
        for precision in ours:
            times.setdefault(precision, []).append(own_seconds(precision, work))
    for name, seconds in times.items():
        print(f"{work}: {name} {statistics.median(seconds):.3f} s ({min(seconds):.3f} to {max(seconds):.3f})")
    for precision in ours:
        for kind in peers:
            ratios = [a / b for a, b in zip(times[kind], times[precision])]
            print(f"{work}: {precision} is {statistics.median(ratios):.2f} × ({min(ratios):.2f} to {max(ratios):.2f})"
                  f" as fast as transformers {kind} in float32", flush=True)
