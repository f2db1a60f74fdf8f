#pragma once

#include <cstdint>
#include <span>

#include "core/rope/context.h"
#include "core/store/lab_file.h"
#include "ui/rooms/spectrum/encoding_panels.h"

namespace ropelab::ui {

/// Loads what the newest run of each learned encoding has learned, in its first layer and in head `head` (from 1; a
/// head that the run lacks is its last one). Runs without a checkpoint file, and files that cannot be read, are left
/// out. Calls `cancelled` before each run; if it returns true, the result has only the runs so far.
LearnedPanels learnedPanels(const LabFile& lab, int head, std::span<const std::int64_t> distances,
                            const Cancelled& cancelled = {});

}  // namespace ropelab::ui
