#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cuda/cuda_kernels.h"
#include "core/spec/random_stream.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

// norm(x), as the formula has it, in double.
std::vector<double> exact_norm(const std::vector<float>& x, const std::vector<float>& weight,
                               const std::vector<float>& bias, bool centred) {
    const auto n = static_cast<double>(x.size());
    const double mean = centred ? std::accumulate(x.begin(), x.end(), 0.0) / n : 0.0;
    double squares = 0;
    for (float value : x) squares += (value - mean) * (value - mean);
    const double inverse = 1 / std::sqrt(squares / n + (centred ? 1e-5 : 1e-6));
    std::vector<double> result;
    for (std::size_t c = 0; c < x.size(); ++c) result.push_back((x[c] - mean) * inverse * weight[c] + bias[c]);
    return result;
}

double exact_activation(Activation activation, double first, double second) {
    if (activation == Activation::gelu) return 0.5 * first * (1 + std::erf(first / std::sqrt(2.0)));
    if (activation == Activation::swiglu) return first / (1 + std::exp(-first)) * second;
    return first;
}

template <typename T>
void compare_product(std::size_t columns, Activation activation, bool centred, bool adds, Type type) {
    SCOPED_TRACE(testing::Message() << columns << " columns, activation " << static_cast<int>(activation)
                                    << ", bfloat16 " << (type == Type::bfloat16));
    constexpr std::size_t rows = 21;
    const std::size_t matrix_rows = activation == Activation::swiglu ? 2 * rows : rows;
    std::vector<T> matrix;
    for (float value : some_numbers(matrix_rows * columns, 1)) matrix.push_back(from_float<T>(value));
    const auto x = some_numbers(columns, 2);
    const auto weight = some_numbers(columns, 3);
    const auto norm_bias = some_numbers(columns, 4);
    const auto bias = some_numbers(matrix_rows, 5);
    const auto before = some_numbers(rows, 6);
    const auto normed = exact_norm(x, weight, norm_bias, centred);
    const auto product = [&](std::size_t row) {
        double total = bias[row];
        for (std::size_t c = 0; c < columns; ++c) total += to_float(matrix[row * columns + c]) * normed[c];
        return total;
    };
    std::vector<float> wanted;
    for (std::size_t row = 0; row < rows; ++row) {
        const double second = activation == Activation::swiglu ? product(rows + row) : 0.0;
        const double value = exact_activation(activation, product(row), second);
        wanted.push_back(static_cast<float>(adds ? before[row] + value : value));
    }
    const OnDevice<T> d_matrix(matrix);
    const OnDevice<float> d_bias(bias), d_x(x), d_weight(weight), d_norm_bias(norm_bias), y(before);
    ASSERT_EQ(ropelab_cuda_kernels()->vector_product({.rows = rows,
                                                      .columns = static_cast<std::int64_t>(columns),
                                                      .type = type,
                                                      .matrix = d_matrix.data(),
                                                      .bias = d_bias.data(),
                                                      .x = d_x.data(),
                                                      .norm_weight = d_weight.data(),
                                                      .norm_bias = d_norm_bias.data(),
                                                      .centred = centred,
                                                      .activation = activation,
                                                      .adds = adds,
                                                      .y = y.data()},
                                                     nullptr),
              0);
    expect_near(y.host(), wanted, 2e-5);
}

KERNEL_TEST(GenerationKernel, MultipliesANormedVector) {
    SKIP_WITHOUT_DEVICE();
    for (std::size_t columns : {128U, 260U, 37U}) {
        for (Activation activation : {Activation::none, Activation::gelu, Activation::swiglu}) {
            for (bool other : {false, true}) {
                compare_product<float>(columns, activation, other, !other, Type::float32);
                compare_product<Bfloat16>(columns, activation, other, other, Type::bfloat16);
            }
        }
    }
}

