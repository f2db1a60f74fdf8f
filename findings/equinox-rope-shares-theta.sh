#!/usr/bin/env bash
# equinox 0.13.8: RotaryPositionalEmbedding uses the theta of the first module of the same size in the process.
#
# The tables of all modules are kept in one cache whose key is the embedding size and the type, without theta. A second
# module with another theta gets the first one's rotations, until a longer sequence comes: then the tables are made again
# with the theta of whoever asks, and the first module changes, too. A sweep over theta in one process, or a model with a
# local and a global base as in Gemma 3, computes with one theta; in separate processes the results differ.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check equinox==0.13.8 jax==0.10.2
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import equinox
import jax.numpy as jnp
import numpy

size, thetas = 64, (10000.0, 500000.0)


def theta_seen(module, length):
    """The theta that the rotation of the second channel shows at position 1."""
    rotated = numpy.asarray(module(jnp.ones((length, size))), dtype="float64")[1]
    first, second = rotated[1], rotated[1 + size // 2]
    angle = numpy.arctan2(second, first) - numpy.pi / 4
    return float(angle ** (-size / 2))


modules = [equinox.nn.RotaryPositionalEmbedding(size, theta=theta) for theta in thetas]
short = [theta_seen(module, 16) for module in modules]
longer = [theta_seen(module, 32) for module in reversed(modules)][::-1]
print("asked for", thetas)
print("seen at 16 tokens:", [round(seen, -2) for seen in short])
print("seen at 32 tokens, the second module first:", [round(seen, -2) for seen in longer])
assert all(abs(seen / thetas[0] - 1) < 0.01 for seen in short)
assert all(abs(seen / thetas[1] - 1) < 0.01 for seen in longer)
END
