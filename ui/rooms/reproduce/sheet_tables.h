#pragma once

#include <span>

#include "core/reproduce/rules/evaluate.h"
#include "ui/common/text_table.h"

namespace ropelab::ui {

/// Returns the row's keys as a title: "θ 500 · enwik8"; a substitute data set is shown with the requested one.
QString rowTitle(const PlannedRow& row);
/// Returns a measure's title with its unit: "best validation loss (nats)".
QString measureTitleOf(const std::string& measure);
/// Returns the colour tone of a verdict.
TextTable::Tone toneOf(SheetVerdict verdict);

/// Returns the table of own and published results, one row per comparison. `measure`: name of the measure that is
/// shown; "" for all. `claims`: claims of the sheet, whose words the tooltips show.
TextTable::Content comparisonTable(std::span<const SheetRow> rows, const std::string& measure,
                                   std::span<const Claim> claims = {});
/// Returns the indices in `rows` of the table rows that comparisonTable shows, in its order.
std::vector<std::size_t> comparedRows(std::span<const SheetRow> rows, const std::string& measure);
/// Returns a row's values per seed, with the baseline's value for the same seed.
TextTable::Content seedTable(const SheetRow& row);
/// Returns the checks of a sheet's source: each statement about its own numbers with the recomputed value;
/// disagreements come first.
TextTable::Content checkTable(const std::string& sheet);

}  // namespace ropelab::ui
