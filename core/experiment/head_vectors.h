#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/rope/rotary_setup.h"
#include "core/spec/engine.h"

namespace ropelab {

/// The rotary setup that a run's first layer was trained with, in half pairing; fraction 0 where it does not rotate.
RotarySetup setup_of(const RunSpec& spec);

/// A query and a key of the first layer, before rotation.
struct HeadVectors {
    // head_dim numbers each, in the channel order of setup_of(spec).
    std::vector<double> query;
    std::vector<double> key;
};

/// The query of head `head` (from 0) for the token `query` at position m and its key for the token `key` at position n,
/// as `model`, the model of this checkpoint, computes them in its first layer. The tokens are one UTF-8 character each.
/// In the first layer they depend on no other token; on m and n, 0 or more, only where positions are embedded. Throws
/// BadInput for a head that the model does not have, a token outside its vocabulary, or a run that rotates only some
/// pairs.
HeadVectors head_vectors(Model& model, const Checkpoint& checkpoint, std::int64_t head, std::string_view query,
                         std::string_view key, std::int64_t m = 0, std::int64_t n = 0);

}  // namespace ropelab