// Symbol after symbol past the cache's end, against a softmax in double over what should be seen.
void compare_attention(std::int64_t heads, std::int64_t key_value_heads, std::int64_t n, bool norms, bool turns,
                       std::int64_t context = 12) {
    SCOPED_TRACE(testing::Message() << heads << " heads of " << n << ", " << key_value_heads << " for keys, context "
                                    << context);
    const std::int64_t symbols = context + 5;
    const std::int64_t size = (heads + 2 * key_value_heads) * n;
    const std::int64_t pairs = n / 2;
    const auto all = some_numbers(static_cast<std::size_t>(symbols * size), 3);
    const auto query_norm = some_numbers(static_cast<std::size_t>(n), 4);
    const auto key_norm = some_numbers(static_cast<std::size_t>(n), 5);
    std::vector<float> cosine, sine;
    for (std::int64_t p = 0; p < symbols; ++p) {
        for (std::int64_t i = 0; i < pairs; ++i) {
            const double angle = static_cast<double>(p) * std::pow(50.0, -double(i) / double(pairs));
            cosine.push_back(static_cast<float>(std::cos(angle)));
            sine.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    // Head `index` of the vectors of position p, normed and turned.
    const auto vector = [&](std::int64_t p, std::int64_t index, const std::vector<float>* norm, bool turned) {
        std::vector<float> given(all.begin() + p * size + index * n, all.begin() + p * size + (index + 1) * n);
        std::vector<double> result(given.begin(), given.end());
        if (norm) result = exact_norm(given, *norm, std::vector<float>(given.size()), false);
        for (std::int64_t i = 0; turned && i < pairs; ++i) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(i + pairs);
            const auto at = static_cast<std::size_t>(p * pairs + i);
            const double x = result[a], y = result[b];
            result[a] = x * cosine[at] - y * sine[at];
            result[b] = y * cosine[at] + x * sine[at];
        }
        return result;
    };

    const OnDevice<float> d_query_norm(query_norm), d_key_norm(key_norm), d_cosine(cosine), d_sine(sine);
    const OnDevice<float> keys(static_cast<std::size_t>(key_value_heads * context * n));
    const OnDevice<float> values(static_cast<std::size_t>(key_value_heads * context * n));
    AttendedParts attended = attended_parts(n, context);
    const OnDevice<float> parts(static_cast<std::size_t>(heads * attended.parts * (n + 2)));
    attended.numbers = parts.data();
    // A product with the unit matrix joins the parts.
    const auto size_of_all = static_cast<std::size_t>(heads * n);
    std::vector<float> unit(size_of_all * size_of_all);
    for (std::size_t i = 0; i < size_of_all; ++i) unit[i * size_of_all + i] = 1;
    const OnDevice<float> d_unit(unit), mixed(size_of_all);
    for (std::int64_t p = 0; p < symbols; ++p) {
        const OnDevice<float> qkv(std::vector<float>(all.begin() + p * size, all.begin() + (p + 1) * size));
        const OnDevice<std::int64_t> position(std::vector<std::int64_t>{p});
        ASSERT_EQ(ropelab_cuda_kernels()->attend_cached({.heads = heads,
                                                         .key_value_heads = key_value_heads,
                                                         .qkv = qkv.data(),
                                                         .query_norm = norms ? d_query_norm.data() : nullptr,
                                                         .key_norm = norms ? d_key_norm.data() : nullptr,
                                                         .cosine = turns ? d_cosine.data() : nullptr,
                                                         .sine = turns ? d_sine.data() : nullptr,
                                                         .position = position.data(),
                                                         .keys = keys.data(),
                                                         .values = values.data(),
                                                         .attended = attended},
                                                        nullptr),
                  0);
        ASSERT_EQ(ropelab_cuda_kernels()->vector_product({.rows = heads * n,
                                                          .columns = heads * n,
                                                          .type = Type::float32,
                                                          .matrix = d_unit.data(),
                                                          .bias = nullptr,
                                                          .x = nullptr,
                                                          .norm_weight = nullptr,
                                                          .norm_bias = nullptr,
                                                          .centred = true,
                                                          .activation = Activation::none,
                                                          .adds = false,
                                                          .y = mixed.data(),
                                                          .attended = attended,
                                                          .position = position.data()},
                                                         nullptr),
                  0);
        std::vector<float> wanted;
        for (std::int64_t head = 0; head < heads; ++head) {
            const std::int64_t from = head * key_value_heads / heads;
            const auto query = vector(p, head, norms ? &query_norm : nullptr, turns);
            std::vector<double> sums(static_cast<std::size_t>(n));
            double total = 0;
            for (std::int64_t other = std::max<std::int64_t>(0, p + 1 - context); other <= p; ++other) {
                const auto key = vector(other, heads + from, norms ? &key_norm : nullptr, turns);
                const auto value = vector(other, heads + key_value_heads + from, nullptr, false);
                const double score = std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
                const double share = std::exp(score / std::sqrt(static_cast<double>(n)));
                total += share;
                for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += share * value[c];
            }
            for (double sum : sums) wanted.push_back(static_cast<float>(sum / total));
        }
        expect_near(mixed.host(), wanted, 1e-5);
    }
}

KERNEL_TEST(GenerationKernel, AttendsToTheNewestSymbols) {
    SKIP_WITHOUT_DEVICE();
    compare_attention(4, 4, 64, false, true);
    compare_attention(4, 2, 38, true, true);
    compare_attention(3, 1, 256, false, false);
    // Two parts, of which the second is short.
    compare_attention(2, 1, 8, false, true, 40);
    // Parts of 64 entries, which come in two times.
    compare_attention(1, 1, 4, false, true, 300);
}

// What core/model/torch_model.cpp draws.
std::int32_t drawn(const std::vector<float>& logits, double temperature, std::int64_t top_k, std::int64_t index) {
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return logits[a] > logits[b]; });
    if (temperature == 0) return order.front();
    if (top_k > 0 && top_k < static_cast<std::int64_t>(order.size())) order.resize(static_cast<std::size_t>(top_k));
    std::vector<double> weights;
    for (std::int32_t token : order) weights.push_back(std::exp((logits[token] - logits[order.front()]) / temperature));
    double left = RandomStream(5, "sample").uniform(static_cast<std::uint64_t>(index), 0) *
                  std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        left -= weights[i];
        if (left < 0) return order[i];
    }
    return order.back();
}

