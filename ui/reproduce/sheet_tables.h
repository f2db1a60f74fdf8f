#pragma once

#include <span>

#include "core/experiment/sheets/evaluate.h"
#include "ui/results/word_table.h"

namespace ropelab::ui {

/// "θ 500 · enwik8"; the text that was asked for where another stands for it.
QString rowTitle(const PlannedRow& row);
/// "best validation loss (nats)".
QString measureTitleOf(const std::string& measure);
WordTable::Tone toneOf(SheetVerdict verdict);

/// Ours beside theirs, a row a comparison; `measure` "" for all.
WordTable::Content comparisonTable(std::span<const SheetRow> rows, const std::string& measure);
/// The places in `rows` that comparisonTable shows, in its order.
std::vector<std::size_t> comparedRows(std::span<const SheetRow> rows, const std::string& measure);
/// One row's values per seed, with the baseline's of the same seed.
WordTable::Content seedTable(const SheetRow& row);
/// What a sheet's source says of its own numbers beside what these numbers give; those that disagree first.
WordTable::Content checkTable(const std::string& sheet);

}  // namespace ropelab::ui
