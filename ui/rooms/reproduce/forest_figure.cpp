#include "ui/rooms/reproduce/forest_figure.h"

#include <QComboBox>
#include <QJsonArray>
#include <QJsonObject>
#include <QObject>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/reproduce/report.h"
#include "core/reproduce/sheet_lab.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/reproduce/sheet_words.h"
#include "ui/session/lab_origin.h"
#include "ui/session/run_access.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kEffectPt = 6;       // diameter of the point of an effect
constexpr double kCapHeight = 0.14;   // half the height of an interval's caps, in rows
constexpr double kPaperHeight = 0.3;  // half the height of the paper's mark
constexpr double kBandHeight = 0.38;  // half the height of the rule's range
// Height of a figure that shows n lines at the default font size: a line's height for each, and the axis below them.
constexpr double kLineMm = 5.2;
constexpr double kAxisMm = 24;
constexpr double kLeastHeightMm = 60;

constexpr int kMostDecades = 5;  // of margins beyond 1, to both sides of the axis

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// A heading, or a row with the settings in which it differs from the other rows of its claim.
struct ForestLine {
    QString title;
    const SheetRow* row = nullptr;
};

std::vector<const SheetRow*> comparedRowsOf(std::span<const SheetRow> rows, const std::string& claim) {
    std::vector<const SheetRow*> result;
    for (const SheetRow& row : rows) {
        if (row.plan.claim == claim && row.plan.baseline) result.push_back(&row);
    }
    return result;
}

/// The measure and the data set of a row, which the rows below have too; "" where all rows of a claim have the same.
QString headingOf(const PlannedRow& row, bool areMixed, bool areDataMixed) {
    QStringList parts;
    if (areMixed) parts << measureTitleOf(row.measure);
    if (areDataMixed) parts << askedData(row);
    return parts.isEmpty() ? QString() : parts.join(u", "_s) + QLatin1Char(':');
}

/// The rows of a claim with several measures or data sets are below a heading for each.
std::vector<ForestLine> linesOf(const SheetPlan& plan, std::span<const SheetRow> rows, const std::string& wanted) {
    std::vector<ForestLine> lines;
    for (const Claim& claim : plan.claims) {
        const std::vector<const SheetRow*> own = comparedRowsOf(rows, claim.id);
        if (own.empty() || (!wanted.empty() && claim.id != wanted)) continue;
        lines.push_back({text(claim_title(plan, claim.id))});
        const auto differ = [&own](const auto& of) {
            return std::ranges::any_of(own, [&](const SheetRow* row) { return of(*row) != of(*own[0]); });
        };
        const bool areMixed = differ([](const SheetRow& row) { return row.plan.measure; });
        // Only of several rows each: a heading above a single row would say what its title can.
        const auto isAlone = [&own](const SheetRow* row) {
            return std::ranges::count_if(own, [&](const SheetRow* other) {
                       return askedData(other->plan) == askedData(row->plan) &&
                              other->plan.measure == row->plan.measure;
                   }) == 1;
        };
        const bool areDataMixed =
            differ([](const SheetRow& row) { return askedData(row.plan); }) && std::ranges::none_of(own, isAlone);
        const auto heading = [&](const SheetRow* row) { return headingOf(row->plan, areMixed, areDataMixed); };
        for (auto row = own.begin(); row != own.end();) {
            const auto end =
                std::find_if(row, own.end(), [&](const SheetRow* other) { return heading(other) != heading(*row); });
            std::vector<const PlannedRow*> plans;
            // A single row has the title that it has among all of the claim.
            const bool isSingle = end - row == 1;
            for (auto each = isSingle ? own.begin() : row; each != (isSingle ? own.end() : end); ++each)
                plans.push_back(&(*each)->plan);
            const QStringList titles = rowTitles(plans);
            if (const QString words = heading(*row); !words.isEmpty()) lines.push_back({words});
            for (qsizetype i = isSingle ? row - own.begin() : 0; row != end; ++i) lines.push_back({titles[i], *row++});
        }
    }
    return lines;
}

