#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <type_traits>

#include "core/base/random_stream.h"
#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"
#include "core/kernels/products.h"

namespace ropelab::kernels {

namespace {

// The scores of this many queries stay in the L2 cache.
constexpr std::int64_t queries_at_once = 32;

template <typename From, typename To>
ROPELAB_INLINE void copy(const From* from, To* to, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { store_lanes(to + i, load_lanes(from + i, some), some); });
}

// Formula 1; `to` may be equal to `from`.
template <typename From, typename To>
ROPELAB_INLINE void rotate_head(const From* from, To* to, std::int64_t pairs, const float* cosine, const float* sine,
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

void multiply_by(const float* factors, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] *= factors[i];
}

// ALiBi (formula 25), for the keys first … query.
void lower_by_distance(float* scores, std::int64_t first, std::int64_t query, float slope) {
    for (std::int64_t key = first; key <= query; ++key) scores[key] -= slope * static_cast<float>(query - key);
}

// In place: weights·(gradient − Σ gradient·weights)·scale.
void softmax_backward(const float* weights, float* gradient, std::int64_t count, float scale) {
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { totals += load_lanes(gradient + i, some) * load_lanes(weights + i, some); });
    const float total = sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = weights[i] * (gradient[i] - total) * scale;
}

// Aligned to cache lines, so that a load of 64 bytes touches only one of them.
class Numbers {
 public:
    explicit Numbers(std::int64_t count)
        : numbers_(static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float), line))) {
        std::fill_n(numbers_.get(), count, 0.0F);
    }
    float* get() const { return numbers_.get(); }

 private:
    static constexpr std::align_val_t line{64};
    struct Free {
        void operator()(float* numbers) const { ::operator delete(numbers, line); }
    };
    std::unique_ptr<float, Free> numbers_;
};

// A factor of products, `width` numbers per row. If paired, products read pairs (products.h), which are to be prepared.
class Matrix {
 public:
    Matrix(std::int64_t rows, std::int64_t width, bool paired)
        : width_(width),
          paired_(paired),
          numbers_(rows * width),
          rows_(paired ? rows * width / pair : 0),
          pairs_(paired ? rounded_up(rows, pair) * width / pair : 0) {}

    float* get() const { return numbers_.get(); }
    float* row(std::int64_t index) const { return numbers_.get() + index * width_; }
    /// For left(). The rows are contiguous.
    void prepare_rows(std::int64_t rows) const {
        if (paired_) pair_columns(numbers_.get(), rows * width_, rows_.get());
    }
    /// For transposed() and right().
    void prepare_pairs(std::int64_t rows) const {
        if (paired_) pair_rows(numbers_.get(), rows, width_, pairs_.get());
    }
    /// From a column or row on, whose number is even.
    LeftFactor left(std::int64_t column = 0) const {
        if (paired_) return {rows_.get() + column / pair, width_ / pair, 1};
        return {numbers_.get() + column, width_, 1};
    }
    LeftFactor transposed() const { return {paired_ ? pairs_.get() : numbers_.get(), 1, width_}; }
    RowsOf right(std::int64_t row = 0) const {
        if (paired_) return {pairs_.get() + row / pair * width_, width_};
        return {numbers_.get() + row * width_, width_};
    }

 private:
    std::int64_t width_;
    bool paired_;
    Numbers numbers_, rows_, pairs_;
};

