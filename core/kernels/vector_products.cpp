#include <algorithm>
#include <type_traits>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

// Enough loads are then in flight to hide their latency.
constexpr std::int64_t rows_at_once = 4;

// 32 numbers, split into those with even and odd indices.
struct Pairs {
    Floats even;
    Floats odd;
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

float as_float(std::uint16_t half) {
    const std::uint32_t word = static_cast<std::uint32_t>(half) << 16;
    float result;
    std::memcpy(&result, &word, sizeof result);
    return result;
}

}  // namespace

void dot_rows(const float* matrix, const float* x, std::int64_t columns, float* out, std::int64_t first,
              std::int64_t last) {
    std::int64_t row = first;
    for (; row + rows_at_once <= last; row += rows_at_once) {
        const float* from = matrix + row * columns;
        Floats totals[rows_at_once] = {};
        for_lanes(columns, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
            const Floats factor = load_lanes(x + i, count);
            for (std::int64_t r = 0; r < rows_at_once; ++r)
                totals[r] += load_lanes(from + r * columns + i, count) * factor;
        });
        for (std::int64_t r = 0; r < rows_at_once; ++r) out[row + r] = sum_of(totals[r]);
    }
    for (; row < last; ++row) {
        Floats total = {};
        for_lanes(columns, [&](std::int64_t i, std::int64_t count) ROPELAB_LAMBDA {
            total += load_lanes(matrix + row * columns + i, count) * load_lanes(x + i, count);
        });
        out[row] = sum_of(total);
    }
}

PairedVector::PairedVector(const float* x, std::int64_t count) : columns(count) {
    even.resize(static_cast<std::size_t>(paired() / 2));
    odd.resize(even.size());
    for (std::size_t i = 0; i < even.size(); ++i) {
        even[i] = x[2 * i];
        odd[i] = x[2 * i + 1];
    }
    rest.assign(x + paired(), x + count);
}

void dot_rows(const std::uint16_t* matrix, const PairedVector& x, float* out, std::int64_t first, std::int64_t last) {
    const std::int64_t columns = x.columns;
    const std::int64_t paired = x.paired();
    const auto several = [&]<std::int64_t count>(std::integral_constant<std::int64_t, count>, std::int64_t row) {
        const std::uint16_t* from = matrix + row * columns;
        Floats even[count] = {};
        Floats odd[count] = {};
        for (std::int64_t i = 0; i < paired; i += 2 * lane_count) {
            const Floats even_factor = load(x.even.data() + i / 2);
            const Floats odd_factor = load(x.odd.data() + i / 2);
            for (std::int64_t r = 0; r < count; ++r) {
                const Pairs pairs = load_pairs(from + r * columns + i);
                even[r] += pairs.even * even_factor;
                odd[r] += pairs.odd * odd_factor;
            }
        }
        for (std::int64_t r = 0; r < count; ++r) {
            float total = sum_of(even[r] + odd[r]);
            for (std::int64_t i = paired; i < columns; ++i)
                total += as_float(from[r * columns + i]) * x.rest[static_cast<std::size_t>(i - paired)];
            out[row + r] = total;
        }
    };
    std::int64_t row = first;
    for (; row + rows_at_once <= last; row += rows_at_once)
        several(std::integral_constant<std::int64_t, rows_at_once>{}, row);
    for (; row < last; ++row) several(std::integral_constant<std::int64_t, 1>{}, row);
}

void sum_weighted_rows(const float* rows, const float* weights, std::int64_t count, std::int64_t columns, float* out) {
    std::fill_n(out, columns, 0.0F);
    for (std::int64_t row = 0; row < count; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) out[i] += weights[row] * rows[row * columns + i];
    }
}

}  // namespace ropelab::kernels
