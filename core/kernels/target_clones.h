#pragma once

// Compiled once for each kind of processor and chosen when the program starts; the loops are plain C++ for the compiler
// to vectorise.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ROPELAB_CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define ROPELAB_CLONES
#endif
