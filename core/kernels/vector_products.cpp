#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

// 32 numbers, split into those with even and odd indices.
struct Pairs {
    Floats even = {};
    Floats odd = {};
};
ROPELAB_INLINE Pairs load_pairs(const std::uint16_t* from) {
    Pairs result;
    for_registers([&](std::size_t i) ROPELAB_LAMBDA {
        WordRegister words;
        std::memcpy(&words, from + 2 * i * lanes_in_register, sizeof words);
        result.even.part[i] = as_floats(words << 16);
        result.odd.part[i] = as_floats(words & 0xFFFF0000U);
    });
    return result;
}

// In order again.
ROPELAB_INLINE void store_pairs(float* to, const Pairs& pairs) {
    [&]<std::size_t... lane>(std::index_sequence<lane...>) ROPELAB_LAMBDA {
        constexpr std::size_t half = lanes_in_register / 2;
        for_registers([&](std::size_t i) ROPELAB_LAMBDA {
            const FloatRegister& even = pairs.even.part[i];
            const FloatRegister& odd = pairs.odd.part[i];
            const FloatRegister low = __builtin_shufflevector(even, odd, (lane / 2 + lane % 2 * lanes_in_register)...);
            const FloatRegister high =
                __builtin_shufflevector(even, odd, (half + lane / 2 + lane % 2 * lanes_in_register)...);
            std::memcpy(to + 2 * i * lanes_in_register, &low, sizeof low);
            std::memcpy(to + (2 * i + 1) * lanes_in_register, &high, sizeof high);
        });
    }
    (std::make_index_sequence<lanes_in_register>{});
}

float as_float(std::uint16_t half) {
    const std::uint32_t word = static_cast<std::uint32_t>(half) << 16;
    float result;
    std::memcpy(&result, &word, sizeof result);
    return result;
}

#if defined(__AVX512F__)
// One level of sum_of for two values, or for two results of a level before, which have `half` numbers of each value:
// then for half as many numbers of twice as many values.
template <std::int64_t half, typename Register>
ROPELAB_INLINE Register fold_two(const Register& a, const Register& b) {
    IntRegister low = {};
    for (std::int64_t lane = 0; lane < lane_count; ++lane) {
        const std::int64_t from = lane / half * 2 * half + lane % half;  // of the lanes of a, then those of b
        low[lane] = static_cast<std::int32_t>(from);
    }
    return __builtin_shuffle(a, b, low) + __builtin_shuffle(a, b, low + static_cast<std::int32_t>(half));
}
// sum_of each of 16 values, in order.
template <typename Register>
ROPELAB_INLINE Register sums_of_registers(const Register (&values)[lane_count]) {
    Register by_8[8], by_4[4], by_2[2];
    for (std::size_t i = 0; i < 8; ++i) by_8[i] = fold_two<8>(values[2 * i], values[2 * i + 1]);
    for (std::size_t i = 0; i < 4; ++i) by_4[i] = fold_two<4>(by_8[2 * i], by_8[2 * i + 1]);
    for (std::size_t i = 0; i < 2; ++i) by_2[i] = fold_two<2>(by_4[2 * i], by_4[2 * i + 1]);
    return fold_two<1>(by_2[0], by_2[1]);
}
ROPELAB_INLINE Floats sums_of(const Floats (&values)[lane_count]) {
    FloatRegister registers[lane_count];
    for (std::size_t i = 0; i < lane_count; ++i) registers[i] = values[i].part[0];
    Floats result;
    result.part[0] = sums_of_registers(registers);
    return result;
}
#else
ROPELAB_INLINE Floats sums_of(const Floats (&values)[lane_count]) {
    Floats result;
    for (std::int64_t i = 0; i < lane_count; ++i) result.set(i, sum_of(values[i]));
    return result;
}
#endif

template <std::int64_t number>
using Constant = std::integral_constant<std::int64_t, number>;

