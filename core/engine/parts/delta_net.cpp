#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/engine/attention/reference.h"
#include "core/engine/operations/operations.h"
#include "core/engine/parts/parts.h"

namespace ropelab {

namespace {

constexpr std::int64_t chunk_tokens = 32;

// One run: products of its input, and its weights.
struct Input {
    torch::Tensor qkv;          // (1, batch·time, 3·heads·head_dim): queries, then keys, then values
    torch::Tensor gate;         // (1, batch·time, heads·head_dim)
    torch::Tensor rates;        // (1, batch·time, 2·heads): inputs of α, then of β
    torch::Tensor log_decay;    // (1, heads)
    torch::Tensor decay_shift;  // (1, heads)
    torch::Tensor head_norm;    // RMSNorm weight of each head's output, (1, head_dim)
};

// Queries (norm 1), keys (norm 1) and values, (sequences, heads, time, head_dim); ln α and β, (sequences, heads, time).
struct Sequences {
    torch::Tensor query, key, value, log_alpha, beta;
};

Sequences sequences_of(const Input& input, std::int64_t heads, std::int64_t batch, const StageMarks& stages) {
    // (1, batch·time, vectors·channels) → (1, batch, time, vectors, channels), and of these each head's, heads first.
    const auto by_token = [&](const torch::Tensor& x, std::int64_t vectors) {
        return x.unflatten(1, {batch, -1}).unflatten(3, {vectors, -1});
    };
    const auto by_head = [&](const torch::Tensor& x) { return heads_first(x).contiguous(); };
    // Here and below split or unbound: each part of narrow and select has a gradient of the whole size.
    const std::vector<torch::Tensor> rates = in_float(input.rates).split(heads, 2);
    const std::int64_t rows = input.rates.size(1);
    const auto repeated = [&](const torch::Tensor& vector) {
        return repeat_rows(vector.to(rates[0].scalar_type()), rows);
    };
    const torch::Tensor log_alpha =
        -torch::exp(repeated(input.log_decay)) * torch::softplus(rates[0] + repeated(input.decay_shift));
    const torch::Tensor beta = torch::sigmoid(rates[1]);
    stages.computed("attention.rates");
    if (stages.wants_outputs()) stages.output("attention.rates", torch::cat({torch::exp(log_alpha), beta}, 2));
    const std::vector<torch::Tensor> parts =
        by_token(in_float(input.qkv), 3 * heads).split_with_sizes({2 * heads, heads}, 3);
    // x/√(Σ x² + 10⁻⁶), as the RMSNorm with these weights.
    const auto channels = static_cast<double>(parts[1].size(4));
    const torch::Tensor weight = torch::full({1, parts[1].size(4)}, 1.0 / std::sqrt(channels), parts[1].options());
    const torch::Tensor normed = normalize_heads(parts[0], weight, 1e-6 / channels);
    const std::vector<torch::Tensor> query_and_key = normed.split(heads, 3);
    Sequences result{by_head(query_and_key[0]), by_head(query_and_key[1]), by_head(parts[1]),
                     by_head(by_token(log_alpha, heads)).squeeze(3), by_head(by_token(beta, heads)).squeeze(3)};
    stages.computed("attention.qk_norm");
    if (stages.wants_outputs()) stages.output("attention.qk_norm", result.query.transpose(1, 2).unsqueeze(0));
    return result;
}

// (sequences, heads, time, head_dim) outputs, (sequences, heads, head_dim, head_dim) state; rows: channels of keys.
std::pair<torch::Tensor, torch::Tensor> in_chunks(const Sequences& s) {
    const std::int64_t time = s.query.size(2);
    const std::int64_t channels = s.query.size(3);
    const std::int64_t length = std::min(chunk_tokens, time);
    const std::int64_t chunks = (time + length - 1) / length;
    const std::int64_t missing = chunks * length - time;  // tokens with k = 0 and α = 1 do not change the state
    const auto chunked = [&](const torch::Tensor& x) {
        const torch::Tensor whole =
            missing == 0 ? x
                         : torch::constant_pad_nd(x, x.dim() == 4 ? std::vector<std::int64_t>{0, 0, 0, missing}
                                                                  : std::vector<std::int64_t>{0, missing});
        return whole.unflatten(2, {chunks, length});
    };
    const torch::Tensor q = chunked(s.query);  // (sequences, heads, chunks, length, head_dim)
    const torch::Tensor k = chunked(s.key);
    const torch::Tensor v = chunked(s.value);
    const torch::Tensor beta = chunked(s.beta).unsqueeze(4);
    const torch::Tensor sums = chunked(s.log_alpha).cumsum(3);  // ln of the product of α since the chunk's start
    const torch::Tensor future = torch::ones({length, length}, q.options().dtype(torch::kBool)).triu(1);
    const torch::Tensor decay = torch::exp(
        (sums.unsqueeze(4) - sums.unsqueeze(3)).masked_fill(future, -std::numeric_limits<double>::infinity()));
    const torch::Tensor since_start = torch::exp(sums).unsqueeze(4);
    const torch::Tensor until_end = torch::exp(sums.narrow(3, length - 1, 1) - sums).unsqueeze(4);

    // The changes u of a chunk's tokens solve (1 + A)·u = β·(v − (decay of k)·state), with A strictly lower triangular:
    // nothing else of `system` is read.
    const torch::Tensor weighted_keys = beta * k;
    const torch::Tensor system = torch::matmul(weighted_keys, k.transpose(3, 4)) * decay;
    const torch::Tensor solved = torch::linalg_solve_triangular(
        system, torch::cat({beta * v, since_start * weighted_keys}, 4), false, true, true);
    const std::vector<torch::Tensor> parts = solved.split(channels, 4);
    const std::vector<torch::Tensor> from_values = parts[0].unbind(2);
    const std::vector<torch::Tensor> from_state = parts[1].unbind(2);
    const std::vector<torch::Tensor> within = (torch::matmul(q, k.transpose(3, 4)) * decay).unbind(2);
    const std::vector<torch::Tensor> decayed_query = (since_start * q).unbind(2);
    const std::vector<torch::Tensor> keys_until_end = (until_end * k).transpose(3, 4).unbind(2);
    const std::vector<torch::Tensor> kept = since_start.narrow(3, length - 1, 1).unbind(2);

    torch::Tensor state = torch::zeros({q.size(0), q.size(1), channels, channels}, q.options());
    std::vector<torch::Tensor> outputs;
    for (std::size_t chunk = 0; chunk < within.size(); ++chunk) {
        const torch::Tensor change = from_values[chunk] - torch::matmul(from_state[chunk], state);
        outputs.push_back(torch::matmul(decayed_query[chunk], state) + torch::matmul(within[chunk], change));
        state = kept[chunk] * state + torch::matmul(keys_until_end[chunk], change);
    }
    return {torch::cat(outputs, 2).narrow(2, 0, time), state};
}

// Output for one token, and its new state; (1, heads, …) as in_chunks.
std::pair<torch::Tensor, torch::Tensor> one_token(const Sequences& s, const torch::Tensor& state) {
    const torch::Tensor decayed = torch::exp(s.log_alpha).unsqueeze(3) * state.unsqueeze(0);
    const torch::Tensor change = s.beta.unsqueeze(3) * (s.value - torch::matmul(s.key, decayed));  // (1, heads, 1, d)
    const torch::Tensor next = decayed + torch::matmul(s.key.transpose(2, 3), change);
    return {torch::matmul(s.query, next), next};
}

// (1, batch·time, heads·head_dim). A cache provides and receives the state.
torch::Tensor attend(const Input& input, std::int64_t heads, std::int64_t batch, const AttentionUse& use) {
    const Sequences sequences = sequences_of(input, heads, batch, use.stages);
    const std::int64_t time = sequences.query.size(2);
    const bool continues = use.cache && use.cache->tokens() > time;
    TORCH_CHECK(!continues || time == 1, "A cache that already contains tokens accepts only one more token at a time.");
    const auto [output, state] =
        continues ? one_token(sequences, use.cache->layer(use.layer).state) : in_chunks(sequences);
    if (use.cache) use.cache->store_state(use.layer, state[0]);
    const torch::Tensor by_token =
        output.transpose(1, 2).unflatten(0, {-1, batch});  // (1, batch, time, heads, head_dim)
    use.stages.computed("attention.state", {"attention.values"});
    use.stages.output("attention.state", state);
    use.stages.output("attention.values", by_token);
    const torch::Tensor normalized = normalize_heads(by_token, input.head_norm);
    use.stages.computed("attention.head_norm", normalized);
    const torch::Tensor gated =
        normalized.flatten(3).flatten(1, 2) * torch::silu(input.gate.to(normalized.scalar_type()));
    use.stages.computed("attention.gate", gated);
    return gated;
}

}  // namespace

torch::Tensor forward(const DeltaNet& part, const torch::Tensor& x, const LayerPass& pass) {
    const Input all{.qkv = pass.linear(x, "attention.qkv"),
                    .gate = pass.linear(x, "attention.gate"),
                    .rates = pass.linear(x, "attention.rates"),
                    .log_decay = pass.weight("attention.log_decay"),
                    .decay_shift = pass.weight("attention.decay_shift"),
                    .head_norm = pass.weight("attention.head_norm.weight")};
    // Each run separately, for the reason of run_by_run.
    std::vector<torch::Tensor> outputs;
    for (std::int64_t run = 0; run < x.size(0); ++run) {
        const auto of_run = [run](const torch::Tensor& runs) { return runs.narrow(0, run, 1); };
        outputs.push_back(attend({of_run(all.qkv), of_run(all.gate), of_run(all.rates), of_run(all.log_decay),
                                  of_run(all.decay_shift), of_run(all.head_norm)},
                                 part.h_v.value(), pass.batch, pass.use));
    }
    return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 0);
}

}  // namespace ropelab
