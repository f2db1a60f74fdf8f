#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"
#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

template <typename Branch, typename Out>
void forward_row(const NormForward<Branch, Out>& args, std::int64_t row, const float* mask) {
    const std::int64_t n = args.columns;
    const float* x = args.x + row * n;
    Floats totals = {};
    if (args.branch) {
        const Branch* branch = args.branch + row * n;
        float* sum = args.sum + row * n;
        for_lanes(n, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
            Floats added = load_lanes(branch + i, count);
            if (mask) added *= load_lanes(mask + i, count);
            const Floats both = load_lanes(x + i, count) + added;
            store_lanes(sum + i, both, count);
            totals += both;
        });
        x = sum;
    } else {
        for_lanes(n, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA { totals += load_lanes(x + i, count); });
    }
    const float mean = args.centred ? sum_of(totals) / static_cast<float>(n) : 0.0F;
    Floats squares = {};
    for_lanes(n, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
        const Floats off = load_lanes(x + i, count, mean) - mean;
        squares += off * off;
    });
    const float inverse = 1.0F / std::sqrt(sum_of(squares) / static_cast<float>(n) + args.epsilon);
    args.mean[row] = mean;
    args.inverse[row] = inverse;
    Out* normed = args.normed + row * n;
    for_lanes(n, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
        Floats result = (load_lanes(x + i, count) - mean) * inverse * load_lanes(args.weight + i, count);
        if (args.bias) result += load_lanes(args.bias + i, count);
        store_lanes(normed + i, result, count);
    });
}

template <typename Branch, typename Out>
void backward_row(const NormBackward<Branch, Out>& args, std::int64_t row, const float* mask, float* grad_weight,
                  float* grad_bias) {
    const std::int64_t n = args.columns;
    const float* sum = args.sum + row * n;
    const Out* gradient = args.grad_normalized + row * n;
    const float mean = args.mean[row];
    const float inverse = args.inverse[row];
    Floats along = {};   // Σ g·w·x̂
    Floats totals = {};  // Σ g·w
    for_lanes(n, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
        const Floats weighted = load_lanes(gradient + i, count) * load_lanes(args.weight + i, count);
        along += weighted * ((load_lanes(sum + i, count) - mean) * inverse);
        totals += weighted;
    });
    const float a = sum_of(along) / static_cast<float>(n);
    const float b = args.centred ? sum_of(totals) / static_cast<float>(n) : 0.0F;
    float* grad_x = args.grad_x + row * n;
    for_lanes(n, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
        const Floats g = load_lanes(gradient + i, count);
        const Floats normal = (load_lanes(sum + i, count) - mean) * inverse;
        store_lanes(grad_weight + i, load_lanes(grad_weight + i, count) + g * normal, count);
        if (grad_bias) store_lanes(grad_bias + i, load_lanes(grad_bias + i, count) + g, count);
        Floats result = inverse * (g * load_lanes(args.weight + i, count) - b - normal * a);
        if (args.grad_sum) result += load_lanes(args.grad_sum + row * n + i, count);
        store_lanes(grad_x + i, result, count);
        if (args.grad_branch) {
            if (mask) result *= load_lanes(mask + i, count);
            store_lanes(args.grad_branch + row * n + i, result, count);
        }
    });
}

}  // namespace

template <typename Branch, typename Out>
void norm_forward(const NormForward<Branch, Out>& args, std::int64_t rows, std::int64_t first, std::int64_t last) {
    const bool drops = args.dropout.stream && args.branch;
    for (std::int64_t block = first; block < last; ++block) {
        const std::int64_t begin = block * block_rows;
        const std::int64_t end = std::min(rows, begin + block_rows);
        if (drops) {
            args.dropout.stream->fill_dropout(
                {args.mask + begin * args.columns, static_cast<std::size_t>((end - begin) * args.columns)},
                args.dropout.rate, args.dropout.step,
                args.dropout.first + static_cast<std::uint64_t>(begin * args.columns));
        }
        for (std::int64_t row = begin; row < end; ++row) {
            forward_row(args, row, drops ? args.mask + row * args.columns : nullptr);
        }
    }
}

template <typename Branch, typename Out>
void norm_backward(const NormBackward<Branch, Out>& args, std::int64_t rows, std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
        const std::int64_t begin = block * block_rows;
        float* grad_weight = args.grad_weight + block * args.columns;
        float* grad_bias = args.grad_bias ? args.grad_bias + block * args.columns : nullptr;
        std::fill_n(grad_weight, args.columns, 0.0F);
        if (grad_bias) std::fill_n(grad_bias, args.columns, 0.0F);
        for (std::int64_t row = begin; row < std::min(rows, begin + block_rows); ++row) {
            backward_row(args, row, args.mask ? args.mask + row * args.columns : nullptr, grad_weight, grad_bias);
        }
    }
}

template void norm_forward(const NormForward<float, float>&, std::int64_t, std::int64_t, std::int64_t);
template void norm_forward(const NormForward<float, Bfloat16>&, std::int64_t, std::int64_t, std::int64_t);
template void norm_forward(const NormForward<Bfloat16, Bfloat16>&, std::int64_t, std::int64_t, std::int64_t);
template void norm_backward(const NormBackward<float, float>&, std::int64_t, std::int64_t, std::int64_t);
template void norm_backward(const NormBackward<float, Bfloat16>&, std::int64_t, std::int64_t, std::int64_t);
template void norm_backward(const NormBackward<Bfloat16, Bfloat16>&, std::int64_t, std::int64_t, std::int64_t);

void sum_rows(const float* parts, std::int64_t rows, std::int64_t columns, float* out) {
    std::copy_n(parts, columns, out);
    for (std::int64_t row = 1; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) out[i] += parts[row * columns + i];
    }
}

}  // namespace ropelab::kernels
