#include "core/study/head_vectors.h"

#include "core/data/corpus.h"
#include "core/spec/error.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

// Encodes a text that must be exactly one token. Throws BadInput otherwise.
std::int32_t token_of(const Vocabulary& vocabulary, std::string_view text) {
    const auto tokens = vocabulary.encode(text);
    if (tokens.size() != 1) {
        throw BadInput("\"" + std::string(text) + "\" has " + std::to_string(tokens.size()) +
                       " tokens, but it must be exactly one.");
    }
    return tokens.front();
}

// Probes the model for the query and key vectors of `token` at `position`, in a sequence that repeats this token.
ProbeResult vectors_of(Model& model, const RunSpec& spec, std::int32_t token, std::int64_t position) {
    const std::int64_t place = position % spec.context;
    const auto length = static_cast<std::size_t>(place + 1);
    ProbeRequest request;
    request.sequences = {place + 1, std::vector<std::int32_t>(length, token), std::vector<std::int32_t>(length, -1)};
    request.vectors = false;
    request.attention = false;
    request.vectors_at = place;
    return model.probe(request);
}

}  // namespace

RotarySetup setup_of(const RunSpec& spec) {
    RotarySetup setup;
    setup.head_dim = spec.rotary_head_dim();
    setup.theta = spec.theta;
    const bool rotates = spec.rotates() && selection(spec.rotated_layers, spec.layers, "rotated_layers").front();
    setup.fraction = rotates ? spec.fraction : 0.0;
    setup.partial = spec.partial;
    setup.context = spec.context;
    setup.heads = spec.heads;
    setup.attention_window = spec.attention_window;
    return setup;
}

void require_plain_frequencies(const RunSpec& spec) {
    if (spec.pairs != "all") {
        throw BadInput("This run rotates only the pairs " + spec.pairs +
                       ", which a rotary setup cannot represent; choose a run with pairs = all.");
    }
    if (spec.frequencies != "auto") {
        throw BadInput("This run has the frequencies " + spec.frequencies +
                       ", which a rotary setup cannot represent; choose a run with frequencies = auto.");
    }
}

HeadVectors head_vectors(Model& model, const Checkpoint& checkpoint, std::int64_t head, std::string_view query,
                         std::string_view key, std::int64_t m, std::int64_t n) {
    const RunSpec& spec = checkpoint.spec;
    if (head < 0 || head >= spec.heads) {
        throw BadInput("There is no head " + std::to_string(head) + ": the run has heads 0 to " +
                       std::to_string(spec.heads - 1) + ".");
    }
    require_plain_frequencies(spec);
    if (spec.attention == AttentionKind::mla || spec.layer_attention(0) == LayerAttention::delta_net) {
        throw BadInput(
            "The first layer of this run has multi-head latent attention or is a gated DeltaNet layer, and a rotary "
            "setup "
            "cannot represent its queries and keys; choose a run with attention = mha or gated in its first layer.");
    }
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    const std::int32_t query_token = token_of(vocabulary, query);
    const std::int32_t key_token = token_of(vocabulary, key);

    const RotarySetup setup = setup_of(spec);
    // Training always uses the canonical pairing; the channels are reordered to the setup's pairing, that of Hugging
    // Face.
    const auto channels = canonical_channels(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    const auto reordered = [&](std::span<const float> vector) {
        std::vector<double> result(vector.size());
        for (std::size_t c = 0; c < vector.size(); ++c) result[static_cast<std::size_t>(channels[c])] = vector[c];
        return result;
    };
    const ProbeResult of_query = vectors_of(model, spec, query_token, m);
    const ProbeResult of_key = vectors_of(model, spec, key_token, n);
    return {reordered(of_query.query_vectors.row(0, head)),
            reordered(of_key.key_vectors.row(0, head * spec.kv_heads() / spec.heads))};
}

}  // namespace ropelab
