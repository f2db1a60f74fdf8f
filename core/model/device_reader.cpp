#include "core/model/device_reader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/model/device_graph.h"
#include "core/model/device_launch.h"
#include "core/model/layer_of.h"
#include "core/model/operations.h"
#include "core/model/repeated_work.h"

namespace ropelab {

using device_launch::numbers;
using device_launch::type_of;

namespace {

// Of the one run; undefined where the model has no such parameter.
torch::Tensor copy(const Parameters& weights, const std::string& name) {
    const torch::Tensor tensor = weights.get(name);
    return tensor.defined() ? tensor[0].detach().clone(at::MemoryFormat::Contiguous) : tensor;
}

cuda::Activation activation_of(const RunSpec& spec) {
    return spec.block == Block::llama ? cuda::Activation::swiglu : cuda::Activation::gelu;
}

// Where a kernel leaves symbols while it runs. What still writes into it is waited for at the end, which frees it.
class Ring {
 public:
    Ring(const DeviceKernels& kernels, const cuda::TextRing& ring) : kernels_(kernels), ring_(ring) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() {
        bool done = false;
        while (kernels_.table->is_done(kernels_.stream(), done) == 0 && !done) pause();
        kernels_.table->free_ring(ring_);
    }

    std::uint64_t* on_device() const { return ring_.device; }

    // The text's symbol of this number.
    std::int32_t wait_for(std::int64_t number) const {
        const std::atomic_ref<std::uint64_t> place(ring_.host[number % cuda::ring_places]);
        for (bool done = false;;) {
            const bool last_look = done;
            const std::uint64_t value = place.load(std::memory_order_acquire);
            if (static_cast<std::int64_t>(value >> 32) == number) return static_cast<std::int32_t>(value);
            TORCH_CHECK(!last_look, "The kernel write_text ended before symbol ", number, " of the text.");
            check_launch(kernels_, kernels_.table->is_done(kernels_.stream(), done), "write_text");
            if (!done) pause();
        }
    }

 private:
    static void pause() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

