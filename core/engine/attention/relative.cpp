#include "core/engine/attention/relative.h"

#include <cmath>
#include <string>

#include "core/rope/encodings.h"

namespace ropelab {

namespace {

struct TableOf {
    RelativeSizes sizes;

    torch::Tensor operator()(const Alibi&) const {
        const std::vector<double> slopes = alibi_slopes(static_cast<std::size_t>(sizes.heads));
        return torch::tensor(c10::ArrayRef<double>(slopes), torch::kFloat32);
    }
    torch::Tensor operator()(const DistanceBias& bias) const {
        const std::vector<int> buckets =
            t5_buckets(static_cast<std::size_t>(bias.largest_distance + 1), static_cast<int>(bias.buckets),
                       static_cast<int>(bias.largest_distance));
        return torch::tensor(c10::ArrayRef<int>(buckets), torch::kInt64);
    }
    torch::Tensor operator()(const TransformerXl&) const { return sinusoids(sizes.positions, sizes.width); }
    torch::Tensor operator()(const Kerple&) const { return torch::arange(sizes.positions, torch::kFloat32); }
    torch::Tensor operator()(const PlainScores&) const { return {}; }
    torch::Tensor operator()(const Shaw&) const { return {}; }
    torch::Tensor operator()(const Cope&) const { return {}; }
};

struct TermsOf {
    const torch::Tensor& table;
    const Parameters& weights;
    const std::string attention;  // of the layer: "layers.0.attention."

    torch::Tensor of_layer(const char* name) const { return weights.get(attention + name); }

    RelativeTerms operator()(const PlainScores& plain) const { return plain; }
    RelativeTerms operator()(const Alibi&) const { return AlibiTerms{table}; }
    RelativeTerms operator()(const DistanceBias&) const {
        return DistanceBiasTerms{weights.get("distance_bias.weight"), table};
    }
    RelativeTerms operator()(const Shaw&) const {
        return ShawTerms{of_layer("relative_keys.weight"), of_layer("relative_values.weight")};
    }
    RelativeTerms operator()(const TransformerXl&) const {
        return TransformerXlTerms{weights.get("content_bias.weight"), weights.get("distance_query.weight"),
                                  of_layer("relative.weight"), table};
    }
    RelativeTerms operator()(const Cope&) const { return CopeTerms{of_layer("contextual.weight")}; }
    RelativeTerms operator()(const Kerple&) const {
        return KerpleTerms{weights.get("distance_kernel.log_r1"), weights.get("distance_kernel.log_r2"), table};
    }
};

// (…, queries, n) at the index of each query and key, (queries, keys) → (…, queries, keys).
torch::Tensor by_key(const torch::Tensor& x, const torch::Tensor& indices) {
    std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end());
    shape.back() = indices.size(1);
    return x.gather(-1, indices.expand(shape));
}

// (queries, keys), at most `most`; 0 for keys after the query, which attention masks.
torch::Tensor distances_between(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t most) {
    return (queries.unsqueeze(1) - keys.unsqueeze(0)).clamp_min(0).clamp_max(most);
}

// Formulas 39 to 43 and 63 for one run, in the type of its queries.
struct TensorsOf {
    std::int64_t run;
    torch::ScalarType type;
    double factor;  // of what is added to logits that are scaled
    const StageMarks& stages;

    RelativeTensors operator()(const PlainScores&) const { return {}; }
    RelativeTensors operator()(const AlibiTerms&) const { return {}; }
    RelativeTensors operator()(const DistanceBiasTerms& terms) const {
        return {.bias = of_run(terms.bias).index_select(1, terms.buckets) * factor};
    }
    RelativeTensors operator()(const KerpleTerms& terms) const {
        const auto of_heads = [&](const torch::Tensor& logarithms) {
            return logarithms.select(0, run).exp().unsqueeze(1);
        };
        const torch::Tensor bias = -of_heads(terms.log_r1) * torch::log1p(of_heads(terms.log_r2) * terms.numbers);
        return {.bias = bias.to(type) * factor};
    }
    RelativeTensors operator()(const ShawTerms& terms) const {
        return {.keys = of_run(terms.keys), .values = of_run(terms.values)};
    }
    RelativeTensors operator()(const TransformerXlTerms& terms) const {
        const torch::Tensor content = of_run(terms.content_bias);
        const torch::Tensor rows = torch::matmul(terms.distances.to(type), of_run(terms.projection).transpose(0, 1))
                                       .unflatten(1, {-1, content.size(1)});  // (distances, key_value_heads, head_dim)
        stages.computed("attention.relative");
        if (stages.wants_outputs()) stages.output("attention.relative", rows.flatten(1));
        return {.keys = rows.repeat_interleave(content.size(0) / rows.size(1), 1).transpose(0, 1),
                .content = content,
                .distance = of_run(terms.distance_query)};
    }
    RelativeTensors operator()(const CopeTerms& terms) const {
        return {.keys = of_run(terms.contextual) * factor, .by_gates = true};
    }

