#include "core/engine/model/token_decoder.h"

#include <algorithm>
#include <cmath>

#include "core/engine/attention/cpu.h"
#include "core/engine/operations/own_passes.h"

namespace ropelab {

namespace {

constexpr std::int64_t worth_a_thread = 32768;

}  // namespace

TokenDecoder::TokenDecoder(const ModelPlan& plan, const Parameters& weights, Precision precision)
    : plan_(plan),
      width_(plan.sizes.C.value_or(0)),
      precision_(precision),
      stores_tables_(!plan.rotary() || plan.rotary()->stores_tables),
      weights_(weights),
      caches_{KeyValueCache(plan_, precision != Precision::float32)} {
    const torch::NoGradGuard no_gradients;
    make_terms(plan.sizes.T);
    learned_positions_ = weights_.get("positions.weight");
    if (precision == Precision::bfloat16 && !weights_.matrix("embedding.weight").working.defined())
        weights_.set_working_copy(true);

    for (const LayerPlan& layer : plan_.layers) {
        const std::string name = "layers." + std::to_string(layers_.size()) + ".";
        const Mlp& mlp = std::get<Mlp>(layer.feed_forward);
        const Softmax& softmax = std::get<Softmax>(layer.attention);
        layers_.push_back({.attention = softmax,
                           .mlp = mlp,
                           .is_parallel = layer.is_parallel,
                           .attention_norm = norm(name + "attention_norm", *layer.attention_norms.before),
                           .mlp_norm = norm(name + "mlp_norm", *layer.feed_forward_norms.before),
                           .query_norm = norm(name + "attention.query_norm", softmax.head_norm),
                           .key_norm = norm(name + "attention.key_norm", softmax.head_norm),
                           .qkv = matrix(name + "attention.qkv"),
                           .output = matrix(name + "attention.output"),
                           .up = matrix(name + "mlp." + mlp.first_matrix()),
                           .down = matrix(name + "mlp.down")});
    }
    final_norm_ = norm("final_norm", *plan_.head.norm);
    embedding_ = matrix("embedding");
    head_ = matrix(plan_.head.is_tied ? "embedding" : "head");
    head_.bias = vector("head.bias");
    reserve(1);
}

void TokenDecoder::reserve(std::int64_t streams) {
    const auto to = [streams](Vector& vector, std::int64_t size) {
        vector.resize(std::max(vector.size(), static_cast<std::size_t>(streams * size)));
    };
    for (Vector* vector : {&stream_, &normed_, &attended_, &fed_}) to(*vector, width_);
    to(logits_, head_.rows);
    for (const Layer& layer : layers_) {  // which may differ in heads and in width
        to(qkv_, layer.qkv.rows);
        to(mixed_, layer.output.columns);
        to(wide_, layer.up.rows);
    }
}

TokenDecoder TokenDecoder::with_streams(std::int64_t count) const {
    TokenDecoder result = *this;
    result.caches_.clear();
    while (result.streams() < count) result.caches_.push_back(caches_.front().clone());
    result.reserve(count);
    return result;
}

std::int64_t TokenDecoder::cache_bytes() const {
    return streams() * caches_.front().bytes();
}

std::int64_t TokenDecoder::weight_bytes() const {
    const std::int64_t bytes = head_.bytes.bytes ? 1 : head_.halves ? 2 : 4;
    return bytes * numbers_of_matrices(weights_.layout());
}

void TokenDecoder::make_terms(std::int64_t positions) {
    source_ = PositionSource({&plan_, 1}, positions, torch::kCPU, &weights_);
    if (stores_tables_) use_terms(source_.at(0, positions));
}

void TokenDecoder::use_terms(const PositionTerms& terms) {
    terms_.clear();
    for (std::int64_t layer = 0; layer < std::ssize(plan_.layers); ++layer) {
        const Scores& scores = *plan_.layers[static_cast<std::size_t>(layer)].scores();
        LayerTerms& own = terms_.emplace_back(terms.layer(layer, scores, weights_));
        if (own.tables.defined()) own.tables = {own.tables.cosine.contiguous(), own.tables.sine.contiguous()};
    }
    embeddings_ = terms.embeddings.defined() ? terms.embeddings.contiguous() : terms.embeddings;
}

std::int64_t TokenDecoder::row_of(std::int64_t position) {
    if (source_.ends_before(position)) make_terms(2 * position);
    if (stores_tables_) return position;
    use_terms(source_.at(position, 1));
    return 0;
}

const float* TokenDecoder::vector(const std::string& name) const {
    const torch::Tensor numbers = weights_.get(name);
    return numbers.defined() ? numbers.data_ptr<float>() : nullptr;
}

TokenDecoder::Matrix TokenDecoder::matrix(const std::string& name) const {
    const auto [numbers, rounded, scales] = weights_.matrix(name + ".weight");
    const torch::Tensor& shape = numbers.defined() ? numbers : rounded;
    const bool has_halves = precision_ == Precision::bfloat16;
    return {.rows = shape.size(1),
            .columns = shape.size(2),
            .numbers = numbers.defined() ? numbers.data_ptr<float>() : nullptr,
            .halves = has_halves ? reinterpret_cast<const std::uint16_t*>(rounded.data_ptr<at::BFloat16>()) : nullptr,
            .bytes = scales.defined() ? kernels::ByteRows{rounded.data_ptr<std::uint8_t>(), scales.data_ptr<float>()}
                                      : kernels::ByteRows{},
            .bias = vector(name + ".bias")};
}

TokenDecoder::Norm TokenDecoder::norm(const std::string& name, const NormPart& part) const {
    if (!weights_.layout().contains(name + ".weight")) return {};
    return {part.kind == NormPart::Kind::layer, static_cast<float>(part.epsilon_used()),
            weights_.layout().at(name + ".weight").size, vector(name + ".weight"), vector(name + ".bias")};
}

template <typename Finish>
void TokenDecoder::multiply(const Matrix& matrix, const Vector& x, Vector& out, Finish finish,
                            std::int64_t stride) const {
    ROPELAB_OWN_PASS("multiply");
    const std::int64_t grain = std::max<std::int64_t>(1, worth_a_thread / (matrix.columns * streams()));
    const kernels::Vectors vectors{x.data(), matrix.columns, streams(), stride == 0 ? matrix.columns : stride};
    const auto in_parts = [&](const auto& product) {
        at::parallel_for(0, matrix.rows, grain, [&](std::int64_t first, std::int64_t last) {
            product(first, last);
            for (std::int64_t at = 0; at < streams() * matrix.rows; at += matrix.rows) {
                for (std::int64_t row = first; matrix.bias && row < last; ++row)
                    out[static_cast<std::size_t>(at + row)] += matrix.bias[row];
                finish(at + first, at + last);
            }
        });
    };
    const auto by = [&](const auto& rows, const auto& factors) {
        in_parts([&](std::int64_t first, std::int64_t last) {
            kernels::dot_rows(rows, factors, out.data(), matrix.rows, first, last);
        });
    };
    if (matrix.bytes.bytes) return by(matrix.bytes, kernels::WholeVectors(vectors));
    if (matrix.halves) return by(matrix.halves, kernels::PairedVectors(vectors));
    by(matrix.numbers, vectors);
}

void TokenDecoder::multiply(const Matrix& matrix, const Vector& x, Vector& out, std::int64_t stride) const {
    multiply(
        matrix, x, out, [](std::int64_t, std::int64_t) {}, stride);
}

void TokenDecoder::normalize(const Norm& norm, float* rows, std::int64_t count) const {
    ROPELAB_OWN_PASS("normalise");
    Vector statistics(static_cast<std::size_t>(2 * count));
    kernels::norm_forward<float, float>({.columns = norm.columns,
                                         .centred = norm.centred,
                                         .epsilon = norm.epsilon,
                                         .x = rows,
                                         .branch = nullptr,
                                         .weight = norm.weight,
                                         .bias = norm.bias,
                                         .dropout = {},
                                         .mask = nullptr,
                                         .sum = nullptr,
                                         .normed = rows,
                                         .mean = statistics.data(),
                                         .inverse = statistics.data() + count},
                                        count, 0, kernels::blocks_of(count));
}

void TokenDecoder::normalize_stream(const Norm& norm, const Vector* branch) {
    if (branch) {
        for (std::size_t i = 0; i < stream_.size(); ++i) stream_[i] += (*branch)[i];
    }
    normed_ = stream_;
    normalize(norm, normed_.data(), streams());
}

void TokenDecoder::embed(std::int32_t token, std::int64_t position, std::int64_t row, float* to) const {
    const std::span<float> embedded(to, static_cast<std::size_t>(width_));
    if (embedding_.numbers) {
        std::copy_n(embedding_.numbers + token * width_, width_, to);
    } else if (embedding_.bytes.bytes) {
        const std::uint8_t* bytes = embedding_.bytes.bytes + token * width_;
        for (float& number : embedded) number = static_cast<float>(*bytes++ - 128) * embedding_.bytes.scales[token];
    } else {
        const std::uint16_t* halves = embedding_.halves + token * width_;
        for (float& number : embedded) number = kernels::to_float({*halves++});
    }
    if (plan_.embedding.factor != 1.0) {
        for (float& number : embedded) number *= static_cast<float>(plan_.embedding.factor);
    }
    const float* added = nullptr;
    if (learned_positions_.defined()) added = learned_positions_.data_ptr<float>() + position * width_;
    if (embeddings_.defined()) {
        added = embeddings_.data_ptr<float>() + row * width_;
    }
    if (!added) return;
    for (float& number : embedded) number += *added++;
}

void TokenDecoder::attend(std::int64_t index, std::int64_t row) {
    const Layer& layer = layers_[static_cast<std::size_t>(index)];
    const HeadCounts heads{layer.attention.heads.h.value(), layer.attention.heads.kv.value()};
    const std::int64_t head_dim = layer.attention.heads.D.value();
    multiply(layer.qkv, normed_, qkv_);
    if (layer.attention.qk_norm != Softmax::QkNorm::none) {
        const std::int64_t queries = heads.query * head_dim;
        const std::int64_t keys = heads.key_value * head_dim;
        for (std::int64_t at = 0; at < streams() * layer.qkv.rows; at += layer.qkv.rows) {
            normalize(layer.query_norm, qkv_.data() + at, queries / layer.query_norm.columns);
            normalize(layer.key_norm, qkv_.data() + at + queries, keys / layer.key_norm.columns);
        }
    }
    const auto attend_stream = [&](std::int64_t stream) {
        attend_one_on_cpu(qkv_.data() + stream * layer.qkv.rows, heads, head_dim,
                          terms_[static_cast<std::size_t>(index)], row, caches_[static_cast<std::size_t>(stream)],
                          index, mixed_.data() + stream * layer.output.columns);
    };
    if (streams() == 1) {  // by several threads
        attend_stream(0);
    } else {
        at::parallel_for(0, streams(), 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t stream = first; stream < last; ++stream) attend_stream(stream);
        });
    }
    multiply(layer.output, mixed_, attended_);
}

