#!/usr/bin/env python3
"""make_gguf_types.py FILE: a GGUF file with a tensor of each type of numbers that the program reads, and beside it, as
"NAME.expected" in float32, the numbers that gguf 0.19 gives. Blocks of integers are random bytes with small factors."""

import sys

import gguf
import numpy

random = numpy.random.default_rng(51)
writer = gguf.GGUFWriter(sys.argv[1], "types")
writer.add_uint32("types.count", 11)
writer.add_array("types.names", ["F32", "θ"])
NUMBERS = 512
FACTORS = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2], "Q5_K": [0, 2],
           "Q6_K": [208]}  # bytes of a block at which it has a float16

for name in ["F32", "F16", "BF16", *FACTORS]:
    kind = gguf.GGMLQuantizationType[name]
    block, size = gguf.GGML_QUANT_SIZES[kind]
    plain = random.normal(size=(2, NUMBERS // 2)).astype(numpy.float32)
    if name in FACTORS:
        stored = random.integers(0, 256, size=(2, NUMBERS // 2 // block, size), dtype=numpy.uint8)
        for at in FACTORS[name]:
            factors = random.normal(scale=0.02, size=stored.shape[:2]).astype(numpy.float16)
            stored[:, :, at:at + 2] = factors[..., None].view(numpy.uint8)
        stored = stored.reshape(2, -1)
    else:
        stored = gguf.quants.quantize(plain, kind)
    expected = gguf.quants.dequantize(stored, kind).astype(numpy.float32)
    writer.add_tensor(name, stored, raw_dtype=kind)
    writer.add_tensor(f"{name}.expected", expected.reshape(2, NUMBERS // 2))
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
