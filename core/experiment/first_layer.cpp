#include "core/experiment/first_layer.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/data/corpus.h"
#include "core/spec/error.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

// Null where the checkpoint has no such tensor.
const NamedTensor* find(const Checkpoint& checkpoint, const std::string& name) {
    const auto found = std::find_if(checkpoint.state.begin(), checkpoint.state.end(),
                                    [&](const NamedTensor& tensor) { return tensor.name == "model." + name; });
    return found == checkpoint.state.end() ? nullptr : &*found;
}

const NamedTensor& tensor(const Checkpoint& checkpoint, const std::string& name, std::size_t size) {
    const NamedTensor* found = find(checkpoint, name);
    if (!found || found->values.size() < size) {
        throw BadInput("The checkpoint has no tensor \"" + name +
                       "\" of the run's shape; take one that this program wrote.");
    }
    return *found;
}

std::int32_t symbol_of(const Vocabulary& vocabulary, std::string_view text) {
    const auto tokens = vocabulary.encode(text);
    if (tokens.size() != 1) {
        throw BadInput("\"" + std::string(text) + "\" has " + std::to_string(tokens.size()) +
                       " symbols, but a query or a key stands at one.");
    }
    return tokens.front();
}

// The model's LayerNorm or RMSNorm of that name, without its bias where it has none.
std::vector<double> normalised(const Checkpoint& checkpoint, const std::string& name, bool centred,
                               std::vector<double> x) {
    const NamedTensor& weight = tensor(checkpoint, name + ".weight", x.size());
    const NamedTensor* bias = find(checkpoint, name + ".bias");
    double mean = 0;
    if (centred) {
        for (double value : x) mean += value;
        mean /= static_cast<double>(x.size());
    }
    double square = 0;
    for (double value : x) square += (value - mean) * (value - mean);
    const double epsilon = centred ? 1e-5 : 1e-6;
    const double inverse = 1.0 / std::sqrt(square / static_cast<double>(x.size()) + epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = (x[i] - mean) * inverse * weight.values[i] + (bias ? bias->values[i] : 0.0F);
    }
    return x;
}

}  // namespace

RotarySetup setup_of(const RunSpec& spec) {
    RotarySetup setup;
    setup.head_dim = spec.head_dim();
    setup.theta = spec.theta;
    const bool turns = spec.rotates() && selection(spec.rotated_layers, spec.layers, "rotated_layers").front();
    setup.fraction = turns ? spec.fraction : 0.0;
    setup.partial = spec.partial;
    setup.context = spec.context;
    return setup;
}

HeadVectors first_layer_vectors(const Checkpoint& checkpoint, std::int64_t head, std::string_view query,
                                std::string_view key, std::int64_t m, std::int64_t n) {
    const RunSpec& spec = checkpoint.spec;
    if (head < 0 || head >= spec.heads) {
        throw BadInput("Head " + std::to_string(head) + " is not there: the run has heads 0 to " +
                       std::to_string(spec.heads - 1) + ".");
    }
    if (spec.pairs != "all") {
        throw BadInput("This run turns the pairs " + spec.pairs +
                       " only, which a rotary setup cannot say; take a run with pairs = all.");
    }
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    const auto width = static_cast<std::size_t>(spec.width);
    const auto head_dim = static_cast<std::size_t>(spec.head_dim());
    const NamedTensor& embedding =
        tensor(checkpoint, "embedding.weight", static_cast<std::size_t>(vocabulary.size()) * width);
    const NamedTensor& qkv = tensor(checkpoint, "layers.0.attention.qkv.weight",
                                    static_cast<std::size_t>(spec.heads + 2 * spec.kv_heads()) * head_dim * width);
    const NamedTensor* bias = find(checkpoint, "layers.0.attention.qkv.bias");
    const NamedTensor* places = spec.learns_positions() ? &tensor(checkpoint, "positions.weight",
                                                                  static_cast<std::size_t>(spec.context) * width)
                                                        : nullptr;

    const RotarySetup setup = setup_of(spec);
    // Weights stand in training's one pairing whatever the fraction; the setup's order is the model world's.
    const auto channels = canonical_channels(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    const bool centred = spec.block != Block::llama;
    const std::int64_t key_head = spec.heads + head * spec.kv_heads() / spec.heads;
    // `stacked` is the head's number among those of queries, then keys.
    const auto vector_of = [&](std::int32_t symbol, std::int64_t position, std::int64_t stacked, const char* norm) {
        std::vector<double> x(width);
        for (std::size_t i = 0; i < width; ++i) {
            x[i] = embedding.values[static_cast<std::size_t>(symbol) * width + i];
            if (places) x[i] += places->values[static_cast<std::size_t>(position % spec.context) * width + i];
        }
        x = normalised(checkpoint, "layers.0.attention_norm", centred, std::move(x));
        std::vector<double> vector(head_dim);
        for (std::size_t c = 0; c < head_dim; ++c) {
            const std::size_t row = static_cast<std::size_t>(stacked) * head_dim + c;
            double sum = bias ? bias->values[row] : 0.0F;
            for (std::size_t i = 0; i < width; ++i) sum += qkv.values[row * width + i] * x[i];
            vector[c] = sum;
        }
        if (spec.qk_norm) vector = normalised(checkpoint, norm, false, std::move(vector));
        std::vector<double> result(head_dim);
        for (std::size_t c = 0; c < head_dim; ++c) result[static_cast<std::size_t>(channels[c])] = vector[c];
        return result;
    };
    return {vector_of(symbol_of(vocabulary, query), m, head, "layers.0.attention.query_norm"),
            vector_of(symbol_of(vocabulary, key), n, key_head, "layers.0.attention.key_norm")};
}

}  // namespace ropelab
