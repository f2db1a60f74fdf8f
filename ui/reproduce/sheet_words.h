#pragma once

#include <QString>
#include <filesystem>
#include <span>

#include "ui/reproduce/sheet_trainer.h"

namespace ropelab::ui {

/// "72 runs in 18 cohorts, about 20 s here with all evaluations and measurements, 250 MB; 0.1 million parameters at
/// most". Texts are looked for in `dataDir` too, for their length.
QString costWords(const SheetPlan& plan, double operationsPerSecond, const std::filesystem::path& dataDir);

/// A sheet on one page, as HTML in the theme's colours: what is claimed and what became of it, what runs, by which
/// rules it is judged, and what cannot be tested at this scale.
QString sheetPage(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost);

/// What the verdicts are, in one sentence: "2 reproduced, 3 undecided."; "" where none is judged.
QString verdictWords(std::span<const SheetRow> rows);

/// Where the sheet of the lab stands, in sentences. `isReadOnly`: it cannot go on here.
QString standingWords(const SheetTrainer& trainer, bool isReadOnly);

/// A row in sentences: what was compared, the verdict and why, by which rule.
QString rowWords(const SheetRow& row);

}  // namespace ropelab::ui
