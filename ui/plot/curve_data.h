#pragma once

#include <QList>
#include <cstdint>

#include "core/stats/smoothing.h"

namespace ropelab::ui {

/// Measurements of one curve, and their smoothed values in the displayed unit.
class CurveData {
 public:
    /// If x is not greater than the last x, the points from x on are removed first. Ignores an x that is not finite.
    void append(double x, double y);
    /// Throws std::invalid_argument unless both lists have equal length and x ascends.
    void set(const QList<double>& x, const QList<double>& y);
    void truncate(double lastX);
    /// For a curve that is known to get this number of points: no memory is kept for more.
    void reserve(qsizetype points);

    const QList<double>& x() const { return m_x; }
    const QList<double>& y() const { return m_y; }
    /// Changes when points are replaced or removed, but not when points are appended; unique among all curves. Results
    /// computed from a curve remain valid while this number is the same.
    std::uint64_t history() const { return m_history; }

    const QList<double>& scaled(double factor) const;
    /// With this weight (formula 36); scaled(factor) for weight 0. The last values change when others are appended.
    const QList<double>& smoothed(double weight, double factor, Smoothing kind = Smoothing::line) const;
    /// Mean distance of neighbouring points in x; 0 for fewer than two points.
    double spacing() const;
    /// Index of the nearest point; −1 if there are no points.
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
    mutable Smoothing m_smoothing = Smoothing::line;
};

}  // namespace ropelab::ui
