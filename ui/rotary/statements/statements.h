#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// What a statement's setup gives, computed now.
struct Reading {
    QString text;                // one sentence with the numbers in it
    std::vector<double> values;  // those numbers, in the sentence's order
};

/// A statement about rotary embeddings that is often heard and wrong, and where to see it.
struct Statement {
    QString claim;
    QString why;      // what is wrong with it, one or two sentences
    int formula = 0;  // its number in docs/formulas.md
    QString room;     // whose picture shows it, and which of its parts ("" where it has none)
    QString part;
    RotarySetup setup;
    std::function<Reading(const RotarySetup&)> read;  // takes up to a second: beside the window's thread
};

/// All of them, in the order of their cards.
const std::vector<Statement>& wrongStatements();

}  // namespace ropelab::ui
