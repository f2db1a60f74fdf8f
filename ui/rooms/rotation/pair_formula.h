#pragma once

#include <vector>

#include "core/rope/logit.h"
#include "ui/figure/formula.h"

namespace ropelab::ui {

/// A formula with the numbers of a pair. Its parts follow each other; a line may be broken between two parts.
using BreakableFormula = std::vector<Formula>;

/// How fractions are written: numerator above denominator, or both in one line.
enum class Fractions { stacked, inLine };

/// Returns the formulas of the enlarged pair: the dot product of the rotated vectors as norms and a cosine, and the
/// pair's term of the logit (formula 7).
std::vector<BreakableFormula> pairFormulas(const PairTerm& pair, Fractions fractions = Fractions::stacked);

/// Returns the formulas as Unicode text, one line per formula.
QString pairFormulaText(const PairTerm& pair);
/// Returns the formulas as LaTeX for displayed math, one line per formula.
QString pairFormulaLatex(const PairTerm& pair);

}  // namespace ropelab::ui
