#include "ui/figure/compared_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/figure/compared_table.h"
#include "ui/figure/figure_caption.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr Ink kInkB{Ink::Kind::compared};
constexpr double kBarPointPt = 5;  // diameter of the points that replace bars
const QString kLetterA = u"A: "_s;
const QString kLetterB = u"B: "_s;

QString withLetter(const QString& letter, const QString& text) {
    return text.isEmpty() ? text : letter + text;
}

/// Equal but for rounding.
bool areClose(double a, double b) {
    return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

bool isNothing(const Figure& figure) {
    return figure.curves.empty() && figure.bands.empty();
}

bool haveSameAxis(const Axis& a, const Axis& b) {
    return a.logarithmic == b.logarithmic && a.unit == b.unit && a.categories == b.categories &&
           a.downwards == b.downwards;
}

Range unionOf(const Range& a, const Range& b) {
    return {std::min(a.minimum, b.minimum), std::max(a.maximum, b.maximum)};
}

/// Contains both axes. An end that neither axis defines stays undefined.
Axis mergedAxis(const Axis& a, const Axis& b, const Range& rangeA, const Range& rangeB) {
    Axis axis = a;
    if (a.label != b.label) axis.label = u"%1 (A), %2 (B)"_s.arg(a.label, b.label);
    const Range both = unionOf(rangeA, rangeB);
    if (std::isfinite(a.minimum) || std::isfinite(b.minimum)) axis.minimum = both.minimum;
    if (std::isfinite(a.maximum) || std::isfinite(b.maximum)) axis.maximum = both.maximum;
    if (a.marks != b.marks) axis.marks.clear();
    return axis;
}

bool areEqual(const FigureCurve& a, const FigureCurve& b) {
    return a.label == b.label && a.quantity == b.quantity && a.ink == b.ink && a.x == b.x && a.y == b.y &&
           a.shape == b.shape && a.emphasis == b.emphasis;
}

/// The first line that is not secondary; it gets the name of the setup if it has no label. −1 if there is none.
std::ptrdiff_t mainLineOf(const Figure& figure) {
    const auto found = std::find_if(figure.curves.begin(), figure.curves.end(), [](const FigureCurve& curve) {
        return curve.shape == FigureCurve::Shape::line && !curve.companion && !curve.quantity.isEmpty() &&
               curve.x.size() > 1;
    });
    const bool isUnlabelled = found != figure.curves.end() && found->label.isEmpty();
    return isUnlabelled ? found - figure.curves.begin() : -1;
}

FigureCurve named(FigureCurve curve, const QString& letter, const QString& name, bool isMain) {
    if (isMain) {
        curve.label = name.isEmpty() ? letter.left(1) : letter + name;
    } else if (!curve.label.isEmpty()) {
        curve.label = letter + curve.label;
    } else {
        curve.quantity = withLetter(letter, curve.quantity);
    }
    return curve;
}

/// A curve that only colours a part of another one, as the negative part of a bound.
bool isColouring(const FigureCurve& curve) {
    return curve.ink.kind == Ink::Kind::error && curve.label.isEmpty() && curve.quantity.isEmpty();
}

/// Secondary points, such as known models, which have no setup where they are in the figures of both.
bool isOfNeither(const FigureCurve& curve) {
    return curve.shape == FigureCurve::Shape::points && curve.companion;
}

void addCurves(Figure& result, const Figure& a, const Figure& b, const ComparedNames& names) {
    std::vector<bool> isShared(b.curves.size(), false);
    const std::ptrdiff_t mainA = mainLineOf(a);
    const std::ptrdiff_t mainB = mainLineOf(b);
    for (std::size_t i = 0; i < a.curves.size(); ++i) {
        const bool isMain = std::cmp_equal(i, mainA);
        const auto same = std::find_if(b.curves.begin(), b.curves.end(),
                                       [&](const FigureCurve& curve) { return areEqual(curve, a.curves[i]); });
        const bool isOneCurve =
            same != b.curves.end() && (isMain || a.curves[i].ink.kind == Ink::Kind::quiet || isOfNeither(a.curves[i]));
        if (isOneCurve) isShared[static_cast<std::size_t>(same - b.curves.begin())] = true;
        result.curves.push_back(isOneCurve ? a.curves[i] : named(a.curves[i], kLetterA, names.a, isMain));
        if (isOneCurve && isMain) result.curves.back().label = u"A and B"_s;
    }
    for (std::size_t i = 0; i < b.curves.size(); ++i) {
        if (isShared[i] || isColouring(b.curves[i])) continue;
        FigureCurve curve = named(b.curves[i], kLetterB, names.b, std::cmp_equal(i, mainB));
        curve.ink = kInkB;
        if (curve.shape == FigureCurve::Shape::bars) {
            curve.shape = FigureCurve::Shape::points;
            curve.pointPt = kBarPointPt;
        }
        result.curves.push_back(std::move(curve));
    }
    for (FigureBand band : a.bands) {
        band.label = withLetter(kLetterA, band.label);
        result.bands.push_back(std::move(band));
    }
    for (FigureBand band : b.bands) {
        band.label = withLetter(kLetterB, band.label);
        band.ink = kInkB;
        result.bands.push_back(std::move(band));
    }
}

std::vector<FigureLine> mergedLines(const std::vector<FigureLine>& a, const std::vector<FigureLine>& b, bool editsB) {
    std::vector<FigureLine> lines;
    std::vector<bool> isShared(b.size(), false);
    for (FigureLine line : a) {
        const auto same = std::find_if(b.begin(), b.end(), [&](const FigureLine& other) {
            return areClose(other.at, line.at) && other.label == line.label;
        });
        const auto beside = std::ranges::find_if(
            b, [&](const FigureLine& other) { return line.labelAtEnd && other.labelAtEnd && other.at == line.at; });
        if (same == b.end() && beside != b.end()) {  // a row has one label
            isShared[static_cast<std::size_t>(beside - b.begin())] = true;
            line.label = u"A %1 · B %2"_s.arg(line.label, beside->label);
        } else if (same == b.end()) {
            line.label = withLetter(kLetterA, line.label);
            if (editsB) line.handle.clear();
        } else {
            isShared[static_cast<std::size_t>(same - b.begin())] = true;
            line.handle = editsB ? same->handle : line.handle;
        }
        lines.push_back(std::move(line));
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (isShared[i]) continue;
        FigureLine line = b[i];
        line.label = withLetter(kLetterB, line.label);
        line.ink = kInkB;
        if (!editsB) line.handle.clear();
        lines.push_back(std::move(line));
    }
    return lines;
}

/// `both` has the curves and lines of both setups.
QString legendOf(const ComparedNames& names, const Figure& both) {
    const auto isOfB = [](const FigureLine& line) { return line.ink == kInkB; };
    bool hasDashes = std::ranges::any_of(both.verticalLines, isOfB) || std::ranges::any_of(both.horizontalLines, isOfB);
    bool hasRings = false;
    bool hasFilled = false;
    for (const FigureCurve& curve : both.curves) {
        if (curve.ink != kInkB || curve.x.isEmpty()) continue;
        const bool isLine = curve.shape == FigureCurve::Shape::line;
        if (!isLine || !curve.solid) (isLine ? hasDashes : curve.solid ? hasFilled : hasRings) = true;
    }
    QStringList looks;
    if (hasDashes) looks << u"dashed"_s;
    if (hasRings && !hasFilled) looks << u"hollow points"_s;
    const QString marks = looks.isEmpty() ? QString() : u" (%1)"_s.arg(looks.join(u", "_s));
    if (names.areEqual()) return u"A and B%1 are equal"_s.arg(marks);
    return u"A: %1 · B%3: %2"_s.arg(names.a, names.b, marks);
}

QString noteOf(const Figure& a, const Figure& b, const ComparedNames& names, const Figure& both) {
    QStringList parts = {legendOf(names, both)};
    // What both notes say has no letter and is said once.
    QStringList ownA = noteParts(a.note);
    QStringList ownB = noteParts(b.note);
    QStringList shared;
    for (const QString& part : ownA) {
        if (ownB.removeOne(part)) shared << part;
    }
    ownA.removeIf([&](const QString& part) { return shared.contains(part); });
    parts << shared;
    if (!ownA.isEmpty()) parts << kLetterA + ownA.join(u"; "_s);
    if (!ownB.isEmpty()) parts << kLetterB + ownB.join(u"; "_s);
    if (isNothing(a) && !isNothing(b)) parts << withLetter(kLetterA, a.emptyText);
    if (isNothing(b) && !isNothing(a)) parts << withLetter(kLetterB, b.emptyText);
    parts.removeAll(QString());
    for (QString& part : parts) {
        if (part.endsWith(u'.') && &part != &parts.last()) part.chop(1);
    }
    return parts.join(u"; "_s);
}

Figure overlaid(const Figure& a, const Figure& b, const ComparedNames& names) {
    Figure result = isNothing(a) ? b : a;
    result.curves.clear();
    result.bands.clear();
    if (!isNothing(a) && !isNothing(b)) {
        result.x = mergedAxis(a.x, b.x, xRange(a), xRange(b));
        result.y = mergedAxis(a.y, b.y, yRange(a), yRange(b));
    }
    addCurves(result, a, b, names);
    result.verticalLines = mergedLines(a.verticalLines, b.verticalLines, names.editsB);
    result.horizontalLines = mergedLines(a.horizontalLines, b.horizontalLines, names.editsB);
    const bool hasTables = !a.table.columns.isEmpty() || !b.table.columns.isEmpty();
    const FigureTable tableA = hasTables ? a.table : tableOfCurves(a);
    const FigureTable tableB = hasTables ? b.table : tableOfCurves(b);
    const bool isKnown = !tableA.columns.isEmpty() && !tableB.columns.isEmpty();
    result.table = isKnown || hasTables ? comparedTable(tableA, tableB, result.y.logarithmic) : FigureTable{};
    result.hasLegend = a.hasLegend || b.hasLegend;
    result.note = noteOf(a, b, names, result);
    if (a.valuesNote != b.valuesNote) result.valuesNote.clear();
    result.emptyText = a.emptyText == b.emptyText
                           ? a.emptyText
                           : withLetter(kLetterA, a.emptyText) + QLatin1Char(' ') + withLetter(kLetterB, b.emptyText);
    return result;
}

void equalize(Axis& a, Axis& b, const Range& rangeA, const Range& rangeB) {
    if (a.label != b.label || a.unit != b.unit || a.logarithmic != b.logarithmic) return;
    const Range both = unionOf(rangeA, rangeB);
    for (Axis* axis : {&a, &b}) {
        axis->minimum = both.minimum;
        axis->maximum = both.maximum;
    }
}

Figure besideEachOther(const Figure& a, const Figure& b, const ComparedNames& names) {
    Figure first = a;
    Figure second = b;
    first.panelTitle = names.titleA();
    second.panelTitle = names.titleB();
    if (first.map && second.map) {
        equalize(first.x, second.x, xRange(a), xRange(b));
        equalize(first.y, second.y, yRange(a), yRange(b));
        if (first.map->title() == second.map->title()) {
            const Range colors = unionOf(a.map->range(), b.map->range());
            for (FigureMap* map : {&*first.map, &*second.map}) {
                map->minimum = colors.minimum;
                map->maximum = colors.maximum;
            }
        }
        for (FigureMap* map : {&*first.map, &*second.map}) {  // beside the map of the smaller setup, 0 is as white
            const bool isWhole = std::ranges::none_of(map->values, [](float value) { return std::isnan(value); });
            if (map->blankLabel.isEmpty() && isWhole) map->blankLabel = u"not in this setup"_s;
        }
    }
    Figure result;
    result.name = a.name;
    result.note = noteOf(a, b, names, result);  // of the caption
    result.panels = {std::move(first), std::move(second)};
    return result;
}

}  // namespace

