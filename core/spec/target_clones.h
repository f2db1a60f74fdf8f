#pragma once

// Compiled once for each level of processor (v3: AVX2 and FMA, v4: AVX-512) and chosen when the program starts; the
// loops are plain C++ for the compiler to vectorise. Levels, not processors' names: a name is chosen only where the
// processor is exactly that one, and newer ones would fall back to the default.
// Not under the thread sanitizer, which a program's clones call before it is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ROPELAB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ROPELAB_CLONES
#endif
