#pragma once

// ROPELAB_HOST_DEVICE marks functions that both CUDA kernels and CPU tests call. In plain C++ it means only `inline`.
#ifdef __CUDACC__
#define ROPELAB_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define ROPELAB_HOST_DEVICE inline
#endif
