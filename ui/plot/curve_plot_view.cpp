// Conversion of the data of CurvePlot to a figure on the canvas.
#include <qcustomplot.h>

#include <QHash>
#include <QLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/figure/paint/figure_curves.h"
#include "ui/figure/paint/figure_renderer.h"
#include "ui/figure/paint/printed_figure.h"
#include "ui/figure/ticks.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/distinct_names.h"
#include "ui/plot/plot_readout.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// Round numbers, so that the axis of a live plot changes rarely. If `notNegative`, the range does not extend below 0.
Range rounded(Range range, bool notNegative) {
    const double exponent = std::floor(std::log10((range.maximum - range.minimum) / 5));
    const double step = std::pow(10.0, std::abs(exponent));  // a whole number, so that 0.6 is not 0.6000000000000001
    const auto up = [&](double value) { return exponent < 0 ? value * step : value / step; };
    const auto down = [&](double value) { return exponent < 0 ? value / step : value * step; };
    const double minimum = down(std::floor(up(range.minimum)));
    return {notNegative ? std::max(0.0, minimum) : minimum, down(std::ceil(up(range.maximum)))};
}

}  // namespace

FigureCurve::Emphasis CurvePlot::emphasisOf(RunId run) const {
    if (m_hovered != kNoRun && isRunVisible(m_hovered) && isPainted(m_hovered)) {
        return run == representativeOf(m_hovered) ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::dimmed;
    }
    return m_picked != kNoRun && run == representativeOf(m_picked) ? FigureCurve::Emphasis::picked
                                                                   : FigureCurve::Emphasis::normal;
}

double CurvePlot::weightOf(Quantity quantity, const CurveData& curve) const {
    // A validation loss is measured on much text and decides; a smoothed one would be a number that nobody measured.
    const bool isNoisy = quantity != Quantity::learning_rate && quantity != Quantity::validation_loss;
    if (!isNoisy || m_smoothing <= 0) return 0;
    const double spacing = curve.spacing();
    if (!(spacing > 0)) return 0;
    const double weight = std::pow(m_smoothing, spacing);
    return weight < 0.15 ? 0 : weight;  // a smaller weight hardly smooths, but would move sparse measurements
}

