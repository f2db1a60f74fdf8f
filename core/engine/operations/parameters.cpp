#include "core/engine/operations/parameters.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/device/tensor_memory.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/products.h"

namespace ropelab {

namespace {

// (runs, shape…). `first`: number of the layout with which the rows begin.
torch::Tensor view_of(const torch::Tensor& rows, const Parameter& parameter, std::int64_t first = 0) {
    std::vector<std::int64_t> shape = {rows.size(0)};
    shape.insert(shape.end(), parameter.shape.begin(), parameter.shape.end());
    return rows.narrow(1, parameter.offset - first, parameter.size).view(shape);
}

bool is_matrix(const Layout& layout, const Parameter& parameter) {
    return parameter.shape.size() > 1 && parameter.offset < layout.matrices;
}

class BatchedLinear : public torch::autograd::Function<BatchedLinear> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                                 const torch::Tensor& weight, const std::optional<torch::Tensor>& working, bool rounded,
                                 bool repeats) {
        const auto type = rounded ? torch::kBFloat16 : torch::kFloat32;
        const torch::Tensor a = x.to(type);
        const torch::Tensor b = working.value_or(weight).to(type);
        context->save_for_backward({a, b});
        context->saved_data["copied"] = working.has_value() && working->requires_grad();
        context->saved_data["type"] = static_cast<std::int64_t>(x.scalar_type());
        const torch::Tensor transposed = b.transpose(1, 2);
        return (repeats ? product(a, transposed) : torch::bmm(a, transposed)).to(x.scalar_type());
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor& x = saved[0];
        const torch::Tensor& weight = saved[1];
        const torch::Tensor gradient = gradients[0].to(x.scalar_type());
        const torch::Tensor weight_gradient = product_by_run(gradient.transpose(1, 2), x);
        const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
        const torch::Tensor x_gradient = product(gradient, weight).to(type);
        if (context->saved_data["copied"].toBool()) return {x_gradient, {}, weight_gradient, {}, {}};
        return {x_gradient, weight_gradient.to(torch::kFloat32), {}, {}, {}};
    }
};

}  // namespace

torch::Tensor Matrix::numbers(const torch::Tensor& rows) const {
    const auto chosen = [&](const torch::Tensor& all) { return rows.defined() ? all.index_select(1, rows) : all; };
    if (weight.defined()) return chosen(weight);
    return scales.defined() ? chosen(working).to(torch::kFloat32).sub_(128.0).mul_(chosen(scales).unsqueeze(-1))
                            : chosen(working);
}

torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision) {
    const bool rounded = precision == Precision::bfloat16;
    const auto working = rounded && matrix.working.defined() ? std::optional(matrix.working) : std::nullopt;
    // Generation without a cache has another number of rows for each token; training and evaluations repeat theirs.
    const bool repeats = torch::GradMode::is_enabled() || x.size(1) >= rows_of_evaluations;
    const torch::Tensor result = BatchedLinear::apply(x, matrix.numbers(), working, rounded, repeats);
    if (!bias.defined()) return result;
    const bool keeps_type = is_accelerated(x.device()) && !is_eager();
    return result + (keeps_type ? bias.to(result.scalar_type()) : bias).unsqueeze(1);
}

Parameters::Parameters(Layout layout, torch::Tensor flat, const torch::Tensor& rounded, const torch::Tensor& scales)
    : layout_(std::move(layout)), flat_(std::move(flat)) {
    const std::int64_t first = rounded.defined() ? rounded.size(1) : 0;
    std::int64_t row = 0;
    for (const Parameter& parameter : layout_.parameters) {
        const bool is_rounded = parameter.offset < first;
        leaves_.push_back(is_rounded ? torch::Tensor()
                                     : view_of(flat_, parameter, first).detach().requires_grad_(first == 0));
        working_.push_back(is_rounded ? view_of(rounded, parameter) : torch::Tensor());
        const bool has_scales = is_rounded && scales.defined();
        const std::int64_t rows = parameter.shape.front();
        scales_.push_back(has_scales ? scales.narrow(1, row, rows) : torch::Tensor());
        row += has_scales ? rows : 0;
    }
}

