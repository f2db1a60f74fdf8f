#include "core/study/learned_encoding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/rope/encodings.h"

namespace ropelab {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

const NamedTensor& weight_of(const Checkpoint& checkpoint, const std::string& name) {
    const auto found = std::find_if(checkpoint.state.begin(), checkpoint.state.end(),
                                    [&](const NamedTensor& tensor) { return tensor.name == "model." + name; });
    if (found == checkpoint.state.end()) {
        throw BadInput("The checkpoint lacks the weight " + name +
                       ", so the position encoding of the model cannot be shown.");
    }
    return *found;
}

std::span<const float> row_of(const NamedTensor& tensor, std::int64_t row) {
    const auto length = static_cast<std::size_t>(tensor.shape.back());
    return std::span(tensor.values).subspan(static_cast<std::size_t>(row) * length, length);
}

double product(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

// Mean over all positions at each distance.
std::vector<double> similarities(const NamedTensor& positions, std::span<const std::int64_t> distances) {
    const std::int64_t count = positions.shape.front();
    std::vector<double> norms;
    for (std::int64_t i = 0; i < count; ++i) {
        norms.push_back(std::sqrt(product(row_of(positions, i), row_of(positions, i))));
    }
    std::vector<double> result;
    for (const std::int64_t distance : distances) {
        double sum = 0;
        for (std::int64_t i = distance; i < count; ++i) {
            sum += product(row_of(positions, i), row_of(positions, i - distance)) /
                   (norms[static_cast<std::size_t>(i)] * norms[static_cast<std::size_t>(i - distance)]);
        }
        result.push_back(distance < count ? sum / static_cast<double>(count - distance) : no_value);
    }
    return result;
}

std::vector<double> bias_changes(const RunSpec& spec, const NamedTensor& biases, std::int64_t head,
                                 std::span<const std::int64_t> distances) {
    const std::vector<int> buckets =
        t5_buckets(static_cast<std::size_t>(spec.largest_distance) + 1, static_cast<int>(spec.distance_buckets),
                   static_cast<int>(spec.largest_distance));
    const std::span<const float> bias = row_of(biases, head);
    std::vector<double> result;
    for (const std::int64_t distance : distances) {
        const auto known = static_cast<std::size_t>(std::min(distance, spec.largest_distance));
        result.push_back(static_cast<double>(bias[static_cast<std::size_t>(buckets[known])]) -
                         static_cast<double>(bias.front()));
    }
    return result;
}

std::vector<double> kernel_biases(const NamedTensor& log_r1, const NamedTensor& log_r2, std::int64_t head,
                                  std::span<const std::int64_t> distances) {
    const auto of_head = [&](const NamedTensor& logarithms) {
        return std::exp(static_cast<double>(logarithms.values.at(static_cast<std::size_t>(head))));
    };
    const KerpleKernel kernel = {.r1 = of_head(log_r1), .r2 = of_head(log_r2)};
    std::vector<double> result;
    for (const std::int64_t distance : distances) result.push_back(kernel.bias(static_cast<double>(distance)));
    return result;
}

// Norm / `root` by distance. Distance 0 has vector `first`; distances beyond the last vector have the last one.
std::vector<double> deviations(const NamedTensor& vectors, std::int64_t first, double root,
                               std::span<const std::int64_t> distances) {
    const std::int64_t last = vectors.shape.front() - 1;
    std::vector<double> result;
    for (const std::int64_t distance : distances) {
        const std::span<const float> vector = row_of(vectors, std::min(first + distance, last));
        result.push_back(std::sqrt(product(vector, vector)) / root);
    }
    return result;
}

// v·W R_Δ/√d.
std::vector<double> distance_terms(const RunSpec& spec, std::span<const float> query, const NamedTensor& projection,
                                   std::int64_t head, std::span<const std::int64_t> distances) {
    const auto width = static_cast<std::size_t>(spec.width);
    const std::int64_t key_head = head / (spec.heads / spec.kv_heads());
    const std::int64_t first = key_head * spec.head_dim();
    // v·W, a vector of the model's width
    std::vector<double> projected(width, 0.0);
    for (std::size_t channel = 0; channel < query.size(); ++channel) {
        const std::span<const float> row = row_of(projection, first + static_cast<std::int64_t>(channel));
        for (std::size_t i = 0; i < width; ++i) {
            projected[i] += static_cast<double>(query[channel]) * static_cast<double>(row[i]);
        }
    }
    const auto term = [&](std::int64_t distance) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
            sum += projected[i] * sinusoidal_embedding(static_cast<std::size_t>(distance), i, width);
        }
        return sum / std::sqrt(static_cast<double>(spec.head_dim()));
    };
    std::vector<double> result;
    for (const std::int64_t distance : distances) result.push_back(term(distance) - term(0));
    return result;
}

}  // namespace

std::optional<LearnedEncoding> learned_encoding(const Checkpoint& checkpoint, std::int64_t layer, std::int64_t head,
                                                std::span<const std::int64_t> distances) {
    const RunSpec& spec = checkpoint.spec;
    if (layer < 0 || layer >= spec.layers || head < 0 || head >= spec.heads) {
        throw BadInput("There is no head " + std::to_string(head) + " in layer " + std::to_string(layer) +
                       "; the run has " + std::to_string(spec.layers) + " layers of " + std::to_string(spec.heads) +
                       " heads, counted from 0.");
    }
    const bool has_weights = spec.layer_attention(layer) != LayerAttention::delta_net;
    if (!has_weights && !spec.learns_positions()) return std::nullopt;
    const std::string attention = "layers." + std::to_string(layer) + ".attention.";
    if (spec.learns_positions()) {
        return LearnedEncoding{LearnedEncoding::Kind::similarity,
                               similarities(weight_of(checkpoint, "positions.weight"), distances)};
    }
    using Scores = PositionEncoding::Scores;
    switch (spec.encoding().scores) {
        case Scores::distance_bias:
            return LearnedEncoding{LearnedEncoding::Kind::change,
                                   bias_changes(spec, weight_of(checkpoint, "distance_bias.weight"), head, distances)};
        case Scores::kerple:
            return LearnedEncoding{LearnedEncoding::Kind::change,
                                   kernel_biases(weight_of(checkpoint, "distance_kernel.log_r1"),
                                                 weight_of(checkpoint, "distance_kernel.log_r2"), head, distances)};
        case Scores::shaw:  // the sum of both products is divided by √d
            return LearnedEncoding{LearnedEncoding::Kind::deviation,
                                   deviations(weight_of(checkpoint, attention + "relative_keys.weight"), 0,
                                              std::sqrt(static_cast<double>(spec.head_dim())), distances)};
        case Scores::cope:  // q·e is not divided; open gates of Δ + 1 tokens, the key and the query's own included
            return LearnedEncoding{LearnedEncoding::Kind::deviation,
                                   deviations(weight_of(checkpoint, attention + "contextual.weight"), 1, 1, distances)};
        case Scores::transformer_xl:
            return LearnedEncoding{
                LearnedEncoding::Kind::change,
                distance_terms(spec, row_of(weight_of(checkpoint, "distance_query.weight"), head),
                               weight_of(checkpoint, attention + "relative.weight"), head, distances)};
        case Scores::products:
        case Scores::alibi:
            break;
    }
    return std::nullopt;
}

}  // namespace ropelab
