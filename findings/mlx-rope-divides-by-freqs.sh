#!/usr/bin/env bash
# mlx 0.32.4: mx.fast.rope divides positions by its argument freqs, so that RoPE's frequencies rotate the slow pairs fastest.
#
# freqs is documented as "optional frequencies to use with RoPE" instead of base. A pair's angle is position / freqs, so the
# function expects base ** (2i / d), the inverse of what papers call frequencies and of inv_freq in transformers. With
# inv_freq, the pair that should be the slowest of 32 rotates by 7,499 radians per token instead of 1 / 7,499. The shapes are
# the same and there is no message; only pair 0 is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mlx[cpu]==0.32.4" numpy
"$folder/venv/bin/python" - <<'END'
import mlx.core as mx
import numpy

assert "frequencies to use with RoPE" in " ".join(mx.fast.rope.__doc__.split())
size, base = 64, 10000.0
frequencies = base ** -(numpy.arange(0, size, 2) / size)  # radians per token, as inv_freq of transformers


def rotated(**options):
    options = {"base": None, "freqs": None} | options
    vectors = mx.ones((1, 1, 4, size))
    return numpy.array(mx.fast.rope(vectors, size, traditional=False, scale=1.0, offset=0, **options))[0, 0]


usual = rotated(base=base)
inverse = rotated(freqs=mx.array((1 / frequencies).astype("float32")))
same = rotated(freqs=mx.array(frequencies.astype("float32")))
angles = numpy.arange(4)[:, None] / frequencies
wanted = numpy.concatenate([numpy.cos(angles) - numpy.sin(angles), numpy.cos(angles) + numpy.sin(angles)], axis=1)
print(f"against base={base:.0f}: freqs=base^(2i/d) differs by at most {abs(inverse - usual).max():.1e}, "
      f"freqs=base^(-2i/d) by {abs(same - usual).max():.2f}")
print(f"with freqs=base^(-2i/d), the slowest pair turns by {1 / frequencies[-1]:.0f} radians per token "
      f"(difference from these angles: {abs(same - wanted).max():.1e})")
assert abs(inverse - usual).max() < 1e-5
assert abs(same - usual).max() > 1 and abs(same - wanted).max() < 0.01
END
