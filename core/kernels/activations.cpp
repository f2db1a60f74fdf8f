#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"
#include "core/kernels/target_clones.h"

namespace ropelab::kernels {

namespace {

ROPELAB_INLINE Floats magnitude(Floats x) {
    return x < 0.0F ? -x : x;
}

// erf to 1.5e-7 (Abramowitz and Stegun 7.1.26).
ROPELAB_INLINE Floats error_function(Floats x) {
    const Floats size = magnitude(x);
    const Floats t = 1.0F / (1.0F + 0.3275911F * size);
    Floats p = Floats{} + 1.061405429F;
    p = p * t - 1.453152027F;
    p = p * t + 1.421413741F;
    p = p * t - 0.284496736F;
    p = p * t + 0.254829592F;
    const Floats result = 1.0F - p * t * exp_of_negative(-size * size);
    return x < 0.0F ? -result : result;
}

}  // namespace

ROPELAB_CLONES void gelu(float* x, std::int64_t count) {
    constexpr float inverse_root_2 = 0.70710678F;
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(x + i, some);
        store_lanes(x + i, 0.5F * value * (1.0F + error_function(value * inverse_root_2)), some);
    });
}

ROPELAB_CLONES void silu_times(float* gate, const float* factor, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(gate + i, some);
        const Floats power = exp_of_negative(-magnitude(value));
        const Floats share = (value < 0.0F ? power : Floats{} + 1.0F) / (1.0F + power);
        store_lanes(gate + i, value * share * load_lanes(factor + i, some), some);
    });
}

}  // namespace ropelab::kernels
