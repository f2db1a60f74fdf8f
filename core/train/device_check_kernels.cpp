// Cases for the check of a device: the inputs of each kernel.
#include "core/model/attention/attention.h"
#include "core/model/attention/cuda.h"
#include "core/model/attention/reference.h"
#include "core/model/fresh_memory.h"
#include "core/model/fused.h"
#include "core/model/fused_device.h"
#include "core/train/device_check.h"

namespace ropelab {

namespace {

using Tensors = std::vector<torch::Tensor>;

constexpr std::int64_t checked_runs = 2;
constexpr double rounded_tolerance = 0.1;  // tolerance of bfloat16, whose numbers have 8 significant bits

class Cases {
 public:
    explicit Cases(torch::Device device) : device_(device) {}

    std::vector<KernelCase> of_every_shape() {
        for (const auto type : {torch::kFloat32, torch::kBFloat16}) {
            for (const std::int64_t columns : {24, 136, 7}) {
                for (const Norm norm : {Norm::layer, Norm::rms}) add_norm(37, columns, norm, type);
                add_activations(37, columns, type);
                add_loss(37, columns, type);
            }
            add_norm_of_rows(37, 24, type);
            add_dropout(37 * 5, type);
            for (const auto& [heads, shared, head_dim] :
                 {std::tuple(2L, 2L, 8L), std::tuple(4L, 1L, 8L), std::tuple(3L, 3L, 6L)}) {
                for (const std::int64_t time : {8, 11}) {
                    add_rotation(3, time, {heads, shared}, head_dim, type);
                    for (const double rate : {0.0, 0.4}) add_attention(3, time, {heads, shared}, head_dim, rate, type);
                }
            }
        }
        for (const std::int64_t tokens : {5, 40}) add_look_up(700, tokens, 20);
        return std::move(cases_);
    }

    std::vector<KernelCase> of_real_size() {
        const auto type = torch::kBFloat16;
        add_norm(8192, 384, Norm::layer, type);
        add_activations(8192, 1536, type);
        add_loss(8192, 65, type);
        add_dropout(8192 * 384, type);
        add_rotation(32, 256, {6, 6}, 64, type);
        add_attention(32, 256, {6, 6}, 64, 0.2, type);
        add_look_up(8192, 65, 384);
        return std::move(cases_);
    }

 private:
    // Random numbers that bfloat16 represents exactly, so that both types start from equal values.
    torch::Tensor random(std::vector<std::int64_t> shape) const {
        return torch::randn(shape).to(torch::kBFloat16).to(torch::kFloat32).to(device_);
    }
    // Converts to the tested type if kernels are in use; otherwise the type stays.
    static torch::Tensor typed(const torch::Tensor& x, torch::ScalarType type) {
        return has_device_kernels(x) ? x.to(type) : x;
    }
    static double tolerance_of(torch::ScalarType type) { return type == torch::kFloat32 ? 1e-3 : rounded_tolerance; }
    void add(const std::string& what, DevicePart part, torch::ScalarType type, Tensors inputs,
             std::function<torch::Tensor(const Tensors&)> operation) {
        const std::string type_name = type == torch::kFloat32 ? "float32" : "bfloat16";
        cases_.push_back({what + ", " + type_name, part, std::move(inputs), std::move(operation), tolerance_of(type)});
    }
    static std::string with(const std::string& what, std::int64_t columns) {
        return what + ", " + std::to_string(columns) + " columns";
    }

