#include "core/engine/device/tensor_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/alignment.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>

namespace ropelab {

namespace {

// Smaller blocks use malloc. glibc maps each larger block separately, so that it can return each to the system.
constexpr std::size_t large = std::size_t{1} << 20;

class FreeBlocks {
 public:
    // The smallest one that is large enough; null if there is none.
    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.lower_bound(bytes);
        if (found == blocks_.end()) return nullptr;
        void* block = found->second;
        blocks_.erase(found);
        return block;
    }
    void put(void* block, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        blocks_.emplace(bytes, block);
    }
    void release() {
        const std::lock_guard lock(mutex_);
        for (const auto& [bytes, block] : blocks_) std::free(block);
        blocks_.clear();
    }

 private:
    std::mutex mutex_;
    std::multimap<std::size_t, void*> blocks_;  // by size in bytes
};

FreeBlocks& free_blocks() {
    static auto* blocks = new FreeBlocks;  // never destroyed, because tensors may live until the program ends
    return *blocks;
}

void free_block(void* block) {
    if (const std::size_t bytes = malloc_usable_size(block); bytes >= large) {
        free_blocks().put(block, bytes);
    } else {
        std::free(block);
    }
}

class TensorMemory : public c10::Allocator {
 public:
    c10::DataPtr allocate(std::size_t bytes) override {
        void* block = bytes == 0 ? nullptr : take(bytes);
        return {block, block, free_block, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return free_block; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
    static void* take(std::size_t bytes) {
        void* block = bytes < large ? nullptr : free_blocks().take(bytes);
        if (block || posix_memalign(&block, c10::gAlignment, bytes) == 0) return block;
        release_tensor_memory();
        if (posix_memalign(&block, c10::gAlignment, bytes) == 0) return block;
        TORCH_CHECK(false, "can't allocate memory: ", bytes, " bytes");  // the message of LibTorch's own allocator
    }
};

}  // namespace

void keep_tensor_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, large);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer would not detect a write beyond a tensor whose block is larger
    static auto* memory = new TensorMemory;
    constexpr std::uint8_t priority = 1;
    c10::SetCPUAllocator(memory, priority);
#endif
}

void release_tensor_memory() {
    free_blocks().release();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

torch::Tensor empty_in_large_pages(std::int64_t numbers, torch::ScalarType type) {
    torch::Tensor result = torch::empty({numbers}, type);
#if defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t page = 4096;
    const auto begin = (reinterpret_cast<std::uintptr_t>(result.data_ptr()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(result.data_ptr()) + result.nbytes();
    // If the system ignores this hint, the numbers are still correct.
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
    return result;
}

}  // namespace ropelab
