#pragma once

#include <cmath>
#include <cstdint>

#include "core/cuda/bfloat16.h"
#include "core/cuda/host_device.h"
#include "core/cuda/philox.h"

// The element-wise arithmetic of the CUDA kernels, in float32 for all data types. The formulas are those of
// core/kernels; tests compare both on the CPU.

namespace ropelab::cuda {

/// The channels of a head that form pair i: `half` pairs i and i + head_dim/2, `interleaved` pairs 2i and 2i + 1
/// (formula 6 in docs/formulas.md).
enum class Pairing : std::int32_t { half, interleaved };

/// The two numbers of a pair of channels.
struct Pair {
    float a;
    float b;
};
/// Rotates the pair (a, b) by the angle with this cosine and sine. A `direction` of −1 rotates by the opposite angle,
/// as the gradient requires.
ROPELAB_HOST_DEVICE Pair rotate_pair(Pair pair, float cosine, float sine, float direction) {
    const float s = direction * sine;
    return {pair.a * cosine - pair.b * s, pair.b * cosine + pair.a * s};
}
/// Returns the first channel of pair i.
ROPELAB_HOST_DEVICE std::int64_t first_channel(Pairing pairing, std::int64_t i) {
    return pairing == Pairing::half ? i : 2 * i;
}
/// Returns the distance between the two channels of a pair.
ROPELAB_HOST_DEVICE std::int64_t channel_distance(Pairing pairing, std::int64_t head_dim) {
    return pairing == Pairing::half ? head_dim / 2 : 1;
}

/// Epsilons of LayerNorm (norm_epsilon) and RMSNorm (rms_epsilon).
constexpr float norm_epsilon = 1e-5F;
constexpr float rms_epsilon = 1e-6F;
/// Returns 1/√(sum_of_squares/columns + epsilon).
ROPELAB_HOST_DEVICE float inverse_deviation(float sum_of_squares, float columns, float epsilon = norm_epsilon) {
    return 1.0F / sqrtf(sum_of_squares / columns + epsilon);
}
/// Returns the normalized number, (x − mean)·inverse.
ROPELAB_HOST_DEVICE float normal(float x, float mean, float inverse) {
    return (x - mean) * inverse;
}
/// Returns the gradient of x in a normalization. `weighted` is the gradient of the normalized number times its weight,
/// `normal_x` the normalized number, `mean_along` the row's mean of weighted · normal_x, `mean_weighted` that of
/// weighted.
ROPELAB_HOST_DEVICE float norm_gradient(float weighted, float normal_x, float inverse, float mean_along,
                                        float mean_weighted) {
    return inverse * (weighted - mean_weighted - normal_x * mean_along);
}

/// Returns e^x. All callers pass x ≤ 0.
ROPELAB_HOST_DEVICE float exponential(float x) {
    return expf(x);
}
/// log₂ e, because e^x = 2^(log2_e·x).
constexpr float log2_e = 1.44269504F;
/// Returns 2^x.
ROPELAB_HOST_DEVICE float power_of_two(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return exp2f(x);
#endif
}
/// Returns 1/x for x ≥ 1, with an error of at most one unit in the last place.
ROPELAB_HOST_DEVICE float reciprocal(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return 1.0F / x;
#endif
}
/// Values of the standard normal distribution at x: cumulative probability Φ(x) and density φ(x).
struct NormalValues {
    float cumulative;
    float density;
};
/// Returns Φ(x) and φ(x). Φ(−|x|) is computed as e^(−x²/2) times a polynomial in 1/(1 + 0.3·|x|), with a relative error
/// of at most 1.5e-7. This takes half the time of erff and expf.
ROPELAB_HOST_DEVICE NormalValues normal_values(float x) {
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
/// Returns the exact GELU, x·Φ(x).
ROPELAB_HOST_DEVICE float gelu(float x) {
    return x * normal_values(x).cumulative;
}
/// Returns the derivative of GELU, Φ(x) + x·φ(x).
ROPELAB_HOST_DEVICE float gelu_gradient(float x) {
    const NormalValues values = normal_values(x);
    return fmaf(x, values.density, values.cumulative);
}
/// Returns SiLU, x·sigmoid(x).
ROPELAB_HOST_DEVICE float silu(float x) {
    return x / (1.0F + expf(-x));
}
/// Returns the derivative of SiLU.
ROPELAB_HOST_DEVICE float silu_gradient(float x) {
    const float sigmoid = 1.0F / (1.0F + expf(-x));
    return sigmoid * (1.0F + x * (1.0F - sigmoid));
}
/// Returns log Σ exp(logits), given the largest logit and the sum of exp(logit − largest logit).
ROPELAB_HOST_DEVICE float log_sum(float top, float sum_of_exponentials) {
    return top + logf(sum_of_exponentials);
}
/// Returns the gradient of the cross-entropy with respect to a logit, times `scale`.
ROPELAB_HOST_DEVICE float loss_gradient(float logit, float log_sum_of_row, bool target, float scale) {
    return exponential(logit - log_sum_of_row) * scale - (target ? scale : 0.0F);
}
/// Returns the gradient of an unscaled attention score, given its attention weight, the gradient of that weight and
/// `along` = Σ weight · gradient over the row.
ROPELAB_HOST_DEVICE float score_gradient(float weight, float gradient, float along, float scale) {
    return weight * (gradient - along) * scale;
}

/// Settings of one run's AdamW step (Loshchilov and Hutter 2019), stored in device memory.
struct UpdateSettings {
    float scale;         // factor of the gradient from clipping; NaN means that this run is not updated
    float keep;          // 1 − rate · decay, the factor of the weights to which weight decay applies
    float step;          // rate / (1 − beta1^step)
    float inverse_root;  // 1 / √(1 − beta2^step)
};
/// AdamW settings that all runs of a cohort share.
struct Betas {
    double beta1;
    double beta2;
    double epsilon;
    double decay;  // weight decay
};
/// The AdamW settings of a cohort in float32, as `update` uses them.
struct UpdateWeights {
    float beta1;
    float beta2;
    float one_minus_beta1;
    float one_minus_beta2;
    float epsilon;
};
/// Converts the AdamW settings of a cohort to float32.
inline UpdateWeights update_weights(const Betas& betas) {
    return {static_cast<float>(betas.beta1), static_cast<float>(betas.beta2), static_cast<float>(1.0 - betas.beta1),
            static_cast<float>(1.0 - betas.beta2), static_cast<float>(betas.epsilon)};
}

/// Returns the settings of step `step` (counted from 0), given the gradient norm before clipping and the mean loss. A
/// `clip` of 0 disables clipping.
ROPELAB_HOST_DEVICE UpdateSettings update_settings(const Betas& betas, double rate, double norm, double loss,
                                                   double clip, std::int64_t step) {
    // x − x is 0 only if x is finite.
    const bool finite = norm - norm == 0.0 && loss - loss == 0.0;
    const double scale = clip > 0 && norm > clip ? clip / (norm + 1e-6) : 1.0;
    const auto count = static_cast<double>(step + 1);
    return {finite ? static_cast<float>(scale) : NAN, static_cast<float>(1.0 - rate * betas.decay),
            static_cast<float>(rate / (1.0 - pow(betas.beta1, count))),
            static_cast<float>(1.0 / sqrt(1.0 - pow(betas.beta2, count)))};
}

/// A weight and its two AdamW moments after an update.
struct Updated {
    float weight;
    float first;
    float second;
};
/// Applies one AdamW step to a weight with the moments `first` and `second`.
ROPELAB_HOST_DEVICE Updated update(float weight, float gradient, float first, float second, bool decays,
                                   const UpdateSettings& settings, const UpdateWeights& w) {
    const float g = gradient * settings.scale;
    const float new_first = w.beta1 * first + w.one_minus_beta1 * g;
    const float new_second = w.beta2 * second + w.one_minus_beta2 * g * g;
    const float decayed = decays ? weight * settings.keep : weight;
    return {decayed - settings.step * new_first / (sqrtf(new_second) * settings.inverse_root + w.epsilon), new_first,
            new_second};
}

/// Returns the start of sequence `index` of a batch for random batches, as core/train/batches.h defines it, with the
/// run's stream "batches". `tokens` is the length of the text, at least context + 1.
ROPELAB_HOST_DEVICE std::int64_t random_start(StreamKey key, std::int64_t tokens, std::int64_t context,
                                              std::int64_t step, std::int64_t index) {
    return static_cast<std::int64_t>(below(key, static_cast<std::uint64_t>(tokens - context),
                                           static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(index)));
}
/// Returns the start of sequence `index` of a batch of `batch` sequences if sequences follow each other in the text, as
/// core/train/batches.h defines it.
ROPELAB_HOST_DEVICE std::int64_t sequential_start(std::int64_t tokens, std::int64_t context, std::int64_t batch,
                                                  std::int64_t step, std::int64_t index) {
    const std::int64_t sequences = (tokens - 1) / context;
    return ((step * batch + index) % sequences) * context;
}

}  // namespace ropelab::cuda
