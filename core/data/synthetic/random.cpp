#include "core/data/synthetic/random.h"

namespace ropelab {

std::uint64_t mix64(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

std::uint64_t CounterRandom::next() {
    return mix64(key_ + ++counter_ * 0x9e3779b97f4a7c15ULL);
}

std::uint32_t CounterRandom::below(std::uint32_t bound) {
    // Lemire 2019: the top 32 bits are scaled to the bound. The few values whose low half would make some results more
    // likely than others are rejected.
    const std::uint32_t surplus = (0U - bound) % bound;
    while (true) {
        const std::uint64_t product = (next() >> 32) * bound;
        if (static_cast<std::uint32_t>(product) >= surplus) return static_cast<std::uint32_t>(product >> 32);
    }
}

}  // namespace ropelab