double CurvePlot::factorOf(CurveId curve) const {
    if (!isLoss(curve.quantity)) return 1;
    // The seeds of a setting train on one text with one tokenizer, so they share the bytes per token.
    for (const RunId run : groupOf(curve.run)) {
        const auto found = m_runs.find(run);
        if (found == m_runs.end()) continue;
        const double factor = m_lossUnit.factor(found->second.bytesPerToken);
        if (std::isfinite(factor)) return factor;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

const CurveData* CurvePlot::shownData(CurveId curve) const {
    if (!isRunVisible(curve.run)) return nullptr;
    const auto found = m_curves.find(curve);
    const bool hasPoints = found != m_curves.end() && !found->second.x().isEmpty();
    return hasPoints && std::isfinite(factorOf(curve)) ? &found->second : nullptr;
}

std::optional<double> CurvePlot::shownFloor() const {
    std::optional<double> shown;
    if (!m_floor) return shown;
    if (!m_lossUnit.isPerByte) return *m_floor * m_lossUnit.perNat;
    for (const auto& [id, run] : m_runs) {
        const double factor = factorOf({id, Quantity::validation_loss});
        if (!run.visible || !std::isfinite(factor)) continue;
        if (shown && *shown != *m_floor * factor) return std::nullopt;
        shown = *m_floor * factor;
    }
    return shown;
}

Figure CurvePlot::figure(std::vector<Shown>* shown) const {
    Figure figure;
    figure.name = m_name;
    const bool losses = isLoss(m_quantities.front());
    figure.emptyText = m_runs.empty() ? u"There are no runs yet. Their curves appear here while they train."_s
                                      : u"There are no values yet; the curves begin with the first training steps."_s;
    figure.x.label = u"step"_s;
    figure.y.label = m_quantities.size() > 1 && losses ? u"loss"_s : nameOf(m_quantities.front());
    figure.y.unit = !losses ? unitOf(m_quantities.front()) : m_isLossUnitKnown ? m_lossUnit.name : QString();
    figure.y.logarithmic = m_yLog;
    std::vector<Shown> all;
    for (const Quantity quantity : m_quantities) {
        std::vector<Shown> curves;
        if (!m_groups.empty()) {
            curves = addGroups(figure, quantity, shown != nullptr);
        } else {
            for (const auto& [id, run] : m_runs) {
                if (!run.visible || (shown != nullptr && !isPainted(id))) continue;  // of thousands, few are visible
                if (const CurveData* points = shownData({id, quantity})) {
                    curves.push_back({{id, quantity}, points, run.label});
                }
            }
        }
        for (const Shown& each : curves) {
            addCurve(figure, each);
        }
        all.insert(all.end(), curves.begin(), curves.end());
    }
    if (losses && m_lossUnit.isPerByte && figure.curves.empty() && !unitNote().isEmpty()) {
        figure.emptyText =
            u"The losses of the shown runs cannot be shown in bits per byte, because the bytes per token of their data "
            "are unknown."_s;
    }
    // Labels are shortened, because there is little space beside the curves.
    QStringList names;
    for (const FigureCurve& curve : figure.curves) names << curve.label;
    const QStringList distinct = distinctNames(names);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QString label = distinct[static_cast<qsizetype>(i)];
        if (const QString& seeds = all[i].seeds; !seeds.isEmpty())
            label = label.remove(u", "_s + seeds.section(u" of "_s, 1)) + seeds;
        figure.curves[i].label = all[i].label = label;
    }
    if (shown != nullptr) *shown = all;  // the crosshair uses the same labels
    QHash<QString, QString> shortened;
    for (qsizetype i = names.size(); i-- > 0;) shortened[names[i]] = distinct[i];
    for (FigureBand& band : figure.bands) band.label = shortened[band.label];
    addEnds(figure, shown != nullptr);
    if (shown != nullptr) figure.curves.insert(figure.curves.end(), m_ghosts.begin(), m_ghosts.end());
    for (qsizetype i = 0; i < m_rungs.size(); ++i) {
        figure.verticalLines.push_back({m_rungs[i], u"rung %1"_s.arg(i + 1)});
    }
    if (const auto floor = losses ? shownFloor() : std::nullopt) {
        const QString why = shown != nullptr ? u" (lowest possible mean loss)"_s : QString();  // a caption explains it
        figure.horizontalLines.push_back({*floor, u"%1 %2%3"_s.arg(m_floorLabel, readableNumber(*floor), why)});
    }
    setAxesOf(figure);
    return figure;
}

void CurvePlot::addEnds(Figure& figure, bool painted) const {
    const Quantity quantity = m_quantities.front();
    for (const auto& [id, run] : m_runs) {
        if ((!run.failed && run.rung == 0) || (painted && !isPainted(id))) continue;
        const CurveData* points = shownData({id, quantity});
        if (!points) continue;
        const QList<double>& x = points->x();
        const QList<double>& y = shownValues({id, quantity}, *points);
        for (qsizetype i = y.size() - 1; i >= 0; --i) {
            if (!std::isfinite(y[i])) continue;
            FigureCurve mark;
            mark.quantity =
                run.failed ? u"%1 failed"_s.arg(run.label)
                           : u"%1 stopped by successive halving, rung %2"_s.arg(run.label, QString::number(run.rung));
            mark.ink = {run.failed ? Ink::Kind::error : Ink::Kind::quiet};
            mark.x = {x[i]};
            mark.y = {y[i]};
            mark.companion = true;
            mark.shape = FigureCurve::Shape::points;
            mark.pointPt = 6;
            figure.curves.push_back(std::move(mark));
            break;
        }
    }
}

void CurvePlot::addCurve(Figure& figure, const Shown& shown) const {
    const Quantity quantity = shown.id.quantity;
    FigureCurve curve;
    curve.label = shown.label;
    curve.quantity = nameOf(quantity);
    curve.ink = inkOf(shown.id.run);
    // The loss of every step is a thin line behind the evaluations, which are points on a line.
    curve.companion = quantity != m_quantities.front();
    curve.solid = curve.companion;
    curve.dots = !curve.companion;
    curve.x = shown.data->x();
    curve.y = shownValues(shown.id, *shown.data);
    if (weightOf(quantity, *shown.data) > 0 && m_groups.empty()) {
        curve.raw = shown.data->scaled(factorOf(shown.id));
    }
    figure.curves.push_back(std::move(curve));
}

std::vector<CurvePlot::Shown> CurvePlot::addGroups(Figure& figure, Quantity quantity, bool painted) const {
    std::vector<Shown> result;
    for (const CurveGroup& group : m_groups) {
        if (painted && std::ranges::none_of(group.runs, [this](RunId run) { return isPainted(run); })) continue;
        std::vector<const CurveData*> members;
        std::ptrdiff_t visible = 0;
        RunId first = kNoRun;
        double end = std::numeric_limits<double>::infinity();
        for (const RunId run : group.runs) {
            const CurveData* points = shownData({run, quantity});
            visible += isRunVisible(run) ? 1 : 0;
            if (!points) {
                continue;
            }
            first = first == kNoRun ? representativeOf(run) : first;
            members.push_back(points);
            // A mean of other seeds than at the step before would look like a step of the curve.
            if (!m_runs.at(run).failed) end = std::min(end, points->x().last());
        }
        if (members.empty()) {
            continue;
        }
        CurveMean& cached = m_means[{first, quantity}];
        cached.update(members, end);
        const CurveData& mean = cached.mean();
        const QString seeds =
            std::ssize(members) == visible ? QString() : u", %1 of %2 seeds"_s.arg(members.size()).arg(visible);
        result.push_back({{first, quantity}, &mean, group.label, seeds});
        // Bands of too many curves to paint would hide the means.
        if (members.size() < 2 || quantity != m_quantities.front() || (painted && m_painted)) continue;
        // The norms of most settings differ by less than those of seeds, so that many bands hide the means.
        constexpr std::size_t mostNormBands = 3;
        if (quantity == Quantity::gradient_norm && m_groups.size() > mostNormBands) continue;
        // A band cannot have gaps: it skips points at which only one run was measured.
        const QList<double>& lower = shownValues({first, quantity}, cached.lower());
        const QList<double>& upper = shownValues({first, quantity}, cached.upper());
        FigureBand band{group.label, inkOf(first), {}, {}, {}};
        for (QList<double>* each : {&band.x, &band.lower, &band.upper}) each->reserve(mean.x().size());
        // At the ends, lines fitted to both edges can cross where the deviation changes fast.
        for (qsizetype i = 0; i < mean.x().size(); ++i)
            band.add(mean.x()[i], std::min(lower[i], upper[i]), std::max(lower[i], upper[i]));
        if (!band.x.isEmpty()) {
            figure.bands.push_back(std::move(band));
        }
    }
    return result;
}

std::span<const RunId> CurvePlot::groupOf(const RunId& run) const {
    const auto group = m_groupOf.find(run);
    return group == m_groupOf.end() ? std::span(&run, 1) : std::span(m_groups[group->second].runs);
}

Ink CurvePlot::inkOf(RunId run) const {
    Ink ink = m_runs.at(run).ink;
    if (!m_groups.empty()) ink.shade = 0;  // the mean over seeds has the colour of the setting itself
    return ink;
}

RunId CurvePlot::representativeOf(RunId run) const {
    const std::span<const RunId> members = groupOf(run);
    const auto first = std::find_if(members.begin(), members.end(), [this](RunId id) { return isRunVisible(id); });
    return first == members.end() ? run : *first;
}

void CurvePlot::setAxesOf(Figure& figure) const {
    if (!m_follows) {
        const QCPRange x = m_plot->xAxis->range();
        const QCPRange y = m_plot->yAxis->range();
        figure.x.minimum = x.lower;
        figure.x.maximum = x.upper;
        figure.y.minimum = y.lower;
        figure.y.maximum = y.upper;
        return;
    }
    const Range x = xRange(figure);
    if (m_horizon > 0) {
        figure.x.minimum = std::min(0.0, x.minimum);
        figure.x.maximum = std::max(m_horizon, figure.curves.empty() ? 0.0 : x.maximum);
    }
    if (!m_yLog) {
        const bool notNegative = std::all_of(figure.curves.begin(), figure.curves.end(), [](const FigureCurve& curve) {
            return std::none_of(curve.y.begin(), curve.y.end(), [](double y) { return y < 0; });
        });
        const Range y = rounded(yRange(figure), notNegative);
        figure.y.minimum = y.minimum;
        figure.y.maximum = y.maximum;
    }
}

QString CurvePlot::unitNote() const {
    if (!isLoss(m_quantities.front())) return {};
    if (!m_lossUnit.isPerByte) {
        return m_tokenizersDiffer ? u"losses per token of different tokenizers cannot be compared"_s : QString();
    }
    const auto omitted = std::count_if(m_curves.begin(), m_curves.end(), [this](const auto& each) {
        return each.first.quantity == m_quantities.front() && isRunVisible(each.first.run) &&
               !std::isfinite(factorOf(each.first));
    });
    if (omitted == 0) return {};
    return omitted == 1 ? u"not shown: a run whose bytes per token are unknown"_s
                        : u"not shown: %1 runs whose bytes per token are unknown"_s.arg(omitted);
}

QString CurvePlot::noteOf(const Figure& figure, bool forScreen) const {
    QStringList parts;
    if (m_quantities.size() > 1) {
        const bool hasDots = paintsDots(figure, forScreen);
        parts.append(u"%1 and numbers: %2, thin line: %3"_s.arg(hasDots ? u"points"_s : u"thicker line"_s,
                                                                nameOf(m_quantities[0]), nameOf(m_quantities[1])));
    }
    // Means over seeds have no raw values in the figure.
    const bool isSmoothed = std::any_of(m_curves.begin(), m_curves.end(), [this](const auto& each) {
        const auto& [id, data] = each;
        const bool isShown = std::find(m_quantities.begin(), m_quantities.end(), id.quantity) != m_quantities.end();
        return isShown && weightOf(id.quantity, data) > 0 && shownData(id);
    });
    if (isSmoothed) {
        const QString weight = QString::number(m_smoothing, 'f', m_smoothing > 0.99 ? 3 : 2);
        const QString reach = readableCount(std::round(m_smoothing / (1 - m_smoothing)));
        parts.append(m_smoothingKind == Smoothing::average
                         ? u"smoothed by an exponential moving average, weight %1"_s.arg(weight)
                     : forScreen ? u"smoothed over about ±%1 steps"_s.arg(reach)
                                 : u"smoothed by lines fitted to the steps before and after, weight %1"_s.arg(weight));
        if (!forScreen && paintsRaw(figure)) parts.append(u"faint: without smoothing"_s);
    }
    const auto ends = [&figure](Ink::Kind kind) {
        return std::count_if(figure.curves.begin(), figure.curves.end(), [kind](const FigureCurve& curve) {
            return curve.shape == FigureCurve::Shape::points && curve.ink.kind == kind;
        });
    };
    if (const auto failed = ends(Ink::Kind::error); failed > 0) {
        parts.append(failed == 1 ? u"red point: last value of a run that failed"_s
                                 : u"red points: last values of %1 runs that failed"_s.arg(failed));
    }
    if (const auto stopped = ends(Ink::Kind::quiet); stopped > 0) {
        parts.append(stopped == 1
                         ? u"grey point: last value of a run that successive halving stopped"_s
                         : u"grey points: last values of %1 runs that successive halving stopped"_s.arg(stopped));
    }
    if (const QString units = unitNote(); !units.isEmpty()) {
        parts.append(units);
    }
    const auto isCut = [this](const auto& each) {
        const std::span<const RunId> seeds = groupOf(each.first.run);
        return each.second.isCut() && isRunVisible(each.first.run) && std::ranges::any_of(seeds, [this](RunId seed) {
                   return m_runs.contains(seed) && m_runs.at(seed).ended;
               });
    };
    if (!m_groups.empty() && std::any_of(m_means.begin(), m_means.end(), isCut)) {
        parts.append(u"a mean ends where the first of its seeds ended"_s);
    }
    if (forScreen && m_painted) {
        const auto all = m_groups.empty()
                             ? std::ranges::count_if(m_runs, [](const auto& each) { return each.second.visible; })
                             : std::ssize(m_groups);
        const auto painted = std::ranges::count(figure.curves, false, &FigureCurve::companion);
        parts.prepend(u"%1 of %2 curves, %3; exports show all"_s.arg(
            readableCount(static_cast<double>(painted)), readableCount(static_cast<double>(all)), m_whichPainted));
    }
    if (forScreen && !m_ghosts.empty()) parts.append(u"faint: the curves before this sweep"_s);
    const auto isWide = [](const FigureBand& band) { return band.lower != band.upper; };
    if (std::any_of(figure.bands.begin(), figure.bands.end(), isWide)) {
        parts.append(u"shaded: ± std over seeds"_s);
    } else if (!m_groups.empty() && (m_quantities.front() == Quantity::gradient_norm || (forScreen && m_painted))) {
        parts.append(u"lines: means over seeds"_s);
    }
    if (forScreen && m_yLog) {
        qsizetype hidden = 0;
        for (const FigureCurve& curve : figure.curves) {
            hidden += std::count_if(curve.y.begin(), curve.y.end(), [](double y) { return y <= 0; });
        }
        if (hidden > 0) {
            parts.append(u"%1 values ≤ 0 are not shown on the logarithmic axis"_s.arg(hidden));
        }
    }
    return parts.join(u"; "_s);
}

Figure CurvePlot::toFigure(bool painted) const {
    std::vector<Shown> shown;
    Figure result = figure(painted ? &shown : nullptr);
    result.note = noteOf(result, painted);
    result.summary = summaryOf(result);
    result.settings = m_settings;
    QJsonArray quantities;
    for (const Quantity quantity : m_quantities) {
        quantities.append(nameOf(quantity));
    }
    QJsonObject view{
        {u"quantities"_s, quantities},
        {u"smoothing"_s, m_smoothing},
        {u"unit"_s, result.y.unit},
        {u"logarithmic"_s, m_yLog},
    };
    if (m_smoothingKind == Smoothing::line) view[u"smoother"_s] = u"line"_s;  // earlier versions stated none
    result.settings[u"view"_s] = view;
    return result;
}

QString CurvePlot::summary() const {
    return summaryOf(figure(nullptr));
}

QString CurvePlot::summaryOf(const Figure& now) const {
    struct End {
        QString label;
        double value;
        double step;
    };
    std::vector<End> ends;
    for (const FigureCurve& curve : now.curves) {
        for (qsizetype i = curve.y.size() - 1; i >= 0 && !curve.companion; --i) {
            if (std::isfinite(curve.y[i])) {
                ends.push_back({curve.label, curve.y[i], curve.x[i]});
                break;
            }
        }
    }
    if (ends.empty()) {
        return u"No curves yet."_s;
    }
    const auto [low, high] =
        std::minmax_element(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.value < b.value; });
    const auto value = [&](double number) {
        return now.y.unit.isEmpty() ? readableNumber(number) : u"%1 %2"_s.arg(readableNumber(number), now.y.unit);
    };
    // Runs that failed or still train end at other steps, so each value then has its own step.
    const bool isOneStep =
        std::all_of(ends.begin(), ends.end(), [&](const End& end) { return end.step == ends.front().step; });
    const auto where = [&](const End& end) {
        return isOneStep ? end.label : u"%1, step %2"_s.arg(end.label, readableCount(end.step));
    };
    const QString step = readableCount(low->step);
    QString text;
    if (ends.size() == 1) {
        text = u"%1: %2 %3 at step %4"_s.arg(low->label, now.y.label, value(low->value), step);
    } else {
        const QString quantity = isOneStep ? u"%1 at step %2"_s.arg(now.y.label, step) : u"last %1"_s.arg(now.y.label);
        text = u"%1 %2: %3 from %4 (%5) to %6 (%7)"_s.arg(
            QString::number(ends.size()), m_groups.empty() ? u"runs"_s : u"groups"_s, quantity, value(low->value),
            where(*low), value(high->value), where(*high));
    }
    if (!now.horizontalLines.empty()) {
        text += u"; %1"_s.arg(now.horizontalLines.front().label);
    }
    return text + QLatin1Char('.');
}

