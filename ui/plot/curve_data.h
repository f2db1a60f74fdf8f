#pragma once

#include <QList>
#include <cstdint>

namespace ropelab::ui {

/// One curve's measurements, and what is drawn of them at a smoothing and in a unit. All points are kept.
class CurveData {
 public:
    /// Points from x on are replaced where x is not past the last one. An x that is not finite is ignored.
    void append(double x, double y);
    /// Throws std::invalid_argument unless both are equally long and x ascends.
    void set(const QList<double>& x, const QList<double>& y);
    /// Forgets what was measured past x.
    void truncate(double lastX);

    const QList<double>& x() const { return m_x; }
    const QList<double>& y() const { return m_y; }
    /// Changes when points that were there are replaced or removed, not when the curve grows; no two curves made anew
    /// share one. So much as was seen of a curve still holds while this is the same.
    std::uint64_t history() const { return m_history; }

    /// Measured values times `factor`.
    const QList<double>& scaled(double factor) const;
    /// F36 of them; the same as `scaled` for weight 0.
    const QList<double>& smoothed(double weight, double factor) const;
    /// The mean distance of neighbours in x; 0 for less than two points.
    double spacing() const;
    /// The point whose x is nearest; −1 without points.
    qsizetype nearest(double x) const;

 private:
    void cut(qsizetype keep);
    static std::uint64_t nextHistory();

    std::uint64_t m_history = nextHistory();
    QList<double> m_x;
    QList<double> m_y;
    // Both are made when asked for and kept until the data, the weight or the factor change.
    mutable QList<double> m_scaled;
    mutable QList<double> m_smoothed;
    mutable double m_factor = 0;
    mutable double m_smoothedFactor = 0;
    mutable double m_weight = -1;
};

}  // namespace ropelab::ui
