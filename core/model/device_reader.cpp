#include "core/model/device_reader.h"

#include <algorithm>

#include "core/model/device_graph.h"
#include "core/model/repeated_work.h"

namespace ropelab {

namespace {

// Of the one run; undefined where the model has no such parameter.
torch::Tensor copy(const Parameters& weights, const std::string& name) {
    const torch::Tensor tensor = weights.get(name);
    return tensor.defined() ? tensor[0].detach().clone(at::MemoryFormat::Contiguous) : tensor;
}

float* numbers(const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

}  // namespace

bool DeviceReader::serves(const RunSpec& spec, const Parameters& weights) {
    return has_device_kernels(weights.flat()) && spec.head_dim() % 2 == 0 && spec.head_dim() <= cuda::most_channels &&
           weights.layout().at("embedding.weight").shape.front() <= cuda::most_symbols;
}

DeviceReader::DeviceReader(const RunSpec& spec, const Parameters& weights, Precision precision, LayerTables tables)
    : spec_(spec), kernels_(device_kernels(weights.flat().device())), tables_(std::move(tables)) {
    const torch::NoGradGuard no_gradients;
    const auto options = torch::TensorOptions(torch::kFloat32).device(weights.flat().device());
    const auto norm = [&](const std::string& name) {
        return Norm{copy(weights, name + ".weight"), copy(weights, name + ".bias")};
    };
    const auto matrix = [&](const std::string& name) {
        const torch::Tensor weight = copy(weights, name + ".weight");
        return Matrix{precision == Precision::bfloat16 ? weight.to(torch::kBFloat16) : weight,
                      copy(weights, name + ".bias")};
    };
    embedding_ = copy(weights, "embedding.weight");
    positions_ = copy(weights, "positions.weight");
    final_norm_ = norm("final_norm");
    head_ = matrix(spec.tied_head ? "embedding" : "head");
    const std::string up = spec.block == Block::llama ? ".mlp.gate_up" : ".mlp.up";
    for (std::int64_t index = 0; index < spec.layers; ++index) {
        const std::string name = "layers." + std::to_string(index);
        layers_.push_back({.attention_norm = norm(name + ".attention_norm"),
                           .mlp_norm = norm(name + ".mlp_norm"),
                           .query_norm = norm(name + ".attention.query_norm"),
                           .key_norm = norm(name + ".attention.key_norm"),
                           .qkv = matrix(name + ".attention.qkv"),
                           .output = matrix(name + ".attention.output"),
                           .up = matrix(name + up),
                           .down = matrix(name + ".mlp.down"),
                           .keys = torch::zeros({spec.kv_heads(), spec.context, spec.head_dim()}, options),
                           .values = torch::zeros({spec.kv_heads(), spec.context, spec.head_dim()}, options)});
    }
    for (RotaryTables& turns : tables_.layers) {
        if (turns.defined()) turns = {turns.cosine.contiguous(), turns.sine.contiguous()};
    }
    x_ = torch::zeros({spec.width}, options);
    qkv_ = torch::zeros({(spec.heads + 2 * spec.kv_heads()) * spec.head_dim()}, options);
    mixed_ = torch::zeros({spec.width}, options);
    wide_ = torch::zeros({spec.hidden_width()}, options);
    logits_ = torch::zeros({embedding_.size(0)}, options);
}

template <typename Args>
void DeviceReader::start(int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args,
                         const char* name) const {
    check_launch(kernels_, (kernels_.table->*kernel)(args, kernels_.stream()), name);
}

void DeviceReader::multiply(const Matrix& matrix, const torch::Tensor& x, const Norm& norm, cuda::Activation activation,
                            bool adds, const torch::Tensor& y) const {
    const bool rounded = matrix.numbers.scalar_type() == torch::kBFloat16;
    start<cuda::VectorProduct>(&cuda::Kernels::vector_product,
                               {.rows = y.size(0),
                                .columns = x.size(0),
                                .type = rounded ? cuda::Type::bfloat16 : cuda::Type::float32,
                                .matrix = matrix.numbers.data_ptr(),
                                .bias = numbers(matrix.bias),
                                .x = numbers(x),
                                .norm_weight = numbers(norm.weight),
                                .norm_bias = numbers(norm.bias),
                                .centred = spec_.block != Block::llama,
                                .activation = activation,
                                .adds = adds,
                                .y = numbers(y)},
                               "vector_product");
}

void DeviceReader::attend(const Layer& layer, const RotaryTables& tables) const {
    start<cuda::AttendCached>(&cuda::Kernels::attend_cached,
                              {.heads = spec_.heads,
                               .key_value_heads = spec_.kv_heads(),
                               .head_dim = spec_.head_dim(),
                               .context = spec_.context,
                               .qkv = numbers(qkv_),
                               .query_norm = numbers(layer.query_norm.weight),
                               .key_norm = numbers(layer.key_norm.weight),
                               .cosine = numbers(tables.cosine),
                               .sine = numbers(tables.sine),
                               .position = position_.data_ptr<std::int64_t>(),
                               .keys = numbers(layer.keys),
                               .values = numbers(layer.values),
                               .mixed = numbers(mixed_)},
                              "attend_cached");
}

// From the symbol at the position to its logits.
void DeviceReader::read() const {
    using cuda::Activation;
    start<cuda::ReadSymbol>(&cuda::Kernels::read_symbol,
                            {.columns = spec_.width,
                             .table = numbers(embedding_),
                             .positions = numbers(positions_),
                             .text = text_.data_ptr<std::int32_t>(),
                             .position = position_.data_ptr<std::int64_t>(),
                             .x = numbers(x_)},
                            "read_symbol");
    const Activation activation = spec_.block == Block::llama ? Activation::swiglu : Activation::gelu;
    for (std::int64_t index = 0; index < spec_.layers; ++index) {
        const Layer& layer = layers_[static_cast<std::size_t>(index)];
        multiply(layer.qkv, x_, layer.attention_norm, Activation::none, false, qkv_);
        attend(layer, tables_.at(index));
        // Side by side both branches read the stream as it was.
        const bool beside = spec_.block == Block::pythia;
        if (beside) multiply(layer.up, x_, layer.mlp_norm, activation, false, wide_);
        multiply(layer.output, mixed_, {}, Activation::none, true, x_);
        if (!beside) multiply(layer.up, x_, layer.mlp_norm, activation, false, wide_);
        multiply(layer.down, wide_, {}, Activation::none, true, x_);
    }
    multiply(head_, x_, final_norm_, Activation::none, false, logits_);
}

void DeviceReader::draw(const Generation& how, std::int64_t prompt) const {
    start<cuda::SampleSymbol>(&cuda::Kernels::sample_symbol,
                              {.symbols = logits_.size(0),
                               .logits = numbers(logits_),
                               .temperature = how.temperature,
                               .top_k = how.top_k,
                               .key = cuda::stream_key(how.seed, "sample"),
                               .prompt = prompt,
                               .text = text_.data_ptr<std::int32_t>(),
                               .position = position_.data_ptr<std::int64_t>()},
                              "sample_symbol");
}

DeviceReader::Text DeviceReader::go_on(std::span<const std::int32_t> prompt, std::int64_t count,
                                       const Generation& how) {
    const auto given = std::ssize(prompt);
    TORCH_CHECK(given > 0 && (tables_.positions() == 0 || tables_.positions() >= given + count - 1),
                "The rotation tables are too short for the text.");
    const torch::Tensor host = torch::zeros({given + count}, torch::kInt32);
    std::copy(prompt.begin(), prompt.end(), host.data_ptr<std::int32_t>());
    Text result;
    const auto work = [&] {
        text_ = host.to(x_.device());
        position_ = torch::zeros({1}, torch::kInt64).to(x_.device());
        RepeatedWork step(kernels_.graphs);
        const auto next = [&] {
            step([&] {
                read();
                draw(how, given);
            });
        };
        for (std::int64_t i = 1; i < given; ++i) next();
        // The host looks once for this many symbols.
        constexpr std::int64_t at_once = 32;
        while (std::ssize(result.drawn) < count) {
            const std::int64_t first = std::ssize(result.drawn);
            const std::int64_t more = std::min(at_once, count - first);
            for (std::int64_t i = 0; i < more; ++i) next();
            const torch::Tensor drawn = text_.narrow(0, given + first, more).to(torch::kCPU);
            for (std::int64_t i = 0; i < more; ++i) {
                result.drawn.push_back(drawn.data_ptr<std::int32_t>()[i]);
                if (!how.on_token || how.on_token(result.drawn.back())) continue;
                result.stopped = true;
                return;
            }
        }
    };
    if (kernels_.graphs) {
        kernels_.graphs->on_own_stream(work);
    } else {
        work();
    }
    return result;
}

}  // namespace ropelab