/// In percent; ratios become the difference from 1.
double percentOf(RowEffect::Scale scale, const std::optional<double>& value) {
    if (!value) return kMissing;
    if (scale == RowEffect::Scale::ratio) return 100 * (*value - 1);
    return scale == RowEffect::Scale::percent ? *value : 100 * *value;
}

/// In percent; NaN where a number is missing.
struct ForestNumbers {
    double value = kMissing;
    double low = kMissing;
    double high = kMissing;
    double rangeLow = kMissing;
    double rangeHigh = kMissing;
    double paper = kMissing;

    double margin() const { return (rangeHigh - rangeLow) / 2; }
    /// Multiples of the rule's margin, half the width of its range, from the range's middle; all NaN for a rule without
    /// a range.
    ForestNumbers inMargins() const {
        const double middle = (rangeLow + rangeHigh) / 2;
        return mapped([&](double percent) { return margin() > 0 ? (percent - middle) / margin() : kMissing; });
    }
    ForestNumbers mapped(const std::function<double(double)>& place) const {
        return {place(value), place(low), place(high), place(rangeLow), place(rangeHigh), place(paper)};
    }
};

/// Of a number of margins on an axis whose middle, 0, is at `middle`: linear from −1 to 1, so that each rule's range is
/// as wide, then a step per factor of 10, because effects of several claims differ by orders of magnitude.
double placeOf(double margins, double middle) {
    const double size = std::abs(margins);
    return middle + (size <= 1 ? margins : std::copysign(1 + std::log10(size), margins));
}

/// In percent, known before the runs; NaN if the rule has no range.
std::pair<double, double> rangeOf(const SheetRow& row) {
    if (!row.plan.rule) return {kMissing, kMissing};
    const VerdictRule& rule = *row.plan.rule;
    switch (rule.kind) {
        case VerdictRule::Kind::difference:
        case VerdictRule::Kind::equivalence:
            return {-100 * rule.margin, 100 * rule.margin};
        case VerdictRule::Kind::size:
            return {100 * (rule.low - 1), 100 * (rule.high - 1)};
        case VerdictRule::Kind::events:
        case VerdictRule::Kind::proportion:
            break;
    }
    return {kMissing, kMissing};
}

ForestNumbers numbersOf(const SheetRow& row) {
    ForestNumbers result;
    if (const auto& effect = row.effect) {
        const auto scale = effect->scale;
        result = {percentOf(scale, effect->value),      percentOf(scale, effect->low),
                  percentOf(scale, effect->high),       percentOf(scale, effect->range_low),
                  percentOf(scale, effect->range_high), percentOf(scale, effect->paper)};
    }
    // The paper's value is known before the runs.
    const bool isDifference = !row.effect || row.effect->scale == RowEffect::Scale::percent;
    if (!std::isfinite(result.paper) && isDifference) {
        const auto& paper = row.plan.paper_printed ? row.plan.paper_printed : row.paper_difference_percent;
        result.paper = paper.value_or(kMissing);
    }
    if (!row.effect) std::tie(result.rangeLow, result.rangeHigh) = rangeOf(row);
    return result;
}

QString scaleWords(const SheetRow& row) {
    if (!row.effect) return {};
    if (row.effect->scale == RowEffect::Scale::ratio) return u"ratio"_s;
    if (row.effect->scale == RowEffect::Scale::proportion) return u"proportion of runs"_s;
    return row.effect->scale == RowEffect::Scale::percent ? u"difference"_s : u"difference of proportions"_s;
}

Ink inkOf(SheetVerdict verdict) {
    if (verdict == SheetVerdict::reproduced) return {Ink::Kind::success};
    if (verdict == SheetVerdict::not_reproduced) return {Ink::Kind::error};
    return {verdict == SheetVerdict::undecided ? Ink::Kind::accent : Ink::Kind::quiet};
}

