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
// Vectors are fetched from memory this many positions before they are used.
constexpr std::int64_t ahead = 8;

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

// numbers[distance], or the last of them.
void add_by_distance(const float* numbers, std::int64_t count, float* scores, std::int64_t first, std::int64_t query) {
    const std::int64_t near = std::max(first, query + 2 - count);
    for (std::int64_t key = first; key < near; ++key) scores[key] += numbers[count - 1];
    for (std::int64_t key = near; key <= query; ++key) scores[key] += numbers[query - key];
}
// Its gradient.
void sum_by_distance(const float* scores, std::int64_t first, std::int64_t query, float* sums, std::int64_t count) {
    const std::int64_t near = std::max(first, query + 2 - count);
    std::fill_n(sums, count, 0.0F);
    for (std::int64_t key = near; key <= query; ++key) sums[query - key] = scores[key];
    Floats far = {};
    for_lanes(near - first,
              [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA { far += load_lanes(scores + first + i, some); });
    sums[count - 1] += sum_of(far);
}

// In place: weights·(gradient − total)·scale, where total = Σ gradient·weights, which it returns.
float softmax_backward(const float* weights, float* gradient, std::int64_t count, float scale) {
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { totals += load_lanes(gradient + i, some) * load_lanes(weights + i, some); });
    const float total = sum_of(totals);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = weights[i] * (gradient[i] - total) * scale;
    return total;
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

// Rows of a relative position encoding (RelativeEntries) for one head.
struct Entries {
    Entries(std::int64_t count, std::int64_t width, bool paired, bool has_gradient)
        : size(count * width), rows(count, width, paired), transposed(size), gradient(has_gradient ? size : 0) {}
    std::int64_t size;
    Matrix rows;
    Numbers transposed, gradient;
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
          // An entry more, whose numbers are 0: the interpolation beyond the last position reads it.
          entries_(args.relative.count > 0 ? rounded_up(args.relative.count + 1, column_step) : 0),
          keys_(length_, width_, paired_),
          values_(length_, width_, paired_),
          grad_keys_(has_gradient ? length_ * width_ : 0),
          transposed_keys_(width_ * length_),
          transposed_values_(has_gradient ? width_ * length_ : 0),
          query_(queries_at_once, width_, paired_),
          grad_query_(queries_at_once, width_, paired_),
          weights_(queries_at_once, length_, paired_),
          grad_scores_(has_gradient ? queries_at_once : 0, length_, paired_),
          factors_(length_),
          entry_keys_(args.relative.keys ? entries_ : 0, width_, paired_, has_gradient),
          entry_values_(args.relative.values ? entries_ : 0, width_, paired_, has_gradient),
          entry_scores_(queries_at_once, entries_, paired_),
          grad_entry_scores_(has_gradient ? queries_at_once : 0, entries_, paired_),
          entry_weights_(queries_at_once, entries_, paired_),
          gates_(by_gates() ? queries_at_once * length_ : 0),
          places_(by_gates() ? queries_at_once * length_ : 0) {}

    void load_keys_and_values(std::int64_t group) {
        for (std::int64_t position = 0; position < args_.time; ++position) {
            load_vector(group, position, key_head(group), args_.key_table, keys_.get() + position * width_);
            load_vector(group, position, value_head(group), {}, values_.get() + position * width_);
        }
        keys_.prepare_rows(length_);
        keys_.prepare_pairs(length_);
        values_.prepare_pairs(length_);
        transpose(keys_, length_, transposed_keys_.get());
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
                return [=](std::int64_t, std::int64_t row_end) {
                    return Range{
                        0, std::clamp<std::int64_t>(first + row_end - key, 0, std::min(last - key, keys_at_once))};
                };
            };
            product<false>(weights_.left(), values_.right(), out, width_, rows, width_, seen(0));
            for (std::int64_t key = keys_at_once; key < last; key += keys_at_once)
                product<true>(weights_.left(key), values_.right(key), out, width_, rows, width_, seen(key));
            if (args_.relative.values) {
                sum_weights_by_distance(first, last);
                product<true>(entry_weights_.left(), entry_values_.rows.right(), out, width_, rows, width_,
                              entries(last));
            }
            for (std::int64_t query = first; query < last; ++query) {
                copy(out + (query - first) * width_, mixed + place_in_mixed(group, query, head), args_.head_dim);
            }
        });
    }

    void backward(std::int64_t group, const T* grad_mixed, T* grad_qkv, const RelativeGradients& more) {
        load_keys_and_values(group);
        values_.prepare_rows(length_);
        transpose(values_, length_, transposed_values_.get());
        // Only the transposed values are needed below, so values_ is reused for their gradient.
        float* grad_values = values_.get();
        std::fill_n(grad_values, length_ * width_, 0.0F);
        std::fill_n(grad_keys_.get(), length_ * width_, 0.0F);
        for_queries(group, 0, args_.time, [&](std::int64_t head, std::int64_t first, std::int64_t last) {
            const std::int64_t own = sequence(group) * args_.heads + head;
            if (first == 0) begin_gradients(own, more);
            compute_weights(group, head, first, last);
            for (std::int64_t query = first; query < last; ++query) {
                const T* from = grad_mixed + place_in_mixed(group, query, head);
                fetch(from + ahead * args_.heads * args_.head_dim);
                copy(from, grad_query_.get() + (query - first) * width_, args_.head_dim);
            }
            grad_query_.prepare_rows(height(first, last));
            compute_score_gradients(group, head, first, last, more.sinks ? more.sinks + own : nullptr);
            if (args_.relative.count > 0) compute_entry_gradients(first, last, more.bias, own);
            for (Matrix* factor : {&weights_, &grad_scores_, &query_, &grad_query_})
                factor->prepare_pairs(last - first);
            grad_scores_.prepare_rows(height(first, last));
            const std::int64_t rows = rounded_up(last, row_step);
            // Weights and gradients of keys after the query are 0.
            const auto queries = [=](std::int64_t key, std::int64_t) {
                return Range{std::max<std::int64_t>(0, key - first), last - first};
            };
            const auto keys = [=](std::int64_t, std::int64_t end) { return Range{0, std::min(last, first + end)}; };
            product<true>(weights_.transposed(), grad_query_.right(), grad_values, width_, rows, width_, queries);
            product<true>(grad_scores_.transposed(), query_.right(), grad_keys_.get(), width_, rows, width_, queries);
            const std::int64_t its_entries = std::min(rounded_up(used(last), row_step), entries_);
            const auto of_queries = [=](std::int64_t, std::int64_t) { return Range{0, last - first}; };
            if (args_.relative.values)
                product<true>(entry_weights_.transposed(), grad_query_.right(), entry_values_.gradient.get(), width_,
                              its_entries, width_, of_queries);
            product<false>(grad_scores_.left(), keys_.right(), grad_query_.get(), width_, height(first, last), width_,
                           keys);
            if (args_.relative.keys) {
                product<true>(grad_entry_scores_.transposed(), query_.right(), entry_keys_.gradient.get(), width_,
                              its_entries, width_, of_queries);
                product<true>(grad_entry_scores_.left(), entry_keys_.rows.right(), grad_query_.get(), width_,
                              height(first, last), width_, entries(last));
            }
            for (std::int64_t query = first; query < last; ++query) {
                rotate_back(grad_query_.get() + (query - first) * width_, query, args_.table,
                            grad_qkv + place_in_qkv(group, query, head));
            }
            if (last == args_.time) {
                end_gradient(entry_keys_, own, more.keys);
                end_gradient(entry_values_, own, more.values);
            }
        });
        for (std::int64_t position = 0; position < args_.time; ++position) {
            rotate_back(grad_keys_.get() + position * width_, position, args_.key_table,
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
        return [depth = args_.head_dim](std::int64_t, std::int64_t) { return Range{0, depth}; };
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

    // Into the cache. The processor does not fetch the vectors of one head ahead, because those of others are between
    // them; it ignores places beyond an array.
    void fetch(const T* vector) const {
        constexpr std::int64_t line = 64 / sizeof(T);
        for (std::int64_t i = 0; i < args_.head_dim; i += line) __builtin_prefetch(vector + i);
    }
    void load_vector(std::int64_t group, std::int64_t position, std::int64_t head, const RotaryTable& table,
                     float* to) const {
        const T* from = args_.qkv + place_in_qkv(group, position, head);
        fetch(from + ahead * (args_.heads + 2 * args_.key_value_heads) * args_.head_dim);
        const std::int64_t pairs = args_.head_dim / 2;
        if (table.cosine) {
            rotate_head(from, to, pairs, table.cosine + position * pairs, table.sine + position * pairs, 1.0F);
        } else {
            copy(from, to, args_.head_dim);
        }
    }
    void rotate_back(const float* from, std::int64_t position, const RotaryTable& table, T* to) const {
        const std::int64_t pairs = args_.head_dim / 2;
        if (table.cosine) {
            rotate_head(from, to, pairs, table.cosine + position * pairs, table.sine + position * pairs, -1.0F);
        } else {
            copy(from, to, args_.head_dim);
        }
    }
    // (time, head_dim) to panels of column_step positions, (panels, head_dim, column_step), in square tiles that fit
    // into the L1 cache. Pairs of channels stay pairs.
    void transpose(const Matrix& matrix, std::int64_t rows, float* to) const {
        constexpr std::int64_t side = 16;
        const auto [from, width, step] = matrix.left();
        for (std::int64_t row = 0; row < rows; row += side) {
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
            load_vector(group, query, head, args_.table, query_.get() + (query - first) * width_);
        }
        const std::int64_t seen = rounded_up(last, column_step);
        query_.prepare_rows(height(first, last));
        product<false>(query_.left(), panels(transposed_keys_), weights_.get(), length_, height(first, last), seen,
                       all_channels());
        if (args_.relative.count > 0) add_entries(head, first, last);
        for (std::int64_t query = first; query < last; ++query) {
            float* weights = weights_.row(query - first);
            const std::int64_t oldest = oldest_key(query);
            if (args_.slopes) lower_by_distance(weights, oldest, query, args_.slopes[head] / scale_);
            std::fill(weights, weights + oldest, 0.0F);
            sink_weights_[static_cast<std::size_t>(query - first)] =
                softmax(weights + oldest, query + 1 - oldest, scale_, args_.sinks ? args_.sinks[head] : -INFINITY);
            std::fill(weights + query + 1, weights + seen, 0.0F);
        }
    }
    std::int64_t oldest_key(std::int64_t query) const {
        return args_.window > 0 ? std::max<std::int64_t>(0, query + 1 - args_.window) : 0;
    }
    // The gradient of the attention output is in grad_query_. Also applies dropout to the attention weights.
    void compute_score_gradients(std::int64_t group, std::int64_t head, std::int64_t first, std::int64_t last,
                                 float* grad_sink) {
        const std::int64_t seen = rounded_up(last, column_step);
        product<false>(grad_query_.left(), panels(transposed_values_), grad_scores_.get(), length_, height(first, last),
                       seen, all_channels());
        if (args_.relative.values)
            product<false>(grad_query_.left(), panels(entry_values_.transposed), entry_weights_.get(), entries_,
                           height(first, last), rounded_up(used(last), column_step), all_channels());
        for (std::int64_t query = first; query < last; ++query) {
            float* weights = weights_.row(query - first);
            float* grad_scores = grad_scores_.row(query - first);
            if (args_.relative.values)
                add_by_distance(entry_weights_.row(query - first), args_.relative.count, grad_scores, oldest_key(query),
                                query);
            if (drops()) {
                compute_dropout(group, head, query);
                multiply_by(factors_.get(), grad_scores, query + 1);
            }
            const float total = softmax_backward(weights, grad_scores, query + 1, scale_);
            if (grad_sink) *grad_sink -= sink_weights_[static_cast<std::size_t>(query - first)] * total;
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

    bool by_gates() const { return args_.relative.by_gates; }
    // Entries that the queries before `last` use.
    std::int64_t used(std::int64_t last) const { return by_gates() ? entries_ : std::min(last, args_.relative.count); }
    auto entries(std::int64_t last) const {
        return [depth = used(last)](std::int64_t, std::int64_t) { return Range{0, depth}; };
    }
    void load_entries(std::int64_t head) {
        if (head == loaded_head_) return;
        loaded_head_ = head;
        const std::int64_t numbers = args_.relative.count * args_.head_dim;
        const auto load = [&](const float* from, const Entries& to) {
            if (!from) return;
            for (std::int64_t entry = 0; entry < args_.relative.count; ++entry)
                copy(from + head * numbers + entry * args_.head_dim, to.rows.row(entry), args_.head_dim);
            to.rows.prepare_rows(entries_);
            to.rows.prepare_pairs(entries_);
            transpose(to.rows, entries_, to.transposed.get());
        };
        load(args_.relative.keys, entry_keys_);
        load(args_.relative.values, entry_values_);
    }
    // At the first queries of a head, whose number among those of all sequences is `own`.
    void begin_gradients(std::int64_t own, const RelativeGradients& more) const {
        for (const Entries* each : {&entry_keys_, &entry_values_}) std::fill_n(each->gradient.get(), each->size, 0.0F);
        if (more.bias) std::fill_n(more.bias + own * args_.relative.count, args_.relative.count, 0.0F);
        if (more.sinks) more.sinks[own] = 0;
    }
    void end_gradient(const Entries& entries, std::int64_t own, float* to) const {
        to += to ? own * args_.relative.count * args_.head_dim : 0;
        for (std::int64_t entry = 0; to && entry < args_.relative.count; ++entry)
            copy(entries.gradient.get() + entry * width_, to + entry * args_.head_dim, args_.head_dim);
    }
    // To the products of queries and keys.
    void add_entries(std::int64_t head, std::int64_t first, std::int64_t last) {
        const std::int64_t count = args_.relative.count;
        const float* bias = args_.relative.bias ? args_.relative.bias + head * count : nullptr;
        load_entries(head);
        if (args_.relative.keys)
            product<false>(query_.left(), panels(entry_keys_.transposed), entry_scores_.get(), entries_,
                           height(first, last), rounded_up(used(last), column_step), all_channels());
        if (by_gates()) return interpolate(first, last);
        for (std::int64_t query = first; query < last; ++query) {
            float* scores = weights_.row(query - first);
            if (args_.relative.keys)
                add_by_distance(entry_scores_.row(query - first), count, scores, oldest_key(query), query);
            if (bias) add_by_distance(bias, count, scores, oldest_key(query), query);
        }
    }
    // Formula 43. Gates are summed from the query to each key, in four rows at a time, whose sums do not wait for each
    // other.
    void interpolate(std::int64_t first, std::int64_t last) {
        for (std::int64_t query = first; query < last; ++query) {
            const float* scores = weights_.row(query - first);
            float* gates = gates_.get() + (query - first) * length_;
            const std::int64_t oldest = oldest_key(query);
            std::fill(gates, gates + last, 0.0F);
            for_lanes(query + 1 - oldest, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
                store_lanes(gates + oldest + i, logistic(load_lanes(scores + oldest + i, some) * scale_), some);
            });
        }
        const auto most = static_cast<float>(args_.relative.count - 1);
        for (std::int64_t row = 0; row < height(first, last); row += row_step) {
            float sums[row_step] = {};
            for (std::int64_t key = last - 1; key >= 0; --key)
                for (std::int64_t r = 0; r < row_step; ++r) {
                    sums[r] += gates_.get()[(row + r) * length_ + key];
                    places_.get()[(row + r) * length_ + key] =
                        sums[r] < most ? sums[r] : most;  // NaN takes the last entry
                }
        }
        for (std::int64_t query = first; query < last; ++query) {
            const float* entries = entry_scores_.row(query - first);
            const float* places = places_.get() + (query - first) * length_;
            float* scores = weights_.row(query - first);
            for (std::int64_t key = oldest_key(query); key <= query; ++key) {
                const auto lower = static_cast<std::int32_t>(places[key]);
                const float weight = places[key] - static_cast<float>(lower);
                scores[key] += entries[lower] + weight * (entries[lower + 1] - entries[lower]);
            }
        }
    }
    // Into entry_weights_.
    void sum_weights_by_distance(std::int64_t first, std::int64_t last) {
        for (std::int64_t query = first; query < last; ++query)
            sum_by_distance(weights_.row(query - first), oldest_key(query), query, entry_weights_.row(query - first),
                            args_.relative.count);
        entry_weights_.prepare_rows(height(first, last));
    }
    // Of the entries' scores, from those of all scores, to which CoPE adds those of its gates.
    void compute_entry_gradients(std::int64_t first, std::int64_t last, float* grad_bias, std::int64_t own) {
        const std::int64_t count = args_.relative.count;
        for (std::int64_t query = first; query < last; ++query) {
            float* sums = grad_entry_scores_.row(query - first);
            float* grad_scores = grad_scores_.row(query - first);
            if (!by_gates()) {
                sum_by_distance(grad_scores, oldest_key(query), query, sums, count);
                for (std::int64_t i = 0; grad_bias && i < used(last); ++i) grad_bias[own * count + i] += sums[i];
                continue;
            }
            const float* entries = entry_scores_.row(query - first);
            const float* gates = gates_.get() + (query - first) * length_;
            const float* places = places_.get() + (query - first) * length_;
            std::fill_n(sums, entries_, 0.0F);
            float of_gates = 0;  // a gate moves the positions of its key and of all older ones
            for (std::int64_t key = oldest_key(query); key <= query; ++key) {
                const auto lower = static_cast<std::int32_t>(places[key]);
                const float weight = places[key] - static_cast<float>(lower);
                const float gradient = grad_scores[key];
                sums[lower] += gradient - gradient * weight;
                sums[lower + 1] += gradient * weight;
                if (weight > 0) of_gates += gradient * (entries[lower + 1] - entries[lower]);
                grad_scores[key] += of_gates * gates[key] * (1.0F - gates[key]) * scale_;
            }
        }
        if (args_.relative.values) {
            sum_weights_by_distance(first, last);
            entry_weights_.prepare_pairs(last - first);
        }
        if (!args_.relative.keys) return;
        grad_entry_scores_.prepare_rows(height(first, last));
        grad_entry_scores_.prepare_pairs(last - first);
    }

    const CausalAttention<T>& args_;
    std::int64_t width_;   // number of channels of a head, padded
    std::int64_t length_;  // number of positions of a sequence, padded
    float scale_;
    std::int64_t entries_;  // of a relative position encoding, padded
    bool paired_ = std::is_same_v<T, Bfloat16> && multiplies_pairs();
    Matrix keys_, values_;                         // (time, head_dim)
    Numbers grad_keys_;                            // (time, head_dim)
    Numbers transposed_keys_, transposed_values_;  // as transpose() makes them
    Matrix query_, grad_query_;                    // (queries_at_once, head_dim)
    Matrix weights_, grad_scores_;                 // (queries_at_once, time)
    Numbers factors_;                              // (time)
    float sink_weights_[queries_at_once] = {};
    std::int64_t loaded_head_ = -1;  // whose entries are loaded
    Entries entry_keys_, entry_values_;
    Matrix entry_scores_, grad_entry_scores_, entry_weights_;  // (queries_at_once, entries)
    Numbers gates_, places_;                                   // (queries_at_once, time)
};

}  // namespace

float softmax(float* scores, std::int64_t count, float scale, float sink) {
    const float top = std::max(largest_number(scores, count), sink / scale);
    Floats totals = {};
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats power = exp_of_negative((load_lanes(scores + i, some, -INFINITY) - top) * scale);
        store_lanes(scores + i, power, some);
        totals += power;
    });
    const float of_sink = std::exp(sink - top * scale);
    const float inverse = 1.0F / (sum_of(totals) + of_sink);
    for (std::int64_t i = 0; i < count; ++i) scores[i] *= inverse;
    return of_sink * inverse;
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
                     std::int64_t last, const RelativeGradients& more) {
    HeadAttention<T> heads(args, true);
    for (std::int64_t group = first; group < last; ++group) heads.backward(group, grad_mixed, grad_qkv, more);
}

template void attend(const CausalAttention<float>&, float*, std::int64_t, std::int64_t);
template void attend(const CausalAttention<Bfloat16>&, Bfloat16*, std::int64_t, std::int64_t);
template void attend_in_turns(const CausalAttention<float>&, float*, std::int64_t, std::atomic<std::int64_t>&);
template void attend_in_turns(const CausalAttention<Bfloat16>&, Bfloat16*, std::int64_t, std::atomic<std::int64_t>&);
template void attend_backward(const CausalAttention<float>&, const float*, float*, std::int64_t, std::int64_t,
                              const RelativeGradients&);
template void attend_backward(const CausalAttention<Bfloat16>&, const Bfloat16*, Bfloat16*, std::int64_t, std::int64_t,
                              const RelativeGradients&);

}  // namespace ropelab::kernels