QString ComparedNames::titleOfBoth(const QString& separator) const {
    return areEqual() ? u"A and B are equal"_s : titleA() + separator + titleB();
}

bool canOverlay(const Figure& a, const Figure& b) {
    const auto hasOnlyCurves = [](const Figure& figure) {
        return !figure.map && !figure.drawing && figure.panels.empty();
    };
    // Of twice as many curves, nobody could tell which is which. Quiet ones, which are equal in both, do not count.
    constexpr qsizetype mostNamed = 4;
    const auto isNamed = [](const FigureCurve& curve) {
        return curve.shape == FigureCurve::Shape::line && !curve.label.isEmpty() && curve.ink.kind != Ink::Kind::quiet;
    };
    const bool areFew =
        std::min(std::ranges::count_if(a.curves, isNamed), std::ranges::count_if(b.curves, isNamed)) <= mostNamed;
    return areFew && hasOnlyCurves(a) && hasOnlyCurves(b) && haveSameAxis(a.x, b.x) && haveSameAxis(a.y, b.y);
}

Figure compareFigures(const Figure& a, const Figure& b, const ComparedNames& names) {
    Figure result = canOverlay(a, b) ? overlaid(a, b, names) : besideEachOther(a, b, names);
    result.summary = u"%1. %2 %3. %4"_s.arg(names.titleA(), a.summary, names.titleB(), b.summary);
    result.heightMm = std::max(a.heightMm, b.heightMm);
    result.settings = {{u"A"_s, a.settings}, {u"B"_s, b.settings}, {u"compared"_s, names.titleOfBoth(u"; "_s)}};
    return result;
}

}  // namespace ropelab::ui
