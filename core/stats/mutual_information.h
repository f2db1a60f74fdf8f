#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ropelab {

/// How much two symbols of a text tell of each other, by their distance.
struct MutualInformation {
    std::vector<std::int64_t> distances;  // ascending, in symbols
    /// Nats, one a distance: the plug-in estimate from the counts of symbols and of pairs,
    ///   Î = Ĥ(X) + Ĥ(Y) − Ĥ(X, Y),  Ĥ = −Σ p̂ ln p̂,
    /// with Miller and Madow's correction of each entropy, + (m − 1)/(2n) for m outcomes seen in n pairs: in all
    ///   Î − (m_xy − m_x − m_y + 1)/(2n).
    /// It can come out at or below 0 where nothing is left but chance.
    std::vector<double> nats;
    /// The same without the correction, which chance makes positive at any distance.
    std::vector<double> plug_in;
    std::int64_t symbols = 0;  // of the text that were read
};

/// About `per_decade` distances a factor of ten, rounded to whole ones, each once, from 1 to `longest`.
std::vector<std::int64_t> spaced_distances(std::int64_t longest, int per_decade = 12);

/// Of tokens in [0, vocabulary), at each of `distances` (ascending, at least 1). A distance that leaves no pair is
/// left out. `cancelled` is asked between distances; true ends the work with what there is. Throws BadInput for a token
/// outside the vocabulary and for distances that are not so.
MutualInformation mutual_information(std::span<const std::int32_t> tokens, int vocabulary,
                                     std::span<const std::int64_t> distances,
                                     const std::function<bool()>& cancelled = {});

}  // namespace ropelab
