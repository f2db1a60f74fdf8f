#include "core/bench/roofline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "core/plan/step_cost.h"

namespace ropelab::bench {

namespace {

using Clock = std::chrono::steady_clock;

// As wide as a register: the compiler splits wider vectors into single numbers, in memory.
template <int Bytes>
struct Register {
    using Numbers __attribute__((vector_size(Bytes))) = float;
};

// Enough rows to hide the latency of multiply-adds, and few enough for their sums to stay in registers.
template <int Rows, int Bytes>
[[gnu::always_inline]] inline void multiply_rows(const float* a, const float* b, float* c) {
    constexpr int lanes = Bytes / static_cast<int>(sizeof(float));
    constexpr int parts = SmallProduct::columns / lanes;
    constexpr int count = Rows * parts;
    typename Register<Bytes>::Numbers sums[count];
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) std::memcpy(&sums[i], c + i * lanes, Bytes);
    for (int k = 0; k < SmallProduct::depth; ++k) {
        typename Register<Bytes>::Numbers right[parts];
#pragma GCC unroll 16
        for (int part = 0; part < parts; ++part)
            std::memcpy(&right[part], b + k * SmallProduct::columns + part * lanes, Bytes);
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) sums[i] += a[k * Rows + i / parts] * right[i % parts];
    }
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) std::memcpy(c + i * lanes, &sums[i], Bytes);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512"))) void multiply_512(const float* a,
                                                                                                   const float* b,
                                                                                                   float* c) {
    multiply_rows<14, 64>(a, b, c);
}
__attribute__((target("avx2,fma"))) void multiply_256(const float* a, const float* b, float* c) {
    multiply_rows<6, 32>(a, b, c);
}
enum class Kind { plain, avx2, avx512 };
Kind kind() {
    static const Kind found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? Kind::avx512
                              : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? Kind::avx2
                                                                                                      : Kind::plain;
    return found;
}
#endif

// The best total: in each attempt, every thread calls `work` for `duration` and divides the amount of work by the time.
double best_rate(int threads, int attempts, std::chrono::milliseconds duration,
                 const std::function<double(int thread)>& work) {
    double best = 0;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        std::atomic<int> ready{0};
        std::vector<double> rates(static_cast<std::size_t>(threads), 0.0);
        std::vector<std::thread> team;
        team.reserve(static_cast<std::size_t>(threads));
        for (int thread = 0; thread < threads; ++thread) {
            team.emplace_back([&, thread] {
                work(thread);  // loads its memory into the cache
                ++ready;
                while (ready < threads) std::this_thread::yield();
                const auto begin = Clock::now();
                double done = 0;
                do done += work(thread);
                while (Clock::now() - begin < duration);
                rates[static_cast<std::size_t>(thread)] =
                    done / std::chrono::duration<double>(Clock::now() - begin).count();
            });
        }
        for (std::thread& member : team) member.join();
        double total = 0;
        for (double rate : rates) total += rate;
        best = std::max(best, total);
    }
    return best;
}

double multiply_rate(int threads) {
    struct Factors {
        std::vector<float> a, b, c;
    };
    const auto count = [](int rows, int columns) {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    const int rows = SmallProduct::rows();
    std::vector<Factors> factors(static_cast<std::size_t>(threads),
                                 {std::vector<float>(count(SmallProduct::depth, rows), 0.5F),
                                  std::vector<float>(count(SmallProduct::depth, SmallProduct::columns), 1e-3F),
                                  std::vector<float>(count(rows, SmallProduct::columns), 0.0F)});
    return best_rate(threads, 3, std::chrono::milliseconds(30), [&](int thread) {
        Factors& mine = factors[static_cast<std::size_t>(thread)];
        constexpr int times = 200;
        for (int i = 0; i < times; ++i) SmallProduct::multiply(mine.a.data(), mine.b.data(), mine.c.data());
        return 2.0 * times * rows * SmallProduct::columns * SmallProduct::depth;
    });
}

double copy_rate(int threads) {
    // Larger than the caches; machines with many cores share a fixed size.
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    const std::size_t block = std::clamp<std::size_t>(256 / static_cast<std::size_t>(threads), 2, 32) * mebibyte;
    std::vector<std::vector<char>> from(static_cast<std::size_t>(threads), std::vector<char>(block, 1));
    std::vector<std::vector<char>> to(static_cast<std::size_t>(threads), std::vector<char>(block, 2));
    return best_rate(threads, 3, std::chrono::milliseconds(30), [&](int thread) {
        const auto mine = static_cast<std::size_t>(thread);
        std::memcpy(to[mine].data(), from[mine].data(), block);
        return 2.0 * static_cast<double>(block);
    });
}

std::string percent(double fraction) {
    return fraction < 0.005 ? "less than 1 %" : std::to_string(std::lround(100.0 * fraction)) + " %";
}

}  // namespace

