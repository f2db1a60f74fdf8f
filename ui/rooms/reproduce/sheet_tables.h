#pragma once

#include <span>

#include "core/reproduce/rules/evaluate.h"
#include "ui/common/text_table.h"

namespace ropelab::ui {

/// "θ 500 · enwik8"; a substitute data set is shown with the requested one.
QString rowTitle(const PlannedRow& row);
/// "best validation loss (nats)".
QString measureTitleOf(const std::string& measure);
TextTable::Tone toneOf(SheetVerdict verdict);

/// One row per comparison. `measure`: the measure that is shown; "" for all. `claims`: their words are shown by the
/// tooltips.
TextTable::Content comparisonTable(std::span<const SheetRow> rows, const std::string& measure,
                                   std::span<const Claim> claims = {});
/// Indices in `rows` of the rows of comparisonTable(), in its order.
std::vector<std::size_t> comparedRows(std::span<const SheetRow> rows, const std::string& measure);
/// With the baseline's value for the same seed.
TextTable::Content seedTable(const SheetRow& row);
/// Each statement of the source about its own numbers with the recomputed value; disagreements come first.
TextTable::Content checkTable(const std::string& sheet);

}  // namespace ropelab::ui