// One head at a time: the members store its vectors after rotation, padded with zeros to the tile size of `multiply`.
template <typename T>
class HeadAttention {
 public:
    HeadAttention(const CausalAttention<T>& args, bool has_gradient)
        : args_(args),
          width_(rounded_up(args.head_dim, column_step)),
          length_(rounded_up(args.time, column_step)),
          scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(args.head_dim)))),
          keys_(length_, width_, paired_),
          values_(length_, width_, paired_),
          grad_keys_(has_gradient ? length_ * width_ : 0),
          transposed_keys_(width_ * length_),
          transposed_values_(has_gradient ? width_ * length_ : 0),
          query_(queries_at_once, width_, paired_),
          grad_query_(queries_at_once, width_, paired_),
          weights_(queries_at_once, length_, paired_),
          grad_scores_(has_gradient ? queries_at_once : 0, length_, paired_),
          factors_(length_) {}

    void load_keys_and_values(std::int64_t group) {
        for (std::int64_t position = 0; position < args_.time; ++position) {
            load_vector(group, position, key_head(group), true, keys_.get() + position * width_);
            load_vector(group, position, value_head(group), false, values_.get() + position * width_);
        }
        keys_.prepare_rows(length_);
        keys_.prepare_pairs(length_);
        values_.prepare_pairs(length_);
        transpose(keys_, transposed_keys_.get());
    }

    /// Of the queries [begin, end), where `begin` is a multiple of queries_at_once.
    void forward(std::int64_t group, std::int64_t begin, std::int64_t end, T* mixed) {
        for_queries(group, begin, end, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
            compute_weights(group, head, first, last);
            for (std::int64_t query = first; query < last && drops(); ++query) {
                compute_dropout(group, head, query);
                multiply_by(factors_.get(), weights_.row(query - first), query + 1);
            }
            float* out = grad_query_.get();             // the forward pass uses this array for the attention output
            constexpr std::int64_t keys_at_once = 128;  // their values stay in the L1 cache for all queries
            const std::int64_t rows = height(first, last);
            weights_.prepare_rows(rows);
            // The weights of later keys are 0.
            const auto seen = [&](std::int64_t key) {
                return [=](std::int64_t row) {
                    return Range{0, std::clamp<std::int64_t>(first + row + row_step - key, 0,
                                                             std::min(last - key, keys_at_once))};
                };
            };
            product<false>(weights_.left(), values_.right(), out, width_, rows, width_, seen(0));
            for (std::int64_t key = keys_at_once; key < last; key += keys_at_once)
                product<true>(weights_.left(key), values_.right(key), out, width_, rows, width_, seen(key));
            for (std::int64_t query = first; query < last; ++query) {
                copy(out + (query - first) * width_, mixed + place_in_mixed(group, query, head), args_.head_dim);
            }
        });
    }

    void backward(std::int64_t group, const T* grad_mixed, T* grad_qkv) {
        load_keys_and_values(group);
        values_.prepare_rows(length_);
        transpose(values_, transposed_values_.get());
        // Only the transposed values are needed below, so values_ is reused for their gradient.
        float* grad_values = values_.get();
        std::fill_n(grad_values, length_ * width_, 0.0F);
        std::fill_n(grad_keys_.get(), length_ * width_, 0.0F);
        for_queries(group, 0, args_.time, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
            compute_weights(group, head, first, last);
            for (std::int64_t query = first; query < last; ++query) {
                copy(grad_mixed + place_in_mixed(group, query, head), grad_query_.get() + (query - first) * width_,
                     args_.head_dim);
            }
            grad_query_.prepare_rows(height(first, last));
            compute_score_gradients(group, head, first, last);
            for (Matrix* factor : {&weights_, &grad_scores_, &query_, &grad_query_})
                factor->prepare_pairs(last - first);
            grad_scores_.prepare_rows(height(first, last));
            const std::int64_t rows = rounded_up(last, row_step);
            // Weights and gradients of keys after the query are 0.
            const auto queries = [=](std::int64_t key) {
                return Range{std::max<std::int64_t>(0, key - first), last - first};
            };
            const auto keys = [=](std::int64_t query) { return Range{0, std::min(last, first + query + row_step)}; };
            product<true>(weights_.transposed(), grad_query_.right(), grad_values, width_, rows, width_, queries);
            product<true>(grad_scores_.transposed(), query_.right(), grad_keys_.get(), width_, rows, width_, queries);
            product<false>(grad_scores_.left(), keys_.right(), grad_query_.get(), width_, height(first, last), width_,
                           keys);
            for (std::int64_t query = first; query < last; ++query) {
                rotate_back(grad_query_.get() + (query - first) * width_, query,
                            grad_qkv + place_in_qkv(group, query, head));
            }
        });
        for (std::int64_t position = 0; position < args_.time; ++position) {
            rotate_back(grad_keys_.get() + position * width_, position,
                        grad_qkv + place_in_qkv(group, position, key_head(group)));
            copy(grad_values + position * width_, grad_qkv + place_in_qkv(group, position, value_head(group)),
                 args_.head_dim);
        }
    }

 private:
    bool drops() const { return args_.dropout.stream != nullptr; }
    std::int64_t sequence(std::int64_t group) const { return group / args_.key_value_heads; }
    std::int64_t key_head(std::int64_t group) const { return args_.heads + group % args_.key_value_heads; }
    std::int64_t value_head(std::int64_t group) const { return key_head(group) + args_.key_value_heads; }
    std::int64_t place_in_qkv(std::int64_t group, std::int64_t position, std::int64_t head) const {
        const std::int64_t heads = args_.heads + 2 * args_.key_value_heads;
        return ((sequence(group) * args_.time + position) * heads + head) * args_.head_dim;
    }
    std::int64_t place_in_mixed(std::int64_t group, std::int64_t position, std::int64_t head) const {
        return ((sequence(group) * args_.time + position) * args_.heads + head) * args_.head_dim;
    }
    // f(head, first, last) for the queries [first, last) of each query head of the group.
    template <typename F>
    void for_queries(std::int64_t group, std::int64_t begin, std::int64_t end, F f) const {
        const std::int64_t heads = args_.heads / args_.key_value_heads;
        const std::int64_t first_head = group % args_.key_value_heads * heads;
        for (std::int64_t head = first_head; head < first_head + heads; ++head) {
            for (std::int64_t first = begin; first < end; first += queries_at_once) {
                f(head, first, std::min(end, first + queries_at_once));
            }
        }
    }
    auto all_channels() const {
        return [depth = args_.head_dim](std::int64_t) { return Range{0, depth}; };
    }
    static std::int64_t height(std::int64_t first, std::int64_t last) { return rounded_up(last - first, row_step); }
    template <bool added, typename Depths>
    void product(const LeftFactor& a, const RowsOf& b, float* out, std::int64_t out_width, std::int64_t rows,
                 std::int64_t columns, Depths depths) const {
        if constexpr (std::is_same_v<T, Bfloat16>) {
            if (paired_) return multiply<added, true>(a, b, out, out_width, rows, columns, depths);
        }
        multiply<added, false>(a, b, out, out_width, rows, columns, depths);
    }

    void load_vector(std::int64_t group, std::int64_t position, std::int64_t head, bool rotated, float* to) const {
        const T* from = args_.qkv + place_in_qkv(group, position, head);
        const std::int64_t pairs = args_.head_dim / 2;
        if (rotated && args_.table.cosine) {
            rotate_head(from, to, pairs, args_.table.cosine + position * pairs, args_.table.sine + position * pairs,
                        1.0F);
        } else {
            copy(from, to, args_.head_dim);
        }
    }
    void rotate_back(const float* from, std::int64_t position, T* to) const {
        const std::int64_t pairs = args_.head_dim / 2;
        if (args_.table.cosine) {
            rotate_head(from, to, pairs, args_.table.cosine + position * pairs, args_.table.sine + position * pairs,
                        -1.0F);
        } else {
            copy(from, to, args_.head_dim);
        }
    }
    // (time, head_dim) to panels of column_step positions, (panels, head_dim, column_step), in square tiles that fit
    // into the L1 cache. Pairs of channels stay pairs.
    void transpose(const Matrix& matrix, float* to) const {
        constexpr std::int64_t side = 16;
        const auto [from, width, step] = matrix.left();
        for (std::int64_t row = 0; row < length_; row += side) {
            float* panel = to + row / column_step * column_step * width + row % column_step;
            for (std::int64_t column = 0; column < width; column += side) {
                for (std::int64_t c = column; c < column + side; c += 4) {
                    for (std::int64_t r = 0; r < side; r += 4)
                        transpose_4(from + (row + r) * width + c, width, panel + c * column_step + r, column_step);
                }
            }
        }
    }
    RowsOf panels(const Numbers& transposed) const {
        return {transposed.get(), column_step, (paired_ ? width_ / pair : width_) * column_step};
    }
    void compute_weights(std::int64_t group, std::int64_t head, std::int64_t first, std::int64_t last) {
        for (std::int64_t query = first; query < last; ++query) {
            load_vector(group, query, head, true, query_.get() + (query - first) * width_);
        }
        const std::int64_t seen = rounded_up(last, column_step);
        query_.prepare_rows(height(first, last));
        product<false>(query_.left(), panels(transposed_keys_), weights_.get(), length_, height(first, last), seen,
                       all_channels());
        for (std::int64_t query = first; query < last; ++query) {
            float* weights = weights_.row(query - first);
            const std::int64_t oldest = oldest_key(query);
            if (args_.slopes) lower_by_distance(weights, oldest, query, args_.slopes[head] / scale_);
            std::fill(weights, weights + oldest, 0.0F);
            softmax(weights + oldest, query + 1 - oldest, scale_);
            std::fill(weights + query + 1, weights + seen, 0.0F);
        }
    }
    std::int64_t oldest_key(std::int64_t query) const {
        return args_.window > 0 ? std::max<std::int64_t>(0, query + 1 - args_.window) : 0;
    }
    // The gradient of the attention output is in grad_query_. Also applies dropout to the attention weights.
    void compute_score_gradients(std::int64_t group, std::int64_t head, std::int64_t first, std::int64_t last) {
        const std::int64_t seen = rounded_up(last, column_step);
        product<false>(grad_query_.left(), panels(transposed_values_), grad_scores_.get(), length_, height(first, last),
                       seen, all_channels());
        for (std::int64_t query = first; query < last; ++query) {
            float* weights = weights_.row(query - first);
            float* grad_scores = grad_scores_.row(query - first);
            if (drops()) {
                compute_dropout(group, head, query);
                multiply_by(factors_.get(), grad_scores, query + 1);
            }
            softmax_backward(weights, grad_scores, query + 1, scale_);
            std::fill(grad_scores + query + 1, grad_scores + seen, 0.0F);
            if (drops()) multiply_by(factors_.get(), weights, query + 1);
        }
    }
    void compute_dropout(std::int64_t group, std::int64_t head, std::int64_t query) const {
        const std::int64_t row = (sequence(group) * args_.heads + head) * args_.time + query;
        args_.dropout.stream->fill_dropout({factors_.get(), static_cast<std::size_t>(query + 1)}, args_.dropout.rate,
                                           args_.dropout.step,
                                           args_.dropout.first + static_cast<std::uint64_t>(row * args_.time));
    }

    const CausalAttention<T>& args_;
    std::int64_t width_;   // number of channels of a head, padded
    std::int64_t length_;  // number of positions of a sequence, padded
    float scale_;
    bool paired_ = std::is_same_v<T, Bfloat16> && multiplies_pairs();
    Matrix keys_, values_;                         // (time, head_dim)
    Numbers grad_keys_;                            // (time, head_dim)
    Numbers transposed_keys_, transposed_values_;  // as transpose() makes them
    Matrix query_, grad_query_;                    // (queries_at_once, head_dim)
    Matrix weights_, grad_scores_;                 // (queries_at_once, time)
    Numbers factors_;                              // (time)
};

}  // namespace

