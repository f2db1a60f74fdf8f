#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

/// What attention figures read, and when it was seen.
struct Seen {
    const ProbeResult* result = nullptr;
    std::int64_t iteration = 0;
};
Seen seenOf(const InspectData& data);
/// "step 50: run, the typed text".
QString stepNote(const InspectData& data, const Seen& seen);

/// The map of one head (or a mean), rows × columns.
std::vector<double> mapOf(const ProbeArray& array, const InspectData& data);
/// Positions along a side of maps of layers × heads × positions × positions; 0 where there are none.
int sideOf(const ProbeArray& array);

}  // namespace ropelab::ui
