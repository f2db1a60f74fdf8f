#pragma once

#include <QString>

namespace ropelab::ui {

class RotaryModel;

// What the setup panel says of today's setup.

/// "25 %".
QString percentText(double fraction);
/// The formula of the frequencies with today's theta, and its source.
QString whyOfTheta(const RotaryModel& model);
/// How many channels today's fraction comes to, and its source.
QString whyOfFraction(const RotaryModel& model);
/// How many channels turn, how slowly the slowest, and how many pairs complete a turn in the context.
QString whatTurns(const RotaryModel& model);

}  // namespace ropelab::ui