void addStroke(Figure& figure, QList<double> x, QList<double> y, Ink ink) {
    if (std::any_of(x.begin(), x.end(), [](double each) { return !std::isfinite(each); })) return;
    FigureCurve curve;
    curve.x = std::move(x);
    curve.y = std::move(y);
    curve.ink = ink;
    curve.dots = false;
    figure.curves.push_back(std::move(curve));
}

/// Places of the effects that agree with the row's claim, on an axis from `left` to `right`: a difference must lie
/// outside its rule's range, on the claimed side, and an equivalence or a size inside.
Range agreeing(const SheetRow& row, const ForestNumbers& numbers, double left, double right) {
    using Kind = VerdictRule::Kind;
    const auto& rule = row.plan.rule;
    if (!rule || (rule->kind != Kind::difference && rule->kind != Kind::events))
        return {numbers.rangeLow, numbers.rangeHigh};
    return rule->direction < 0 ? Range{left, numbers.rangeLow} : Range{numbers.rangeHigh, right};
}

/// `numbers` are places on the x axis.
void addRow(Figure& figure, const SheetRow& row, double y, const ForestNumbers& numbers) {
    const Ink ink = inkOf(row.verdict);
    const Range agree = agreeing(row, numbers, figure.x.minimum, figure.x.maximum);
    if (agree.maximum > agree.minimum) {
        FigureBand band;
        band.ink = {Ink::Kind::quiet};
        band.x = {agree.minimum, agree.maximum};
        band.lower = {y - kBandHeight, y - kBandHeight};
        band.upper = {y + kBandHeight, y + kBandHeight};
        // Rows below each other with one range have one band.
        const bool isSame = !figure.bands.empty() && figure.bands.back().x == band.x &&
                            figure.bands.back().lower[0] == y + 1 - kBandHeight;
        if (isSame) {
            figure.bands.back().lower = band.lower;
        } else {
            figure.bands.push_back(std::move(band));
        }
    }
    addStroke(figure, {numbers.paper, numbers.paper}, {y - kPaperHeight, y + kPaperHeight}, {Ink::Kind::text});
    addStroke(figure, {numbers.low, numbers.high}, {y, y}, ink);
    for (const double end : {numbers.low, numbers.high}) {
        addStroke(figure, {end, end}, {y - kCapHeight, y + kCapHeight}, ink);
    }
    if (std::isfinite(numbers.value)) {
        FigureCurve point;
        point.x = {numbers.value};
        point.y = {y};
        point.ink = ink;
        point.shape = FigureCurve::Shape::points;
        point.pointPt = kEffectPt;
        figure.curves.push_back(std::move(point));
    }
    figure.horizontalLines.push_back({.at = y,
                                      .label = markedVerdict(row.verdict).section(u' ', 0, 0),
                                      .ink = {Ink::Kind::quiet},
                                      .labelAtEnd = true});
}