void CurvePlot::render() {
    QElapsedTimer elapsed;
    elapsed.start();
    m_shown.clear();
    Figure now = figure(&m_shown);
    std::set<CurveId> shown;
    for (const Shown& each : m_shown) shown.insert(each.id);
    std::erase_if(m_means, [&shown](const auto& cached) { return !shown.contains(cached.first); });
    now.note = noteOf(now, true);
    for (std::size_t i = 0; i < m_shown.size(); ++i) {  // the curves after these mark the ends of runs
        now.curves[i].emphasis = emphasisOf(m_shown[i].id.run);
    }
    m_settingRanges = true;
    m_renderer->show(now, m_style);
    m_settingRanges = false;
    m_refreshMs = static_cast<double>(elapsed.nsecsElapsed()) / 1e6;
    // The summary for screen readers is updated at most once per second.
    if (!m_sinceSummary.isValid() || m_sinceSummary.elapsed() > 1000) {
        setAccessibleDescription(summaryOf(now));
        m_sinceSummary.start();
    }
}

void CurvePlot::refreshNow() {
    ensurePolished();
    layout()->activate();
    m_sinceSummary.invalidate();
    PlotWidget::refreshNow();
    if (m_readout->isShown()) showReadout(m_readoutAt);  // of the steps since the pointer rested here
}

}  // namespace ropelab::ui