int SmallProduct::rows() {
#if defined(__x86_64__) && defined(__GNUC__)
    return kind() == Kind::avx512 ? 14 : kind() == Kind::avx2 ? 6 : 3;
#else
    return 3;
#endif
}

void SmallProduct::multiply(const float* a, const float* b, float* c) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (kind() == Kind::avx512) return multiply_512(a, b, c);
    if (kind() == Kind::avx2) return multiply_256(a, b, c);
#endif
    multiply_rows<3, 16>(a, b, c);
}

MachineSpeed measure_machine(int threads) {
    const int team = std::max(1, threads);
    return {multiply_rate(team), copy_rate(team)};
}

StepWork step_work(const RunSpec& spec, std::int64_t vocabulary) {
    // Weights are read forward, backward and by AdamW, which also writes them (4). Gradients are written, copied into
    // one row (2), read for clipping and read by AdamW (5). AdamW reads and writes both moments (4).
    constexpr double passes_over_weights = 4 + 5 + 4;
    // A result is written, read by the next operation and in the backward pass (3); its gradient is written and read
    // (2).
    constexpr double passes_over_activations = 3 + 2;
    constexpr double float_bytes = 4;
    const auto tokens = static_cast<double>(spec.batch * spec.context);
    StepWork work;
    work.operations = training_operations(spec, vocabulary);
    work.weight_bytes = passes_over_weights * float_bytes * static_cast<double>(parameter_count(spec, vocabulary));
    work.activation_bytes = passes_over_activations * float_bytes * tokens * stored_activations(spec, vocabulary);
    return work;
}

double roof(const MachineSpeed& speed, double intensity, bool in_bfloat16) {
    return std::min(speed.peak(in_bfloat16), speed.copy * intensity);
}

double ridge(const MachineSpeed& speed, bool in_bfloat16) {
    return speed.peak(in_bfloat16) / speed.copy;
}

RooflinePoint roofline_point(const RunSpec& spec, std::int64_t vocabulary, double tokens_per_second, bool rounded) {
    return {step_work(spec, vocabulary), static_cast<double>(spec.batch * spec.context) / tokens_per_second, rounded};
}

std::string verdict(const MachineSpeed& speed, const RooflinePoint& point) {
    const double multiplying = point.work.operations / speed.peak(point.rounded) / point.seconds;
    const double moving = point.work.bytes() / speed.copy / point.seconds;
    const bool by_bfloat16 = point.rounded && speed.rounded > 0;
    std::string reached = "A training step reaches " + percent(multiplying) + " of this machine's peak " +
                          (by_bfloat16 ? "bfloat16" : "float32") + " performance";
    if (point.rounded && !by_bfloat16) {
        reached += ", although its matrix products use bfloat16, whose peak is not measured";
        if (multiplying >= 0.7) return reached + ".";
    }
    // Arithmetic and memory traffic can overlap, so their fractions of the time need not sum to 1.
    if (multiplying >= 0.7) return reached + ": arithmetic limits it.";
    if (moving > multiplying && moving >= 0.5) {
        return reached + "; memory traffic takes up to " + percent(std::min(1.0, moving)) +
               " of its time, so memory bandwidth limits it.";
    }
    if (multiplying + moving >= 0.7) {
        return reached + "; memory traffic takes up to " + percent(moving) + " of its time, and the rest is overhead.";
    }
    return reached + "; memory traffic takes up to " + percent(moving) +
           " of its time; the rest is the overhead of many small operations, which a larger batch size or width "
           "reduces.";
}

}  // namespace ropelab::bench
