#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"
#include "core/kernels/target_clones.h"
#include "core/spec/random_stream.h"

namespace ropelab::kernels {

namespace {

ROPELAB_CLONES void multiply(const float* a, const float* b, float* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}

ROPELAB_CLONES void keep_where_not_zero(const float* dropped, float kept, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = dropped[i] != 0 ? values[i] * kept : 0.0F;
}

// gradient := shares·(gradient − Σ gradient·shares)·scale
ROPELAB_CLONES void softmax_backward(const float* shares, float* gradient, std::int64_t count, float scale) {
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { totals += load_lanes(gradient + i, some) * load_lanes(shares + i, some); });
    const float total = sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = shares[i] * (gradient[i] - total) * scale;
}

}  // namespace

ROPELAB_CLONES void softmax(float* scores, std::int64_t count, float scale) {
    Floats largest = Floats{} - INFINITY;
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats score = load_lanes(scores + i, some, -INFINITY);
        largest = score > largest ? score : largest;
    });
    float top = largest[0];
    for (std::int64_t lane = 1; lane < lane_count; ++lane) top = std::max(top, largest[lane]);
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats share = exp_of_negative((load_lanes(scores + i, some, -INFINITY) - top) * scale);
        store_lanes(scores + i, share, some);
        totals += share;
    });
    const float inverse = 1.0F / sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) scores[i] *= inverse;
}

ROPELAB_CLONES void turn_heads(float* vectors, std::int64_t count, std::int64_t head_dim, const float* cosine,
                               const float* sine, float direction) {
    const std::int64_t pairs = head_dim / 2;
    for (std::int64_t head = 0; head < count; ++head) {
        float* a = vectors + head * head_dim;
        float* b = a + pairs;
        for (std::int64_t i = 0; i < pairs; ++i) {
            const float first = a[i];
            const float second = b[i];
            const float s = direction * sine[i];
            a[i] = first * cosine[i] - second * s;
            b[i] = second * cosine[i] + first * s;
        }
    }
}

void rotate_qkv(float* qkv, const HeadShape& shape, const RotaryTable& table, float direction, std::int64_t first,
                std::int64_t last) {
    if (!table.cosine) return;
    const std::int64_t pairs = shape.head_dim / 2;
    const std::int64_t width = shape.heads * shape.head_dim;
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t at = (row % shape.time) * pairs;
        // q and k stand side by side: twice as many heads.
        turn_heads(qkv + row * 3 * width, 2 * shape.heads, shape.head_dim, table.cosine + at, table.sine + at,
                   direction);
    }
}

void causal_softmax(float* scores, float* dropped, std::int64_t time, float scale, const DropoutNumbers& dropout,
                    std::int64_t first, std::int64_t last) {
    std::vector<float> mask(dropout.stream ? static_cast<std::size_t>(time) : 0);
    for (std::int64_t row = first; row < last; ++row) {
        float* shares = scores + row * time;
        const std::int64_t seen = row % time + 1;
        softmax(shares, seen, scale);
        std::fill(shares + seen, shares + time, 0.0F);
        if (!dropout.stream) continue;
        dropout.stream->fill_dropout({mask.data(), static_cast<std::size_t>(seen)}, dropout.rate, dropout.step,
                                     static_cast<std::uint64_t>(row * time));
        float* out = dropped + row * time;
        multiply(shares, mask.data(), out, seen);
        std::fill(out + seen, out + time, 0.0F);
    }
}

void causal_softmax_backward(const float* shares, const float* dropped, float* gradient, std::int64_t time, float scale,
                             double rate, std::int64_t first, std::int64_t last) {
    const auto kept = static_cast<float>(1.0 / (1.0 - rate));
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t seen = row % time + 1;
        float* of_scores = gradient + row * time;
        // A share that is 0 by itself has no gradient either, so what is 0 after dropout tells what was dropped.
        if (dropped) keep_where_not_zero(dropped + row * time, kept, of_scores, seen);
        softmax_backward(shares + row * time, of_scores, seen, scale);
        std::fill(of_scores + seen, of_scores + time, 0.0F);
    }
}

}  // namespace ropelab::kernels
