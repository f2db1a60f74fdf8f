#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ropelab {

/// Two costs of a choice, such as time and loss; lower is better.
struct Costs {
    double first = 0;
    double second = 0;
};

/// Returns the indices of the choices on the Pareto front, in ascending order of the first cost. A choice is on the
/// front unless another choice is at least as good in both costs and better in one. Equal choices are all on the front.
/// A choice with a cost that is not finite is never on the front.
std::vector<std::size_t> pareto_front(std::span<const Costs> choices);

}  // namespace ropelab
