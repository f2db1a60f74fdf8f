#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ropelab {

/// A choice by two things of which less is better.
struct Costs {
    double first = 0;
    double second = 0;
};

/// The efficient (Pareto) front: indices of the choices that no other one beats, by being at least as good in both and
/// better in one; in ascending order of the first cost. Of equal choices all are on it. A choice with a number that is
/// not finite is never on it.
std::vector<std::size_t> efficient_front(std::span<const Costs> choices);

}  // namespace ropelab