// tile(rows, vectors, first row, first vector) for tiles whose sums stay in 32 or 16 registers. Rows of single
// vectors come one by one, because the processor fetches memory ahead that is read in order. Those of two lines of a
// cache, such as the keys of a head, come 16 at a time: adding the lanes of one sum takes longer than its products.
template <std::int64_t number_bytes, typename Vectors, typename Tile>
ROPELAB_INLINE void for_tiles(std::int64_t first, std::int64_t last, const Vectors& x, Tile tile) {
    constexpr std::int64_t rows = 4;
    constexpr std::int64_t most = register_bytes == 64 ? 4 : 1;
    const auto of_rows = [&](auto count, std::int64_t row) ROPELAB_LAMBDA {
        std::int64_t vector = 0;
        for (; vector + most <= x.count; vector += most) tile(count, Constant<most>{}, row, vector);
        for (; vector < x.count; ++vector)
            for (std::int64_t r = 0; r < count(); ++r) tile(Constant<1>{}, Constant<1>{}, row + r, vector);
    };
    std::int64_t row = first;
    if constexpr (register_bytes == 64) {
        constexpr std::int64_t most_columns = 128 / number_bytes;
        for (; x.count == 1 && x.columns <= most_columns && row + lane_count <= last; row += lane_count)
            tile(Constant<lane_count>{}, Constant<1>{}, row, 0);
    }
    for (; row + rows <= last; row += rows) of_rows(Constant<rows>{}, row);
    for (; row < last; ++row) of_rows(Constant<1>{}, row);
}

// totals[v][r] to row `row` + r of vector `vector` + v.
template <std::int64_t rows, std::int64_t vectors>
ROPELAB_INLINE void write_sums(const Floats (&totals)[vectors * rows], float* out, std::int64_t stride) {
    if constexpr (vectors * rows == lane_count) {
        float sums[lane_count];
        store(sums, sums_of(totals));
        for (std::int64_t v = 0; v < vectors; ++v) std::copy_n(sums + v * rows, rows, out + v * stride);
    } else {
        for (std::int64_t v = 0; v < vectors; ++v)
            for (std::int64_t r = 0; r < rows; ++r) out[v * stride + r] = sum_of(totals[v * rows + r]);
    }
}

// The largest, where NaN is ignored, and the sum.
std::pair<float, float> magnitudes_of(const float* numbers, std::int64_t count) {
    Floats largest = 0;
    Floats sum = 0;
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats number = load_lanes(numbers + i, some);
        const Floats magnitude = where_less(number, 0, -number, number);
        largest = larger(magnitude, largest);
        sum += magnitude;
    });
    return {folded(largest, [](auto a, auto b) ROPELAB_LAMBDA { return a > b ? a : b; }), sum_of(sum)};
}

// write(i, number·factor rounded to a whole number).
template <typename Write>
ROPELAB_INLINE void round_each(const float* numbers, std::int64_t count, float factor, Write write) {
    for (std::int64_t i = 0; i < count; ++i) {
        const float scaled = numbers[i] * factor;
        write(i, static_cast<std::int32_t>(scaled + (scaled < 0 ? -0.5F : 0.5F)));
    }
}

// Of a row's whole numbers and the vector's.
ROPELAB_INLINE float scaled(std::int32_t sum, const WholeVectors& x, std::int64_t vector, float scale) {
    return static_cast<float>(sum) * (scale * x.scales[static_cast<std::size_t>(vector)]);
}

#ifdef ROPELAB_MASKED_ACCESS
bool multiplies_bytes() {
    static const bool has_instruction = __builtin_cpu_supports("avx512vnni");
    return has_instruction;
}