void softmax(float* scores, std::int64_t count, float scale) {
    const float top = largest_number(scores, count);
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats power = exp_of_negative((load_lanes(scores + i, some, -INFINITY) - top) * scale);
        store_lanes(scores + i, power, some);
        totals += power;
    });
    const float inverse = 1.0F / sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) scores[i] *= inverse;
}

void rotate_heads(float* vectors, std::int64_t count, std::int64_t head_dim, const float* cosine, const float* sine,
                  float direction) {
    for (std::int64_t head = 0; head < count; ++head, vectors += head_dim) {
        rotate_head(vectors, vectors, head_dim / 2, cosine, sine, direction);
    }
}

template <typename T>
void attend(const CausalAttention<T>& args, T* mixed, std::int64_t first, std::int64_t last) {
    HeadAttention<T> heads(args, false);
    for (std::int64_t group = first; group < last; ++group) {
        heads.load_keys_and_values(group);
        heads.forward(group, 0, args.time, mixed);
    }
}

template <typename T>
void attend_in_turns(const CausalAttention<T>& args, T* mixed, std::int64_t groups, std::atomic<std::int64_t>& next) {
    constexpr std::int64_t queries = 4 * queries_at_once;
    const std::int64_t turns = (args.time + queries - 1) / queries;  // of a group; later queries see more keys
    HeadAttention<T> heads(args, false);
    std::int64_t loaded = -1;
    for (std::int64_t turn = next++; turn < groups * turns; turn = next++) {
        const std::int64_t group = turn / turns;
        const std::int64_t first = (turns - 1 - turn % turns) * queries;
        if (group != loaded) heads.load_keys_and_values(group);
        loaded = group;
        heads.forward(group, first, std::min(args.time, first + queries), mixed);
    }
}

template <typename T>
void attend_backward(const CausalAttention<T>& args, const T* grad_mixed, T* grad_qkv, std::int64_t first,
                     std::int64_t last) {
    HeadAttention<T> heads(args, true);
    for (std::int64_t group = first; group < last; ++group) heads.backward(group, grad_mixed, grad_qkv);
}

template void attend(const CausalAttention<float>&, float*, std::int64_t, std::int64_t);
template void attend(const CausalAttention<Bfloat16>&, Bfloat16*, std::int64_t, std::int64_t);
template void attend_in_turns(const CausalAttention<float>&, float*, std::int64_t, std::atomic<std::int64_t>&);
template void attend_in_turns(const CausalAttention<Bfloat16>&, Bfloat16*, std::int64_t, std::atomic<std::int64_t>&);
template void attend_backward(const CausalAttention<float>&, const float*, float*, std::int64_t, std::int64_t);
template void attend_backward(const CausalAttention<Bfloat16>&, const Bfloat16*, Bfloat16*, std::int64_t, std::int64_t);

}  // namespace ropelab::kernels
