#pragma once

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

/// A dial a pair, as the Rotation room has them, of one layer and head at the cursor: how far the chosen lag turns the
/// query from the key (θ·Δ), with hands as long as the pair is used (F33). A full hand is the largest usage that any
/// snapshot of the run or the second one shows, so that hands grow and shrink as it trains, and are as long as each
/// other's beside each other.
InspectPicture pairDials(const InspectData& data);

}  // namespace ropelab::ui
