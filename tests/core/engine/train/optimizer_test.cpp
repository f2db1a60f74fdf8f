// Optimizers against their published algorithms in double precision, number by number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/engine/train/torch_cohort.h"
#include "core/plan/layout.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

using Numbers = std::vector<double>;

constexpr int optimizer_vocabulary = 7;
const std::vector<std::int64_t> optimizer_starts = {3, 50, 120, 333};

struct Trained {
    std::vector<std::int64_t> shape;
    Numbers weight, first, second;
};

// Returns a · b, where a is (rows, inner) and b is (inner, columns).
Numbers matrix_product(const Numbers& a, const Numbers& b, std::size_t inner) {
    const std::size_t rows = a.size() / inner;
    const std::size_t columns = b.size() / inner;
    Numbers result(rows * columns, 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < inner; ++i) {
            for (std::size_t column = 0; column < columns; ++column) {
                result[row * columns + column] += a[row * inner + i] * b[i * columns + column];
            }
        }
    }
    return result;
}

Numbers transposed(const Numbers& a, std::size_t rows) {
    const std::size_t columns = a.size() / rows;
    Numbers result(a.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column)
            result[column * rows + row] = a[row * columns + column];
    }
    return result;
}

// zeropower_via_newtonschulz5 of Jordan et al. 2024.
Numbers newton_schulz(Numbers x, std::size_t rows) {
    const std::size_t columns = x.size() / rows;
    const bool tall = rows > columns;
    if (tall) x = transposed(x, rows);
    const std::size_t shorter = std::min(rows, columns);
    double squares = 0;
    for (const double number : x) squares += number * number;
    for (double& number : x) number /= std::sqrt(squares) + 1e-7;
    for (int step = 0; step < 5; ++step) {
        const Numbers a = matrix_product(x, transposed(x, shorter), x.size() / shorter);
        const Numbers aa = matrix_product(a, a, shorter);
        Numbers b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) b[i] = -4.7750 * a[i] + 2.0315 * aa[i];
        const Numbers bx = matrix_product(b, x, shorter);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 3.4445 * x[i] + bx[i];
    }
    return tall ? transposed(x, shorter) : x;
}

void adamw_by_definition(Trained& tensor, const Numbers& gradient, const RunSpec& spec, int step, double rate,
                         double decay) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        tensor.first[i] = spec.beta1 * tensor.first[i] + (1 - spec.beta1) * gradient[i];
        tensor.second[i] = spec.beta2 * tensor.second[i] + (1 - spec.beta2) * gradient[i] * gradient[i];
        const double mean = tensor.first[i] / (1 - std::pow(spec.beta1, step));
        const double square = tensor.second[i] / (1 - std::pow(spec.beta2, step));
        tensor.weight[i] -= rate * decay * tensor.weight[i];
        tensor.weight[i] -= rate * mean / (std::sqrt(square) + 1e-8);
    }
}

void sgd_by_definition(Trained& tensor, const Numbers& gradient, const RunSpec& spec, double rate, double decay) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        tensor.first[i] = spec.momentum * tensor.first[i] + gradient[i];
        tensor.weight[i] = (1 - rate * decay) * tensor.weight[i] - rate * tensor.first[i];
    }
}

void muon_by_definition(Trained& tensor, const Numbers& gradient, const RunSpec& spec, double rate, double decay) {
    Numbers update(gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        tensor.first[i] += (1 - spec.momentum) * (gradient[i] - tensor.first[i]);
        update[i] = gradient[i] + spec.momentum * (tensor.first[i] - gradient[i]);
    }
    update = newton_schulz(update, static_cast<std::size_t>(tensor.shape[0]));
    const double factor = 0.2 * std::sqrt(static_cast<double>(std::max(tensor.shape[0], tensor.shape[1])));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        tensor.weight[i] = (1 - rate * decay) * tensor.weight[i] - rate * factor * update[i];
    }
}

std::map<std::string, NamedTensor> by_name(const std::vector<NamedTensor>& tensors) {
    std::map<std::string, NamedTensor> result;
    for (const NamedTensor& tensor : tensors) result[tensor.name] = tensor;
    return result;
}

