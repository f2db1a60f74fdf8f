#include <ucontext.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/core/cuda/emulated/cuda_runtime.h"

dim3 threadIdx;
dim3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace emulated {

namespace {

constexpr std::size_t stack_size = 128 * 1024;
constexpr unsigned warp_lanes = 32;

struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[stack_size]};
    bool done = false;
};

// Threads that wait for each other: the last to come lets all go on.
struct Barrier {
    unsigned expected = 0;
    unsigned arrived = 0;
    std::uint64_t round = 0;
};

struct Warp {
    Barrier barrier;
    // Of this round and the one before, so that a lane may go on while others still read.
    std::uint64_t numbers[2][warp_lanes];
};

ucontext_t scheduler;
std::vector<Thread> threads;
std::vector<Warp> warps;
Barrier block_barrier;
const std::function<void()>* body_of_kernel = nullptr;
std::size_t current = 0;
bool progress = false;

void run_body() {
    (*body_of_kernel)();
    threads[current].done = true;
    progress = true;
}

void wait(Barrier& barrier) {
    const std::uint64_t round = barrier.round;
    if (++barrier.arrived == barrier.expected) {
        barrier.arrived = 0;
        ++barrier.round;
        progress = true;
        return;
    }
    while (barrier.round == round) swapcontext(&threads[current].context, &scheduler);
}

void prepare(Thread& thread) {
    thread.done = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = stack_size;
    thread.context.uc_link = &scheduler;
    makecontext(&thread.context, run_body, 0);
}

void run_block(unsigned count) {
    block_barrier = {count, 0, 0};
    for (Warp& warp : warps) warp.barrier = {warp_lanes, 0, 0};
    for (unsigned i = 0; i < count; ++i) prepare(threads[i]);
    for (bool left = true; left;) {
        left = false;
        progress = false;
        for (current = 0; current < count; ++current) {
            if (threads[current].done) continue;
            left = true;
            threadIdx = dim3(static_cast<unsigned>(current));
            threadIdx.y = threadIdx.z = 0;
            swapcontext(&scheduler, &threads[current].context);
        }
        if (left && !progress) throw std::logic_error("Threads of a block wait for one that has left.");
    }
}

}  // namespace

void run(dim3 grid, dim3 block, const std::function<void()>& body) {
    const unsigned count = block.x;
    if (threads.size() < count) threads = std::vector<Thread>(count);
    warps.resize((count + warp_lanes - 1) / warp_lanes);
    body_of_kernel = &body;
    gridDim = grid;
    blockDim = block;
    for (unsigned z = 0; z < grid.z; ++z) {
        for (unsigned y = 0; y < grid.y; ++y) {
            for (unsigned x = 0; x < grid.x; ++x) {
                blockIdx = dim3(x, y, z);
                run_block(count);
            }
        }
    }
}

void wait_for_block() {
    wait(block_barrier);
}

void exchange(std::uint64_t mine, std::uint64_t (&all)[32]) {
    Warp& warp = warps[current / warp_lanes];
    std::uint64_t(&numbers)[warp_lanes] = warp.numbers[warp.barrier.round % 2];
    numbers[current % warp_lanes] = mine;
    wait(warp.barrier);
    std::copy_n(numbers, warp_lanes, all);
}

}  // namespace emulated