void dot_rows_in_bytes(const ByteRows& matrix, const WholeVectors& x, float* out, std::int64_t out_stride,
                       std::int64_t first, std::int64_t last) {
    constexpr std::int64_t step = 64;
    const std::int64_t columns = x.columns;
    const __mmask64 left = (std::uint64_t{1} << (columns % step)) - 1U;
    for_tiles<1>(first, last, x,
                 [&]<std::int64_t rows, std::int64_t vectors>(Constant<rows>, Constant<vectors>, std::int64_t row,
                                                              std::int64_t vector) ROPELAB_LAMBDA {
                     WordRegister totals[vectors * rows] = {};  // modulo 2^32
                     for (const std::int8_t* digits : {x.high.data(), x.low.data()}) {
                         for (WordRegister& total : totals) total <<= 8;
                         const auto add = [&](std::int64_t i, auto load_row) ROPELAB_LAMBDA {
                             __m512i own[rows];
                             for (std::int64_t r = 0; r < rows; ++r)
                                 own[r] = load_row(matrix.bytes + (row + r) * columns + i);
                             for (std::int64_t v = 0; v < vectors; ++v) {
                                 const __m512i factor = _mm512_loadu_si512(digits + (vector + v) * x.padded() + i);
                                 for (std::int64_t r = 0; r < rows; ++r)
                                     asm("vpdpbusd %2, %1, %0" : "+v"(totals[v * rows + r]) : "v"(own[r]), "v"(factor));
                             }
                         };
                         std::int64_t i = 0;
                         for (; i + step <= columns; i += step)
                             add(i, [](const void* at) { return _mm512_loadu_si512(at); });
                         if (left != 0) add(i, [&](const void* at) { return _mm512_maskz_loadu_epi8(left, at); });
                     }
                     if constexpr (vectors * rows == lane_count) {  // as scaled(), for all sums together
                         IntRegister row_of, vector_of;
                         for (std::int64_t k = 0; k < lane_count; ++k) {
                             row_of[k] = static_cast<std::int32_t>(k % rows);
                             vector_of[k] = static_cast<std::int32_t>(k / rows);
                         }
                         const FloatRegister of_rows = load_lanes(matrix.scales + row, rows).part[0];
                         const FloatRegister of_vectors = load_lanes(x.scales.data() + vector, vectors).part[0];
                         const auto shifts = reinterpret_cast<WordRegister>(
                             _mm512_maskz_loadu_epi32(first_lanes(vectors), x.shifts.data() + vector));
                         const auto sums = reinterpret_cast<IntRegister>(sums_of_registers(totals) -
                                                                         __builtin_shuffle(shifts, vector_of));
                         const FloatRegister results =
                             __builtin_convertvector(sums, FloatRegister) *
                             (__builtin_shuffle(of_rows, row_of) * __builtin_shuffle(of_vectors, vector_of));
                         for (std::int64_t v = 0; v < vectors; ++v)
                             std::memcpy(out + (vector + v) * out_stride + row,
                                         reinterpret_cast<const float*>(&results) + v * rows, rows * sizeof(float));
                         return;
                     }
                     for (std::int64_t k = 0; k < vectors * rows; ++k) {
                         const std::int64_t v = vector + k / rows;
                         const auto sum =
                             static_cast<std::uint32_t>(_mm512_reduce_add_epi32(reinterpret_cast<__m512i>(totals[k])));
                         out[v * out_stride + row + k % rows] =
                             scaled(static_cast<std::int32_t>(sum - x.shifts[static_cast<std::size_t>(v)]), x, v,
                                    matrix.scales[row + k % rows]);
                     }
                 });
}

