#pragma once

#include <functional>
#include <vector>

#include "core/settings/activation.h"
#include "core/settings/choices.h"

namespace ropelab {

// Of all rows, so that a new one is tested without a list that names it.

template <typename Has>
std::vector<Position> encodings_with(Has has) {
    std::vector<Position> result;
    for (const PositionEncoding& row : position_encodings()) {
        if (std::invoke(has, row)) result.push_back(row.choice.value);
    }
    return result;
}

/// Those that LibTorch's operations compute.
inline std::vector<Position> stepwise_encodings() {
    return encodings_with([](const PositionEncoding& row) {
        return !row.has_plain_scores() && row.scores != PositionEncoding::Scores::alibi;
    });
}

inline std::vector<FeedForward> every_activation() {
    std::vector<FeedForward> result;
    for (const ActivationRow& row : activations()) {
        if (row.choice.value != FeedForward::automatic) result.push_back(row.choice.value);
    }
    return result;
}

}  // namespace ropelab