// Trains a cohort of one run for some steps and compares each weight with the definition of its optimizer, whose
// gradients are those of the cohort.
void expect_the_definition(const RunSpec& spec, double tolerance) {
    const auto tokens = tiny_tokens(400);
    CohortStart start;
    start.runs = {spec};
    TorchCohort cohort(start, {optimizer_vocabulary, tokens, tokens}, 1);
    std::map<std::string, Trained> expected;
    for (const auto& [name, tensor] : by_name(cohort.state(0))) {
        if (!name.starts_with("model.")) continue;
        const Numbers weight(tensor.values.begin(), tensor.values.end());
        expected[name.substr(6)] = {tensor.shape, weight, Numbers(weight.size(), 0.0), Numbers(weight.size(), 0.0)};
    }
    for (int step = 1; step <= 4; ++step) {
        const auto gradients = by_name(cohort.gradient_at({optimizer_starts}, 0));
        double squares = 0;
        for (const auto& [name, gradient] : gradients) {
            for (const float number : gradient.values) squares += static_cast<double>(number) * number;
        }
        const double norm = std::sqrt(squares);
        const double scale = norm > spec.clip ? spec.clip / (norm + 1e-6) : 1.0;
        const double rate = cohort.step_at({optimizer_starts}).front().learning_rate;
        const auto state = by_name(cohort.state(0));
        for (auto& [name, tensor] : expected) {
            const bool matrix = tensor.shape.size() > 1;
            const double decay = matrix ? spec.weight_decay : 0.0;
            const bool adds_decay = spec.weight_decay_kind == WeightDecayKind::l2;
            Numbers gradient;
            for (std::size_t i = 0; i < tensor.weight.size(); ++i) {
                gradient.push_back(scale * gradients.at(name).values[i] + (adds_decay ? decay * tensor.weight[i] : 0));
            }
            const double decoupled = adds_decay ? 0.0 : decay;
            if (spec.optimizer == OptimizerKind::sgd) {
                sgd_by_definition(tensor, gradient, spec, rate, decoupled);
            } else if (spec.optimizer == OptimizerKind::muon && matrix && name.starts_with("layers.")) {
                muon_by_definition(tensor, gradient, spec, rate, decoupled);
            } else {
                adamw_by_definition(tensor, gradient, spec, step, rate, decoupled);
            }
            const std::vector<float>& got = state.at("model." + name).values;
            double difference = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                difference = std::max(difference, std::abs(got[i] - tensor.weight[i]));
                tensor.weight[i] = got[i];  // so that each step is compared separately
            }
            EXPECT_LE(difference, tolerance) << name << ", step " << step;
        }
    }
}

RunSpec optimizer_spec(OptimizerKind optimizer) {
    RunSpec spec = tiny_spec();
    spec.bias = true;
    spec.position = Position::learned;
    spec.optimizer = optimizer;
    spec.weight_decay = 0.2;
    spec.momentum = 0.9;
    spec.warmup = 0;
    spec.learning_rate = 1e-2;
    spec.final_learning_rate = 1e-2;
    return spec;
}

TEST(OptimizerTest, EachFollowsItsDefinition) {
    for (const OptimizerKind optimizer : {OptimizerKind::adamw, OptimizerKind::sgd, OptimizerKind::muon}) {
        for (const WeightDecayKind kind : {WeightDecayKind::decoupled, WeightDecayKind::l2}) {
            for (const Operations operations : {Operations::fused, Operations::eager}) {
                SCOPED_TRACE(testing::Message()
                             << "optimizer " << static_cast<int>(optimizer) << ", decay " << static_cast<int>(kind)
                             << ", eager " << (operations == Operations::eager));
                RunSpec spec = optimizer_spec(optimizer);
                spec.weight_decay_kind = kind;
                spec.operations = operations;
                // AdamW divides by the root of the squared gradient, which amplifies rounding where the L2 term and the
                // gradient nearly cancel.
                const bool amplifies = optimizer != OptimizerKind::sgd && kind == WeightDecayKind::l2;
                expect_the_definition(spec, amplifies ? 2e-4 : 5e-6);
            }
        }
    }
}

