#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

struct Evidence {
    QString text;                // one or two sentences that contain the numbers
    std::vector<double> values;  // the numbers of the text, in the order of the text
};

struct Statement {
    QString claim;
    QString why;      // explains in one or two sentences why the claim is wrong
    int formula = 0;  // number of the relevant formula in docs/formulas.md
    QString room;     // identifier of the room that demonstrates it
    QString part;     // part of that room; empty if the room has no parts
    RotarySetup setup;
    /// Takes up to 1 s, so it must run in a background thread.
    std::function<Evidence(const RotarySetup&)> compute;
};

/// In the order of their cards.
const std::vector<Statement>& wrongStatements();

}  // namespace ropelab::ui
