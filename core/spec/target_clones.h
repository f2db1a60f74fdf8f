#pragma once

// ROPELAB_CLONES compiles a function once for each x86-64 level (v3: AVX2 and FMA, v4: AVX-512); the program selects
// the clone for the CPU when it starts. The clones are for levels and not for names of CPUs, because a named clone is
// selected only on exactly that CPU; newer CPUs would use the default. With the thread sanitizer there are no clones,
// because their selection runs before the sanitizer is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ROPELAB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ROPELAB_CLONES
#endif
