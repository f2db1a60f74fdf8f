#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/rope/rotary_setup.h"
#include "core/spec/engine.h"

namespace ropelab {

/// Returns the rotary setup of a run's first layer, in half pairing; fraction 0 if that layer has no RoPE.
RotarySetup setup_of(const RunSpec& spec);

/// A query and a key of one head of the first layer, before rotation.
struct HeadVectors {
    // Both have head_dim numbers, in the channel order of setup_of(spec).
    std::vector<double> query;
    std::vector<double> key;
};

/// Throws BadInput if a rotary setup cannot represent the frequencies of a run, because it rotates only a selection of
/// pairs or lists its frequencies.
void require_plain_frequencies(const RunSpec& spec);

/// Returns the query of head `head` (counted from 0) for the token `query` at position m and the key of that head for
/// the token `key` at position n, computed by the first layer of `model`, the model of this checkpoint. Each token is
/// one UTF-8 character. The vectors depend on no other token, and on m and n (both ≥ 0) only if the model has position
/// embeddings. Throws BadInput for an unknown head, a token outside the vocabulary, or a run that fails
/// require_plain_frequencies.
HeadVectors head_vectors(Model& model, const Checkpoint& checkpoint, std::int64_t head, std::string_view query,
                         std::string_view key, std::int64_t m = 0, std::int64_t n = 0);

}  // namespace ropelab
