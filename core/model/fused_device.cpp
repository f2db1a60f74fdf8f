#include "core/model/fused_device.h"

#include <array>

#include "core/model/device_launch.h"
#include "core/model/operations.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using device_launch::contiguous;
using device_launch::numbers;
using device_launch::place_of;
using device_launch::start;
using device_launch::type_of;
using device_launch::values;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::array<DeviceKernels, static_cast<std::size_t>(torch::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES)> served;

// Weight and bias of a normalization: float32 rows with distance `stride`.
struct NormWeights {
    torch::Tensor weight;
    torch::Tensor bias;

    NormWeights(torch::Tensor given_weight, torch::Tensor given_bias)
        : weight(std::move(given_weight)), bias(std::move(given_bias)) {
        const bool equal = !bias.defined() || (bias.stride(0) == weight.stride(0) && bias.stride(1) == 1);
        if (weight.stride(1) == 1 && equal) return;
        weight = weight.contiguous();
        bias = contiguous(bias);
    }
    const float* numbers_of_bias() const { return bias.defined() ? bias.data_ptr<float>() : nullptr; }
};

class DeviceResidualNorm : public torch::autograd::Function<DeviceResidualNorm> {
 public:
    static variable_list forward(AutogradContext* context, const torch::Tensor& x,
                                 const std::optional<torch::Tensor>& given_branch, const torch::Tensor& weight,
                                 const std::optional<torch::Tensor>& given_bias, torch::ScalarType type,
                                 const c10::intrusive_ptr<device_launch::Place>& place) {
        const torch::Tensor from = x.contiguous();
        const torch::Tensor branch = contiguous(given_branch.value_or(torch::Tensor()));
        const NormWeights weights(weight, given_bias.value_or(torch::Tensor()));
        const torch::Tensor sum = branch.defined() ? fresh_memory_like(from) : from;
        const torch::Tensor normed = fresh_memory(from.sizes(), from.options().dtype(type));
        const torch::Tensor mean = fresh_memory({x.size(0), x.size(1)}, from.options());
        const torch::Tensor inverse = fresh_memory({x.size(0), x.size(1)}, from.options());
        start<cuda::ResidualNorm>(from, &cuda::Kernels::residual_norm,
                                  {.runs = x.size(0),
                                   .rows = x.size(1),
                                   .columns = x.size(2),
                                   .type = type_of(normed),
                                   .x = numbers(from),
                                   .branch = values(branch),
                                   .weight = weights.weight.data_ptr<float>(),
                                   .bias = weights.numbers_of_bias(),
                                   .stride = weights.weight.stride(0),
                                   .dropout = place->drops.numbers(x.size(1) * x.size(2)),
                                   .sum = numbers(sum),
                                   .normed = values(normed),
                                   .mean = numbers(mean),
                                   .inverse = numbers(inverse),
                                   .centred = place->centred},
                                  "residual_norm");
        context->save_for_backward({sum, mean, inverse, weights.weight});
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        context->saved_data["branch"] = branch.defined();
        context->saved_data["bias"] = weights.bias.defined();
        context->saved_data["type"] = type;
        return {branch.defined() ? sum : x, normed};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& sum = saved[0];
        const device_launch::Place& place = place_of<device_launch::Place>(context);
        const auto type = context->saved_data["type"].toScalarType();
        const bool branch = context->saved_data["branch"].toBool();
        const bool biased = context->saved_data["bias"].toBool();
        const std::int64_t runs = sum.size(0);
        const std::int64_t rows = sum.size(1);
        const std::int64_t columns = sum.size(2);
        const torch::Tensor grad_sum =
            gradients[0].defined() ? gradients[0].to(torch::kFloat32).contiguous() : torch::Tensor();
        const torch::Tensor grad_normalized = gradients[1].defined()
                                                  ? gradients[1].to(type).contiguous()
                                                  : torch::zeros(sum.sizes(), sum.options().dtype(type));
        const torch::Tensor grad_x = fresh_memory_like(sum);
        const torch::Tensor grad_branch = branch ? fresh_memory_like(grad_normalized) : torch::Tensor();
        const torch::Tensor grad_weight = fresh_memory({runs, columns}, sum.options());
        const torch::Tensor grad_bias = biased ? fresh_memory_like(grad_weight) : torch::Tensor();
        const torch::Tensor workspace = fresh_memory({2, runs, cuda::norm_parts(rows), columns}, sum.options());
        start<cuda::ResidualNormBackward>(sum, &cuda::Kernels::residual_norm_backward,
                                          {.runs = runs,
                                           .rows = rows,
                                           .columns = columns,
                                           .type = type_of(grad_normalized),
                                           .sum = numbers(sum),
                                           .mean = numbers(saved[1]),
                                           .inverse = numbers(saved[2]),
                                           .weight = saved[3].data_ptr<float>(),
                                           .stride = saved[3].stride(0),
                                           .grad_sum = numbers(grad_sum),
                                           .grad_normalized = values(grad_normalized),
                                           .dropout = place.drops.numbers(rows * columns),
                                           .grad_x = numbers(grad_x),
                                           .grad_branch = values(grad_branch),
                                           .grad_weight = numbers(grad_weight),
                                           .grad_bias = numbers(grad_bias),
                                           .gradient_stride = columns,
                                           .workspace = numbers(workspace),
                                           .centred = place.centred},
                                          "residual_norm_backward");
        return {grad_x, grad_branch, grad_weight, grad_bias, {}, {}};
    }
};

