#!/usr/bin/env bash
# flax 0.12.12: with RoPE, MultiHeadAttention in decode mode rotates every query as if it were the first token.
#
# In decode mode a call gets one token and the cache holds the keys of the earlier ones. nnx.dot_product_attention_with_rope,
# which the class's own example passes as attention_fn, numbers the queries of the call from 0 on: the one query stands at
# position 0, the cached keys at 0, 1, 2…. So token by token the same weights give other outputs than the whole sequence at
# once, from the second token on and without a message; without RoPE both agree. input_positions, which should say where the
# token stands, raises an error in either mode, because it is mapped over the heads. It needs Python 3.12 or newer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for python in python3 python3.14 python3.13 python3.12 ~/.pyenv/versions/3.1[2-9]*/bin/python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then break; fi
done
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check flax==0.12.12 jax==0.12.0.1
"$folder/venv/bin/python" - 2>/dev/null <<'END'
import functools

import jax
import jax.numpy as jnp
import numpy
from flax import nnx

jax.config.update("jax_default_matmul_precision", "highest")
tokens, heads, size, theta = 8, 2, 16, 10000.0
width = heads * size
inputs = jnp.asarray(numpy.random.default_rng(0).normal(size=(1, tokens, width)), dtype="float32")
rotary = functools.partial(nnx.dot_product_attention_with_rope, rope=nnx.RoPE(theta, embedding_size=size, max_seq_len=tokens))


def layer_with(attention):
    return nnx.MultiHeadAttention(num_heads=heads, in_features=width, attention_fn=attention, decode=False, rngs=nnx.Rngs(0))


def both_ways(attention):
    """The outputs of the whole sequence under a causal mask, and those of its tokens one by one."""
    layer = layer_with(attention)
    whole = layer(inputs, mask=nnx.make_causal_mask(jnp.ones((1, tokens))))
    layer.init_cache(inputs.shape)
    steps = [layer(inputs[:, token:token + 1], decode=True) for token in range(tokens)]
    return numpy.asarray(whole)[0], numpy.concatenate(steps, axis=1)[0]


def by_hand(positions_of_queries):
    """The layer's outputs in float64 with queries at the given positions and keys at 0, 1, 2 and so on."""
    layer, x = layer_with(rotary), numpy.asarray(inputs[0], dtype="float64")
    query, key, value = (numpy.einsum("td,dhc->htc", x, numpy.asarray(part.kernel[...], dtype="float64"))
                         for part in (layer.query, layer.key, layer.value))

    def rotated(channels, positions):
        angles = numpy.outer(positions, theta ** (-numpy.arange(0, size, 2) / size))
        turned = (channels[..., :size // 2] + 1j * channels[..., size // 2:]) * numpy.exp(1j * angles)
        return numpy.concatenate([turned.real, turned.imag], axis=-1)

    logits = rotated(query, positions_of_queries) @ rotated(key, range(tokens)).transpose(0, 2, 1) / size ** 0.5
    weights = numpy.exp(numpy.where(numpy.tri(tokens, dtype=bool), logits, -numpy.inf))
    weights /= weights.sum(axis=-1, keepdims=True)
    return numpy.einsum("htc,hcd->td", weights @ value, numpy.asarray(layer.out.kernel[...], dtype="float64"))


whole, steps = both_ways(rotary)
plain_whole, plain_steps = both_ways(nnx.dot_product_attention)
print("difference of one by one to all at once, token by token:", *(f"{d:.3f}" for d in abs(steps - whole).max(axis=-1)))
print("without RoPE:", *(f"{d:.3f}" for d in abs(plain_steps - plain_whole).max(axis=-1)))
print(f"largest output {abs(whole).max():.2f}")
assert abs(plain_steps - plain_whole).max() < 1e-4 and abs(steps - whole).max() > 0.5
assert abs(whole - by_hand(range(tokens))).max() < 1e-4
assert abs(steps - by_hand([0] * tokens)).max() < 1e-4

layer = layer_with(rotary)
layer.init_cache(inputs.shape)
for mode, length in (("decode", 1), ("whole sequence", tokens)):
    try:
        layer(inputs[:, :length], decode=mode == "decode", input_positions=jnp.arange(length)[None])
    except ValueError as error:
        print(f"input_positions, {mode}: {str(error).splitlines()[0]}")
        assert "inconsistent sizes" in str(error)
    else:
        raise SystemExit(f"input_positions are accepted: {mode}")
END
