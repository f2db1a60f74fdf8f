#include "ui/rooms/context/bound_data.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ropelab::ui {
namespace {

constexpr std::int64_t kCosinesPerFrame = std::int64_t{1} << 20;
constexpr std::int64_t kMinAxisEnd = 64;

}  // namespace

bool canBeNegative(const RotarySetup& setup) {
    return 2 * rotary_dim(setup) > setup.head_dim;
}

std::int64_t positionsPerFrame(const RotarySetup& setup) {
    return std::clamp<std::int64_t>(kCosinesPerFrame / std::max(1, setup.head_dim / 2), 1024, kMaxPositions);
}

std::int64_t distanceAxisEnd(std::int64_t tokens) {
    const double withMargin = 1.25 * static_cast<double>(std::min(tokens, kMaxPositions));
    const auto wanted = std::max<std::int64_t>(kMinAxisEnd, static_cast<std::int64_t>(withMargin));
    return std::min<std::int64_t>(kMaxPositions,
                                  static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted))));
}

BoundData boundData(const RotarySetup& setup, std::int64_t limit, std::optional<std::int64_t> end,
                    const Cancelled& cancelled) {
    BoundData data;
    data.setup = setup;
    const Frequencies now = frequencies(frequency_settings(setup));
    data.computedTo = limit;
    if (canBeNegative(setup)) {
        data.firstNegative = first_negative(now, setup.head_dim, limit, cancelled);
        data.computedTo = data.firstNegative.value_or(limit);
    }
    data.end = end.value_or(distanceAxisEnd(std::max(setup.context, data.firstNegative.value_or(0))));
    const std::int64_t shown = std::min(data.end, limit);
    data.isComplete = shown == data.end && (!canBeNegative(setup) || data.firstNegative || limit >= kMaxPositions);
    if (cancelled && cancelled()) {
        return data;
    }
    if (data.firstNegative && *data.firstNegative < setup.context && setup.context <= limit) {
        data.lowest = lowest_bound(now, setup.head_dim, setup.context, cancelled);
    }
    data.bound = context_bound(now, setup.head_dim, static_cast<std::size_t>(shown));
    if (setup.scaling.method != ScalingMethod::none) {
        data.plain = context_bound(frequencies(plain_settings(setup)), setup.head_dim, static_cast<std::size_t>(shown));
    }
    return data;
}

std::optional<bool> isSupported(const BoundData& data) {
    if (!canBeNegative(data.setup)) {
        return true;
    }
    if (data.firstNegative) {
        return *data.firstNegative >= data.setup.context;
    }
    return data.computedTo >= data.setup.context ? std::optional(true) : std::nullopt;
}

}  // namespace ropelab::ui