void dot_rows_in_pairs(const std::uint16_t* matrix, const PairedVectors& x, float* out, std::int64_t out_stride,
                       std::int64_t first, std::int64_t last) {
    constexpr std::int64_t step = 2 * lane_count;
    const std::int64_t columns = x.columns;
    const __mmask32 left = (1U << (columns % step)) - 1U;
    for_tiles<2>(
        first, last, x,
        [&]<std::int64_t rows, std::int64_t vectors>(Constant<rows>, Constant<vectors>, std::int64_t row,
                                                     std::int64_t vector) ROPELAB_LAMBDA {
            const std::uint16_t* from = matrix + row * columns;
            const std::uint16_t* factors = x.halves.data() + vector * x.padded();
            Floats totals[vectors * rows] = {};
            const auto add = [&](std::int64_t i, auto load_row) ROPELAB_LAMBDA {
                __m512i own[rows];
                for (std::int64_t r = 0; r < rows; ++r) own[r] = load_row(from + r * columns + i);
                for (std::int64_t v = 0; v < vectors; ++v) {
                    const __m512i factor = _mm512_loadu_si512(factors + v * x.padded() + i);
                    for (std::int64_t r = 0; r < rows; ++r)
                        asm("vdpbf16ps %2, %1, %0" : "+v"(totals[v * rows + r].part[0]) : "v"(factor), "v"(own[r]));
                }
            };
            std::int64_t i = 0;
            for (; i + step <= columns; i += step) add(i, [](const void* at) { return _mm512_loadu_si512(at); });
            if (left != 0) add(i, [&](const void* at) { return _mm512_maskz_loadu_epi16(left, at); });
            write_sums<rows, vectors>(totals, out + vector * out_stride + row, out_stride);
        });
}
#else
bool multiplies_bytes() {
    return false;
}
void dot_rows_in_bytes(const ByteRows&, const WholeVectors&, float*, std::int64_t, std::int64_t, std::int64_t) {}
void dot_rows_in_pairs(const std::uint16_t*, const PairedVectors&, float*, std::int64_t, std::int64_t, std::int64_t) {}
#endif

}  // namespace

void dot_rows(const float* matrix, const Vectors& x, float* out, std::int64_t out_stride, std::int64_t first,
              std::int64_t last) {
    const std::int64_t columns = x.columns;
    const std::int64_t stride = x.stride;
    for_tiles<4>(first, last, x,
                 [&]<std::int64_t rows, std::int64_t vectors>(Constant<rows>, Constant<vectors>, std::int64_t row,
                                                              std::int64_t vector) ROPELAB_LAMBDA {
                     const float* from = matrix + row * columns;
                     const float* factors = x.numbers + vector * stride;
                     Floats totals[vectors * rows] = {};
                     for_lanes(columns, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
                         Floats own[rows];
                         for (std::int64_t r = 0; r < rows; ++r) own[r] = load_lanes(from + r * columns + i, count);
                         for (std::int64_t v = 0; v < vectors; ++v) {
                             const Floats factor = load_lanes(factors + v * stride + i, count);
                             for (std::int64_t r = 0; r < rows; ++r) totals[v * rows + r] += own[r] * factor;
                         }
                     });
                     write_sums<rows, vectors>(totals, out + vector * out_stride + row, out_stride);
                 });
}

template <typename T>
void copy_numbers(const float* from, T* to, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { store_lanes(to + i, load_lanes(from + i, some), some); });
}
template void copy_numbers(const float*, float*, std::int64_t);
template void copy_numbers(const float*, Bfloat16*, std::int64_t);

PairedVectors::PairedVectors(const Vectors& x) : columns(x.columns), count(x.count) {
    const bool in_pairs = multiplies_pairs();
    const std::int64_t half = paired() / 2;
    if (in_pairs) {
        halves.resize(static_cast<std::size_t>(count * padded()));
    } else {
        even.resize(static_cast<std::size_t>(count * half));
        odd.resize(even.size());
    }
    for (std::int64_t v = 0; v < count; ++v) {
        const float* from = x.numbers + v * x.stride;
        if (in_pairs) {
            copy_numbers(from, reinterpret_cast<Bfloat16*>(halves.data() + v * padded()), columns);
            continue;
        }
        for (std::int64_t i = 0; i < half; ++i) {
            even[static_cast<std::size_t>(v * half + i)] = to_float(to_bfloat16(from[2 * i]));
            odd[static_cast<std::size_t>(v * half + i)] = to_float(to_bfloat16(from[2 * i + 1]));
        }
        for (std::int64_t i = paired(); i < columns; ++i) rest.push_back(to_float(to_bfloat16(from[i])));
    }
}

