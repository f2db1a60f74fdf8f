#include "core/data/generated/random.h"

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
    // The top 32 bits scaled to the bound; the few values of the low half that would make some results likelier than
    // others are drawn again (Lemire 2019).
    const std::uint32_t surplus = (0U - bound) % bound;
    while (true) {
        const std::uint64_t product = (next() >> 32) * bound;
        if (static_cast<std::uint32_t>(product) >= surplus) return static_cast<std::uint32_t>(product >> 32);
    }
}

}  // namespace ropelab
