#pragma once

#include <QString>
#include <QStringList>

#include "core/study/stage_activation.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Name of the figure of an activation on the command line.
inline constexpr const char* kActivationFigure = "anatomy-activation";

/// Returns whether the output of a stage is one matrix per head, such as attention scores.
bool isMatrixPerHead(const QString& stage);

/// Returns the output of a stage for a text as a heat map with the tokens as rows. `stage` is the name of the stage,
/// `tokens` are the texts of the tokens. If the output is one matrix per head, the map shows that of `head`.
Figure activationFigure(const StageActivation& activation, const QString& stage, const QStringList& tokens, int head);
/// Returns the figure of a run's checkpoint for a text; an empty text is the beginning of its validation split. `stage`
/// is the id of the stage, with its layer and its head if there are several: "head", "attention.weights/0/1". Throws
/// BadInput if the run has no checkpoint or no such stage.
Figure activationFigureOf(Engine& engine, const LabFile& lab, RunId run, const QString& stage, const QString& text,
                          const std::filesystem::path& dataDir);
/// Returns the flags of the command line that compute a figure of a run again.
QJsonObject activationFlags(const Figure& figure, RunId run);
/// Returns a figure without an activation, which says why.
Figure missingActivation(const QString& why);

}  // namespace ropelab::ui