void dot_rows(const std::uint16_t* matrix, const PairedVectors& x, float* out, std::int64_t out_stride,
              std::int64_t first, std::int64_t last) {
    if (!x.halves.empty()) return dot_rows_in_pairs(matrix, x, out, out_stride, first, last);
    const std::int64_t columns = x.columns;
    const std::int64_t paired = x.paired();
    for_tiles<2>(first, last, x,
                 [&]<std::int64_t rows, std::int64_t vectors>(Constant<rows>, Constant<vectors>, std::int64_t row,
                                                              std::int64_t vector) ROPELAB_LAMBDA {
                     // Fewer rows at a time, because even and odd elements have sums of their own.
                     constexpr std::int64_t step = std::min<std::int64_t>(rows, vectors > 1 ? 2 : 4);
                     Floats totals[vectors * rows];
                     const std::uint16_t* from = matrix + row * columns;
                     const float* even_factors = x.even.data() + vector * paired / 2;
                     const float* odd_factors = x.odd.data() + vector * paired / 2;
                     for (std::int64_t begin = 0; begin < rows; begin += step) {
                         Floats even[vectors * step] = {};
                         Floats odd[vectors * step] = {};
                         for (std::int64_t i = 0; i < paired; i += 2 * lane_count) {
                             Pairs pairs[step];
                             for (std::int64_t r = 0; r < step; ++r)
                                 pairs[r] = load_pairs(from + (begin + r) * columns + i);
                             for (std::int64_t v = 0; v < vectors; ++v) {
                                 const Floats even_factor = load(even_factors + v * paired / 2 + i / 2);
                                 const Floats odd_factor = load(odd_factors + v * paired / 2 + i / 2);
                                 for (std::int64_t r = 0; r < step; ++r) {
                                     even[v * step + r] += pairs[r].even * even_factor;
                                     odd[v * step + r] += pairs[r].odd * odd_factor;
                                 }
                             }
                         }
                         for (std::int64_t v = 0; v < vectors; ++v)
                             for (std::int64_t r = 0; r < step; ++r)
                                 totals[v * rows + begin + r] = even[v * step + r] + odd[v * step + r];
                     }
                     float* to = out + vector * out_stride + row;
                     write_sums<rows, vectors>(totals, to, out_stride);
                     const std::int64_t left = columns - paired;
                     for (std::int64_t v = 0; v < vectors && left > 0; ++v) {
                         const float* factors = x.rest.data() + (vector + v) * left;
                         for (std::int64_t r = 0; r < rows; ++r)
                             for (std::int64_t i = 0; i < left; ++i)
                                 to[v * out_stride + r] += as_float(from[r * columns + paired + i]) * factors[i];
                     }
                 });
}

void round_rows(const float* numbers, std::int64_t rows, std::int64_t columns, std::uint8_t* bytes, float* scales) {
    for (std::int64_t row = 0; row < rows; ++row, numbers += columns, bytes += columns) {
        const auto [largest, sum] = magnitudes_of(numbers, columns);
        const bool is_finite = sum - sum == 0;
        scales[row] = is_finite ? largest / 127.0F : NAN;
        round_each(numbers, columns, is_finite && largest > 0 ? 127.0F / largest : 0.0F,
                   [&](std::int64_t i, std::int32_t whole)
                       ROPELAB_LAMBDA { bytes[i] = static_cast<std::uint8_t>(whole + 128); });
    }
}

