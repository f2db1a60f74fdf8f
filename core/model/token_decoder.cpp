#include "core/model/token_decoder.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>

#include "core/model/layer_of.h"
#include "core/model/operations.h"
#include "core/model/parallel.h"

namespace ropelab {

namespace {

// Multiplications that are worth another thread.
constexpr std::int64_t worth_a_thread = 32768;

// A copy of another type in memory of large pages, since every symbol reads all of it once: the small ones' addresses
// alone would not fit the processor's table of them.
torch::Tensor copy_in_large_pages(const torch::Tensor& from, torch::ScalarType type) {
    torch::Tensor copy = torch::empty(from.sizes(), from.options().dtype(type));
#if defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = 4096;
    const auto begin = (reinterpret_cast<std::uintptr_t>(copy.data_ptr()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(copy.data_ptr()) + copy.nbytes();
    // Advice only: where it is not taken, the copy is as right.
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
    return copy.copy_(from);
}

}  // namespace

TokenDecoder::TokenDecoder(const RunSpec& spec, const Parameters& weights, Precision precision)
    : spec_(spec), weights_(weights) {
    const torch::NoGradGuard no_gradients;
    make_tables(spec.context);
    const torch::Tensor row = weights.flat()[0].detach();
    numbers_ = copy_in_large_pages(row, torch::kFloat32);
    if (precision == Precision::bfloat16) halves_ = copy_in_large_pages(row, torch::kBFloat16);

    const auto held = static_cast<std::size_t>(spec.kv_heads() * spec.context * spec.head_dim());
    for (std::int64_t index = 0; index < spec.layers; ++index) {
        layers_.push_back(layer_of<Layer>(
            spec, index, [this](const std::string& name) { return norm(name); },
            [this](const std::string& name) { return matrix(name); }));
        layers_.back().keys.resize(held);
        layers_.back().values.resize(held);
    }
    const auto width = static_cast<std::size_t>(spec.width);
    for (Vector* vector : {&stream_, &normed_, &mixed_, &attended_, &fed_}) vector->resize(width);
    qkv_.resize(static_cast<std::size_t>(layers_.front().qkv.rows));
    wide_.resize(static_cast<std::size_t>(layers_.front().up.rows));
    scores_.resize(static_cast<std::size_t>(spec.heads * spec.context));
}

void TokenDecoder::make_tables(std::int64_t positions) {
    source_ = TableSource({&spec_, 1}, positions, torch::kCPU, {}, &weights_);
    tables_ = source_.kept();
    for (RotaryTables& tables : tables_.layers) {
        if (tables.defined()) tables = {tables.cosine.contiguous(), tables.sine.contiguous()};
    }
}

std::int64_t TokenDecoder::row_of(std::int64_t position) {
    if (!spec_.rope_cache) {
        tables_ = source_.at(position, 1);
        return 0;
    }
    if (source_.ends_before(position)) make_tables(2 * position);
    return position;
}

const float* TokenDecoder::vector(const std::string& name) const {
    return weights_.layout().contains(name) ? numbers_.data_ptr<float>() + weights_.layout().at(name).offset : nullptr;
}

TokenDecoder::Matrix TokenDecoder::matrix(const std::string& name) const {
    const Parameter& weight = weights_.layout().at(name + ".weight");
    const auto* halves = halves_.defined()
                             ? reinterpret_cast<const std::uint16_t*>(halves_.data_ptr<at::BFloat16>()) + weight.offset
                             : nullptr;
    return {weight.shape[0], weight.shape[1], vector(name + ".weight"), halves, vector(name + ".bias")};
}

TokenDecoder::Norm TokenDecoder::norm(const std::string& name) const {
    if (!weights_.layout().contains(name + ".weight")) return {};
    return {weights_.layout().at(name + ".weight").size, vector(name + ".weight"), vector(name + ".bias")};
}

template <typename Finish>
void TokenDecoder::multiply(const Matrix& matrix, const Vector& x, Vector& out, Finish finish) const {
    ROPELAB_OWN_PASS("multiply");
    const std::int64_t grain = std::max<std::int64_t>(1, worth_a_thread / matrix.columns);
    const auto part = [&](std::int64_t first, std::int64_t last, const auto& product) {
        product(first, last);
        if (matrix.bias) {
            for (std::int64_t row = first; row < last; ++row) out[static_cast<std::size_t>(row)] += matrix.bias[row];
        }
        finish(first, last);
    };
    if (matrix.halves) {
        const kernels::PairedVector paired(x.data(), matrix.columns);
        at::parallel_for(0, matrix.rows, grain, [&](std::int64_t first, std::int64_t last) {
            part(first, last, [&](std::int64_t begin, std::int64_t end) {
                kernels::dot_rows(matrix.halves, paired, out.data(), begin, end);
            });
        });
    } else {
        at::parallel_for(0, matrix.rows, grain, [&](std::int64_t first, std::int64_t last) {
            part(first, last, [&](std::int64_t begin, std::int64_t end) {
                kernels::dot_rows(matrix.numbers, x.data(), matrix.columns, out.data(), begin, end);
            });
        });
    }
}

void TokenDecoder::multiply(const Matrix& matrix, const Vector& x, Vector& out) const {
    multiply(matrix, x, out, [](std::int64_t, std::int64_t) {});
}

void TokenDecoder::normalise(const Norm& norm, float* rows, std::int64_t count, bool centred) const {
    ROPELAB_OWN_PASS("normalise");
    Vector statistics(static_cast<std::size_t>(2 * count));
    kernels::norm_forward<float, float>({.columns = norm.columns,
                                         .centred = centred,
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

void TokenDecoder::normalise_stream(const Norm& norm, const Vector* branch) {
    if (branch) {
        for (std::size_t i = 0; i < stream_.size(); ++i) stream_[i] += (*branch)[i];
    }
    normed_ = stream_;
    normalise(norm, normed_.data(), 1, spec_.block != Block::llama);
}

void TokenDecoder::attend(Layer& layer, const RotaryTables& tables, std::int64_t row) {
    const std::int64_t head_dim = spec_.head_dim();
    const std::int64_t key_heads = spec_.kv_heads();
    multiply(layer.qkv, normed_, qkv_);
    float* query = qkv_.data();
    float* key = query + spec_.heads * head_dim;
    const float* value = key + key_heads * head_dim;
    if (spec_.qk_norm) {
        normalise(layer.query_norm, query, spec_.heads, false);
        normalise(layer.key_norm, key, key_heads, false);
    }
    if (tables.defined()) {
        ROPELAB_OWN_PASS("turn");
        const std::int64_t pairs = head_dim / 2;
        const std::int64_t tables_a_place = tables.cosine.size(3);  // 1, or one a head
        const float* cosine = tables.cosine.data_ptr<float>() + row * tables_a_place * pairs;
        const float* sine = tables.sine.data_ptr<float>() + row * tables_a_place * pairs;
        if (tables_a_place == 1) {
            kernels::turn_heads(query, spec_.heads + key_heads, head_dim, cosine, sine, 1.0F);
        }
        for (std::int64_t head = 0; tables_a_place > 1 && head < spec_.heads; ++head) {
            for (float* vectors : {query, key}) {
                kernels::turn_heads(vectors + head * head_dim, 1, head_dim, cosine + head * pairs, sine + head * pairs,
                                    1.0F);
            }
        }
    }
    ROPELAB_OWN_PASS("attend");
    const std::int64_t place = length_ % spec_.context;
    for (std::int64_t head = 0; head < key_heads; ++head) {
        const std::int64_t entry = (head * spec_.context + place) * head_dim;
        std::copy_n(key + head * head_dim, head_dim, layer.keys.data() + entry);
        std::copy_n(value + head * head_dim, head_dim, layer.values.data() + entry);
    }

    // The order of the entries does not matter: a key carries its place in its rotation.
    const std::int64_t seen = std::min(length_ + 1, spec_.context);
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
    const std::int64_t grain = std::max<std::int64_t>(1, worth_a_thread / (2 * seen * head_dim));
    at::parallel_for(0, spec_.heads, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t head = first; head < last; ++head) {
            const std::int64_t entries = head * key_heads / spec_.heads * spec_.context * head_dim;
            float* shares = scores_.data() + head * spec_.context;
            kernels::dot_rows(layer.keys.data() + entries, query + head * head_dim, head_dim, shares, 0, seen);
            kernels::softmax(shares, seen, scale);
            kernels::sum_weighted_rows(layer.values.data() + entries, shares, seen, head_dim,
                                       mixed_.data() + head * head_dim);
        }
    });
    multiply(layer.output, mixed_, attended_);
}

void TokenDecoder::feed_forward(const Layer& layer) {
    if (spec_.block == Block::llama) {
        multiply(layer.up, normed_, wide_);
        ROPELAB_OWN_PASS("swiglu");
        kernels::swiglu(wide_.data(), wide_.data() + layer.down.columns, wide_.data(), layer.down.columns);
    } else {
        multiply(layer.up, normed_, wide_, [&](std::int64_t first, std::int64_t last) {
            kernels::gelu(wide_.data() + first, wide_.data() + first, last - first);
        });
    }
    multiply(layer.down, wide_, fed_);
}

torch::Tensor TokenDecoder::read(std::int32_t token, std::int64_t position) {
    const std::int64_t row = row_of(position);
    std::copy_n(vector("embedding.weight") + token * spec_.width, spec_.width, stream_.data());
    if (const float* positions = vector("positions.weight")) {
        for (std::int64_t i = 0; i < spec_.width; ++i) {
            stream_[static_cast<std::size_t>(i)] += positions[position * spec_.width + i];
        }
    }
    const Vector* branch = nullptr;
    for (std::int64_t index = 0; index < spec_.layers; ++index) {
        Layer& layer = layers_[static_cast<std::size_t>(index)];
        normalise_stream(layer.attention_norm, branch);
        attend(layer, tables_.at(index), row);
        if (spec_.block == Block::pythia) {
            normalise_stream(layer.mlp_norm, nullptr);
            feed_forward(layer);
            for (std::size_t i = 0; i < fed_.size(); ++i) fed_[i] += attended_[i];
        } else {
            normalise_stream(layer.mlp_norm, &attended_);
            feed_forward(layer);
        }
        branch = &fed_;
    }
    ++length_;
    normalise_stream(norm("final_norm"), branch);
    const Matrix head = matrix(spec_.tied_head ? "embedding" : "head");
    Vector logits(static_cast<std::size_t>(head.rows));
    multiply(head, normed_, logits);
    return torch::tensor(c10::ArrayRef<float>(logits));
}

}  // namespace ropelab
