#include "core/cuda/cuda_kernels.h"

extern "C" const ropelab::cuda::Kernels* ropelab_cuda_kernels() {
    using namespace ropelab::cuda;
    static const Kernels kernels = {
        .rotate_qkv = &rotate_qkv,
        .residual_norm = &residual_norm,
        .residual_norm_backward = &residual_norm_backward,
        .drop_out = &drop_out,
        .causal_softmax = &causal_softmax,
        .causal_softmax_backward = &causal_softmax_backward,
        .gelu_curve = &gelu_curve,
        .gelu_curve_backward = &gelu_curve_backward,
        .swiglu = &swiglu,
        .swiglu_backward = &swiglu_backward,
        .cross_entropy = &cross_entropy,
        .cross_entropy_backward = &cross_entropy_backward,
        .add_rows = &add_rows,
        .look_up = &look_up,
        .embedding_gradient = &embedding_gradient,
        .square_sums = &square_sums,
        .prepare_update = &prepare_update,
        .adamw = &adamw,
        .gather_batch = &gather_batch,
        .advance_step = &advance_step,
        .error_text = &error_text,
    };
    return &kernels;
}
