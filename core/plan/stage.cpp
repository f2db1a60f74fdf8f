#include "core/plan/stage.h"

#include <cmath>
#include <utility>

namespace ropelab {

namespace {

constexpr double gpt2_deviation = 0.02;

double xavier_deviation(Count inputs, Count outputs) {
    return std::sqrt(2.0 / (real(inputs) + real(outputs)));
}

}  // namespace

Count product_of(std::initializer_list<Count> factors) {
    std::int64_t result = 1;
    for (const Count& factor : factors) {
        if (!factor) return std::nullopt;
        result *= *factor;
    }
    return result;
}

Count sum_of(std::initializer_list<Count> terms) {
    std::int64_t result = 0;
    for (const Count& term : terms) {
        if (!term) return std::nullopt;
        result += *term;
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
    std::int64_t result = 1;
    for (const Count& extent : shape) {
        if (!extent) return std::nullopt;
        result *= *extent;
    }
    return result;
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

std::vector<Tensor> linear_tensors(const std::string& name, Count rows, Count columns, double deviation, bool has_bias,
                                   int place) {
    std::vector<Tensor> result = {
        {.name = name + ".weight", .shape = {rows, columns}, .place = place, .deviation = deviation}};
    if (has_bias) result.push_back({.name = name + ".bias", .shape = {rows}, .place = storage::bias});
    return result;
}

AnatomyStage learned_positions(const PlanSizes& sizes, Tensor table) {
    return {.id = "positions",
            .name = "Position embedding",
            .kind = "learned",
            .symbols = "(B, T, C)",
            .shape = extents({sizes.B, sizes.T, sizes.C}),
            .formula = "X_t ← X_t + P[t]",
            .settings = {"position", "context"},
            .tensors = {std::move(table)}};
}

std::string product_formula(const std::string& name, const std::string& input, const std::string& index,
                            bool has_bias) {
    std::string formula = name;
    formula += " = " + input + "·W_" + index + "^⊤";
    return has_bias ? formula + " + b_" + index : formula;
}

}  // namespace ropelab
