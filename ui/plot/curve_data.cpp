#include "ui/plot/curve_data.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

namespace ropelab::ui {

void CurveData::append(double x, double y) {
    if (!std::isfinite(x)) {
        return;
    }
    if (!m_x.isEmpty() && x <= m_x.last()) {
        cut(std::lower_bound(m_x.begin(), m_x.end(), x) - m_x.begin());
    }
    m_x.append(x);
    m_y.append(y);
}

void CurveData::set(const QList<double>& x, const QList<double>& y) {
    if (x.size() != y.size()) {
        throw std::invalid_argument("A curve must have as many y values as x values.");
    }
    const auto wrong = [](double a, double b) { return !(a < b); };  // also true if a or b is NaN
    if (std::adjacent_find(x.begin(), x.end(), wrong) != x.end()) {
        throw std::invalid_argument("The x values of a curve must ascend.");
    }
    cut(0);
    m_x = x;
    m_y = y;
}

void CurveData::truncate(double lastX) {
    cut(std::upper_bound(m_x.begin(), m_x.end(), lastX) - m_x.begin());
}

void CurveData::reserve(qsizetype points) {
    m_x.reserve(points);
    m_y.reserve(points);
}

void CurveData::cut(qsizetype newSize) {
    if (newSize == m_x.size()) {
        return;
    }
    m_history = nextHistory();
    m_x.resize(newSize);
    m_y.resize(newSize);
    m_scaled.resize(std::min(newSize, m_scaled.size()));
    m_smoothed.clear();  // smoothed values depend on later points
}

std::uint64_t CurveData::nextHistory() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

const QList<double>& CurveData::scaled(double factor) const {
    if (factor != m_factor) {
        m_scaled = {};
        m_factor = factor;
    }
    if (factor == 1) return m_y;
    for (qsizetype i = m_scaled.size(); i < m_y.size(); ++i) {
        m_scaled.append(m_y[i] * factor);
    }
    return m_scaled;
}

const QList<double>& CurveData::smoothed(double weight, double factor, Smoothing kind) const {
    const QList<double>& values = scaled(factor);
    if (!(weight > 0)) {
        return values;
    }
    if (weight != m_weight || factor != m_smoothedFactor || kind != m_smoothing) {
        m_smoothed.clear();
        m_weight = weight;
        m_smoothedFactor = factor;
        m_smoothing = kind;
    }
    if (m_smoothed.size() < values.size()) {
        // Points so far away that their weight is below the precision of a double are skipped, so that the cost of a
        // live curve does not grow with its length.
        const auto reach = static_cast<qsizetype>(std::ceil(std::log(1e-17) / (2 * std::log(weight))));
        const qsizetype kept = kind == Smoothing::line ? std::max<qsizetype>(0, m_smoothed.size() - reach) : 0;
        const qsizetype from = std::max<qsizetype>(0, kept - reach);
        const auto result =
            smooth({values.data() + from, static_cast<std::size_t>(values.size() - from)}, weight, kind);
        m_smoothed.resize(kept);
        m_smoothed.append(QList<double>(result.begin() + (kept - from), result.end()));
    }
    return m_smoothed;
}

double CurveData::spacing() const {
    return m_x.size() < 2 ? 0 : (m_x.last() - m_x.first()) / static_cast<double>(m_x.size() - 1);
}

qsizetype CurveData::nearest(double x) const {
    const auto after = std::lower_bound(m_x.begin(), m_x.end(), x) - m_x.begin();
    if (after == 0) {
        return m_x.isEmpty() ? -1 : 0;
    }
    if (after == m_x.size()) {
        return m_x.size() - 1;
    }
    return x - m_x[after - 1] <= m_x[after] - x ? after - 1 : after;
}

}  // namespace ropelab::ui