    const DeviceKernels& kernels_;
    cuda::TextRing ring_;
};

}  // namespace

bool DeviceReader::serves(const RunSpec& spec, const Parameters& weights) {
    return has_device_kernels(weights.flat()) && spec.operations == Operations::fused && spec.rope_cache &&
           spec.head_dim() % 2 == 0 && spec.head_dim() <= cuda::most_channels &&
           weights.layout().at("embedding.weight").shape.front() <= cuda::most_symbols &&
           2 * spec.width <= cuda::most_columns && spec.hidden_width() <= cuda::most_columns;
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
    for (std::int64_t index = 0; index < spec.layers; ++index) {
        layers_.push_back(layer_of<Layer>(spec, index, norm, matrix));
        for (torch::Tensor* held : {&layers_.back().keys, &layers_.back().values}) {
            *held = torch::zeros({spec.kv_heads(), spec.context, spec.head_dim()}, options);
        }
    }
    for (RotaryTables& turns : tables_.layers) {
        if (turns.defined()) turns = {turns.cosine.contiguous(), turns.sine.contiguous()};
    }
    x_ = torch::zeros({spec.width}, options);
    qkv_ = torch::zeros({(spec.heads + 2 * spec.kv_heads()) * spec.head_dim()}, options);
    attended_ = cuda::attended_parts(spec.head_dim(), spec.context);
    parts_ = torch::zeros({spec.heads, attended_.parts, spec.head_dim() + 2}, options);
    attended_.numbers = numbers(parts_);
    wide_ = torch::zeros({spec.hidden_width()}, options);
    logits_ = torch::zeros({embedding_.size(0)}, options);
}

template <typename Args>
void DeviceReader::start(int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args,
                         const char* name) const {
    ROPELAB_OWN_PASS(name);
    check_launch(kernels_, (kernels_.table->*kernel)(args, kernels_.stream()), name);
}

cuda::VectorProduct DeviceReader::product(const Matrix& matrix, const torch::Tensor& x, const Norm& norm,
                                          cuda::Activation activation, const torch::Tensor& y) const {
    return {.rows = y.size(0),
            .columns = matrix.numbers.size(1),
            .type = type_of(matrix.numbers),
            .matrix = matrix.numbers.data_ptr(),
            .bias = numbers(matrix.bias),
            .x = numbers(x),
            .norm_weight = numbers(norm.weight),
            .norm_bias = numbers(norm.bias),
            .centred = spec_.block != Block::llama,
            .activation = activation,
            .adds = false,
            .y = numbers(y)};
}

void DeviceReader::multiply(const cuda::VectorProduct& args) const {
    start<cuda::VectorProduct>(&cuda::Kernels::vector_product, args, "vector_product");
}

void DeviceReader::attend(const Layer& layer, const RotaryTables& tables) const {
    start<cuda::AttendCached>(&cuda::Kernels::attend_cached,
                              {.heads = spec_.heads,
                               .key_value_heads = spec_.kv_heads(),
                               .qkv = numbers(qkv_),
                               .query_norm = numbers(layer.query_norm.weight),
                               .key_norm = numbers(layer.key_norm.weight),
                               .cosine = numbers(tables.cosine),
                               .sine = numbers(tables.sine),
                               .position = position_.data_ptr<std::int64_t>(),
                               .keys = numbers(layer.keys),
                               .values = numbers(layer.values),
                               .attended = attended_},
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
    const Activation activation = activation_of(spec_);
    const auto add = [&](const Matrix& matrix, const torch::Tensor& x) {
        cuda::VectorProduct args = product(matrix, x, {}, Activation::none, x_);
        args.adds = true;
        if (!x.defined()) {
            args.attended = attended_;
            args.position = position_.data_ptr<std::int64_t>();
        }
        multiply(args);
    };
    for (std::int64_t index = 0; index < spec_.layers; ++index) {
        const Layer& layer = layers_[static_cast<std::size_t>(index)];
        multiply(product(layer.qkv, x_, layer.attention_norm, Activation::none, qkv_));
        attend(layer, tables_.at(index));
        // Side by side both branches read the stream as it was.
        const bool beside = spec_.block == Block::pythia;
        if (beside) multiply(product(layer.up, x_, layer.mlp_norm, activation, wide_));
        add(layer.output, {});
        if (!beside) multiply(product(layer.up, x_, layer.mlp_norm, activation, wide_));
        add(layer.down, wide_);
    }
    multiply(product(head_, x_, final_norm_, Activation::none, logits_));
}

cuda::SampleSymbol DeviceReader::drawing(const Generation& how, std::int64_t prompt) const {
    return {.symbols = logits_.size(0),
            .logits = numbers(logits_),
            .temperature = how.temperature,
            .top_k = how.top_k,
            .key = cuda::stream_key(how.seed, "sample"),
            .prompt = prompt,
            .text = text_.data_ptr<std::int32_t>(),
            .position = position_.data_ptr<std::int64_t>()};
}

// Without its first symbol, their count and the ring.
cuda::WriteText DeviceReader::writing(const Generation& how, std::int64_t prompt) const {
    cuda::WriteText args{};
    args.layers = spec_.layers;
    args.width = spec_.width;
    args.hidden = spec_.hidden_width();
    args.heads = spec_.heads;
    args.key_value_heads = spec_.kv_heads();
    args.type = type_of(head_.numbers);
    args.centred = spec_.block != Block::llama;
    args.beside = spec_.block == Block::pythia;
    args.activation = activation_of(spec_);
    args.table = numbers(embedding_);
    args.positions = numbers(positions_);
    args.final_norm = numbers(final_norm_.weight);
    args.final_norm_bias = numbers(final_norm_.bias);
    args.head = head_.numbers.data_ptr();
    args.head_bias = numbers(head_.bias);
    args.x = numbers(x_);
    args.qkv = numbers(qkv_);
    args.raised = numbers(wide_);
    args.attended = attended_;
    args.sample = drawing(how, prompt);
    for (std::int64_t index = 0; index < std::min(spec_.layers, cuda::most_layers); ++index) {
        const Layer& layer = layers_[static_cast<std::size_t>(index)];
        const RotaryTables& tables = tables_.at(index);
        args.layer[index] = {.attention_norm = numbers(layer.attention_norm.weight),
                             .attention_norm_bias = numbers(layer.attention_norm.bias),
                             .mlp_norm = numbers(layer.mlp_norm.weight),
                             .mlp_norm_bias = numbers(layer.mlp_norm.bias),
                             .query_norm = numbers(layer.query_norm.weight),
                             .key_norm = numbers(layer.key_norm.weight),
                             .qkv = layer.qkv.numbers.data_ptr(),
                             .output = layer.output.numbers.data_ptr(),
                             .up = layer.up.numbers.data_ptr(),
                             .down = layer.down.numbers.data_ptr(),
                             .qkv_bias = numbers(layer.qkv.bias),
                             .output_bias = numbers(layer.output.bias),
                             .up_bias = numbers(layer.up.bias),
                             .down_bias = numbers(layer.down.bias),
                             .cosine = numbers(tables.cosine),
                             .sine = numbers(tables.sine),
                             .keys = numbers(layer.keys),
                             .values = numbers(layer.values)};
    }
    return args;
}

bool DeviceReader::Text::take(std::int32_t symbol, const Generation& how) {
    drawn.push_back(symbol);
    stopped = how.on_token && !how.on_token(symbol);
    return !stopped;
}

void DeviceReader::write_by_graph(std::int64_t prompt, std::int64_t count, const Generation& how, Text& result) {
    RepeatedWork step(kernels_.graphs);
    const auto next = [&] {
        step([&] {
            read();
            start<cuda::SampleSymbol>(&cuda::Kernels::sample_symbol, drawing(how, prompt), "sample_symbol");
        });
    };
    for (std::int64_t i = 1; i < prompt; ++i) next();
    // The host looks once for this many symbols.
    constexpr std::int64_t at_once = 32;
    while (std::ssize(result.drawn) < count) {
        const std::int64_t first = std::ssize(result.drawn);
        const std::int64_t more = std::min(at_once, count - first);
        for (std::int64_t i = 0; i < more; ++i) next();
        const torch::Tensor drawn = text_.narrow(0, prompt + first, more).to(torch::kCPU);
        for (std::int64_t i = 0; i < more; ++i) {
            if (!result.take(drawn.data_ptr<std::int32_t>()[i], how)) return;
        }
    }
}

bool DeviceReader::write_in_one_kernel(cuda::WriteText args, std::int64_t count, const Generation& how,
                                       Text& result) const {
    const std::int64_t blocks = kernels_.table->text_blocks(args);
    if (blocks == 0) return false;
    // Short enough to stop soon, long enough for the launch not to count.
    constexpr std::int64_t at_once = 128;
    static_assert(at_once <= cuda::ring_places);
    const torch::Tensor arrived = torch::zeros({1}, torch::kInt32).to(x_.device());
    args.arrived = reinterpret_cast<unsigned*>(arrived.data_ptr<std::int32_t>());
    cuda::TextRing memory{};
    if (kernels_.table->make_ring(memory) != 0) return false;
    const Ring ring(kernels_, memory);
    args.ring = ring.on_device();
    const std::int64_t end = args.sample.prompt + count - 1;  // the last symbol is not read
    for (args.first = 0; args.first < end; args.first += args.count) {
        args.count = std::min(at_once, end - args.first);
        const int error = kernels_.table->write_text(args, blocks, kernels_.stream());
        if (args.first == 0 && error != 0) return false;
        check_launch(kernels_, error, "write_text");
        const std::int64_t next = args.first + args.count + 1;
        for (std::int64_t i = std::max(args.first + 1, args.sample.prompt); i < next; ++i) {
            if (!result.take(ring.wait_for(i), how)) return true;
        }
    }
    return true;
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
        result.in_one_kernel = how.in_one_kernel && write_in_one_kernel(writing(how, given), count, how, result);
        if (!result.in_one_kernel) write_by_graph(given, count, how, result);
    };
    if (kernels_.graphs) {
        kernels_.graphs->on_own_stream(work);
    } else {
        work();
    }
    return result;
}

}  // namespace ropelab