    void add_norm(std::int64_t rows, std::int64_t columns, Norm norm, torch::ScalarType type) {
        const Dropout dropout(0.3, {1, 2}, 7);
        add(with(norm == Norm::layer ? "residual LayerNorm" : "residual RMSNorm", columns), DevicePart::norm, type,
            {random({checked_runs, rows, columns}), random({checked_runs, rows, columns}),
             random({checked_runs, columns}), random({checked_runs, columns})},
            [=](const Tensors& in) {
                const NormalizedResidual normalized = residual_norm(in[0], typed(in[1], type), in[2], in[3], dropout,
                                                                    "here", norm, typed(in[1], type).scalar_type());
                return torch::cat({normalized.sum, normalized.normed.to(torch::kFloat32)}, 2);
            });
    }
    void add_norm_of_rows(std::int64_t rows, std::int64_t columns, torch::ScalarType type) {
        add(with("LayerNorm without a branch", columns), DevicePart::norm, type,
            {random({checked_runs, rows, columns}), random({checked_runs, columns})}, [=](const Tensors& in) {
                const NormalizedResidual normalized = residual_norm(typed(in[0], type), {}, in[1], {}, {}, "");
                return normalized.sum.to(torch::kFloat32) * 0.5 + normalized.normed.to(torch::kFloat32);
            });
    }
    void add_activations(std::int64_t rows, std::int64_t columns, torch::ScalarType type) {
        add(with("GELU", columns), DevicePart::activation, type, {random({checked_runs, rows, columns})},
            [=](const Tensors& in) { return gelu_activation(typed(in[0], type)); });
        add(with("SwiGLU", columns), DevicePart::activation, type, {random({checked_runs, rows, 2 * columns})},
            [=](const Tensors& in) { return swiglu_activation(typed(in[0], type)); });
    }
    void add_loss(std::int64_t rows, std::int64_t tokens, torch::ScalarType type) {
        const torch::Tensor targets = torch::randint(0, tokens, {checked_runs, rows}, torch::kInt64).to(device_);
        add(with("cross-entropy", tokens), DevicePart::loss, type, {random({checked_runs, rows, tokens})},
            [=](const Tensors& in) { return token_losses(typed(in[0], type), targets); });
    }
    void add_dropout(std::int64_t size, torch::ScalarType type) {
        const Dropout dropout(0.3, {1, 2}, 7);
        add("dropout", DevicePart::dropout, type, {random({checked_runs, size})},
            [=](const Tensors& in) { return dropout(typed(in[0], type), "here"); });
    }
    void add_look_up(std::int64_t rows, std::int64_t tokens, std::int64_t columns) {
        const torch::Tensor ids = torch::randint(0, tokens, {checked_runs, rows}, torch::kInt64).to(device_);
        add(with("embedding of " + std::to_string(tokens) + " tokens", columns), DevicePart::embedding, torch::kFloat32,
            {random({checked_runs, tokens, columns})}, [=](const Tensors& in) { return look_up(in[0], ids); });
    }

    RotaryTables tables(std::int64_t time, std::int64_t head_dim) const {
        std::vector<RunSpec> specs(checked_runs);
        for (RunSpec& spec : specs) {
            spec.heads = 1;
            spec.width = head_dim;
            spec.context = time;
        }
        specs[0].theta = 100;
        specs[1].fraction = 0.5;
        return layer_tables(specs, time, device_).at(0);
    }
    static std::string heads_text(HeadCounts heads, std::int64_t head_dim, std::int64_t time) {
        return std::to_string(heads.query) + " and " + std::to_string(heads.key_value) + " heads of " +
               std::to_string(head_dim) + " channels, " + std::to_string(time) + " tokens";
    }
    void add_rotation(std::int64_t batch, std::int64_t time, HeadCounts heads, std::int64_t head_dim,
                      torch::ScalarType type) {
        const RotaryTables rotary = tables(time, head_dim);
        for (const bool backward : {false, true}) {
            add((backward ? "inverse rotation, " : "rotation, ") + heads_text(heads, head_dim, time),
                DevicePart::rotation, type,
                {random({checked_runs, batch * time, (heads.query + 2 * heads.key_value) * head_dim})},
                [=](const Tensors& in) {
                    if (has_device_kernels(in[0])) {
                        const torch::Tensor qkv = fresh_memory_like(in[0].to(type));
                        qkv.copy_(in[0]);
                        cuda_attention::rotate_in_place(qkv, batch, heads, rotary, backward);
                        return qkv;
                    }
                    LayerVectors parts = reference_attention::vectors_of({in[0], batch, heads});
                    const RotaryTables signed_tables{rotary.cosine, backward ? -rotary.sine : rotary.sine};
                    parts.query = apply_rotation(parts.query, signed_tables);
                    parts.key = apply_rotation(parts.key, signed_tables);
                    return torch::cat({parts.query, parts.key, parts.value}, 3).flatten(3).flatten(1, 2);
                });
            cases_.back().differentiable = false;
        }
    }
    void add_attention(std::int64_t batch, std::int64_t time, HeadCounts heads, std::int64_t head_dim, double rate,
                       torch::ScalarType type) {
        const Dropout dropout = rate > 0 ? Dropout(rate, {5, 6}, 11) : Dropout();
        add((rate > 0 ? "attention with dropout, " : "attention, ") + heads_text(heads, head_dim, time),
            DevicePart::softmax, type,
            {random({checked_runs, batch * time, (heads.query + 2 * heads.key_value) * head_dim})},
            [=](const Tensors& in) {
                return attend({typed(in[0], type), batch, heads}, LayerTerms{}, dropout, "attention");
            });
        // Three successive products are each rounded; float32 finds errors that this tolerance misses.
        if (type == torch::kBFloat16) cases_.back().tolerance = 0.5;
    }

    torch::Device device_;
    std::vector<KernelCase> cases_;
};

}  // namespace

std::vector<KernelCase> kernel_cases(torch::Device device) {
    return Cases(device).of_every_shape();
}

std::vector<KernelCase> timed_cases(torch::Device device) {
    return Cases(device).of_real_size();
}

}  // namespace ropelab
