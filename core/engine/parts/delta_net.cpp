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

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

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

// Of chunks, (sequences, heads, chunks, tokens, …): the decay of the state from one token to another, (…, tokens,
// tokens), 0 for later ones, and from the chunk's start to a token and from there to its end, (…, tokens, 1).
struct Decay {
    explicit Decay(const torch::Tensor& log_alpha) {
        const torch::Tensor sums = log_alpha.cumsum(3).unsqueeze(4);
        const std::int64_t length = log_alpha.size(3);
        const torch::Tensor future = torch::ones({length, length}, sums.options().dtype(torch::kBool)).triu(1);
        between = (sums - sums.transpose(3, 4)).masked_fill_(future, -std::numeric_limits<double>::infinity()).exp_();
        since_start = torch::exp(sums);
        until_end = torch::exp(sums.narrow(3, length - 1, 1) - sums);
        whole = since_start.narrow(3, length - 1, 1);
    }
    torch::Tensor between, since_start, until_end, whole;
};

// The errors z = v − (what the decayed state predicts for k) of a chunk's tokens change the state by u = β·z. They
// solve (1 + A)·z = v − (decay of k)·(state before the chunk), with A strictly lower triangular. Autograd would store
// and copy each of these steps.
class DeltaRule : public torch::autograd::Function<DeltaRule> {
 public:
    // (sequences, heads, chunks, tokens, head_dim), log_alpha and beta without the last one → outputs, and the states
    // before the chunks and after the last one, (sequences, heads, chunks + 1, head_dim, head_dim); rows: channels of
    // keys.
    static variable_list forward(AutogradContext* context, const torch::Tensor& q, const torch::Tensor& k,
                                 const torch::Tensor& v, const torch::Tensor& log_alpha, const torch::Tensor& beta) {
        const Decay decay(log_alpha);
        const torch::Tensor strength = beta.unsqueeze(4);
        const torch::Tensor system = torch::matmul(k, k.transpose(3, 4)).mul_(decay.between).mul_(beta.unsqueeze(3));
        const torch::Tensor from_start = decay.since_start * k;
        const torch::Tensor to_end = (decay.until_end * strength * k).transpose(3, 4);
        std::vector<torch::Tensor> states = {torch::zeros({q.size(0), q.size(1), q.size(4), q.size(4)}, q.options())};
        std::vector<torch::Tensor> errors;
        for (std::int64_t i = 0; i < q.size(2); ++i) {
            const torch::Tensor seen = v.select(2, i) - torch::matmul(from_start.select(2, i), states.back());
            errors.push_back(solved(system.select(2, i), seen, false));
            states.push_back(
                torch::matmul(to_end.select(2, i), errors.back()).add_(decay.whole.select(2, i) * states.back()));
        }
        const torch::Tensor all_states = torch::stack(states, 2);
        const torch::Tensor all_errors = torch::stack(errors, 2);
        const torch::Tensor within = torch::matmul(q, k.transpose(3, 4)).mul_(decay.between);
        const torch::Tensor output = torch::matmul(q, all_states.narrow(2, 0, q.size(2)))
                                         .mul_(decay.since_start)
                                         .add_(torch::matmul(within, strength * all_errors));
        context->save_for_backward({q, k, log_alpha, beta, all_states, all_errors});
        context->mark_non_differentiable({all_states});
        return {output, all_states};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const torch::Tensor &q = saved[0], &k = saved[1], &beta = saved[3], &states = saved[4], &errors = saved[5];
        const torch::Tensor& grad_output = gradients[0];
        const Decay decay(saved[2]);
        const torch::Tensor strength = beta.unsqueeze(4);
        const torch::Tensor keys = k.transpose(3, 4);
        const std::int64_t chunks = q.size(2);
        const torch::Tensor products = torch::matmul(k, keys).mul_(decay.between).tril_(-1);
        const torch::Tensor system = (products * beta.unsqueeze(3)).transpose(3, 4);
        const torch::Tensor within = torch::matmul(q, keys).mul_(decay.between);
        // Of the state before a chunk, from its outputs.
        const torch::Tensor of_state = torch::matmul((decay.since_start * q).transpose(3, 4), grad_output);
        // Of the changes, from the outputs of their chunk, and then from the next state.
        const torch::Tensor grad_changes = torch::matmul(within.transpose(3, 4), grad_output);
        const torch::Tensor to_end = decay.until_end * k;
        const torch::Tensor from_start = (decay.since_start * k).transpose(3, 4);
        std::vector<torch::Tensor> grad_states(static_cast<std::size_t>(chunks) + 1,
                                               torch::zeros_like(states.select(2, 0)));
        std::vector<torch::Tensor> of_errors(static_cast<std::size_t>(chunks));
        for (std::int64_t i = chunks - 1; i >= 0; --i) {
            const auto at = static_cast<std::size_t>(i);
            const torch::Tensor& next = grad_states[at + 1];
            const torch::Tensor of_change = grad_changes.select(2, i).add_(torch::matmul(to_end.select(2, i), next));
            of_errors[at] = solved(system.select(2, i), strength.select(2, i) * of_change, true);
            grad_states[at] = (decay.whole.select(2, i) * next)
                                  .add_(of_state.select(2, i))
                                  .sub_(torch::matmul(from_start.select(2, i), of_errors[at]));
        }
        const torch::Tensor grad_errors = torch::stack(of_errors, 2);  // and of v
        const torch::Tensor next_gradients = torch::stack(grad_states, 2).narrow(2, 1, chunks);
        const torch::Tensor changes = strength * errors;
        // Of the products of keys, and of queries, with keys.
        const torch::Tensor of_keys =
            torch::matmul(grad_errors, changes.transpose(3, 4)).mul_(decay.between).tril_(-1).neg_();
        const torch::Tensor of_queries = torch::matmul(grad_output, changes.transpose(3, 4)).mul_(decay.between);
        const torch::Tensor before = states.narrow(2, 0, chunks).transpose(3, 4);
        const torch::Tensor grad_q =
            torch::matmul(of_queries, k).add_(decay.since_start * torch::matmul(grad_output, before));
        const torch::Tensor of_later =
            torch::matmul(of_keys, k).sub_(decay.since_start * torch::matmul(grad_errors, before));
        const torch::Tensor of_earlier =
            torch::matmul(of_keys.transpose(3, 4), k)
                .add_(torch::matmul(of_queries.transpose(3, 4), q))
                .add_(decay.until_end * torch::matmul(changes, next_gradients.transpose(3, 4)));
        const torch::Tensor grad_beta =
            (errors * grad_changes.sub_(torch::matmul(products.transpose(3, 4), grad_errors))).sum(4);
        // Of the sums of ln α: what grows with a token's sum is a product with its query or key as the later one, what
        // shrinks with it is a product with its key as the earlier one, and the next state grows with the last sum.
        const torch::Tensor grad_sums = (q * grad_q).add_(k * (of_later - of_earlier)).sum(4);
        const torch::Tensor of_next = (next_gradients * states.narrow(2, 1, chunks)).sum({3, 4});
        const torch::Tensor grad_log_alpha = of_next.unsqueeze(3) + grad_sums.flip(3).cumsum(3).flip(3);
        return {grad_q, of_later + of_earlier, grad_errors, grad_log_alpha, grad_beta};
    }

 private:
    // Nothing else than the numbers beside the diagonal of 1 + A is read.
    static torch::Tensor solved(const torch::Tensor& system, const torch::Tensor& right, bool is_upper) {
        return torch::linalg_solve_triangular(system, right, is_upper, true, true);
    }
};

// (sequences, heads, time, head_dim) outputs, (sequences, heads, head_dim, head_dim) state; rows: channels of keys.
std::pair<torch::Tensor, torch::Tensor> in_chunks(const Sequences& s) {
    const std::int64_t time = s.query.size(2);
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
    const variable_list results =
        DeltaRule::apply(chunked(s.query), chunked(s.key), chunked(s.value), chunked(s.log_alpha), chunked(s.beta));
    return {results[0].flatten(2, 3).narrow(2, 0, time), results[1].select(2, chunks)};
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
        const auto of_run = [&](const torch::Tensor& runs) { return x.size(0) == 1 ? runs : runs.narrow(0, run, 1); };
        outputs.push_back(attend({of_run(all.qkv), of_run(all.gate), of_run(all.rates), of_run(all.log_decay),
                                  of_run(all.decay_shift), of_run(all.head_norm)},
                                 part.h_v.value(), pass.batch, pass.use));
    }
    return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 0);
}

}  // namespace ropelab
