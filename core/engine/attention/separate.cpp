#include "core/engine/attention/separate.h"

#include <cmath>
#include <limits>

namespace ropelab {

namespace {

class RepeatedRows : public torch::autograd::Function<RepeatedRows> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& vectors, std::int64_t rows) {
        return vectors.unsqueeze(1).expand({vectors.size(0), rows, vectors.size(1)}).contiguous();
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                   const torch::autograd::variable_list& gradients) {
        const torch::Tensor gradient = gradients[0].contiguous();
        std::vector<torch::Tensor> sums;
        for (std::int64_t run = 0; run < gradient.size(0); ++run) sums.push_back(gradient.select(0, run).sum(0));
        return {torch::stack(sums), {}};
    }
};

}  // namespace

torch::Tensor repeat_rows(const torch::Tensor& vectors, std::int64_t rows) {
    return RepeatedRows::apply(vectors, rows);
}

torch::Tensor softmax_with_sinks(const torch::Tensor& logits, const torch::Tensor& sinks) {
    if (!sinks.defined()) return torch::softmax(logits, -1);
    const std::int64_t runs = sinks.size(0);
    const std::int64_t batch = logits.size(0) / runs;
    const torch::Tensor rows = repeat_rows(sinks.to(logits.scalar_type()), batch * logits.size(2));
    const torch::Tensor column = rows.view({runs * batch, logits.size(2), logits.size(1)}).transpose(1, 2).unsqueeze(3);
    return torch::softmax(torch::cat({logits, column}, -1), -1).narrow(-1, 0, logits.size(-1));
}

torch::Tensor attend_by_operations(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                   const torch::Tensor& mask, const torch::Tensor& sinks, std::int64_t runs,
                                   const Dropout& dropout, const std::string& place, const StageMarks& stages) {
    torch::Tensor logits = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
    if (mask.defined()) {
        logits = logits + mask;
    } else {
        const torch::Tensor future = torch::ones({q.size(2), k.size(2)}, q.options().dtype(torch::kBool)).triu(1);
        logits = logits.masked_fill(future, -std::numeric_limits<double>::infinity());
    }
    stages.computed("attention.scores", logits);
    torch::Tensor weights = softmax_with_sinks(logits, sinks);
    stages.computed("attention.weights", weights);
    if (dropout.active()) weights = dropout(weights.reshape({runs, -1}), place).view(weights.sizes());
    return torch::matmul(weights, v);
}

}  // namespace ropelab