 private:
    torch::Tensor of_run(const torch::Tensor& weights) const { return weights.select(0, run).to(type); }
};

// Formula 43, of the products of queries and position embeddings.
torch::Tensor interpolated(const torch::Tensor& logits, const ScoredPairs& pairs) {
    // The gates are summed from the newest key to the oldest one.
    const torch::Tensor newest_first = pairs.key_positions.argsort(0, true);
    const torch::Tensor gates = torch::sigmoid(pairs.products).masked_fill(pairs.hidden, 0);
    const torch::Tensor sums = gates.gather(-1, newest_first.expand_as(gates)).cumsum(-1);
    const torch::Tensor positions = sums.gather(-1, newest_first.argsort(0, false).expand_as(sums))
                                        .clamp_max(static_cast<double>(logits.size(-1) - 1));
    const torch::Tensor lower = positions.detach().floor();
    const torch::Tensor weight = positions - lower;
    return weight * logits.gather(-1, positions.detach().ceil().to(torch::kInt64)) +
           (1 - weight) * logits.gather(-1, lower.to(torch::kInt64));
}

}  // namespace

RelativeTensors relative_tensors(const RelativeTerms& terms, std::int64_t run, torch::ScalarType type, double factor,
                                 const StageMarks& stages) {
    return std::visit(TensorsOf{run, type, factor, stages}, terms);
}

torch::Tensor sinusoids(std::int64_t positions, std::int64_t width, double base) {
    const std::vector<double> rows =
        sinusoidal_embeddings(static_cast<std::size_t>(positions), static_cast<std::size_t>(width), base);
    return torch::tensor(c10::ArrayRef<double>(rows), torch::kFloat32).view({positions, width});
}

torch::Tensor relative_table(const Relative& relative, const RelativeSizes& sizes, torch::Device device) {
    const torch::Tensor table = std::visit(TableOf{sizes}, relative);
    return table.defined() ? table.to(device) : table;
}

bool has_row_per_distance(const Relative& relative) {
    return std::holds_alternative<TransformerXl>(relative) || std::holds_alternative<Kerple>(relative);
}

RelativeTerms relative_terms(const Relative& relative, const torch::Tensor& table, const Parameters& weights,
                             std::int64_t layer) {
    return std::visit(TermsOf{table, weights, "layers." + std::to_string(layer) + ".attention."}, relative);
}

torch::Tensor relative_logits(const RelativeTerms& terms, const ScoredPairs& pairs, const StageMarks& stages) {
    const RelativeTensors tensors = relative_tensors(terms, pairs.run, pairs.query.scalar_type(), 1.0, stages);
    const auto distances = [&](std::int64_t count) {
        return distances_between(pairs.positions, pairs.key_positions, count - 1);
    };
    if (tensors.bias.defined()) {
        if (stages.observer) stages.observer->contained("distances", -1, "attention.scores", stages.layer);
        const torch::Tensor rows = tensors.bias.unsqueeze(1).expand({-1, pairs.positions.size(0), -1});
        return by_key(rows, distances(tensors.bias.size(1))).unsqueeze(0);
    }
    if (!tensors.keys.defined()) return {};
    const torch::Tensor query = tensors.distance.defined() ? pairs.query + tensors.distance.unsqueeze(1) : pairs.query;
    const torch::Tensor products = torch::matmul(query, tensors.keys.transpose(-2, -1));
    stages.output("attention.relative_keys", products);
    torch::Tensor logits;
    if (tensors.by_gates) {
        logits = interpolated(products, pairs);
    } else {
        logits = by_key(products, distances(products.size(-1)));
        if (tensors.content.defined())
            logits = torch::matmul(pairs.key, tensors.content.unsqueeze(-1)).transpose(2, 3) + logits;
        logits = logits / std::sqrt(static_cast<double>(query.size(3)));
    }
    stages.computed("attention.relative_keys");
    return logits;
}

torch::Tensor relative_values(const ShawTerms& terms, std::int64_t run, const torch::Tensor& attention,
                              const torch::Tensor& queries, const torch::Tensor& keys) {
    const torch::Tensor vectors = terms.values.select(0, run).to(attention.scalar_type());
    const torch::Tensor index = distances_between(queries, keys, vectors.size(0) - 1);
    const torch::Tensor by_distance =
        torch::zeros({attention.size(0), attention.size(1), attention.size(2), vectors.size(0)}, attention.options())
            .scatter_add(-1, index.expand_as(attention), attention);
    return torch::matmul(by_distance, vectors);
}

torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window) {
    const torch::Tensor distance = queries.unsqueeze(1) - keys.unsqueeze(0);
    torch::Tensor hidden = distance.lt(0).logical_or_(keys.lt(0));
    return window > 0 ? hidden.logical_or_(distance.ge(window)) : hidden;
}

torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys) {
    const torch::Tensor distance = (queries.unsqueeze(1) - keys.unsqueeze(0)).to(slopes.scalar_type());
    return -slopes.view({-1, 1, 1}) * distance;
}

}  // namespace ropelab
