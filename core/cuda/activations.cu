#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each thread processes N numbers.
template <typename T, int N>
__global__ void __launch_bounds__(block_size) gelu_kernel(const T* in, T* out, std::int64_t count) {
    const std::int64_t c = (static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x) * N;
    if (c >= count) return;
    auto x = load<N>(in + c);
#pragma unroll
    for (int i = 0; i < N; ++i) x.v[i] = from_float<T>(gelu(to_float(x.v[i])));
    store<N>(out + c, x);
}

template <typename T, int N>
__global__ void __launch_bounds__(block_size)
    gelu_backward_kernel(const T* in, const T* gradient, T* grad_in, std::int64_t count) {
    const std::int64_t c = (static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x) * N;
    if (c >= count) return;
    const auto x = load<N>(in + c);
    auto along = load<N>(gradient + c);
#pragma unroll
    for (int i = 0; i < N; ++i) along.v[i] = from_float<T>(to_float(along.v[i]) * gelu_gradient(to_float(x.v[i])));
    store<N>(grad_in + c, along);
}

// Each thread block processes one row, and each thread N numbers at a time.
template <typename T, int N>
__global__ void __launch_bounds__(block_size) swiglu_kernel(const T* in, T* out, std::int64_t width) {
    const T* gates = in + blockIdx.x * 2 * width;
    T* results = out + blockIdx.x * width;
    for (std::int64_t c = threadIdx.x * N; c < width; c += block_size * N) {
        const auto gate = load<N>(gates + c);
        const auto factor = load<N>(gates + width + c);
        Vector<T, N> result;
#pragma unroll
        for (int i = 0; i < N; ++i) result.v[i] = from_float<T>(silu(to_float(gate.v[i])) * to_float(factor.v[i]));
        store<N>(results + c, result);
    }
}

template <typename T, int N>
__global__ void __launch_bounds__(block_size)
    swiglu_backward_kernel(const T* in, const T* gradient, T* grad_in, std::int64_t width) {
    const T* gates = in + blockIdx.x * 2 * width;
    T* grad_gates = grad_in + blockIdx.x * 2 * width;
    for (std::int64_t c = threadIdx.x * N; c < width; c += block_size * N) {
        auto gate = load<N>(gates + c);
        auto factor = load<N>(gates + width + c);
        const auto arriving = load<N>(gradient + blockIdx.x * width + c);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const float x = to_float(gate.v[i]);
            const float along = to_float(arriving.v[i]);
            gate.v[i] = from_float<T>(along * to_float(factor.v[i]) * silu_gradient(x));
            factor.v[i] = from_float<T>(along * silu(x));
        }
        store<N>(grad_gates + c, gate);
        store<N>(grad_gates + width + c, factor);
    }
}

// Calls f(T(), N), where N is the largest vector size that the row width and the alignment of the arrays permit.
template <typename F>
int for_vectors(Type type, std::int64_t width, const void* first, const void* second, const void* third, F f) {
    return for_type(type, [&](auto zero) {
        using T = decltype(zero);
        constexpr int widest = 16 / sizeof(T);
        const bool whole = width % widest == 0 && fits<widest>(static_cast<const T*>(first)) &&
                           fits<widest>(static_cast<const T*>(second)) && fits<widest>(static_cast<const T*>(third));
        return whole ? f(zero, std::integral_constant<int, widest>()) : f(zero, std::integral_constant<int, 1>());
    });
}

}  // namespace

int gelu_curve(const GeluCurve& args, Stream stream) {
    return for_vectors(args.type, args.count, args.in, args.out, nullptr, [&](auto zero, auto n) {
        using T = decltype(zero);
        return launch(&gelu_kernel<T, n>, dim3(blocks_for(args.count, block_size * n)), block_size, stream,
                      static_cast<const T*>(args.in), static_cast<T*>(args.out), args.count);
    });
}

int gelu_curve_backward(const GeluCurveBackward& args, Stream stream) {
    return for_vectors(args.type, args.count, args.in, args.gradient, args.grad_in, [&](auto zero, auto n) {
        using T = decltype(zero);
        return launch(&gelu_backward_kernel<T, n>, dim3(blocks_for(args.count, block_size * n)), block_size, stream,
                      static_cast<const T*>(args.in), static_cast<const T*>(args.gradient),
                      static_cast<T*>(args.grad_in), args.count);
    });
}

int swiglu(const Swiglu& args, Stream stream) {
    return for_vectors(args.type, args.width, args.in, args.out, nullptr, [&](auto zero, auto n) {
        using T = decltype(zero);
        return launch(&swiglu_kernel<T, n>, dim3(static_cast<unsigned>(args.rows)), block_size, stream,
                      static_cast<const T*>(args.in), static_cast<T*>(args.out), args.width);
    });
}

int swiglu_backward(const SwigluBackward& args, Stream stream) {
    return for_vectors(args.type, args.width, args.in, args.gradient, args.grad_in, [&](auto zero, auto n) {
        using T = decltype(zero);
        return launch(&swiglu_backward_kernel<T, n>, dim3(static_cast<unsigned>(args.rows)), block_size, stream,
                      static_cast<const T*>(args.in), static_cast<const T*>(args.gradient),
                      static_cast<T*>(args.grad_in), args.width);
    });
}

}  // namespace ropelab::cuda
