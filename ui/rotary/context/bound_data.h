#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// B(m) is followed no further than this many tokens.
constexpr std::int64_t kMostFollowed = 1 << 20;

/// How far B(m) of a setup was followed (F12, F13).
struct BoundData {
    RotarySetup setup;
    std::vector<double> bound;  // B(m) with the setup's scaling, m = 0, 1, 2 …
    std::vector<double> plain;  // the same without scaling; empty where there is none
    std::int64_t end = 0;       // tokens that the picture spans; `bound` may be shorter while it is followed
    std::optional<std::int64_t> firstNegative;
    std::int64_t followed = 0;  // below it no other m has B(m) < 0
    bool isComplete = false;    // following it further would change nothing
};

/// F13: with at most half of the channels turning, B(m) is never negative.
bool canBeNegative(const RotarySetup& setup);
/// How many tokens can be followed within a frame.
std::int64_t followedAtOnce(const RotarySetup& setup);
/// Where a picture ends that shows these tokens with some room to the right: a power of two, at most kMostFollowed.
std::int64_t pictureEnd(std::int64_t tokens);

/// Follows B(m) to `limit` tokens. `end` of the picture: given, or what shows the context and the first negative m.
BoundData boundData(const RotarySetup& setup, std::int64_t limit, std::optional<std::int64_t> end = {},
                    const Cancelled& cancelled = {});

/// Whether the context is carried (F12); nullopt while B(m) was not followed that far.
std::optional<bool> isCarried(const BoundData& data);

}  // namespace ropelab::ui
