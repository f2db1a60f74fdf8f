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

// Formulas 39 to 43 and 63 for one run.
struct LogitsOf {
    const ScoredPairs& pairs;
    const StageMarks& stages;

    torch::Tensor operator()(const PlainScores&) const { return {}; }
    torch::Tensor operator()(const AlibiTerms&) const { return {}; }
    torch::Tensor operator()(const DistanceBiasTerms& terms) const {
        const torch::Tensor distance = distances(terms.buckets.size(0));
        const torch::Tensor bucket = terms.buckets.index_select(0, distance.flatten()).view_as(distance);
        return with_bias(of_run(terms.bias), bucket);
    }
    torch::Tensor operator()(const KerpleTerms& terms) const {
        const auto of_heads = [&](const torch::Tensor& logarithms) {
            return logarithms.select(0, pairs.run).exp().unsqueeze(1);
        };
        const torch::Tensor bias = -of_heads(terms.log_r1) * torch::log1p(of_heads(terms.log_r2) * terms.numbers);
        return with_bias(bias.to(type()), distances(terms.numbers.size(0)));
    }
    torch::Tensor operator()(const ShawTerms& terms) const {
        const torch::Tensor vectors = of_run(terms.keys);
        const torch::Tensor dots = torch::matmul(pairs.query, vectors.transpose(0, 1));
        stages.output("attention.relative_keys", dots);
        return computed(by_key(dots / root(), distances(vectors.size(0))));
    }
    torch::Tensor operator()(const TransformerXlTerms& terms) const {
        const torch::Tensor rows =
            torch::matmul(terms.distances.to(type()), of_run(terms.projection).transpose(0, 1))
                .unflatten(1, {-1, pairs.query.size(3)});  // (distances, key_value_heads, head_dim)
        stages.computed("attention.relative");
        if (stages.wants_outputs()) stages.output("attention.relative", rows.flatten(1));
        const torch::Tensor by_head = rows.repeat_interleave(pairs.query.size(1) / rows.size(1), 1).permute({1, 2, 0});
        const torch::Tensor of_keys =
            torch::matmul(pairs.key, of_run(terms.content_bias).unsqueeze(-1)).transpose(2, 3);
        const torch::Tensor of_distances =
            torch::matmul(pairs.query + of_run(terms.distance_query).unsqueeze(1), by_head);
        stages.output("attention.relative_keys", of_distances);
        return computed((of_keys + by_key(of_distances, distances(terms.distances.size(0)))) / root());
    }
    torch::Tensor operator()(const CopeTerms& terms) const {
        const torch::Tensor embeddings = of_run(terms.contextual);
        // The gates are summed from the newest key to the oldest one.
        const torch::Tensor newest_first = pairs.key_positions.argsort(0, true);
        const torch::Tensor gates = torch::sigmoid(pairs.products).masked_fill(pairs.hidden, 0);
        const torch::Tensor sums = gates.gather(-1, newest_first.expand_as(gates)).cumsum(-1);
        const torch::Tensor positions = sums.gather(-1, newest_first.argsort(0, false).expand_as(sums))
                                            .clamp_max(static_cast<double>(embeddings.size(0) - 1));
        const torch::Tensor lower = positions.detach().floor();
        const torch::Tensor weight = positions - lower;
        const torch::Tensor logits = torch::matmul(pairs.query, embeddings.transpose(0, 1));
        stages.output("attention.relative_keys", logits);
        return computed(weight * logits.gather(-1, positions.detach().ceil().to(torch::kInt64)) +
                        (1 - weight) * logits.gather(-1, lower.to(torch::kInt64)));
    }

 private:
    // (heads, n), with an index for each query and key.
    torch::Tensor with_bias(const torch::Tensor& bias, const torch::Tensor& index) const {
        if (stages.observer) stages.observer->contained("distances", -1, "attention.scores", stages.layer);
        return by_key(bias.unsqueeze(1).expand({-1, index.size(0), -1}), index).unsqueeze(0);
    }
    torch::ScalarType type() const { return pairs.query.scalar_type(); }
    double root() const { return std::sqrt(static_cast<double>(pairs.query.size(3))); }
    torch::Tensor of_run(const torch::Tensor& weights) const { return weights.select(0, pairs.run).to(type()); }
    torch::Tensor distances(std::int64_t count) const {
        return distances_between(pairs.positions, pairs.key_positions, count - 1);
    }
    torch::Tensor computed(const torch::Tensor& logits) const {
        stages.computed("attention.relative_keys");
        return logits;
    }
};

}  // namespace

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
    return std::visit(LogitsOf{pairs, stages}, terms);
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
