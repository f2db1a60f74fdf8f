#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"

namespace ropelab::ui {

// How the values of a sweep read and are typed on chips. All throw BadInput for what is no such value.

/// "1e6", "10k" → "10000"; as Experiment keeps it.
QString parseTheta(const QString& typed);
/// "10000" → "10k".
QString showTheta(const QString& value);
/// "25 %", "0.25" → "0.25"; "6ch" → "6 ch".
QString parseFraction(const QString& typed);
/// "0.25" → "25 %"; "6 ch" stays.
QString showFraction(const QString& value);
QString parseSeed(const QString& typed);

/// Short names of an experiment's explicit runs, one each: "no rotation", "25 %", "θ 1M".
QStringList explicitRunLabels(const Experiment& experiment);
/// Takes one explicit run out; without the last one the experiment is a grid.
void removeExplicitRun(Experiment& experiment, std::size_t index);
/// "theta, context".
QString zipText(const std::vector<std::string>& zip);
/// Sets a swept key by hand, which turns explicit runs into a grid.
void setSwept(Experiment& experiment, const char* key, const QStringList& values);

}  // namespace ropelab::ui
