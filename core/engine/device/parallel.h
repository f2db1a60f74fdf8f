#pragma once

#include <ATen/Parallel.h>

// at::parallel_for is a template: without OpenMP it compiles, but silently uses one thread.
#ifndef INTRA_OP_PARALLEL
#error "Files that call at::parallel_for must be compiled with OpenMP, as LibTorch is."
#endif
