#include "core/engine/attention/cpu.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/engine/attention/reference.h"
#include "core/engine/operations/own_passes.h"
#include "core/kernels/kernels.h"

namespace ropelab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct AttentionPlace : Place {
    AttentionPlace(const Dropout& dropout, const std::string& name, std::int64_t batch_size, HeadCounts its_heads,
                   LayerTerms its_terms)
        : Place(dropout, name), batch(batch_size), heads(its_heads), terms(std::move(its_terms)) {}
    std::int64_t batch;
    HeadCounts heads;
    LayerTerms terms;
    RotaryTables key_tables = terms.tables;
    bool by_gates = false;  // RelativeTensors

    std::int64_t parts() const { return heads.query + 2 * heads.key_value; }

    std::int64_t groups() const { return batch * heads.key_value; }

    // The inputs are qkv, RelativeTensors' keys, values and bias, and sinks.
    template <typename T>
    kernels::CausalAttention<T> of_run(const variable_list& inputs, std::int64_t run) const {
        const torch::Tensor& qkv = inputs[0];
        const torch::Tensor& entries = inputs[1].defined() ? inputs[1] : inputs[3];
        const std::int64_t time = qkv.size(1) / batch;
        return {.time = time,
                .heads = heads.query,
                .key_value_heads = heads.key_value,
                .head_dim = qkv.size(2) / parts(),
                .qkv = row<T>(qkv, run),
                .table = table_of(terms.tables, run),
                .key_table = table_of(key_tables, run),
                .slopes = numbers<float>(terms.slopes()),
                .sinks = row(inputs[4], run),
                .relative = {entries.defined() ? entries.size(2) : 0, row(inputs[1], run), row(inputs[2], run),
                             row(inputs[3], run), by_gates},
                .window = terms.window,
                .dropout = streams.of(run, batch * heads.query * time * time)};
    }

    template <typename T, typename F>
    void for_groups(const variable_list& inputs, F f) const {
        for_each_run(inputs[0].size(0), groups(), 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
            f(run, of_run<T>(inputs, run), first, last);
        });
    }

 private:
    static kernels::RotaryTable table_of(const RotaryTables& tables, std::int64_t run) {
        return {row(tables.cosine, run), row(tables.sine, run)};
    }
};

class Attention : public torch::autograd::Function<Attention> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& qkv,
                                 const std::optional<torch::Tensor>& keys, const std::optional<torch::Tensor>& values,
                                 const std::optional<torch::Tensor>& bias, const std::optional<torch::Tensor>& sinks,
                                 const c10::intrusive_ptr<AttentionPlace>& place) {
        variable_list inputs = {qkv.contiguous()};
        for (const auto& more : {keys, values, bias, sinks})
            inputs.push_back(more ? more->contiguous() : torch::Tensor());
        const torch::Tensor& rows = inputs[0];
        const std::int64_t width = rows.size(2) / place->parts() * place->heads.query;
        const torch::Tensor mixed = torch::empty({rows.size(0), rows.size(1), width}, rows.options());
        ROPELAB_OWN_PASS("attention");
        with_type(rows.scalar_type(), [&]<typename T>(T) {
            const std::int64_t threads = at::get_num_threads();
            if (rows.size(0) == 1 && place->groups() < 8 * threads) {
                std::atomic<std::int64_t> next = 0;
                at::parallel_for(0, threads, 1, [&](std::int64_t, std::int64_t) {
                    kernels::attend_in_turns(place->of_run<T>(inputs, 0), row<T>(mixed, 0), place->groups(), next);
                });
                return;
            }
            place->for_groups<T>(inputs,
                                 [&](std::int64_t run, const auto& args, std::int64_t first, std::int64_t last) {
                                     kernels::attend(args, row<T>(mixed, run), first, last);
                                 });
        });
        context->save_for_backward(inputs);
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        return mixed;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list inputs = context->get_saved_variables();
        const torch::Tensor& rows = inputs[0];
        const std::int64_t runs = rows.size(0);
        const auto capsule = context->saved_data["place"].toCapsule();
        const auto* place = static_cast<AttentionPlace*>(capsule.get());
        const torch::Tensor grad_mixed = gradients[0].contiguous();
        variable_list results = {torch::empty_like(rows)};
        variable_list of_sequences = {{}};
        for (std::size_t i = 1; i < inputs.size(); ++i) {
            const torch::Tensor& x = inputs[i];
            results.push_back(x.defined() ? torch::empty_like(x) : x);
            of_sequences.push_back(x.defined() ? torch::empty({runs, place->batch, x[0].numel()}, x.options()) : x);
        }
        ROPELAB_OWN_PASS("attention_backward");
        with_type(rows.scalar_type(), [&]<typename T>(T) {
            place->for_groups<T>(
                inputs, [&](std::int64_t run, const auto& args, std::int64_t first, std::int64_t last) {
                    kernels::attend_backward(args, row<T>(grad_mixed, run), row<T>(results[0], run), first, last,
                                             {row(of_sequences[1], run), row(of_sequences[2], run),
                                              row(of_sequences[3], run), row(of_sequences[4], run)});
                });
        });
        for (std::size_t i = 1; i < inputs.size(); ++i) {
            for (std::int64_t run = 0; inputs[i].defined() && run < runs; ++run)
                kernels::sum_rows(row(of_sequences[i], run), place->batch, of_sequences[i].size(2),
                                  row(results[i], run));
        }
        results.emplace_back();
        return results;
    }
};

