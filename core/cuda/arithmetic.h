#pragma once

#include <cmath>
#include <cstdint>

#include "core/cuda/bfloat16.h"
#include "core/cuda/host_device.h"
#include "core/cuda/philox.h"

// What the kernels calculate, element by element, in float32 whatever the data is held in. The same formulas as
// core/kernels; tests compare the two on the CPU.

namespace ropelab::cuda {

/// Which channels of a head turn together: i and i + head_dim/2, or 2i and 2i + 1 (F1).
enum class Pairing : std::int32_t { half, interleaved };

struct Pair {
    float a;
    float b;
};
/// (a, b) turned by the angle of cosine and sine; by the opposite one for the gradient (direction −1).
ROPELAB_HOST_DEVICE Pair rotate_pair(Pair pair, float cosine, float sine, float direction) {
    const float s = direction * sine;
    return {pair.a * cosine - pair.b * s, pair.b * cosine + pair.a * s};
}
/// The channel of pair i's first number, and how far the second is from it.
ROPELAB_HOST_DEVICE std::int64_t first_channel(Pairing pairing, std::int64_t i) {
    return pairing == Pairing::half ? i : 2 * i;
}
ROPELAB_HOST_DEVICE std::int64_t channel_distance(Pairing pairing, std::int64_t head_dim) {
    return pairing == Pairing::half ? head_dim / 2 : 1;
}

/// Normalisation: of layers, or by the root mean square alone.
constexpr float norm_epsilon = 1e-5F;
constexpr float rms_epsilon = 1e-6F;
ROPELAB_HOST_DEVICE float inverse_deviation(float sum_of_squares, float columns, float epsilon = norm_epsilon) {
    return 1.0F / sqrtf(sum_of_squares / columns + epsilon);
}
ROPELAB_HOST_DEVICE float normal(float x, float mean, float inverse) {
    return (x - mean) * inverse;
}
/// The gradient of x, given that of the normed number times its weight, and those two means over the row: of
/// weighted · normal, and of weighted.
ROPELAB_HOST_DEVICE float norm_gradient(float weighted, float normal_x, float inverse, float mean_along,
                                        float mean_weighted) {
    return inverse * (weighted - mean_weighted - normal_x * mean_along);
}

/// e^x; x ≤ 0 wherever it is used.
ROPELAB_HOST_DEVICE float exponential(float x) {
    return expf(x);
}
/// 2^x; e^x is 2^(log2_e·x).
constexpr float log2_e = 1.44269504F;
ROPELAB_HOST_DEVICE float power_of_two(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return exp2f(x);
#endif
}
/// 1/x for an x from 1 on, within a unit in the last place.
ROPELAB_HOST_DEVICE float reciprocal(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return 1.0F / x;
#endif
}
/// The normal distribution: Φ(x) and φ(x).
struct NormalShare {
    float below;
    float density;
};
/// Φ of −|x| is e^(−x²/2) times a polynomial in 1/(1 + 0.3·|x|), fitted to within 1.5e-7 of it, relative, wherever
/// float32 holds it. Half of what erff and expf take together.
ROPELAB_HOST_DEVICE NormalShare normal_share(float x) {
    const float t = reciprocal(fmaf(0.3F, fabsf(x), 1.0F));
    float tail = 0.0356748758F;
    tail = fmaf(tail, t, -0.157203495F);
    tail = fmaf(tail, t, 0.206354190F);
    tail = fmaf(tail, t, -0.0536842408F);
    tail = fmaf(tail, t, 0.128561922F);
    tail = fmaf(tail, t, 0.0999134093F);
    tail = fmaf(tail, t, 0.120753968F);
    tail = fmaf(tail, t, 0.119629298F);
    const float bell = power_of_two(-0.5F * log2_e * (x * x));
    tail *= t * bell;
    return {x < 0 ? tail : 1.0F - tail, 0.398942280F * bell};
}
/// The exact GELU, and SiLU.
ROPELAB_HOST_DEVICE float gelu(float x) {
    return x * normal_share(x).below;
}
ROPELAB_HOST_DEVICE float gelu_gradient(float x) {
    const NormalShare share = normal_share(x);
    return fmaf(x, share.density, share.below);
}
ROPELAB_HOST_DEVICE float silu(float x) {
    return x / (1.0F + expf(-x));
}
ROPELAB_HOST_DEVICE float silu_gradient(float x) {
    const float share = 1.0F / (1.0F + expf(-x));
    return share * (1.0F + x * (1.0F - share));
}
/// Cross-entropy: −log softmax at the target.
ROPELAB_HOST_DEVICE float log_sum(float top, float sum_of_exponentials) {
    return top + logf(sum_of_exponentials);
}
ROPELAB_HOST_DEVICE float loss_gradient(float logit, float log_sum_of_row, bool target, float scale) {
    return exponential(logit - log_sum_of_row) * scale - (target ? scale : 0.0F);
}
/// Softmax: the gradient of an unscaled score, from its share, the share's gradient and Σ share · gradient.
ROPELAB_HOST_DEVICE float score_gradient(float share, float gradient, float along, float scale) {
    return share * (gradient - along) * scale;
}

/// One run's AdamW step (Loshchilov and Hutter 2019), as the kernels read it from the device's memory.
struct UpdateSettings {
    float scale;         // of the gradient, from clipping; NaN: leave this run as it is
    float keep;          // 1 − rate · decay, for the numbers that decay
    float step;          // rate / (1 − beta1^step)
    float inverse_root;  // 1 / √(1 − beta2^step)
};
/// What is the same for all runs of a cohort.
struct Betas {
    double beta1;
    double beta2;
    double epsilon;
    double decay;
};
struct UpdateWeights {
    float beta1;
    float beta2;
    float rest1;
    float rest2;
    float epsilon;
};
inline UpdateWeights update_weights(const Betas& betas) {
    return {static_cast<float>(betas.beta1), static_cast<float>(betas.beta2), static_cast<float>(1.0 - betas.beta1),
            static_cast<float>(1.0 - betas.beta2), static_cast<float>(betas.epsilon)};
}

/// The settings of step `step` (from 0), given the gradient's norm before clipping and the mean loss. A clip of 0
/// clips nothing.
ROPELAB_HOST_DEVICE UpdateSettings update_settings(const Betas& betas, double rate, double norm, double loss,
                                                   double clip, std::int64_t step) {
    // x − x is 0 for finite x alone.
    const bool finite = norm - norm == 0.0 && loss - loss == 0.0;
    const double scale = clip > 0 && norm > clip ? clip / (norm + 1e-6) : 1.0;
    const auto count = static_cast<double>(step + 1);
    return {finite ? static_cast<float>(scale) : NAN, static_cast<float>(1.0 - rate * betas.decay),
            static_cast<float>(rate / (1.0 - pow(betas.beta1, count))),
            static_cast<float>(1.0 / sqrt(1.0 - pow(betas.beta2, count)))};
}

struct Updated {
    float weight;
    float first;
    float second;
};
ROPELAB_HOST_DEVICE Updated update(float weight, float gradient, float first, float second, bool decays,
                                   const UpdateSettings& settings, const UpdateWeights& w) {
    const float g = gradient * settings.scale;
    const float new_first = w.beta1 * first + w.rest1 * g;
    const float new_second = w.beta2 * second + w.rest2 * g * g;
    const float kept = decays ? weight * settings.keep : weight;
    return {kept - settings.step * new_first / (sqrtf(new_second) * settings.inverse_root + w.epsilon), new_first,
            new_second};
}

/// Where window `index` of a batch of `batch` starts, as core/train/batches.h has it: at random from the run's stream
/// "batches", or window after window. `tokens` leaves room for at least one window.
ROPELAB_HOST_DEVICE std::int64_t random_start(StreamKey key, std::int64_t tokens, std::int64_t context,
                                              std::int64_t step, std::int64_t index) {
    return static_cast<std::int64_t>(below(key, static_cast<std::uint64_t>(tokens - context),
                                           static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(index)));
}
ROPELAB_HOST_DEVICE std::int64_t sequential_start(std::int64_t tokens, std::int64_t context, std::int64_t batch,
                                                  std::int64_t step, std::int64_t index) {
    const std::int64_t windows = (tokens - 1) / context;
    return ((step * batch + index) % windows) * context;
}

}  // namespace ropelab::cuda
