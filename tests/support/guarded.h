#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <vector>

namespace ropelab {

/// Memory that ends where a page begins that cannot be accessed: reading or writing past the end terminates the
/// program.
template <typename T>
struct GuardedAllocator {
    using value_type = T;

    GuardedAllocator() = default;
    template <typename Other>
    GuardedAllocator(const GuardedAllocator<Other>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = pages(count) * page();
        void* begin = mmap(nullptr, bytes + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (begin == MAP_FAILED) throw std::bad_alloc();
        char* end = static_cast<char*>(begin) + bytes;
        if (mprotect(end, page(), PROT_NONE) != 0) throw std::bad_alloc();
        return reinterpret_cast<T*>(end) - count;
    }
    void deallocate(T* first, std::size_t count) {
        const std::size_t bytes = pages(count) * page();
        munmap(reinterpret_cast<char*>(first + count) - bytes, bytes + page());
    }
    friend bool operator==(GuardedAllocator, GuardedAllocator) { return true; }

 private:
    static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
    static std::size_t pages(std::size_t count) { return (count * sizeof(T) + page() - 1) / page(); }
};

/// The memory ends with the last element unless the vector has grown after it was made.
template <typename T>
using Guarded = std::vector<T, GuardedAllocator<T>>;

}  // namespace ropelab
