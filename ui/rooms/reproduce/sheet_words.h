#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <span>

#include "core/reproduce/rules/evaluate.h"
#include "ui/common/text_table.h"
#include "ui/rooms/reproduce/sheet_trainer.h"

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

/// "72 runs in 18 cohorts; about 20 s on this machine with all evaluations and measurements, 250 MB of memory, at most
/// 0.1 million parameters". `dataDir` is also searched for data sets, whose sizes affect the cost.
QString costWords(const SheetPlan& plan, const std::filesystem::path& dataDir);

/// As long as the longest costWords(); a label reserves its space.
QString costExample();

/// HTML in the theme's colours: claims, each with its one verdict, runs, rules, and the tests that are not possible at
/// this scale.
QString sheetPage(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost);

/// "2 reproduced, 3 undecided."; "" if no row has a verdict.
QString verdictWords(std::span<const SheetRow> rows);

/// `isReadOnly`: the lab cannot be changed, so that the sheet cannot continue.
QString progressWords(const SheetTrainer& trainer, bool isReadOnly);

QString notStartedWords();
/// The longest states of their kind; a label reserves their space.
QStringList stateExamples();

QString rowWords(const SheetRow& row);

}  // namespace ropelab::ui
