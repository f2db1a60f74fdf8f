#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/rope/rotary_setup.h"

namespace ropelab {

/// The rotary setup that a run's first layer was trained with, in half pairing; fraction 0 where it does not rotate.
RotarySetup setup_of(const RunSpec& spec);

/// A query and a key of the first layer, before rotation.
struct HeadVectors {
    // head_dim numbers each, in the channel order of setup_of(spec).
    std::vector<double> query;
    std::vector<double> key;
};

/// What head `head` (from 0) of a trained run asks for at symbol `query` and offers at symbol `key`, one UTF-8
/// character each: embedding, normalisation and the first layer's products, by hand in double. In the first layer they
/// depend on nothing else that was read; where positions are learned too, on the places m and n, 0 or more. Throws
/// BadInput for a head that the model does not have, a symbol outside its vocabulary, a run that turns some pairs only,
/// or weights that are not there.
HeadVectors first_layer_vectors(const Checkpoint& checkpoint, std::int64_t head, std::string_view query,
                                std::string_view key, std::int64_t m = 0, std::int64_t n = 0);

}  // namespace ropelab
