#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/attention/attention.h"

// Attention of one layer of a cohort, with any position encoding. The reference backend
// (core/engine/attention/reference.h) defines every variant with LibTorch's operations. The other backends compute the
// variants for which their `supports` returns true, faster and with the same result. A new variant needs a member of
// LayerTerms and its definition in the reference; backends may add it later.

namespace ropelab {

enum class AttentionBackend { reference, cpu, flash };
/// On the CPU `cpu` and on a device `flash` if it supports everything that is requested, else `reference`.
AttentionBackend attention_backend(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use = {},
                                   const Dropout& dropout = {});

/// Causal: (runs, batch·time, query·head_dim), in the type of qkv or float32. `place` names the dropout.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout = {},
                     const std::string& place = "", const AttentionUse& use = {});

}  // namespace ropelab