WholeVectors::WholeVectors(const Vectors& x) : columns(x.columns), count(x.count) {
    constexpr float largest_number = 32639;        // 256·127 + 127
    constexpr std::int64_t largest_sum = 1 << 24;  // 127 times as much has 32 bits
    high.resize(static_cast<std::size_t>(count * padded()));
    low.resize(high.size());
    numbers.resize(high.size());
    for (std::int64_t v = 0; v < count; ++v) {
        const float* from = x.numbers + v * x.stride;
        const auto [largest, sum] = magnitudes_of(from, columns);
        const float by_sum = sum / static_cast<float>(largest_sum - columns);  // rounding adds at most ½ to a number
        const float by_number = largest / largest_number;
        scales.push_back(by_number > by_sum ? by_number : by_sum);  // NaN if the sum is NaN
        std::uint32_t total = 0;
        std::int8_t* own_high = high.data() + v * padded();
        std::int8_t* own_low = low.data() + v * padded();
        std::int16_t* own = numbers.data() + v * padded();
        const float factor = sum > 0 && sum - sum == 0 ? 1.0F / scales.back() : 0.0F;
        round_each(from, columns, factor, [&](std::int64_t i, std::int32_t whole) ROPELAB_LAMBDA {
            own[i] = static_cast<std::int16_t>(whole);
            own_low[i] = static_cast<std::int8_t>(whole);
            own_high[i] = static_cast<std::int8_t>((whole - own_low[i]) >> 8);
            total += static_cast<std::uint32_t>(whole);
        });
        shifts.push_back(128 * total);
    }
}

void dot_rows(const ByteRows& matrix, const WholeVectors& x, float* out, std::int64_t out_stride, std::int64_t first,
              std::int64_t last) {
    if (multiplies_bytes()) return dot_rows_in_bytes(matrix, x, out, out_stride, first, last);
    for (std::int64_t row = first; row < last; ++row) {
        const std::uint8_t* bytes = matrix.bytes + row * x.columns;
        for (std::int64_t v = 0; v < x.count; ++v) {
            const std::int16_t* numbers = x.numbers.data() + v * x.padded();
            std::int32_t sum = 0;
            for (std::int64_t i = 0; i < x.columns; ++i) {
                const auto own = static_cast<std::int16_t>(bytes[i] - 128);
                sum += own * numbers[i];
            }
            out[v * out_stride + row] = scaled(sum, x, v, matrix.scales[row]);
        }
    }
}

template <typename T>
void sum_weighted_rows(const T* rows, const float* weights, std::int64_t count, std::int64_t columns, float* out) {
    std::int64_t column = 0;
    if constexpr (std::is_same_v<T, Bfloat16>) {  // in pairs, which two operations widen instead of four
        constexpr std::int64_t width = 2 * lane_count;
        for (; column + 2 * width <= columns; column += 2 * width) {
            Pairs sums[2];
            for (std::int64_t row = 0; row < count; ++row) {
                const Floats weight = weights[row];
                for (std::int64_t g = 0; g < 2; ++g) {
                    const Pairs numbers = load_pairs(&rows[row * columns + column + g * width].bits);
                    sums[g].even += weight * numbers.even;
                    sums[g].odd += weight * numbers.odd;
                }
            }
            for (std::int64_t g = 0; g < 2; ++g) store_pairs(out + column + g * width, sums[g]);
        }
    }
    constexpr std::int64_t groups = 4;  // of sums in registers
    const auto sum = [&](auto lanes, std::int64_t begin, std::int64_t partial) ROPELAB_LAMBDA {
        Floats sums[lanes()] = {};
        for (std::int64_t row = 0; row < count; ++row) {
            const Floats weight = weights[row];
            const T* from = rows + row * columns + begin;
            for (std::int64_t g = 0; g < lanes(); ++g) sums[g] += weight * load_lanes(from + g * lane_count, partial);
        }
        for (std::int64_t g = 0; g < lanes(); ++g) store_lanes(out + begin + g * lane_count, sums[g], partial);
    };
    for (; column + groups * lane_count <= columns; column += groups * lane_count)
        sum(Constant<groups>{}, column, lane_count);
    for (; column + lane_count <= columns; column += lane_count) sum(Constant<1>{}, column, lane_count);
    if (column < columns) sum(Constant<1>{}, column, columns - column);
}
template void sum_weighted_rows(const float*, const float*, std::int64_t, std::int64_t, float*);
template void sum_weighted_rows(const Bfloat16*, const float*, std::int64_t, std::int64_t, float*);

}  // namespace ropelab::kernels
