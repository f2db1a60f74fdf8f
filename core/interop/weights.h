#pragma once

#include <span>
#include <vector>

#include "core/spec/named_tensor.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Weights of other programs in this one's names and channel order (core/spec/layout.h). All of these maps only rename
/// and permute, so gradients go through them as weights do. Throw BadInput where a tensor is missing or misshapen.

/// nanoGPT's GPT (model.py): q, k, v stacked; learned positions, no rotation, so heads keep their channels.
std::vector<NamedTensor> from_nanogpt(std::span<const NamedTensor> tensors, const RunSpec& spec);

/// transformers' GPTNeoXForCausalLM with sequential residual: query_key_value is fused head by head (q, k, v of head 0,
/// then of head 1 …), and the turning channels of a head are its first rotary_dim, half pairing.
std::vector<NamedTensor> from_gpt_neox(std::span<const NamedTensor> tensors, const RunSpec& spec);

/// transformers' LlamaForCausalLM without biases: separate q, k, v, gate and up; the turning channels of a head are its
/// first rotary_dim, half pairing.
std::vector<NamedTensor> from_llama(std::span<const NamedTensor> tensors, const RunSpec& spec);

}  // namespace ropelab
