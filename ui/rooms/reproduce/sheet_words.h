#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <span>

#include "core/reproduce/rules/evaluate.h"
#include "ui/controls/text_table.h"
#include "ui/rooms/reproduce/sheet_trainer.h"

namespace ropelab::ui {

/// "θ 500 · enwik8"; a substitute data set is shown with the requested one.
QString rowTitle(const PlannedRow& row);
/// The data set that the claim is about, also if another one replaces it; "" for a row without one.
QString askedData(const PlannedRow& row);
/// Short titles with the settings alone that distinguish these rows; a single row has all.
QStringList rowTitles(const std::vector<const PlannedRow*>& rows);
/// "text8 is not on disk and is left out"; "" if no data set is left out, or if the lab stored the plan.
QString leftOutData(const SheetPlan& plan);
/// "trained on synthetic instead of enwik8, text8"; "" if no data set is replaced. rowTitles() has the replaced ones.
QString replacedData(const std::vector<const PlannedRow*>& rows);
/// "best validation loss (nats)".
QString measureTitleOf(const std::string& measure);
TextTable::Tone toneOf(SheetVerdict verdict);
QColor toneColor(TextTable::Tone tone);

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

/// "Rule of claim 1: …", once per rule.
QStringList claimRules(const SheetPlan& plan, const std::string& claim);
/// What a verdict on the claim still requires: runs, data, seeds; "" if it is decided.
QString decidingWords(const SheetPlan& plan, std::span<const SheetRow> rows, const std::string& claim);
/// HTML: the groups at each length of training, best first; "" for rows of one length.
QString rankingPage(std::span<const SheetRow> rows);
/// HTML: the runs with their cost, the notes on them, and a sentence if the lab's rules are older than today's.
QString notesPage(const SheetPlan& plan, const QString& cost);

/// "2 reproduced, 3 undecided."; "" if no row has a verdict.
QString verdictWords(std::span<const SheetRow> rows);

/// `isReadOnly`: the lab cannot be changed, so that the sheet cannot continue.
QString progressWords(const SheetTrainer& trainer, bool isReadOnly);

/// False if no row can get a verdict with the data on this machine.
bool isTestable(std::span<const SheetRow> rows);
QString notStartedWords(std::span<const SheetRow> rows);

QString rowWords(const SheetRow& row);

}  // namespace ropelab::ui
