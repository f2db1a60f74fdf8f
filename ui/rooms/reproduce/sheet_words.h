#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <span>

#include "ui/rooms/reproduce/sheet_trainer.h"

namespace ropelab::ui {

/// Returns the size and estimated cost of a plan: "72 runs in 18 cohorts; about 20 s on this machine with all
/// evaluations and measurements, 250 MB of memory, at most 0.1 million parameters". `dataDir`: directory that is also
/// searched for data sets, whose sizes affect the cost.
QString costWords(const SheetPlan& plan, const std::filesystem::path& dataDir);

/// Returns a text as long as the longest that costWords() returns, for which a label reserves its space.
QString costExample();

/// Returns a sheet as one HTML page in the theme's colours: claims, each with its one verdict, runs, rules, and the
/// tests that are not possible at this scale.
QString sheetPage(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost);

/// Returns the number of rows per verdict: "2 reproduced, 3 undecided."; "" if no row has a verdict.
QString verdictWords(std::span<const SheetRow> rows);

/// Returns the state of the sheet in the open lab, in sentences. `isReadOnly`: the lab cannot be changed, so that the
/// sheet cannot continue.
QString progressWords(const SheetTrainer& trainer, bool isReadOnly);

/// Returns the state of a sheet that can be started, in sentences.
QString notStartedWords();
/// Returns states of a sheet in sentences, the longest of their kind, for which a label reserves its space.
QStringList stateExamples();

/// Returns a row in sentences: verdict, its reason, and the rule.
QString rowWords(const SheetRow& row);

}  // namespace ropelab::ui