KERNEL_TEST(GenerationKernel, DrawsTheSymbolsThatTheCpuDraws) {
    SKIP_WITHOUT_DEVICE();
    constexpr std::int64_t prompt = 3;
    constexpr std::size_t draws = 8;
    for (std::size_t symbols : {65U, 300U, 1024U}) {
        for (double temperature : {0.0, 0.7, 1.5}) {
            for (std::int64_t top_k : {0, 1, 10}) {
                std::vector<std::int32_t> start(prompt + draws);
                start[1] = 41;
                start[2] = 42;
                const OnDevice<std::int32_t> text(start);
                const OnDevice<std::int64_t> position(std::vector<std::int64_t>{0});
                std::vector<std::int32_t> wanted = {0, 41, 42};
                for (std::int64_t step = 0; step < prompt - 1 + static_cast<std::int64_t>(draws); ++step) {
                    auto logits = some_numbers(symbols, static_cast<std::uint32_t>(step));
                    logits[7] = logits[3];  // two of equal rank
                    const OnDevice<float> d_logits(logits);
                    ASSERT_EQ(ropelab_cuda_kernels()->sample_symbol(
                                  {static_cast<std::int64_t>(symbols), d_logits.data(), temperature, top_k,
                                   stream_key(5, "sample"), prompt, text.data(), position.data()},
                                  nullptr),
                              0);
                    if (step + 1 >= prompt) {
                        wanted.push_back(drawn(logits, temperature, top_k, step + 1 - prompt));
                    }
                }
                EXPECT_EQ(text.host(), wanted);
                EXPECT_EQ(position.host().front(), prompt - 1 + static_cast<std::int64_t>(draws));
            }
        }
    }
}

KERNEL_TEST(GenerationKernel, ReadsTheSymbolAtThePosition) {
    SKIP_WITHOUT_DEVICE();
    constexpr std::size_t columns = 300;
    const auto table = some_numbers(5 * columns, 1);
    const auto positions = some_numbers(4 * columns, 2);
    const OnDevice<float> d_table(table), d_positions(positions), x(columns);
    const OnDevice<std::int32_t> text(std::vector<std::int32_t>{0, 0, 4, 1});
    const OnDevice<std::int64_t> position(std::vector<std::int64_t>{2});
    for (bool learned : {false, true}) {
        ASSERT_EQ(ropelab_cuda_kernels()->read_symbol({columns, d_table.data(), learned ? d_positions.data() : nullptr,
                                                       text.data(), position.data(), x.data()},
                                                      nullptr),
                  0);
        std::vector<float> wanted(table.begin() + 4 * columns, table.end());
        for (std::size_t c = 0; learned && c < columns; ++c) wanted[c] += positions[2 * columns + c];
        EXPECT_EQ(x.host(), wanted);
    }
}

KERNEL_TEST(GenerationKernel, RefusesWhatItHasNoRoomFor) {
    SKIP_WITHOUT_DEVICE();
    AttendCached attention{};
    attention.heads = attention.key_value_heads = 1;
    for (std::int64_t head_dim : {258, 7}) {
        attention.attended = attended_parts(head_dim, 1);
        EXPECT_NE(ropelab_cuda_kernels()->attend_cached(attention, nullptr), 0);
    }
    SampleSymbol sample{};
    sample.symbols = most_symbols + 1;
    EXPECT_NE(ropelab_cuda_kernels()->sample_symbol(sample, nullptr), 0);
    VectorProduct product{};
    product.columns = most_columns + 1;
    EXPECT_NE(ropelab_cuda_kernels()->vector_product(product, nullptr), 0);
}

}  // namespace
}  // namespace ropelab::cuda
