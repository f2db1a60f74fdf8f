#pragma once

#include <vector>

#include "core/rope/logit.h"
#include "ui/figure/formula.h"

namespace ropelab::ui {

/// Parts with the numbers of a pair. A line may be broken between two parts.
using BreakableFormula = std::vector<Formula>;

/// Numerator above denominator, or both in one line.
enum class Fractions { stacked, inLine };

/// The dot product of the rotated vectors as norms and a cosine, and the pair's term of the logit (formula 7).
std::vector<BreakableFormula> pairFormulas(const PairTerm& pair, Fractions fractions = Fractions::stacked);

/// Unicode, one line per formula.
QString pairFormulaText(const PairTerm& pair);
/// LaTeX for displayed math, one line per formula.
QString pairFormulaLatex(const PairTerm& pair);

}  // namespace ropelab::ui
