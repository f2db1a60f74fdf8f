#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"
#include "core/kernels/products.h"
#include "core/spec/random_stream.h"

namespace ropelab::kernels {

namespace {

// Queries that look at their keys together: their scores stay in a core's own cache.
constexpr std::int64_t queries_at_once = 32;

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

void multiply_by(const float* factors, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) values[i] *= factors[i];
}

// ALiBi (F25) on the scores of keys first … query.
void lower_by_distance(float* scores, std::int64_t first, std::int64_t query, float slope) {
    for (std::int64_t key = first; key <= query; ++key) scores[key] -= slope * static_cast<float>(query - key);
}

// gradient := shares·(gradient − Σ gradient·shares)·scale
void softmax_backward(const float* shares, float* gradient, std::int64_t count, float scale) {
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { totals += load_lanes(gradient + i, some) * load_lanes(shares + i, some); });
    const float total = sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = shares[i] * (gradient[i] - total) * scale;
}

// Numbers that begin where a cache line does: a load of 64 bytes then touches one.
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

// Attention of one head after another. What lies here of a head is turned already, and as wide and as long as products
// want it; numbers beyond its channels and positions are 0.
template <typename T>
class HeadByHead {
 public:
    explicit HeadByHead(const CausalAttention<T>& args)
        : args_(args),
          width_(rounded_up(args.head_dim, column_step)),
          length_(rounded_up(args.time, column_step)),
          scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(args.head_dim)))),
          keys_(length_ * width_),
          values_(length_ * width_),
          of_keys_(length_ * width_),
          across_keys_(width_ * length_),
          across_values_(width_ * length_),
          query_(queries_at_once * width_),
          of_query_(queries_at_once * width_),
          shares_(queries_at_once * length_),
          of_shares_(queries_at_once * length_),
          factors_(length_) {}

    void forward(std::int64_t group, T* mixed) {
        read_keys_and_values(group);
        for_queries(group, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
            look(group, head, first, last);
            for (std::int64_t query = first; query < last && drops(); ++query) {
                draw(group, head, query);
                multiply_by(factors_.get(), row(shares_, query - first), query + 1);
            }
            float* out = of_query_.get();  // what was mixed stands where its gradient does on the way back
            multiply<false>({shares_.get(), length_, 1}, {values_.get(), width_}, out, width_, height(first, last),
                            width_, last);
            for (std::int64_t query = first; query < last; ++query) {
                copy(out + (query - first) * width_, mixed + place_in_mixed(group, query, head), args_.head_dim);
            }
        });
    }

    void backward(std::int64_t group, const T* of_mixed, T* of_qkv) {
        read_keys_and_values(group);
        transpose(values_.get(), across_values_.get());
        // Values are needed across only; their place takes their gradient.
        float* of_values = values_.get();
        std::fill_n(of_values, length_ * width_, 0.0F);
        std::fill_n(of_keys_.get(), length_ * width_, 0.0F);
        for_queries(group, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
            look(group, head, first, last);
            for (std::int64_t query = first; query < last; ++query) {
                copy(of_mixed + place_in_mixed(group, query, head), of_query_.get() + (query - first) * width_,
                     args_.head_dim);
            }
            look_back(group, head, first, last);
            const std::int64_t rows = rounded_up(last, row_step);
            multiply<true>({shares_.get(), 1, length_}, {of_query_.get(), width_}, of_values, width_, rows, width_,
                           last - first);
            multiply<true>({of_shares_.get(), 1, length_}, {query_.get(), width_}, of_keys_.get(), width_, rows, width_,
                           last - first);
            multiply<false>({of_shares_.get(), length_, 1}, {keys_.get(), width_}, of_query_.get(), width_,
                            height(first, last), width_, last);
            for (std::int64_t query = first; query < last; ++query) {
                turn_back(of_query_.get() + (query - first) * width_, query, of_qkv + place_in_qkv(group, query, head));
            }
        });
        for (std::int64_t position = 0; position < args_.time; ++position) {
            turn_back(of_keys_.get() + position * width_, position,
                      of_qkv + place_in_qkv(group, position, key_head(group)));
            copy(of_values + position * width_, of_qkv + place_in_qkv(group, position, value_head(group)),
                 args_.head_dim);
        }
    }

 private:
    bool drops() const { return args_.dropout.stream != nullptr; }
    std::int64_t sequence(std::int64_t group) const { return group / args_.key_value_heads; }
    // Where the heads of keys and of values that a group shares stand among all.
    std::int64_t key_head(std::int64_t group) const { return args_.heads + group % args_.key_value_heads; }
    std::int64_t value_head(std::int64_t group) const { return key_head(group) + args_.key_value_heads; }
    std::int64_t place_in_qkv(std::int64_t group, std::int64_t position, std::int64_t head) const {
        const std::int64_t heads = args_.heads + 2 * args_.key_value_heads;
        return ((sequence(group) * args_.time + position) * heads + head) * args_.head_dim;
    }
    std::int64_t place_in_mixed(std::int64_t group, std::int64_t position, std::int64_t head) const {
        return ((sequence(group) * args_.time + position) * args_.heads + head) * args_.head_dim;
    }
    // f(head, first, last) for the queries of each head of the group.
    template <typename F>
    void for_queries(std::int64_t group, F f) const {
        const std::int64_t heads = args_.heads / args_.key_value_heads;
        const std::int64_t first_head = group % args_.key_value_heads * heads;
        for (std::int64_t head = first_head; head < first_head + heads; ++head) {
            for (std::int64_t first = 0; first < args_.time; first += queries_at_once) {
                f(head, first, std::min(args_.time, first + queries_at_once));
            }
        }
    }
    static std::int64_t height(std::int64_t first, std::int64_t last) { return rounded_up(last - first, row_step); }
    float* row(const Numbers& scores, std::int64_t query) const { return scores.get() + query * length_; }

    // The vector of one head at one position.
    void read(std::int64_t group, std::int64_t position, std::int64_t head, bool turned, float* to) const {
        const T* from = args_.qkv + place_in_qkv(group, position, head);
        const std::int64_t pairs = args_.head_dim / 2;
        if (turned && args_.table.cosine) {
            turn(from, to, pairs, args_.table.cosine + position * pairs, args_.table.sine + position * pairs, 1.0F);
        } else {
            copy(from, to, args_.head_dim);
        }
    }
    void read_keys_and_values(std::int64_t group) {
        for (std::int64_t position = 0; position < args_.time; ++position) {
            read(group, position, key_head(group), true, keys_.get() + position * width_);
            read(group, position, value_head(group), false, values_.get() + position * width_);
        }
        transpose(keys_.get(), across_keys_.get());
    }
    void turn_back(const float* from, std::int64_t position, T* to) const {
        const std::int64_t pairs = args_.head_dim / 2;
        if (args_.table.cosine) {
            turn(from, to, pairs, args_.table.cosine + position * pairs, args_.table.sine + position * pairs, -1.0F);
        } else {
            copy(from, to, args_.head_dim);
        }
    }
    // (time, head_dim) → (head_dim, time), in squares that the first cache holds.
    void transpose(const float* from, float* to) const {
        constexpr std::int64_t side = 16;
        for (std::int64_t row = 0; row < length_; row += side) {
            for (std::int64_t column = 0; column < width_; column += side) {
                for (std::int64_t c = column; c < column + side; ++c) {
                    for (std::int64_t r = row; r < row + side; ++r) to[c * length_ + r] = from[r * width_ + c];
                }
            }
        }
    }
    // Queries [first, last) of a head are read, and their shares of each key calculated; 0 for the future.
    void look(std::int64_t group, std::int64_t head, std::int64_t first, std::int64_t last) {
        for (std::int64_t query = first; query < last; ++query) {
            read(group, query, head, true, query_.get() + (query - first) * width_);
        }
        const std::int64_t seen = rounded_up(last, column_step);
        multiply<false>({query_.get(), width_, 1}, {across_keys_.get(), length_}, shares_.get(), length_,
                        height(first, last), seen, args_.head_dim);
        for (std::int64_t query = first; query < last; ++query) {
            float* shares = row(shares_, query - first);
            const std::int64_t oldest = oldest_key(query);
            if (args_.slopes) lower_by_distance(shares, oldest, query, args_.slopes[head] / scale_);
            std::fill(shares, shares + oldest, 0.0F);
            softmax(shares + oldest, query + 1 - oldest, scale_);
            std::fill(shares + query + 1, shares + seen, 0.0F);
        }
    }
    // The first key that a query attends to.
    std::int64_t oldest_key(std::int64_t query) const {
        return args_.window > 0 ? std::max<std::int64_t>(0, query + 1 - args_.window) : 0;
    }
    // From the gradient of what they mixed, of_query_, that of their scores; and their shares are dropped.
    void look_back(std::int64_t group, std::int64_t head, std::int64_t first, std::int64_t last) {
        const std::int64_t seen = rounded_up(last, column_step);
        multiply<false>({of_query_.get(), width_, 1}, {across_values_.get(), length_}, of_shares_.get(), length_,
                        height(first, last), seen, args_.head_dim);
        for (std::int64_t query = first; query < last; ++query) {
            float* shares = row(shares_, query - first);
            float* of_scores = row(of_shares_, query - first);
            if (drops()) {
                draw(group, head, query);
                multiply_by(factors_.get(), of_scores, query + 1);
            }
            softmax_backward(shares, of_scores, query + 1, scale_);
            std::fill(of_scores + query + 1, of_scores + seen, 0.0F);
            if (drops()) multiply_by(factors_.get(), shares, query + 1);
        }
    }
    // What dropout multiplies the shares of a query by.
    void draw(std::int64_t group, std::int64_t head, std::int64_t query) const {
        const std::int64_t row = (sequence(group) * args_.heads + head) * args_.time + query;
        args_.dropout.stream->fill_dropout({factors_.get(), static_cast<std::size_t>(query + 1)}, args_.dropout.rate,
                                           args_.dropout.step, static_cast<std::uint64_t>(row * args_.time));
    }

    const CausalAttention<T>& args_;
    std::int64_t width_;   // of a vector
    std::int64_t length_;  // of a sequence
    float scale_;
    Numbers keys_, values_, of_keys_;      // (time, head_dim)
    Numbers across_keys_, across_values_;  // (head_dim, time)
    Numbers query_, of_query_;             // (queries_at_once, head_dim)
    Numbers shares_, of_shares_;           // (queries_at_once, time)
    Numbers factors_;                      // (time)
};

}  // namespace

void softmax(float* scores, std::int64_t count, float scale) {
    const float top = largest_number(scores, count);
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
void attend(const CausalAttention<T>& args, T* mixed, std::int64_t first, std::int64_t last) {
    HeadByHead<T> heads(args);
    for (std::int64_t group = first; group < last; ++group) heads.forward(group, mixed);
}

template <typename T>
void attend_backward(const CausalAttention<T>& args, const T* of_mixed, T* of_qkv, std::int64_t first,
                     std::int64_t last) {
    HeadByHead<T> heads(args);
    for (std::int64_t group = first; group < last; ++group) heads.backward(group, of_mixed, of_qkv);
}

template void attend(const CausalAttention<float>&, float*, std::int64_t, std::int64_t);
template void attend(const CausalAttention<Bfloat16>&, Bfloat16*, std::int64_t, std::int64_t);
template void attend_backward(const CausalAttention<float>&, const float*, float*, std::int64_t, std::int64_t);
template void attend_backward(const CausalAttention<Bfloat16>&, const Bfloat16*, Bfloat16*, std::int64_t, std::int64_t);

}  // namespace ropelab::kernels