// Muon trains the matrices of experts one by one, and AdamW their biases and the learned vectors of distances.
TEST(OptimizerTest, MuonTrainsTheMatricesOfLayers) {
    RunSpec spec = optimizer_spec(OptimizerKind::muon);
    spec.experts = 4;
    spec.position = Position::shaw;
    const Layout layout = layout_of(spec, optimizer_vocabulary);
    const auto trains = [&](const std::string& name) { return trains_with_muon(layout, layout.at(name)); };
    for (const char* name : {"attention.qkv", "attention.output", "mlp.router", "mlp.experts.up", "mlp.experts.down"})
        EXPECT_TRUE(trains("layers.1." + std::string(name) + ".weight")) << name;
    for (const char* name : {"attention.relative_keys.weight", "attention.relative_values.weight",
                             "mlp.experts.up.bias", "mlp.experts.down.bias", "attention_norm.weight"}) {
        EXPECT_FALSE(trains("layers.1." + std::string(name))) << name;
    }
    EXPECT_FALSE(trains("embedding.weight"));
}

// Five Newton–Schulz iterations bring the singular values of a matrix near 1.
TEST(OptimizerTest, MuonsUpdateIsNearlyOrthogonal) {
    Numbers matrix;
    for (int i = 0; i < 12; ++i) matrix.push_back(std::sin(1.0 + i * i));
    const Numbers update = newton_schulz(matrix, 3);
    const Numbers squares = matrix_product(update, transposed(update, 3), 4);
    for (std::size_t row = 0; row < 3; ++row) EXPECT_NEAR(squares[row * 3 + row], 1.0, 0.6);
}

// A run that resumes from its state gives the same weights, bit for bit, as one that was not interrupted, and no other
// run of its cohort changes them.
TEST(OptimizerTest, ResumesBitForBitInAnyCohort) {
    const auto tokens = tiny_tokens(1000);
    const TokenData data{optimizer_vocabulary, tokens, tokens};
    for (const OptimizerKind optimizer : {OptimizerKind::sgd, OptimizerKind::muon}) {
        for (const WeightDecayKind kind : {WeightDecayKind::decoupled, WeightDecayKind::l2}) {
            RunSpec spec = optimizer_spec(optimizer);
            spec.weight_decay_kind = kind;
            CohortStart start;
            start.runs = {spec};
            TorchCohort whole(start, data, 2);
            for (int step = 0; step < 6; ++step) whole.step();
            start.runs.push_back(spec);
            start.runs.back().seed = 5;
            TorchCohort first(start, data, 2);
            for (int step = 0; step < 3; ++step) first.step();
            start.iteration = 3;
            start.states = {first.state(1), first.state(0)};
            start.conditions = first.conditions();
            std::swap(start.runs[0], start.runs[1]);
            TorchCohort second(start, data, 2);
            for (int step = 0; step < 3; ++step) second.step();
            EXPECT_TRUE(second.state(1) == whole.state(0));
        }
    }
}

// In bfloat16 the products use the weights that the optimizer has just changed.
TEST(OptimizerTest, Bfloat16UsesTheNewWeights) {
    const auto tokens = tiny_tokens(1000);
    for (const OptimizerKind optimizer : {OptimizerKind::sgd, OptimizerKind::muon}) {
        RunSpec spec = optimizer_spec(optimizer);
        spec.learning_rate = spec.final_learning_rate = optimizer == OptimizerKind::sgd ? 0.1 : 1e-2;
        std::vector<double> losses;
        for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
            spec.precision = precision;
            CohortStart start;
            start.runs = {spec};
            TorchCohort cohort(start, {optimizer_vocabulary, tokens, tokens}, 1);
            const double first = cohort.step().front().training_loss;
            for (int step = 0; step < 60; ++step) cohort.step();
            losses.push_back(cohort.step().front().training_loss);
            EXPECT_LT(losses.back(), first - 0.1);
        }
        EXPECT_NEAR(losses[0], losses[1], 0.05 * losses[0]);
    }
}

}  // namespace
}  // namespace ropelab
