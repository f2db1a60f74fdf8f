#include <algorithm>
#include <cmath>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

float sum_of_exponentials(const float* logits, std::int64_t columns, float top) {
    Floats totals = {};
    for_lanes(columns, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
        totals += exp_of_negative(load_lanes(logits + i, count, -INFINITY) - top);
    });
    return sum_of(totals);
}

// softmax(logits) · scale of one row, given its log Σ exp(logits).
void scaled_softmax(const float* logits, std::int64_t columns, float log_sum, float scale, float* out) {
    // The exponent is not positive, because log Σ exp is at least the largest logit, except for rounding.
    for_lanes(columns, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
        store_lanes(out + i, exp_of_negative(load_lanes(logits + i, count) - log_sum) * scale, count);
    });
}

}  // namespace

void cross_entropy(const float* logits, const std::int64_t* targets, std::int64_t columns, float* losses,
                   float* log_sums, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
        const float* numbers = logits + row * columns;
        const float top = largest_number(numbers, columns);
        log_sums[row] = top + std::log(sum_of_exponentials(numbers, columns, top));
        losses[row] = log_sums[row] - numbers[targets[row]];
    }
}

void cross_entropy_backward(const float* logits, const std::int64_t* targets, const float* log_sums,
                            std::int64_t columns, float scale, float* gradient, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
        float* out = gradient + row * columns;
        scaled_softmax(logits + row * columns, columns, log_sums[row], scale, out);
        out[targets[row]] -= scale;
    }
}

void gather_rows(const float* table, const std::int64_t* tokens, std::int64_t columns, float* out, std::int64_t first,
                 std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
        std::copy_n(table + tokens[row] * columns, columns, out + row * columns);
    }
}

void scatter_rows(const float* gradient, const std::int64_t* tokens, std::int64_t rows, std::int64_t columns,
                  float* grad_table, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* from = gradient + row * columns;
        float* to = grad_table + tokens[row] * columns;
        for (std::int64_t i = first; i < last; ++i) to[i] += from[i];
    }
}

}  // namespace ropelab::kernels