Parameters Parameters::part(std::int64_t first, std::int64_t count) const {
    Parameters result(layout_, flat_.narrow(0, first, count));
    for (std::size_t i = 0; i < working_.size(); ++i) {
        if (working_[i].defined())
            result.working_[i] = working_[i].detach().narrow(0, first, count).requires_grad_(true);
    }
    return result;
}

std::size_t Parameters::index_of(const std::string& name) const {
    const auto found = std::find_if(layout_.parameters.begin(), layout_.parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    return static_cast<std::size_t>(found - layout_.parameters.begin());
}

torch::Tensor Parameters::get(const std::string& name) const {
    const std::size_t index = index_of(name);
    if (index == leaves_.size()) return {};
    return leaves_[index].defined() ? leaves_[index] : matrix(name).numbers().to(torch::kFloat32);
}

Matrix Parameters::matrix(const std::string& name) const {
    const std::size_t index = index_of(name);
    return index < leaves_.size() ? Matrix{leaves_[index], working_[index], scales_[index]} : Matrix();
}

void Parameters::set_working_copy(bool copied) {
    const torch::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < working_.size(); ++i) {
        const Parameter& parameter = layout_.parameters[i];
        working_[i] = copied && is_matrix(layout_, parameter)
                          ? view_of(flat_, parameter).to(torch::kBFloat16).contiguous().requires_grad_(true)
                          : torch::Tensor();
    }
}

std::int64_t numbers_of_matrices(const Layout& layout) {
    std::int64_t numbers = 0;
    for (const Parameter& parameter : layout.parameters) {
        if (is_matrix(layout, parameter)) numbers = parameter.offset + parameter.size;
    }
    return numbers;
}

torch::Tensor initial_row(const Layout& layout, std::int64_t seed) {
    torch::Tensor row = torch::zeros({layout.total}, torch::kFloat32);
    for (const Parameter& parameter : layout.parameters) {
        torch::Tensor part = row.narrow(0, parameter.offset, parameter.size);
        if (!parameter.initial.empty()) {
            part.copy_(torch::tensor(c10::ArrayRef<double>(parameter.initial), torch::kFloat64));
        } else if (parameter.shape.size() == 1) {
            part.fill_(parameter.deviation);
        } else if (parameter.deviation > 0) {
            RandomStream(seed, "init:" + parameter.name)
                .fill_normal({part.data_ptr<float>(), static_cast<std::size_t>(parameter.size)}, parameter.deviation);
            if (parameter.last_rows > 0) {
                const std::int64_t count = parameter.last_rows * (parameter.size / parameter.shape.front());
                part.narrow(0, parameter.size - count, count).mul_(parameter.last_factor);
            }
        }
    }
    return row;
}

std::vector<NamedTensor> to_named(const Layout& layout, const torch::Tensor& row, const std::string& prefix) {
    const torch::Tensor host = row.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    const float* numbers = host.data_ptr<float>();
    std::vector<NamedTensor> result;
    for (const Parameter& parameter : layout.parameters) {
        result.push_back({prefix + parameter.name,
                          parameter.shape,
                          {numbers + parameter.offset, numbers + parameter.offset + parameter.size}});
    }
    return result;
}

torch::Tensor from_named(const Layout& layout, std::span<const NamedTensor> tensors, const std::string& prefix) {
    torch::Tensor row = empty_in_large_pages(layout.total);
    for (const Parameter& parameter : layout.parameters) {
        const std::string name = prefix + parameter.name;
        const auto found =
            std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name == name; });
        if (found == tensors.end())
            throw BadInput("The checkpoint does not contain the tensor \"" + name + "\", which this model requires.");
        if (found->shape != parameter.shape) {
            throw BadInput("The checkpoint's tensor \"" + name +
                           "\" does not have the shape that the model's settings require.");
        }
        std::copy(found->values.begin(), found->values.end(), row.data_ptr<float>() + parameter.offset);
    }
    return row;
}

}  // namespace ropelab
