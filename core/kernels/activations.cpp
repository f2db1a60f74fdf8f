#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

// The standard normal distribution: cumulative probability Φ(x) and density φ(x). Both share one exponential. The error
// function has an absolute error of 1.5e-7 (Abramowitz and Stegun 7.1.26).
struct Normal {
    Floats cumulative;
    Floats density;
};
ROPELAB_INLINE Normal normal_at(Floats x) {
    constexpr float inverse_root_2_pi = 0.39894228F;
    const Floats power = exp_of_negative(-0.5F * x * x);
    const Floats t = 1.0F / (1.0F + 0.23164189F * magnitude(x));  // 0.3275911/√2
    Floats p = 0.5307027145F;                                     // half of the coefficients in the source
    p = p * t - 0.7265760135F;
    p = p * t + 0.7107068705F;
    p = p * t - 0.142248368F;
    p = p * t + 0.127414796F;
    const Floats beyond = p * t * power;  // Φ(−|x|)
    return {where_less(x, 0.0F, beyond, 1.0F - beyond), inverse_root_2_pi * power};
}

}  // namespace

template <typename T>
void gelu(const T* x, T* out, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(x + i, some);
        store_lanes(out + i, value * normal_at(value).cumulative, some);
    });
}

void gelu_with_slope(const float* x, float* out, float* slope, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(x + i, some);
        const Normal normal = normal_at(value);
        store_lanes(out + i, value * normal.cumulative, some);
        store_lanes(slope + i, normal.cumulative + value * normal.density, some);
    });
}

template <typename T>
void gelu_backward(const T* x, const T* gradient, T* grad_x, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(x + i, some);
        const Normal normal = normal_at(value);
        store_lanes(grad_x + i, load_lanes(gradient + i, some) * (normal.cumulative + value * normal.density), some);
    });
}

template <typename T>
void swiglu(const T* gate, const T* factor, T* out, std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(gate + i, some);
        store_lanes(out + i, value * logistic(value) * load_lanes(factor + i, some), some);
    });
}

template <typename T>
void swiglu_backward(const T* gate, const T* factor, const T* gradient, T* grad_gate, T* grad_factor,
                     std::int64_t count) {
    for_lanes(count, [&](std::int64_t i, std::int64_t some) ROPELAB_LAMBDA {
        const Floats value = load_lanes(gate + i, some);
        const Floats arriving = load_lanes(gradient + i, some);
        const Floats sigmoid = logistic(value);
        store_lanes(grad_factor + i, arriving * value * sigmoid, some);
        const Floats slope = sigmoid * (1.0F + value * (1.0F - sigmoid));
        store_lanes(grad_gate + i, arriving * load_lanes(factor + i, some) * slope, some);
    });
}

#define ROPELAB_INSTANTIATE(T)                                         \
    template void gelu(const T*, T*, std::int64_t);                    \
    template void gelu_backward(const T*, const T*, T*, std::int64_t); \
    template void swiglu(const T*, const T*, T*, std::int64_t);        \
    template void swiglu_backward(const T*, const T*, const T*, T*, T*, std::int64_t);
ROPELAB_INSTANTIATE(float)
ROPELAB_INSTANTIATE(Bfloat16)

}  // namespace ropelab::kernels