/// The axis of percentages ends where only wide intervals continue, so that they do not press all effects together, and
/// that of margins at a power of 10. Returns whether intervals are longer than the axis.
bool setAxis(Axis& axis, const std::vector<ForestNumbers>& rows, bool isInMargins) {
    constexpr double mostIntervals = 0.9;  // of the intervals, which the axis shows whole
    constexpr double least = 4;            // times the farthest effect
    double effect = 0;
    std::vector<double> ends = {0};
    Range all{0, 0};
    for (const ForestNumbers& row : rows) {
        for (const double each : {row.value, row.paper, row.rangeLow, row.rangeHigh}) {
            if (std::isfinite(each)) effect = std::max(effect, std::abs(each));
        }
        for (const double each : {row.value, row.paper, row.rangeLow, row.rangeHigh, row.low, row.high}) {
            if (!std::isfinite(each)) continue;
            all = {std::min(all.minimum, each), std::max(all.maximum, each)};
            ends.push_back(std::abs(each));
        }
        // Space for the differences that agree with a claim, beyond its range.
        if (row.rangeHigh > row.rangeLow)
            all = {std::min(all.minimum, 1.5 * row.rangeLow), std::max(all.maximum, 1.5 * row.rangeHigh)};
    }
    std::sort(ends.begin(), ends.end());
    if (isInMargins) {
        const int decades =
            std::clamp(static_cast<int>(std::ceil(std::log10(std::max(1.0, ends.back())))), 1, kMostDecades);
        for (int i = -decades - 1; i <= decades + 1; ++i) {
            constexpr std::array<const char16_t*, kMostDecades + 2> numbers = {u"0",   u"1",   u"10", u"100",
                                                                               u"10³", u"10⁴", u"10⁵"};
            const QString number = QString::fromUtf16(numbers[static_cast<std::size_t>(std::abs(i))]);
            axis.categories << (i < 0 ? QChar(0x2212) + number : number);
        }
        axis.minimum = -0.1;
        axis.maximum = static_cast<double>(axis.categories.size()) - 0.9;
        return ends.back() > std::pow(10.0, decades);
    }
    const double shown =
        std::max(effect, ends[static_cast<std::size_t>(mostIntervals * static_cast<double>(ends.size() - 1))]);
    const bool isCut = ends.back() > least * 1.05 * shown;
    if (isCut) all = {-shown, shown};
    const double space = all.maximum > all.minimum ? 0.05 * (all.maximum - all.minimum) : 1;
    axis.minimum = all.minimum - space;
    axis.maximum = all.maximum + space;
    return isCut;
}

FigureTable tableOf(const std::vector<ForestLine>& lines) {
    QStringList claims, titles, measures, scales, verdicts, reasons;
    FigureTable table;
    table.columns.resize(7);
    for (const ForestLine& line : lines) {
        if (!line.row) continue;
        const SheetRow& row = *line.row;
        claims << text(row.plan.claim);
        titles << rowTitle(row.plan);
        measures << text(row.plan.measure);
        scales << scaleWords(row);
        verdicts << text(to_string(row.verdict));
        reasons << text(row_reason(row));
        const ForestNumbers numbers = numbersOf(row);
        table.addRow({numbers.value, numbers.low, numbers.high, numbers.rangeLow, numbers.rangeHigh, numbers.paper,
                      numbers.inMargins().value});
    }
    table.names = {u"effect (%)"_s,
                   u"interval, low (%)"_s,
                   u"interval, high (%)"_s,
                   u"range of the rule, low (%)"_s,
                   u"range of the rule, high (%)"_s,
                   u"published (%)"_s,
                   u"effect / margin"_s};
    table.words = {{u"claim"_s, claims}, {u"row"_s, titles},       {u"measure"_s, measures},
                   {u"scale"_s, scales}, {u"verdict"_s, verdicts}, {u"reason"_s, reasons}};
    return table;
}

}  // namespace

QString markedVerdict(SheetVerdict verdict) {
    const QString words = text(to_string(verdict));
    switch (verdict) {
        case SheetVerdict::reproduced:
            return u"+ "_s + words;
        case SheetVerdict::not_reproduced:
            return u"× "_s + words;
        case SheetVerdict::undecided:
            return u"? "_s + words;
        case SheetVerdict::not_testable:
            return u"– "_s + words;
        case SheetVerdict::unfinished:
            return u"… "_s + words;
        case SheetVerdict::baseline:
            return u"= "_s + words;
        case SheetVerdict::shown:
            break;
    }
    return u"· no rule"_s;
}