class DeviceLookUp : public torch::autograd::Function<DeviceLookUp> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given_table,
                                 const torch::Tensor& tokens) {
        const bool rows = given_table.stride(2) == 1 && given_table.stride(1) == given_table.size(2);
        const torch::Tensor table = rows ? given_table : given_table.contiguous();
        const torch::Tensor ids = tokens.contiguous();
        const torch::Tensor result = fresh_memory({table.size(0), ids.size(1), table.size(2)}, table.options());
        start<cuda::LookUp>(table, &cuda::Kernels::look_up,
                            {.runs = table.size(0),
                             .rows = ids.size(1),
                             .columns = table.size(2),
                             .table = table.data_ptr<float>(),
                             .stride = table.stride(0),
                             .tokens = ids.data_ptr<std::int64_t>(),
                             .out = numbers(result)},
                            "look_up");
        context->save_for_backward({ids});
        context->saved_data["symbols"] = table.size(1);
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const torch::Tensor ids = context->get_saved_variables()[0];
        const torch::Tensor gradient = gradients[0].to(torch::kFloat32).contiguous();
        const std::int64_t runs = gradient.size(0);
        const std::int64_t rows = gradient.size(1);
        const std::int64_t columns = gradient.size(2);
        const std::int64_t vocabulary = context->saved_data["symbols"].toInt();
        const std::int64_t parts = cuda::embedding_parts(rows, vocabulary);
        const torch::Tensor grad_table = fresh_memory({runs, vocabulary, columns}, gradient.options());
        const torch::Tensor workspace =
            parts > 1 ? fresh_memory({runs, parts, vocabulary, columns}, gradient.options()) : torch::Tensor();
        start<cuda::EmbeddingGradient>(gradient, &cuda::Kernels::embedding_gradient,
                                       {.runs = runs,
                                        .rows = rows,
                                        .vocabulary = vocabulary,
                                        .columns = columns,
                                        .gradient = numbers(gradient),
                                        .tokens = ids.data_ptr<std::int64_t>(),
                                        .grad_table = numbers(grad_table),
                                        .gradient_stride = vocabulary * columns,
                                        .workspace = numbers(workspace)},
                                       "embedding_gradient");
        return {grad_table, {}};
    }
};

// Returns whether `logits` are the first columns of longer rows that lie one after another.
bool padded_rows(const torch::Tensor& logits) {
    return logits.stride(2) == 1 && logits.stride(1) >= logits.size(2) &&
           (logits.size(0) == 1 || logits.stride(0) == logits.size(1) * logits.stride(1));
}

