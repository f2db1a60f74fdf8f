#pragma once

// Functions that a kernel and a test on the CPU both call. In plain C++ the marks are empty.
#ifdef __CUDACC__
#define ROPELAB_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define ROPELAB_HOST_DEVICE inline
#endif