Figure forestFigure(const SheetPlan& plan, std::span<const SheetRow> rows, const std::string& claim, bool namesClaims) {
    Figure figure;
    figure.name = QLatin1String(kForestPlot);
    figure.settings = {
        {u"sheet"_s, text(plan.sheet)}, {u"scale"_s, text(to_string(plan.scale))}, {u"claim"_s, text(claim)}};
    figure.emptyText =
        u"No group of runs in this reproduction is compared with a baseline, so there is no effect to plot."_s;
    const std::vector<ForestLine> lines = linesOf(plan, rows, claim);
    if (lines.empty()) {
        figure.summary = figure.emptyText;
        return figure;
    }
    figure.emptyText = u"The effect of a group appears when all of its runs have ended and are measured."_s;
    // Effects of several claims differ by orders of magnitude; on the axis of margins each is as large as its rule
    // finds.
    const auto first = std::find_if(lines.begin(), lines.end(), [](const ForestLine& line) { return line.row; });
    const bool isInMargins = std::any_of(first, lines.end(), [&](const ForestLine& line) {
        return line.row && line.row->plan.claim != first->row->plan.claim;
    });
    figure.x =
        isInMargins ? Axis{u"effect / margin of the rule"_s, {}} : Axis{u"difference from the baseline"_s, u"%"_s};
    std::vector<ForestNumbers> numbers;
    for (const ForestLine& line : lines) {
        if (line.row) numbers.push_back(isInMargins ? numbersOf(*line.row).inMargins() : numbersOf(*line.row));
    }
    const bool isCut = setAxis(figure.x, numbers, isInMargins);
    const double middle = isInMargins ? static_cast<double>(figure.x.categories.size() - 1) / 2 : 0;
    const auto count = static_cast<double>(lines.size());
    figure.y = Axis::cells({}, std::ssize(lines));
    std::vector<SheetRow> shown;
    QStringList verdicts;  // of these rows, each once
    bool hasProportion = false;
    bool hasNoRange = false;  // a row has an effect, and its rule has no range
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double y = count - 1 - static_cast<double>(i);  // the first line is at the top
        figure.y.categories.prepend(lines[i].title);
        if (!lines[i].row) continue;
        const SheetRow& row = *lines[i].row;
        if (const QString words = markedVerdict(row.verdict); !verdicts.contains(words)) verdicts << words;
        hasProportion = hasProportion || (row.effect && row.effect->scale == RowEffect::Scale::proportion);
        hasNoRange = hasNoRange || (row.effect && !(numbersOf(row).margin() > 0));
        const ForestNumbers& own = numbers[shown.size()];
        addRow(figure, row, y, isInMargins ? own.mapped([middle](double each) { return placeOf(each, middle); }) : own);
        shown.push_back(row);
    }
    figure.verticalLines.push_back({.at = middle, .label = {}, .ink = {Ink::Kind::quiet}});
    QStringList parts;
    QStringList claims;
    for (const ForestLine& line : lines) {
        for (const Claim& each : plan.claims) {
            if (!namesClaims || line.title != text(claim_title(plan, each.id))) continue;
            // Without its remarks in brackets, which the tables of the reproduction have.
            static const QRegularExpression remark(u"\\s*\\([^()]*\\)"_s);
            const QString words = text(each.words).remove(remark);
            claims << u"%1: %2"_s.arg(line.title, words.endsWith(QLatin1Char('.')) ? words.chopped(1) : words);
        }
    }
    // The words of many claims are for the caption: they would take a third of the page.
    constexpr qsizetype mostClaims = 2;
    if (claims.size() <= mostClaims) parts << std::exchange(claims, {});
    const auto any = [&](auto isDrawn) { return std::any_of(numbers.begin(), numbers.end(), isDrawn); };
    if (any([](const ForestNumbers& row) { return std::isfinite(row.value); }))
        parts << u"points: effects in this lab, with 95 % confidence intervals (of ratios: Fieller's)"_s;
    std::vector<const PlannedRow*> plans;
    for (const SheetRow& row : shown) plans.push_back(&row.plan);
    if (const QString replaced = replacedData(plans); !replaced.isEmpty()) parts << replaced;
    if (const QString leftOut = leftOutData(plan); !leftOut.isEmpty()) parts << leftOut;
    if (any([](const ForestNumbers& row) { return std::isfinite(row.paper); }))
        parts << u"tall marks: published effects"_s;
    if (!figure.bands.empty()) parts << u"shaded: effects that agree with the claim"_s;
    if (std::none_of(shown.begin(), shown.end(), [](const SheetRow& row) { return row.effect.has_value(); }))
        parts << u"no results yet: the effect of a group appears when all of its runs have ended and are measured"_s;
    if (isCut) parts << u"intervals that reach an end of the axis are longer"_s;
    parts << verdicts.join(u", "_s);
    figure.note = parts.join(u"; "_s);
    if (isInMargins) {
        figure.note +=
            u"; effects are measured from the middle of the rule's range, in margins (half the width of "
            "the range); the axis is linear between −1 and 1 and logarithmic beyond"_s;
        if (hasNoRange) figure.note += u"; groups whose rule has no range are only in the figure of their claim"_s;
    } else if (hasProportion) {
        figure.note += u"; proportions are in percent of the runs"_s;
    }
    int effects = 0;
    for (const SheetRow& row : shown) effects += row.effect.has_value();
    figure.summary = u"Effects of the reproduction %1: %2, of which %3 have an effect. %4"_s
                         .arg(text(plan.sheet), countText(std::ssize(shown), u"row"_s))
                         .arg(effects)
                         .arg(verdictWords(shown))
                         .trimmed();
    if (!claims.isEmpty()) figure.summary += u" %1."_s.arg(claims.join(u"; "_s));
    figure.table = tableOf(lines);
    figure.heightMm = std::max(kLeastHeightMm, kAxisMm + kLineMm * count);
    return figure;
}