// xPos' decay to the power of the distance from the middle of the sequence, as a factor of both tables.
RotaryTables with_decay(const RotaryTables& tables, const torch::Tensor& decay, std::int64_t time, double sign) {
    const torch::Tensor exponents = sign * (torch::arange(time, torch::kFloat64) - time / 2);
    const torch::Tensor factors =
        torch::exp(decay.view({-1, 1, 1, 1, decay.size(1)}) * exponents.view({1, 1, -1, 1, 1})).to(torch::kFloat32);
    return {tables.cosine * factors, tables.sine * factors};
}

void rotate_heads(float* query, float* key, HeadCounts heads, std::int64_t head_dim, const RotaryTables& tables,
                  std::int64_t row) {
    ROPELAB_OWN_PASS("rotate");
    const std::int64_t pairs = head_dim / 2;
    const std::int64_t tables_per_position = tables.cosine.size(3);  // 1, or one per head
    const float* cosine = tables.cosine.data_ptr<float>() + row * tables_per_position * pairs;
    const float* sine = tables.sine.data_ptr<float>() + row * tables_per_position * pairs;
    if (tables_per_position == 1) {  // the heads of the keys follow those of the queries
        kernels::rotate_heads(query, heads.query + heads.key_value, head_dim, cosine, sine, 1.0F);
        return;
    }
    for (std::int64_t head = 0; head < heads.query; ++head) {
        for (float* vectors : {query, key}) {
            kernels::rotate_heads(vectors + head * head_dim, 1, head_dim, cosine + head * pairs, sine + head * pairs,
                                  1.0F);
        }
    }
}

}  // namespace

bool cpu_attention_supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use) {
    const auto type = input.qkv.scalar_type();
    if (!has_own_passes(input.qkv) || use.hook || terms.soft_cap > 0) return false;
    const bool is_typed = type == torch::kFloat32 || type == torch::kBFloat16;
    if (!use.cache) return terms.tables.plain() && is_typed && (terms.tables.defined() || !terms.decay.defined());
    if (!terms.only_products() || terms.sinks.defined()) return false;
    if (input.time() >= least_prefill && use.cache->tokens() == input.time())
        return terms.tables.plain() && is_typed && input.qkv.size(0) == 1 && input.batch == 1;
    const bool one_token = input.qkv.size(0) == 1 && input.batch == 1 && input.time() == 1 && use.cache->tokens() > 1;
    return one_token && type == torch::kFloat32 && !input.qkv.requires_grad();
}

torch::Tensor attend_on_cpu(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                            const std::string& place, const StageMarks& stages) {
    const auto its_place = c10::make_intrusive<AttentionPlace>(dropout, place, input.batch, input.heads, terms);
    if (terms.decay.defined()) {
        its_place->terms.tables = with_decay(terms.tables, terms.decay, input.time(), 1);
        its_place->key_tables = with_decay(terms.tables, terms.decay, input.time(), -1);
    }
    // The numbers of each run, whose products do not depend on those of others.
    std::vector<torch::Tensor> keys, values, bias, queries;
    for (std::int64_t run = 0; run < input.qkv.size(0); ++run) {
        const RelativeTensors own = relative_tensors(terms.relative, run, torch::kFloat32,
                                                     std::sqrt(static_cast<double>(input.head_dim())), stages);
        its_place->by_gates = own.by_gates;
        const auto add = [&](std::vector<torch::Tensor>& to, const torch::Tensor& numbers) {
            if (numbers.defined())
                to.push_back(numbers.dim() == 2 ? numbers.expand({input.heads.query, -1, -1}) : numbers);
        };
        add(keys, own.keys);
        add(values, own.values);
        if (own.bias.defined()) bias.push_back(own.bias);
        if (!own.content.defined()) continue;
        // (q + u)·k + (q + v)·r = (q + u)·(k + r) + (v − u)·r
        bias.push_back(torch::matmul(own.keys, (own.distance - own.content).unsqueeze(2)).squeeze(2));
        queries.push_back(own.content.flatten());
    }
    torch::Tensor qkv = input.qkv;
    if (!queries.empty()) {
        const std::int64_t others = qkv.size(2) - queries.front().size(0);
        const torch::Tensor more = torch::constant_pad_nd(torch::stack(queries), {0, others});
        qkv = qkv + repeat_rows(more, qkv.size(1)).to(qkv.scalar_type());
    }
    const auto stacked = [](const std::vector<torch::Tensor>& runs) {
        return runs.empty() ? std::nullopt : std::optional(torch::stack(runs));
    };
    return Attention::apply(qkv, stacked(keys), stacked(values), stacked(bias), given(terms.sinks), its_place);
}

