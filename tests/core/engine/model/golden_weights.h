#pragma once

#include <span>
#include <vector>

#include "core/contract/named_tensor.h"
#include "core/settings/run_spec.h"

namespace ropelab {

// These functions convert the weights of other programs to the names and the channel order of core/plan/layout.h. They
// only rename and permute, so they convert gradients too. They throw BadInput if a tensor is missing or has the wrong
// shape, or if the spec has other norms or another kind of attention than that model.

/// Converts the weights of nanoGPT's GPT (model.py). Its q, k and v are stacked as in Layout. It has learned positions
/// and no RoPE, so the channels of heads are not permuted.
std::vector<NamedTensor> from_nanogpt(std::span<const NamedTensor> tensors, const RunSpec& spec);

/// Converts the weights of GPTNeoXForCausalLM of Hugging Face transformers with use_parallel_residual = false. Its
/// query_key_value is ordered by heads (q, k, v of head 0, then of head 1, …). The first rotary_dim channels of a head
/// are rotated, with half pairing.
std::vector<NamedTensor> from_gpt_neox(std::span<const NamedTensor> tensors, const RunSpec& spec);

/// Converts the weights of LlamaForCausalLM of Hugging Face transformers without biases. Its q, k, v, gate and up are
/// separate tensors. The first rotary_dim channels of a head are rotated, with half pairing.
std::vector<NamedTensor> from_llama(std::span<const NamedTensor> tensors, const RunSpec& spec);

}  // namespace ropelab