namespace {

constexpr double kPixelsPerMm = 4.0;  // of the figure on screen at 100 % scale, so that a row is a line of text high

}  // namespace

ForestView::ForestView(QWidget* parent)
    : QWidget(parent), m_claim(new QComboBox(this)), m_area(new QScrollArea(this)), m_view(new FigureView) {
    auto* column = scaledColumn(this, 4, {4, 4, 4, 4});
    m_claim->setAccessibleName(u"Claim"_s);
    m_claim->setToolTip(
        u"Selects the claim whose effects the forest plot shows. The effects of a single claim are in percent, those "
        "of all claims in multiples of each rule's margin."_s);
    m_claim->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_claim->setFocusPolicy(Qt::StrongFocus);
    m_view->setAccessibleName(u"Forest plot of the effects"_s);
    m_area->setAccessibleName(u"Effects"_s);
    m_area->setFocusPolicy(Qt::NoFocus);  // the plot in it has the focus
    m_area->setWidget(m_view);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_claim->hide();  // until the room has placed it
    column->addWidget(m_area, 1);
    connect(m_claim, &QComboBox::currentIndexChanged, this, &ForestView::refresh);
    // The curves of this plot are marks, whose readout by the nearest x would say nothing.
    m_view->setReadout([this](QPointF place) -> std::optional<FigureView::Readout> {
        const Figure& shown = m_view->figure();
        const auto line = std::lround(place.y());
        if (line < 0 || line >= shown.y.categories.size()) return std::nullopt;
        FigureView::Readout readout;
        readout.title = shown.y.categories[line];
        readout.x = place.x();
        const qsizetype row = m_lineRows[shown.y.categories.size() - 1 - line];
        if (row < 0) return std::nullopt;
        readout.rows.append({u"verdict"_s, shown.table.words[4].second[row]});
        return readout;
    });
}

void ForestView::setSheet(const SheetPlan& plan, std::vector<SheetRow> rows) {
    m_plan = plan;
    m_rows = std::move(rows);
    QStringList ids = {QString()};
    for (const Claim& claim : plan.claims) {
        const bool isCompared = std::any_of(m_rows.begin(), m_rows.end(), [&](const SheetRow& row) {
            return row.plan.claim == claim.id && row.plan.baseline;
        });
        if (isCompared) ids << text(claim.id);
    }
    QStringList shown;
    for (int i = 0; i < m_claim->count(); ++i) shown << m_claim->itemData(i).toString();
    if (shown != ids) {
        const QSignalBlocker quiet(m_claim);
        const QString before = m_claim->currentData().toString();
        m_claim->clear();
        for (const QString& id : std::as_const(ids)) {
            m_claim->addItem(id.isEmpty() ? u"all claims"_s : text(claim_title(plan, id.toStdString())), id);
            const auto same = std::find_if(plan.claims.begin(), plan.claims.end(),
                                           [&](const Claim& each) { return text(each.id) == id; });
            if (same != plan.claims.end()) {
                m_claim->setItemData(m_claim->count() - 1, text(same->words), Qt::ToolTipRole);
            }
        }
        m_claim->setCurrentIndex(std::max(0, static_cast<int>(ids.indexOf(before))));
    }
    refresh();
}