torch::Tensor attend_first_on_cpu(const AttentionInput& input, const LayerTerms& terms, KeyValueCache& cache,
                                  std::int64_t layer) {
    const auto [queries, shared] = input.heads;
    const auto vectors = [&](std::int64_t head) {
        return in_float(input.qkv.narrow(2, head * input.head_dim(), shared * input.head_dim()))
            .view({1, 1, -1, shared, input.head_dim()});
    };
    cache.store(layer, encoded_keys(vectors(queries), terms)[0][0], vectors(queries + shared)[0][0]);
    return attend_on_cpu(input, terms, {}, "");
}

torch::Tensor attend_one_on_cpu(const AttentionInput& input, const LayerTerms& terms, KeyValueCache& cache,
                                std::int64_t layer) {
    const torch::Tensor qkv = input.qkv.clone();
    const torch::Tensor mixed = torch::empty({1, 1, input.heads.query * input.head_dim()}, qkv.options());
    LayerTerms layer_terms = terms;
    if (layer_terms.tables.defined())
        layer_terms.tables = {terms.tables.cosine.contiguous(), terms.tables.sine.contiguous()};
    attend_one_on_cpu(qkv.data_ptr<float>(), input.heads, input.head_dim(), layer_terms, 0, cache, layer,
                      mixed.data_ptr<float>());
    return mixed;
}

void attend_one_on_cpu(float* qkv, HeadCounts heads, std::int64_t head_dim, const LayerTerms& terms, std::int64_t row,
                       KeyValueCache& cache, std::int64_t layer, float* mixed) {
    float* query = qkv;
    float* key = query + heads.query * head_dim;
    const float* value = key + heads.key_value * head_dim;
    if (terms.tables.defined()) rotate_heads(query, key, heads, head_dim, terms.tables, row);
    ROPELAB_OWN_PASS("attend_one");
    cache.store(layer, key, value, heads.key_value, head_dim);

    // A full ring buffer contains exactly the tokens that the sliding window or the context lets this token see. The
    // order of the slots does not matter: the position is contained in a rotated key, or for ALiBi in `positions`.
    const std::int64_t capacity = cache.capacity(layer);
    const std::int64_t filled = std::min(cache.tokens(), capacity);
    const KeyValueCache::Layer& cached = cache.layer(layer);
    const auto* positions = cache.positions(layer).data_ptr<std::int64_t>();
    const std::int64_t newest = *cache.newest().data_ptr<std::int64_t>();
    const auto* slopes = numbers<float>(terms.slopes());
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
    constexpr std::int64_t products_per_thread = 32768;
    const std::int64_t grain = std::max<std::int64_t>(1, products_per_thread / (2 * filled * head_dim));
    with_type(cached.keys.scalar_type(), [&]<typename T>(T) {
        at::parallel_for(0, heads.query, grain, [&](std::int64_t first, std::int64_t last) {
            std::vector<float> weights(static_cast<std::size_t>(filled));
            for (std::int64_t head = first; head < last; ++head) {
                const std::int64_t entries = head * heads.key_value / heads.query * capacity * head_dim;
                const T* keys = numbers<T>(cached.keys) + entries;
                const kernels::Vectors one{query + head * head_dim, head_dim};
                if constexpr (std::is_same_v<T, float>) {
                    kernels::dot_rows(keys, one, weights.data(), 0, 0, filled);
                } else {
                    kernels::dot_rows(&keys->bits, kernels::PairedVectors(one), weights.data(), 0, 0, filled);
                }
                for (std::int64_t place = 0; slopes && place < filled; ++place) {
                    weights[static_cast<std::size_t>(place)] -=
                        slopes[head] / scale * static_cast<float>(newest - positions[place]);
                }
                kernels::softmax(weights.data(), filled, scale);
                kernels::sum_weighted_rows(numbers<T>(cached.values) + entries, weights.data(), filled, head_dim,
                                           mixed + head * head_dim);
            }
        });
    });
}

}  // namespace ropelab
