#include "core/plan/stage.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr double gpt2_deviation = 0.02;

double xavier_deviation(Count inputs, Count outputs) {
    return std::sqrt(2.0 / (real(inputs) + real(outputs)));
}

[[noreturn]] void refuse_size() {
    throw BadInput("The model has more than 9·10^18 parameters or bytes of cache; check its sizes.");
}

}  // namespace

Count product_of(std::span<const Count> factors) {
    if (std::any_of(factors.begin(), factors.end(), [](const Count& factor) { return !factor; })) return std::nullopt;
    std::int64_t result = 1;
    for (const Count& factor : factors) {
        if (__builtin_mul_overflow(result, *factor, &result)) refuse_size();
    }
    return result;
}

Count product_of(std::initializer_list<Count> factors) {
    return product_of(std::span(factors));
}

Count sum_of(std::initializer_list<Count> terms) {
    if (std::any_of(terms.begin(), terms.end(), [](const Count& term) { return !term; })) return std::nullopt;
    std::int64_t result = 0;
    for (const Count& term : terms) {
        if (__builtin_add_overflow(result, *term, &result)) refuse_size();
    }
    return result;
}

std::vector<std::int64_t> extents(std::initializer_list<Count> shape) {
    std::vector<std::int64_t> result;
    for (const Count& extent : shape) {
        if (!extent) return {};
        result.push_back(*extent);
    }
    return result;
}

Count Tensor::size() const {
    return product_of(shape);
}

void AnatomyStage::count_tensors() {
    for (const Tensor& tensor : tensors) {
        const Count size = tensor.size();
        parameters = sum_of({parameters, size});
        if (!tensor.multiplies || tensor.shape.size() < 2) continue;
        operations = operations && size ? std::optional(*operations + 2.0 * real(size)) : std::nullopt;
    }
}

std::string AnatomyStage::shape_text() const {
    if (shape.empty()) return "unknown";
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
    return text;
}

double PlanSizes::matrix_deviation(Count inputs, Count outputs) const {
    return xavier ? xavier_deviation(inputs, outputs) : gpt2_deviation;
}

double PlanSizes::output_deviation(Count inputs, Count outputs) const {
    return deepnorm *
           (xavier ? xavier_deviation(inputs, outputs) : gpt2_deviation / std::sqrt(2.0 * static_cast<double>(layers)));
}

std::string factor_text(double factor) {
    if (factor == 1.0 || factor == 0.0) return factor == 1.0 ? "" : "0·";
    const double digits = std::pow(10.0, 3 - std::floor(std::log10(std::abs(factor))));
    return number_text(std::round(factor * digits) / digits) + "·";
}

std::string soft_cap_text(const std::string& name, double cap) {
    const std::string text = number_text(cap);
    return name + " ← " + text + "·tanh(" + name + "/" + text + ")";
}

std::vector<Tensor> linear_tensors(const std::string& name, Count rows, Count columns, double deviation, bool has_bias,
                                   int place) {
    std::vector<Tensor> result = {
        {.name = name + ".weight", .shape = {rows, columns}, .place = place, .deviation = deviation}};
    if (has_bias) result.push_back({.name = name + ".bias", .shape = {rows}, .place = storage::bias});
    return result;
}

std::string product_formula(const std::string& name, const std::string& input, const std::string& index,
                            bool has_bias) {
    std::string formula = name;
    formula += " = " + input + "·W_" + index + "^⊤";
    return has_bias ? formula + " + b_" + index : formula;
}

}  // namespace ropelab
