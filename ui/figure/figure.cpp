#include "ui/figure/figure.h"

#include <algorithm>
#include <cmath>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

class Extent {
 public:
    explicit Extent(bool logarithmic) : m_logarithmic(logarithmic) {}

    void add(double value) {
        if (std::isfinite(value) && (!m_logarithmic || value > 0)) {
            m_low = std::min(m_low, value);
            m_high = std::max(m_high, value);
        }
    }
    void add(const QList<double>& values) {
        for (const double value : values) {
            add(value);
        }
    }
    bool empty() const { return m_low > m_high; }

    Range range(const Axis& axis, double margin) const {
        Range result = m_logarithmic ? Range{0.1, 10} : Range{0, 1};
        if (!empty()) {
            result = m_logarithmic ? widenedLog(margin) : widened(margin);
        }
        const bool hasMinimum = std::isfinite(axis.minimum) && (!m_logarithmic || axis.minimum > 0);
        const bool hasMaximum = std::isfinite(axis.maximum) && (!m_logarithmic || axis.maximum > 0);
        if (hasMinimum) {
            result.minimum = axis.minimum;
        }
        if (hasMaximum) {
            result.maximum = axis.maximum;
        }
        if (!(result.maximum > result.minimum)) {
            // One end is given and all values are beyond it. That end is kept.
            if (hasMaximum && !hasMinimum) {
                result.minimum = m_logarithmic ? result.maximum / 10 : result.maximum - 1;
            } else {
                result.maximum = m_logarithmic ? result.minimum * 10 : result.minimum + 1;
            }
        }
        return result;
    }

 private:
    Range widened(double margin) const {
        double extra = (m_high - m_low) * margin;
        if (!(extra > 0) && margin > 0) {
            extra = m_low == 0 ? 0.5 : std::abs(m_low) * 0.05;
        }
        return {m_low - extra, m_high + extra};
    }
    Range widenedLog(double margin) const {
        double factor = std::pow(m_high / m_low, margin);
        if (!(factor > 1) && margin > 0) {
            factor = 1.2;
        }
        return {m_low / factor, m_high * factor};
    }

    bool m_logarithmic;
    double m_low = std::numeric_limits<double>::infinity();
    double m_high = -std::numeric_limits<double>::infinity();
};

QString withUnit(const QString& label, const QString& unit) {
    return unit.isEmpty() ? label : u"%1 (%2)"_s.arg(label, unit);
}

/// The axis defines both ends, so that its range does not depend on the values.
bool isGiven(const Axis& axis) {
    return std::isfinite(axis.minimum) && std::isfinite(axis.maximum) && axis.minimum < axis.maximum &&
           (!axis.logarithmic || axis.minimum > 0);
}

bool hasBars(const Figure& figure) {
    return std::any_of(figure.curves.begin(), figure.curves.end(),
                       [](const FigureCurve& curve) { return curve.shape == FigureCurve::Shape::bars; });
}

void addDrawn(Extent& extent, const QList<double>& x, const QList<double>& y, bool yLogarithmic) {
    const qsizetype count = std::min(x.size(), y.size());
    for (qsizetype i = 0; i < count; ++i) {
        if (std::isfinite(y[i]) && (!yLogarithmic || y[i] > 0)) {
            extent.add(x[i]);
        }
    }
}

}  // namespace

QString Axis::title() const {
    return withUnit(label, unit);
}

QString FigureMap::title() const {
    return withUnit(label, unit);
}

bool isEmpty(const Figure& figure) {
    return figure.curves.empty() && figure.bands.empty() && !figure.map && !figure.drawing && figure.panels.empty();
}

Range FigureMap::range() const {
    Range result{minimum, maximum};
    if (!std::isfinite(minimum) || !std::isfinite(maximum)) {
        double low = std::numeric_limits<double>::infinity();
        double high = -std::numeric_limits<double>::infinity();
        for (const float value : values) {
            if (std::isfinite(value)) {
                low = std::min(low, static_cast<double>(value));
                high = std::max(high, static_cast<double>(value));
            }
        }
        if (low > high) {
            low = 0;
            high = 1;
        }
        if (scale == Scale::diverging) {
            high = std::max(std::abs(low), std::abs(high));
            low = -high;
        }
        result = {std::isfinite(minimum) ? minimum : low, std::isfinite(maximum) ? maximum : high};
    }
    if (!(result.maximum > result.minimum)) {
        if (scale == Scale::diverging) result.minimum = -1;  // 0 keeps the colour of the middle
        result.maximum = result.minimum + (scale == Scale::diverging ? 2 : 1);
    }
    return result;
}

Range xRange(const Figure& figure) {
    if (isGiven(figure.x)) {
        return {figure.x.minimum, figure.x.maximum};
    }
    Extent extent(figure.x.logarithmic);
    for (const FigureCurve& curve : figure.curves) {
        addDrawn(extent, curve.x, curve.y, figure.y.logarithmic);
    }
    for (const FigureBand& band : figure.bands) {
        addDrawn(extent, band.x, band.upper, figure.y.logarithmic);
    }
    for (const FigureLine& line : figure.verticalLines) {
        extent.add(line.at);
    }
    if (figure.map) {
        extent.add(figure.map->xFirst - 0.5 * figure.map->xStep);
        extent.add(figure.map->xFirst + (figure.map->columns - 0.5) * figure.map->xStep);
    }
    if (!figure.x.categories.isEmpty()) {
        extent.add(-0.5);
        extent.add(static_cast<double>(figure.x.categories.size()) - 0.5);
    }
    return extent.range(figure.x, hasBars(figure) && figure.x.categories.isEmpty() ? 0.02 : 0);
}

Range yRange(const Figure& figure) {
    if (isGiven(figure.y)) {
        return {figure.y.minimum, figure.y.maximum};
    }
    Extent extent(figure.y.logarithmic);
    for (const FigureCurve& curve : figure.curves) {
        extent.add(curve.y);
    }
    if (hasBars(figure)) {
        extent.add(0);
    }
    if (figure.map) {
        // The outer cells extend to the ends of the axes.
        extent.add(figure.map->yFirst - 0.5 * figure.map->yStep);
        extent.add(figure.map->yFirst + (figure.map->rows - 0.5) * figure.map->yStep);
        return extent.range(figure.y, 0);
    }
    for (const FigureBand& band : figure.bands) {
        extent.add(band.lower);
        extent.add(band.upper);
    }
    for (const FigureLine& line : figure.horizontalLines) {
        extent.add(line.at);
    }
    return extent.range(figure.y, 0.05);
}

bool isPlaceholder(const Figure& panel) {
    return !panel.curves.empty() && std::all_of(panel.curves.begin(), panel.curves.end(), [](const FigureCurve& curve) {
        return curve.ink.kind == Ink::Kind::quiet;
    });
}

bool hasLabelledBlank(const Figure& figure) {
    if (!figure.map || figure.map->blankLabel.isEmpty()) return false;
    const FigureMap& map = *figure.map;
    const auto isBeside = [](const Range& range, double first, double step, int count) {
        const double low = first - 0.5 * step;
        const double high = first + (count - 0.5) * step;
        const double tolerance = 1e-6 * step;
        return range.minimum < low - tolerance || range.maximum > high + tolerance;
    };
    return isBeside(xRange(figure), map.xFirst, map.xStep, map.columns) ||
           isBeside(yRange(figure), map.yFirst, map.yStep, map.rows) ||
           std::any_of(map.values.begin(), map.values.end(), [](float value) { return std::isnan(value); });
}

}  // namespace ropelab::ui