class DeviceTokenLosses : public torch::autograd::Function<DeviceTokenLosses> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& logits, const torch::Tensor& targets) {
        const torch::Tensor from = padded_rows(logits) ? logits : logits.contiguous();
        const torch::Tensor ids = targets.contiguous();
        const torch::Tensor losses = fresh_memory(ids.sizes(), from.options().dtype(torch::kFloat32));
        const torch::Tensor log_sums = fresh_memory_like(losses);
        start<cuda::CrossEntropy>(from, &cuda::Kernels::cross_entropy,
                                  {.rows = ids.numel(),
                                   .columns = from.size(2),
                                   .padded = from.stride(1),
                                   .type = type_of(from),
                                   .logits = from.data_ptr(),
                                   .targets = ids.data_ptr<std::int64_t>(),
                                   .losses = numbers(losses),
                                   .log_sums = numbers(log_sums)},
                                  "cross_entropy");
        context->save_for_backward({from, ids, log_sums});
        return losses;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& logits = saved[0];
        const torch::Tensor scales = gradients[0].to(torch::kFloat32).contiguous();
        const torch::Tensor of_rows =
            fresh_memory({logits.size(0), logits.size(1), logits.stride(1)}, logits.options());
        start<cuda::CrossEntropyBackward>(logits, &cuda::Kernels::cross_entropy_backward,
                                          {.rows = scales.numel(),
                                           .columns = logits.size(2),
                                           .padded = logits.stride(1),
                                           .type = type_of(logits),
                                           .logits = logits.data_ptr(),
                                           .targets = saved[1].data_ptr<std::int64_t>(),
                                           .log_sums = numbers(saved[2]),
                                           .scales = numbers(scales),
                                           .gradient = values(of_rows)},
                                          "cross_entropy_backward");
        return {of_rows.narrow(2, 0, logits.size(2)), {}};
    }
};

class DropOut : public torch::autograd::Function<DropOut> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                                 const c10::intrusive_ptr<device_launch::Place>& place) {
        context->saved_data["place"] = torch::IValue::make_capsule(place);
        return dropped(x.contiguous(), *place);
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        return {dropped(gradients[0].contiguous(), place_of<device_launch::Place>(context)), {}};
    }

 private:
    static torch::Tensor dropped(const torch::Tensor& x, const device_launch::Place& place) {
        torch::Tensor result = fresh_memory_like(x);
        start<cuda::DropOut>(x, &cuda::Kernels::drop_out,
                             {.runs = x.size(0),
                              .size = x.numel() / x.size(0),
                              .type = type_of(x),
                              .in = values(x),
                              .out = values(result),
                              .dropout = place.drops.numbers(x.numel() / x.size(0))},
                             "drop_out");
        return result;
    }
};

class DeviceLinear : public torch::autograd::Function<DeviceLinear> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                                 const std::optional<torch::Tensor>& working, torch::ScalarType type) {
        const torch::Tensor a = x.to(type);
        const torch::Tensor b = padded(working.value_or(weight).to(type), 1, padding(weight.size(1), type));
        context->save_for_backward({a, b});
        context->saved_data["out"] = weight.size(1);
        return torch::bmm(a, b.transpose(1, 2)).narrow(2, 0, weight.size(1));
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const std::int64_t out = context->saved_data["out"].toInt();
        const torch::Tensor gradient = padded(gradients[0].to(saved[0].scalar_type()), 2, saved[1].size(1) - out);
        // Weight gradients sum over all tokens, in float32 within the product; they stay float32 if LibTorch can return
        // it.
        const torch::Tensor across = gradient.transpose(1, 2);
        const torch::Tensor grad_weight =
            gradient.is_cuda() ? at::bmm(across, saved[0], torch::kFloat32) : torch::bmm(across, saved[0]);
        return {torch::bmm(gradient, saved[1]), grad_weight.narrow(1, 0, out), {}, {}};
    }

 private:
    // Tensor cores require a multiple of eight columns: a vocabulary of 65 tokens is padded to 128.
    static std::int64_t padding(std::int64_t columns, torch::ScalarType type) {
        if (type != torch::kBFloat16 || columns % 8 == 0) return 0;
        return (columns + 63) / 64 * 64 - columns;
    }
    // Appends `count` zeros to dimension 1 or 2 of a three-dimensional tensor.
    static torch::Tensor padded(const torch::Tensor& x, int dimension, std::int64_t count) {
        if (count == 0) return x;
        return dimension == 2 ? torch::constant_pad_nd(x, {0, count}) : torch::constant_pad_nd(x, {0, 0, 0, count});
    }
};

}  // namespace

