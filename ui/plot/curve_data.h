#pragma once

#include <QList>
#include <cstdint>

namespace ropelab::ui {

/// The measurements of one curve, and their smoothed values in the displayed unit. Stores all points.
class CurveData {
 public:
    /// Appends a point. If x is not greater than the last x, the points from x on are removed first. Ignores an x that
    /// is not finite.
    void append(double x, double y);
    /// Replaces all points. Throws std::invalid_argument unless both lists have equal length and x ascends.
    void set(const QList<double>& x, const QList<double>& y);
    /// Removes all points past `lastX`.
    void truncate(double lastX);

    const QList<double>& x() const { return m_x; }
    const QList<double>& y() const { return m_y; }
    /// Returns a number that changes when points are replaced or removed, but not when points are appended. It is
    /// unique among all curves. Results computed from a curve remain valid while this number is the same.
    std::uint64_t history() const { return m_history; }

    /// Returns the measured values times `factor`.
    const QList<double>& scaled(double factor) const;
    /// Returns the scaled values smoothed by a moving average with this weight (formula 36); scaled(factor) for weight
    /// 0.
    const QList<double>& smoothed(double weight, double factor) const;
    /// Returns the mean distance of neighbouring points in x, or 0 for fewer than two points.
    double spacing() const;
    /// Returns the index of the point whose x is nearest, or −1 if there are no points.
    qsizetype nearest(double x) const;

 private:
    void cut(qsizetype newSize);
    static std::uint64_t nextHistory();

    std::uint64_t m_history = nextHistory();
    QList<double> m_x;
    QList<double> m_y;
    // Both lists are computed on demand and cached until the data, the weight or the factor changes.
    mutable QList<double> m_scaled;
    mutable QList<double> m_smoothed;
    mutable double m_factor = 0;
    mutable double m_smoothedFactor = 0;
    mutable double m_weight = -1;
};

}  // namespace ropelab::ui
