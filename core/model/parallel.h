#pragma once

#include <ATen/Parallel.h>

// at::parallel_for is a template: compiled without OpenMP it runs on one thread and says nothing.
#ifndef INTRA_OP_PARALLEL
#error "Compile what calls at::parallel_for with OpenMP, as LibTorch is."
#endif