Figure ForestView::figure() const {
    return forestFigure(m_plan, m_rows, m_claim->currentData().toString().toStdString());
}

void ForestView::refreshNow() {
    m_view->refreshNow();
}

void ForestView::setLow(bool isLow) {
    m_isLow = isLow;
    m_area->setMinimumHeight(isLow ? m_view->minimumHeight() : 0);
}

void ForestView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

void ForestView::refresh() {
    const std::string claim = m_claim->currentData().toString().toStdString();
    // The words of the claims are on the page beside it, and at their names in the panel.
    Figure next = forestFigure(m_plan, m_rows, claim, false);
    m_lineRows.clear();
    qsizetype row = 0;
    for (const ForestLine& line : linesOf(m_plan, m_rows, claim)) m_lineRows << (line.row ? row++ : -1);
    m_view->setMinimumHeight(ThemeManager::instance().pixels(static_cast<int>(kPixelsPerMm * next.heightMm)));
    m_view->setFigure(std::move(next));
    setLow(m_isLow);
}

namespace option {

constexpr FigureOption claim{
    "claim", FigureOption::Kind::text,
    "The claim whose effects are shown, by its number or id; default: all claims of the reproduction.", "name"};

}  // namespace option

static Figure requestedForest(const FigureRequest& request) {
    const RunAccess access = request.sources().runs();
    const LabFile& lab = request.sources().lab();
    const auto sheet = stored_sheet(lab);
    if (!sheet) {
        throw BadInput("The lab " + request.sources().labPath().toStdString() +
                       " contains no reproduction of a paper, so there are no effects to plot.");
    }
    const std::vector<Claim>& claims = sheet->plan.claims;
    std::string chosen = request.text(option::claim).toStdString();
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (chosen == std::to_string(i + 1)) chosen = claims[i].id;
    }
    const auto isChosen = [&](const Claim& claim) { return claim.id == chosen; };
    if (!chosen.empty() && std::none_of(claims.begin(), claims.end(), isChosen)) {
        std::string names;
        for (const Claim& claim : claims) names += (names.empty() ? "" : ", ") + claim.id;
        throw BadInput("The reproduction " + sheet->plan.sheet + " has no claim \"" +
                       request.text(option::claim).toStdString() + "\"; its claims are " + names + ".");
    }
    Figure figure = forestFigure(sheet->plan, evaluate(sheet->plan, sheet_runs(lab, sheet->experiment)), chosen);
    if (figure.curves.empty() && figure.horizontalLines.empty()) throw BadInput(figure.emptyText.toStdString());
    figure.origin = forestOrigin(lab, access.runs, text(chosen));
    return figure;
}

FigureOrigin forestOrigin(const LabFile& lab, const RunStore& runs, const QString& chosen) {
    std::vector<RunId> all;
    for (const RunView& run : runs.runs()) all.push_back(run.record.id);
    FigureOrigin origin{.flags = {{u"figure"_s, QLatin1String(kForestPlot)}}, .lab = labOrigin(lab, all)};
    if (!chosen.isEmpty()) origin.flags[option::claim.name] = chosen;
    return origin;
}

FigureEntries reproduceEntries() {
    return {{.name = QLatin1String(kForestPlot),
             .room = u"reproduce"_s,
             .part = u"effects"_s,
             .options = {&option::claim},
             .make = requestedForest}};
}

}  // namespace ropelab::ui

#include "moc_forest_figure.cpp"
