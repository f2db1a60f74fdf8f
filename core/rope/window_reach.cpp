#include "core/rope/window_reach.h"

#include <algorithm>

namespace ropelab {

std::vector<std::int64_t> receptive_fields(std::span<const std::int64_t> windows, std::int64_t context) {
    std::vector<std::int64_t> fields(windows.size());
    std::int64_t tokens = 1;
    for (std::size_t layer = windows.size(); layer-- > 0;) {
        const std::int64_t window = windows[layer] == 0 ? context : windows[layer];
        tokens = std::min(context, tokens + window - 1);
        fields[layer] = tokens;
    }
    return fields;
}

std::vector<std::int64_t> layer_windows(std::int64_t layers, std::int64_t window, std::int64_t full_every) {
    std::vector<std::int64_t> windows;
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
        windows.push_back(full_every > 0 && layer % full_every == 0 ? 0 : window);
    }
    return windows;
}

}  // namespace ropelab