void set_device_kernels(torch::DeviceType device, DeviceKernels kernels) {
    served[static_cast<std::size_t>(device)] = kernels;
}
const DeviceKernels& device_kernels(const torch::Device& device) {
    return served[static_cast<std::size_t>(device.type())];
}
bool has_device_kernels(const torch::Device& device) {
    return device_kernels(device).table != nullptr;
}
bool has_device_kernels(const torch::Device& device, DevicePart part) {
    return has_device_kernels(device) && device_kernels(device).trust.trusts(part);
}
bool has_device_kernels(const torch::Tensor& tensor, DevicePart part) {
    return !is_eager() && has_device_kernels(tensor.device(), part);
}
bool has_device_kernels(const torch::Tensor& tensor) {
    return !is_eager() && has_device_kernels(tensor.device());
}

void check_launch(const DeviceKernels& kernels, int error, const char* kernel) {
    if (error == 0) return;
    // A launch that is refused because of its arguments leaves the device usable; any other error is permanent.
    constexpr int invalid_value = 1;
    constexpr int out_of_resources = 701;
    const bool lost = error != invalid_value && error != out_of_resources;
    throw DeviceFault(
        std::string("The device refused the kernel ") + kernel + ": " + kernels.table->error_text(error) + ".", lost);
}

DeviceStreams::DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device)
    : seeds_(std::move(seeds)), step_(torch::full({1}, step, torch::kInt64).to(device)) {}

const torch::Tensor& DeviceStreams::keys(const std::string& what) {
    if (const auto found = keys_.find(what); found != keys_.end()) return found->second;
    static_assert(sizeof(cuda::StreamKey) == 2 * sizeof(std::int32_t));
    const torch::Tensor made = torch::empty({std::ssize(seeds_), 2}, torch::kInt32);
    auto* keys = static_cast<cuda::StreamKey*>(made.data_ptr());
    for (std::size_t run = 0; run < seeds_.size(); ++run) keys[run] = cuda::stream_key(seeds_[run], what);
    return keys_.emplace(what, made.to(step_.device())).first->second;
}

namespace on_device {

NormalizedResidual residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                                 const torch::Tensor& bias, const Dropout& dropout, const std::string& place, Norm norm,
                                 torch::ScalarType type) {
    auto what = c10::make_intrusive<device_launch::Place>(branch.defined() ? dropout : Dropout(), place, x.device());
    what->centred = norm == Norm::layer;
    if (branch.defined() || x.scalar_type() == torch::kBFloat16) type = (branch.defined() ? branch : x).scalar_type();
    const auto results =
        DeviceResidualNorm::apply(x.to(torch::kFloat32), given(branch), weight, given(bias), type, std::move(what));
    return {results[0], results[1]};
}

torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens) {
    return DeviceLookUp::apply(table, tokens);
}

torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets) {
    return DeviceTokenLosses::apply(logits, targets);
}

torch::Tensor drop_out(const torch::Tensor& x, const Dropout& dropout, const std::string& place) {
    return DropOut::apply(x, c10::make_intrusive<device_launch::Place>(dropout, place, x.device()));
}

torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision) {
    const auto type = precision == Precision::bfloat16 ? torch::kBFloat16 : torch::kFloat32;
    const torch::Tensor working = type == torch::kBFloat16 ? matrix.working : torch::Tensor();
    const torch::Tensor result = DeviceLinear::apply(x, matrix.weight, given(working), type);
    return bias.defined() ? result + bias.unsqueeze(1).to(type) : result;
}

}  // namespace on_device

}  // namespace ropelab
