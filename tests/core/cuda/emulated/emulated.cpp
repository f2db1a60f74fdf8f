// Threads are suspended and resumed with longjmp, which fortified builds would report as an error.
#undef _FORTIFY_SOURCE
#include <setjmp.h>
#include <ucontext.h>

#include <cstring>
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

// A point at which a thread can be resumed. After a thread has begun, longjmp replaces swapcontext, because it makes no
// system call. The address sanitizer supports only swapcontext.
struct Place {
    ucontext_t context;
#ifndef __SANITIZE_ADDRESS__
    jmp_buf jump;
    bool begun = false;
#endif
};

void change(Place& from, Place& to) {
#ifdef __SANITIZE_ADDRESS__
    swapcontext(&from.context, &to.context);
#else
    if (_setjmp(from.jump) != 0) return;
    from.begun = true;
    if (to.begun) _longjmp(to.jump, 1);
    setcontext(&to.context);
#endif
}

struct Thread {
    Place place;
    std::unique_ptr<char[]> stack{new char[stack_size]};
    bool done = false;
};

// A barrier at which threads wait for each other. The last thread to arrive releases all of them.
struct Barrier {
    unsigned expected = 0;
    unsigned arrived = 0;
    std::uint64_t round = 0;
};

struct Warp {
    Barrier barrier;
    // The numbers of this round and the previous one, so that a lane can continue while other lanes still read.
    std::uint64_t numbers[2][warp_lanes];
};

Place scheduler;
std::vector<Thread> threads;  // the threads of the running block
std::vector<Warp> warps;
Barrier block_barrier;
const std::function<void()>* body_of_kernel = nullptr;
std::size_t current = 0;
bool progress = false;

void run_body() {
    (*body_of_kernel)();
    threads[current].done = true;
    progress = true;
    change(threads[current].place, scheduler);
}

void wait(Barrier& barrier) {
    const std::uint64_t round = barrier.round;
    if (++barrier.arrived == barrier.expected) {
        barrier.arrived = 0;
        ++barrier.round;
        progress = true;
        return;
    }
    while (barrier.round == round) change(threads[current].place, scheduler);
}

void prepare(Thread& thread) {
    thread.done = false;
#ifndef __SANITIZE_ADDRESS__
    thread.place.begun = false;
#endif
    getcontext(&thread.place.context);
    thread.place.context.uc_stack.ss_sp = thread.stack.get();
    thread.place.context.uc_stack.ss_size = stack_size;
    thread.place.context.uc_link = nullptr;
    makecontext(&thread.place.context, run_body, 0);
}

// Runs all threads of one block until they have finished, alternately in ascending and descending order. With a missing
// synchronization, a thread then reads numbers too early or too late, and the test fails.
void run_block(unsigned count) {
    block_barrier = {count, 0, 0};
    for (Warp& warp : warps) warp.barrier = {warp_lanes, 0, 0};
    for (unsigned i = 0; i < count; ++i) prepare(threads[i]);
    unsigned left = count;
    for (bool forth = true; left > 0; forth = !forth) {
        progress = false;
        for (unsigned i = 0; i < count; ++i) {
            current = forth ? i : count - 1 - i;
            if (threads[current].done) continue;
            threadIdx = dim3(static_cast<unsigned>(current), 0, 0);
            change(scheduler, threads[current].place);
            left -= threads[current].done;
        }
        if (left > 0 && !progress) throw std::logic_error("Threads of a block wait for a thread that has exited.");
    }
}

}  // namespace

void run(dim3 grid, dim3 block, const std::function<void()>& body) {
    if (threads.size() < block.x) threads = std::vector<Thread>(block.x);
    warps.resize((block.x + warp_lanes - 1) / warp_lanes);
    body_of_kernel = &body;
    gridDim = grid;
    blockDim = block;
    for (unsigned z = 0; z < grid.z; ++z) {
        for (unsigned y = 0; y < grid.y; ++y) {
            for (unsigned x = 0; x < grid.x; ++x) {
                blockIdx = dim3(x, y, z);
                run_block(block.x);
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
