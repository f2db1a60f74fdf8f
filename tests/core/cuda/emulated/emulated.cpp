// Threads are left and gone on with by longjmp, which checked builds take for a mistake.
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

int resident_blocks = 2;

namespace {

constexpr std::size_t stack_size = 128 * 1024;
constexpr unsigned warp_lanes = 32;

// A place to go on from. Once a thread has begun, jumps do what swapcontext does without asking the system; the address
// sanitizer follows swapcontext alone.
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

struct Block {
    dim3 index;
    Barrier barrier;
    std::vector<Warp> warps;
    std::vector<float> memory;  // dynamic
};

Place scheduler;
std::vector<Thread> threads;  // of the blocks that are alive, block after block
std::vector<Block> blocks;
unsigned block_threads = 0;
const std::function<void()>* body_of_kernel = nullptr;
std::size_t current = 0;
bool progress = false;

Block& block() {
    return blocks[current / block_threads];
}

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
    while (barrier.round == round) look_away();
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

// Until its threads wait for other blocks or are done; whether any went on.
bool run_block(std::size_t index, std::size_t& left) {
    blockIdx = blocks[index].index;
    bool any = false;
    // Now the first thread before the last and now the other way, for the reason that blocks are run so.
    bool forth = index % 2 == 0;
    do {
        progress = false;
        for (unsigned i = 0; i < block_threads; ++i) {
            const unsigned thread = forth ? i : block_threads - 1 - i;
            current = index * block_threads + thread;
            if (threads[current].done) continue;
            threadIdx = dim3(thread, 0, 0);
            change(scheduler, threads[current].place);
            left -= threads[current].done;
        }
        any |= progress;
        forth = !forth;
    } while (progress);
    return any;
}

void run_alive() {
    for (Block& alive : blocks) {
        alive.barrier = {block_threads, 0, 0};
        for (Warp& warp : alive.warps) warp.barrier = {warp_lanes, 0, 0};
        std::fill(alive.memory.begin(), alive.memory.end(), NAN);
    }
    const std::size_t count = blocks.size() * block_threads;
    for (std::size_t i = 0; i < count; ++i) prepare(threads[i]);
    // A block goes as far as it can before another does, now the first before the last and now the other way: who
    // does not wait where it must reads what is not there yet, or what is there no longer.
    std::size_t left = count;
    for (bool forth = true; left > 0; forth = !forth) {
        bool any = false;
        for (std::size_t i = 0; i < blocks.size(); ++i) any |= run_block(forth ? i : blocks.size() - 1 - i, left);
        if (left > 0 && !any) throw std::logic_error("Threads of a grid wait for one that has left.");
    }
}

}  // namespace

void run(dim3 grid, dim3 block, std::size_t shared_bytes, bool cooperative, const std::function<void()>& body) {
    block_threads = block.x;
    const unsigned alive = cooperative ? grid.x * grid.y * grid.z : 1;
    if (threads.size() < alive * block_threads) threads = std::vector<Thread>(alive * block_threads);
    blocks.resize(alive);
    for (Block& one : blocks) {
        one.warps.resize((block_threads + warp_lanes - 1) / warp_lanes);
        one.memory.resize((shared_bytes + sizeof(float) - 1) / sizeof(float));
    }
    body_of_kernel = &body;
    gridDim = grid;
    blockDim = block;
    unsigned next = 0;
    for (unsigned z = 0; z < grid.z; ++z) {
        for (unsigned y = 0; y < grid.y; ++y) {
            for (unsigned x = 0; x < grid.x; ++x) {
                blocks[next].index = dim3(x, y, z);
                if (++next < alive) continue;
                run_alive();
                next = 0;
            }
        }
    }
}

unsigned char* dynamic_memory() {
    return reinterpret_cast<unsigned char*>(block().memory.data());
}

void wait_for_block() {
    wait(block().barrier);
}

void look_away() {
    change(threads[current].place, scheduler);
}

void note_progress() {
    progress = true;
}

void exchange(std::uint64_t mine, std::uint64_t (&all)[32]) {
    const std::size_t thread = current % block_threads;
    Warp& warp = block().warps[thread / warp_lanes];
    std::uint64_t(&numbers)[warp_lanes] = warp.numbers[warp.barrier.round % 2];
    numbers[thread % warp_lanes] = mine;
    wait(warp.barrier);
    std::copy_n(numbers, warp_lanes, all);
}

}  // namespace emulated
