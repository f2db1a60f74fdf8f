#include "core/data/splits.h"

namespace ropelab {

SplitSizes split_sizes(std::int64_t tokens, Split split) {
    SplitSizes sizes;
    sizes.training = static_cast<std::int64_t>(0.9 * static_cast<double>(tokens));
    const std::int64_t rest = tokens - sizes.training;
    sizes.validation = split == Split::ninety_ten ? rest : rest / 2;
    sizes.test = rest - sizes.validation;
    return sizes;
}

}  // namespace ropelab
