#include "core/engine/operations/parameters.h"

#include <algorithm>

#include "core/spec/error.h"
#include "core/spec/random_stream.h"

namespace ropelab {

namespace {

// (runs, shape…).
torch::Tensor view_of(const torch::Tensor& rows, const Parameter& parameter) {
    std::vector<std::int64_t> shape = {rows.size(0)};
    shape.insert(shape.end(), parameter.shape.begin(), parameter.shape.end());
    return rows.narrow(1, parameter.offset, parameter.size).view(shape);
}

}  // namespace

Parameters::Parameters(Layout layout, torch::Tensor flat) : layout_(std::move(layout)), flat_(std::move(flat)) {
    for (const Parameter& parameter : layout_.parameters) {
        leaves_.push_back(view_of(flat_, parameter).detach().requires_grad_(true));
    }
    working_.resize(leaves_.size());
}

std::size_t Parameters::index_of(const std::string& name) const {
    const auto found = std::find_if(layout_.parameters.begin(), layout_.parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    return static_cast<std::size_t>(found - layout_.parameters.begin());
}

torch::Tensor Parameters::get(const std::string& name) const {
    const std::size_t index = index_of(name);
    return index < leaves_.size() ? leaves_[index] : torch::Tensor();
}

Matrix Parameters::matrix(const std::string& name) const {
    const std::size_t index = index_of(name);
    return index < leaves_.size() ? Matrix{leaves_[index], working_[index]} : Matrix();
}

void Parameters::set_working_copy(bool copied) {
    const torch::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < working_.size(); ++i) {
        const Parameter& parameter = layout_.parameters[i];
        const bool is_matrix = parameter.shape.size() > 1 && parameter.offset < layout_.matrices;
        working_[i] = copied && is_matrix
                          ? view_of(flat_, parameter).to(torch::kBFloat16).contiguous().requires_grad_(true)
                          : torch::Tensor();
    }
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
    torch::Tensor row = torch::empty({layout.total}, torch::kFloat32);
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