void TokenDecoder::feed_forward(const Layer& layer) {
    if (layer.mlp.activation.kind == FeedForward::swiglu) {
        multiply(layer.up, normed_, wide_);
        ROPELAB_OWN_PASS("swiglu");
        at::parallel_for(0, streams(), 1, [&](std::int64_t first, std::int64_t last) {
            for (float* gates = wide_.data() + first * layer.up.rows; first < last; ++first, gates += layer.up.rows)
                kernels::swiglu(gates, gates + layer.down.columns, gates, layer.down.columns);
        });
    } else {
        TORCH_CHECK(layer.mlp.activation.kind == FeedForward::gelu,
                    "The fused kernels do not support this activation function.");
        multiply(layer.up, normed_, wide_, [&](std::int64_t first, std::int64_t last) {
            kernels::gelu(wide_.data() + first, wide_.data() + first, last - first);
        });
    }
    multiply(layer.down, wide_, fed_, layer.up.rows);
}

torch::Tensor TokenDecoder::begin(const Decoder& decoder, const torch::Tensor& tokens) {
    const std::int64_t count = tokens.size(2);
    if (source_.ends_before(count - 1)) make_terms(count);
    const torch::Tensor rows =
        decoder.last_rows(weights_, tokens, source_.at(0, count), precision_, {.cache = &caches_.front()});
    return decoder.next_logits(weights_, rows, precision_);
}

torch::Tensor TokenDecoder::next(std::span<const std::int32_t> tokens, std::int64_t position) {
    const std::int64_t row = row_of(position);
    for (std::size_t stream = 0; stream < caches_.size(); ++stream) {
        caches_[stream].assign_slot(position);
        embed(tokens[stream], position, row, stream_.data() + static_cast<std::int64_t>(stream) * width_);
    }
    const Vector* branch = nullptr;
    for (std::int64_t index = 0; index < std::ssize(plan_.layers); ++index) {
        const Layer& layer = layers_[static_cast<std::size_t>(index)];
        normalize_stream(layer.attention_norm, branch);
        attend(index, row);
        if (layer.is_parallel) {
            normalize_stream(layer.mlp_norm, nullptr);
            feed_forward(layer);
            for (std::size_t i = 0; i < fed_.size(); ++i) fed_[i] += attended_[i];
        } else {
            normalize_stream(layer.mlp_norm, &attended_);
            feed_forward(layer);
        }
        branch = &fed_;
    }
    normalize_stream(final_norm_, branch);
    multiply(head_, normed_, logits_);
    return torch::from_blob(logits_.data(), {streams(), head_.rows}, torch::kFloat32);
}

}  // namespace ropelab
