#include "ui/rooms/rotation/pair_formula.h"

#include <QStringList>
#include <cmath>

#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {
namespace {

Formula withIndex(const QString& letter) {
    return Formula::subscript(Formula::symbol(letter), Formula::symbol(QStringLiteral("i")));
}

Formula normOf(const QString& letter) {
    const Formula bars = Formula::text(QStringLiteral("‖"));
    return Formula::row({bars, withIndex(letter), bars});
}

/// "φ + (m − n)ωᵢ".
Formula angleSymbols() {
    return Formula::row({Formula::symbol(QStringLiteral("φ")), Formula::text(QStringLiteral(" + (")),
                         Formula::symbol(QStringLiteral("m")), Formula::text(QStringLiteral(" − ")),
                         Formula::symbol(QStringLiteral("n")), Formula::text(QStringLiteral(")")),
                         withIndex(QStringLiteral("ω"))});
}

BreakableFormula productFormula(const PairTerm& pair) {
    const QString relative = degreesText(std::abs(pair.relative_rotation));
    const QString sign = pair.relative_rotation < 0 ? QStringLiteral("−") : QStringLiteral("+");
    return {Formula::row({normOf(QStringLiteral("q")), Formula::text(QStringLiteral(" ")), normOf(QStringLiteral("k")),
                          Formula::text(QStringLiteral(" cos(")), angleSymbols(), Formula::text(QStringLiteral(")"))}),
            Formula::text(QStringLiteral(" = %1 · %2 · cos(%3 %4 %5)")
                              .arg(readableNumber(pair.query_norm), readableNumber(pair.key_norm),
                                   degreesText(pair.phase), sign, relative)),
            Formula::text(QStringLiteral(" = %1").arg(readableNumber(pair.product)))};
}

BreakableFormula termFormula(const PairTerm& pair, Fractions fractions) {
    Formula above = Formula::text(readableNumber(pair.product));
    if (pair.attention_factor != 1) {
        above = Formula::row({Formula::superscript(Formula::text(readableNumber(pair.attention_factor)),
                                                   Formula::text(QStringLiteral("2"))),
                              Formula::text(pair.product < 0 ? QStringLiteral(" · (") : QStringLiteral(" · ")), above,
                              Formula::text(pair.product < 0 ? QStringLiteral(")") : QString())});
    }
    const Formula below = Formula::root(Formula::text(QString::number(pair.head_dim)));
    const Formula fraction = fractions == Fractions::stacked
                                 ? Formula::fraction(above, below)
                                 : Formula::row({above, Formula::text(QStringLiteral("/")), below});
    return {Formula::row({withIndex(QStringLiteral("l")), Formula::text(QStringLiteral(" = ")), fraction,
                          Formula::text(QStringLiteral(" = %1").arg(readableNumber(pair.term)))})};
}

}  // namespace

std::vector<BreakableFormula> pairFormulas(const PairTerm& pair, Fractions fractions) {
    return {productFormula(pair), termFormula(pair, fractions)};
}

QString pairFormulaText(const PairTerm& pair) {
    QStringList lines;
    for (const BreakableFormula& formula : pairFormulas(pair)) lines += Formula::row(formula).unicode();
    return lines.join(QLatin1Char('\n'));
}

QString pairFormulaLatex(const PairTerm& pair) {
    QStringList lines;
    for (const BreakableFormula& formula : pairFormulas(pair)) lines += Formula::row(formula).latex();
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ropelab::ui
