#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"
#include "core/spec/random_stream.h"

namespace ropelab::kernels {

namespace {

void multiply(const float* a, const float* b, float* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}

void keep_where_not_zero(const float* dropped, float kept, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = dropped[i] != 0 ? values[i] * kept : 0.0F;
}

template <typename From, typename To>
ROPELAB_INLINE void copy(const From* from, To* to, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { store_lanes(to + i, load_lanes(from + i, some), some); });
}

// One head by `pairs` angles (F1); `to` may be `from`.
template <typename From, typename To>
ROPELAB_INLINE void turn(const From* from, To* to, std::int64_t pairs, const float* cosine, const float* sine,
                         float direction) {
    for_lanes(pairs, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats a = load_lanes(from + i, some);
        const Floats b = load_lanes(from + pairs + i, some);
        const Floats c = load_lanes(cosine + i, some);
        const Floats s = load_lanes(sine + i, some) * direction;
        store_lanes(to + i, a * c - b * s, some);
        store_lanes(to + pairs + i, b * c + a * s, some);
    });
}

// Where a row's numbers of one head begin.
ROPELAB_INLINE std::int64_t place_of(std::int64_t row, std::int64_t head, const HeadShape& shape) {
    const std::int64_t vector = shape.order == HeadOrder::by_position
                                    ? row * shape.heads + head
                                    : (row / shape.time * shape.heads + head) * shape.time + row % shape.time;
    return vector * shape.head_dim;
}

// gradient := shares·(gradient − Σ gradient·shares)·scale
void softmax_backward(const float* shares, float* gradient, std::int64_t count, float scale) {
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { totals += load_lanes(gradient + i, some) * load_lanes(shares + i, some); });
    const float total = sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = shares[i] * (gradient[i] - total) * scale;
}

}  // namespace

void softmax(float* scores, std::int64_t count, float scale) {
    Floats largest = -INFINITY;
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats score = load_lanes(scores + i, some, -INFINITY);
        largest = larger(score, largest);
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

void turn_heads(float* vectors, std::int64_t count, std::int64_t head_dim, const float* cosine, const float* sine,
                float direction) {
    for (std::int64_t head = 0; head < count; ++head, vectors += head_dim) {
        turn(vectors, vectors, head_dim / 2, cosine, sine, direction);
    }
}

template <typename T>
void to_heads(const T* rows, const HeadShape& shape, const RotaryTable& table, std::span<float* const> out,
              std::int64_t first, std::int64_t last) {
    const std::int64_t pairs = shape.head_dim / 2;
    const T* from = rows + first * std::ssize(out) * shape.heads * shape.head_dim;
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t at = row % shape.time * pairs;
        for (std::size_t part = 0; part < out.size(); ++part) {
            for (std::int64_t head = 0; head < shape.heads; ++head, from += shape.head_dim) {
                float* to = out[part] + place_of(row, head, shape);
                if (table.cosine && part < 2) {
                    turn(from, to, pairs, table.cosine + at, table.sine + at, 1.0F);
                } else {
                    copy(from, to, shape.head_dim);
                }
            }
        }
    }
}

template <typename T>
void from_heads(std::span<const float* const> heads, const HeadShape& shape, const RotaryTable& table, T* rows,
                std::int64_t first, std::int64_t last) {
    const std::int64_t pairs = shape.head_dim / 2;
    T* to = rows + first * std::ssize(heads) * shape.heads * shape.head_dim;
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t at = row % shape.time * pairs;
        for (std::size_t part = 0; part < heads.size(); ++part) {
            for (std::int64_t head = 0; head < shape.heads; ++head, to += shape.head_dim) {
                const float* from = heads[part] + place_of(row, head, shape);
                if (table.cosine && part < 2) {
                    turn(from, to, pairs, table.cosine + at, table.sine + at, -1.0F);
                } else {
                    copy(from, to, shape.head_dim);
                }
            }
        }
    }
}

template void to_heads(const float*, const HeadShape&, const RotaryTable&, std::span<float* const>, std::int64_t,
                       std::int64_t);
template void to_heads(const Bfloat16*, const HeadShape&, const RotaryTable&, std::span<float* const>, std::int64_t,
                       std::int64_t);
template void from_heads(std::span<const float* const>, const HeadShape&, const RotaryTable&, float*, std::int64_t,
                         std::int64_t);
template void from_heads(std::span<const float* const>, const HeadShape&, const RotaryTable&, Bfloat16*, std::int64_t,
                         std::int64_t);

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
