#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"

namespace ropelab::ui {

// Conversion between the values of a sweep and the texts that their chips show and accept. All parse… functions throw
// BadInput if the text is not a valid value.

/// "10k" and "1e4" become "10000".
QString parseTheta(const QString& typed);
/// "10000" becomes "10k".
QString showTheta(const QString& value);
/// "25 %" and "0.25" become "0.25"; a number of channels "6ch" becomes "6 ch".
QString parseFraction(const QString& typed);
/// "0.25" becomes "25 %"; "6 ch" stays.
QString showFraction(const QString& value);
QString parseSeed(const QString& typed);

/// "RoPE 0 %", "25 %", "θ 1M". Explicit runs are listed one by one instead of as a grid of values.
QStringList explicitRunLabels(const Experiment& experiment);
void removeExplicitRun(Experiment& experiment, std::size_t index);
/// Names of settings that vary together: "theta, context".
QString zipText(const std::vector<std::string>& zip);
bool isSetByRuns(const Experiment& experiment, const char* key);
/// The explicit runs are combined with these values (expand()). If explicit runs set the setting, each value adds a run
/// instead: a copy of the last run that sets it, with this value.
void setSwept(Experiment& experiment, const char* key, const QStringList& values);

}  // namespace ropelab::ui
