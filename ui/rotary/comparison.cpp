#include "ui/rotary/comparison.h"

#include <algorithm>
#include <cmath>

#include "ui/figure/ticks.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

ComparedNames comparedNames(const ShapedSetup& a, const ShapedSetup& b, bool editsB) {
    const SetupNames names = setupNames(a, b);
    return {names.a, names.b, editsB};
}

Figure comparedFigure(const Figure& figureA, const Figure& figureB, const ShapedSetup& a, const ShapedSetup& b,
                      bool editsB) {
    Figure figure = compareFigures(figureA, figureB, comparedNames(a, b, editsB));
    figure.settings.insert(QStringLiteral("setup"), QString::fromStdString(setups_text({a.setup, b.setup})));
    return figure;
}

QString letteredValues(const QString& a, const QString& b) {
    return QStringLiteral("A %1 · B %2").arg(a, b);
}

QString letteredSentences(const QString& a, const QString& b) {
    return a == b ? a : QStringLiteral("A: %1\nB: %2").arg(a, b);
}

QString quotientText(const QString& quantity, double a, double b) {
    const double quotient = b / a;
    return std::isfinite(quotient) ? QStringLiteral("%1: B / A = %2").arg(quantity, readableNumber(quotient))
                                   : QString();
}

std::optional<FigureView::Readout> letteredReadout(const std::optional<FigureView::Readout>& a,
                                                   const std::optional<FigureView::Readout>& b) {
    if (!a && !b) return std::nullopt;
    FigureView::Readout both = a ? *a : *b;
    both.rows.clear();
    if (a && b && a->title != b->title) both.title = letteredValues(a->title, b->title);
    QList<FigureView::ReadoutRow> rest = b ? b->rows : QList<FigureView::ReadoutRow>();
    for (const FigureView::ReadoutRow& row : a ? a->rows : QList<FigureView::ReadoutRow>()) {
        const auto same = std::find_if(rest.begin(), rest.end(),
                                       [&](const FigureView::ReadoutRow& other) { return other.label == row.label; });
        if (same == rest.end()) {
            both.rows.append({row.label, QStringLiteral("A ") + row.value});
            continue;
        }
        both.rows.append({row.label, letteredValues(row.value, same->value)});
        rest.erase(same);
    }
    for (const FigureView::ReadoutRow& row : rest) both.rows.append({row.label, QStringLiteral("B ") + row.value});
    return both;
}

}  // namespace ropelab::ui
