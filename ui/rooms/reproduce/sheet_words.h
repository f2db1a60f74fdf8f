#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <span>

#include "ui/rooms/reproduce/sheet_trainer.h"

namespace ropelab::ui {

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
