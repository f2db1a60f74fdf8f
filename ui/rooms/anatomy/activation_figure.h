#pragma once

#include <QString>
#include <QStringList>

#include "core/study/stage_activation.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

inline constexpr const char* kActivationFigure = "anatomy-activation";

bool isMatrixPerHead(const QString& stage);

/// A heat map with the tokens as rows. If the output is one matrix per head, the map shows that of `head`.
Figure activationFigure(const StageActivation& activation, const QString& stage, const QStringList& tokens, int head);
/// Evaluates a run's checkpoint; an empty text is the beginning of its validation split. `stage` is an id with its
/// layer and its head if there are several: "head", "attention.weights/0/1". Throws BadInput if the run has no
/// checkpoint or no such stage.
Figure activationFigureOf(Engine& engine, const LabFile& lab, RunId run, const QString& stage, const QString& text,
                          const std::filesystem::path& dataDir);
/// The flags of the command line that compute the figure again.
QJsonObject activationFlags(const Figure& figure, RunId run);
Figure missingActivation(const QString& why);

}  // namespace ropelab::ui
