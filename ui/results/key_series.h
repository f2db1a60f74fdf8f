#pragma once

#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// One group at its value of a key.
struct KeyPoint {
    double at = 0;
    std::size_t group = 0;
};

/// Groups that differ only in one key, in ascending order of its value.
struct KeySeries {
    QString label;  // the other swept keys' values; "" where there is one series
    std::vector<KeyPoint> points;
    int color = 0;  // of its first run, or the next that no series before has

    /// The reference of a comparison within the series: the point with the baseline's value of the key; nullptr where
    /// there is none.
    const KeyPoint* at(double value) const;
};

/// A group's value of a numeric key; NaN where the key means nothing to it: θ of a model that does not rotate. The
/// fraction of such a model is 0.
double keyValue(const ResultsData& data, const ResultGroup& group, const std::string& key);
/// Swept keys whose value follows from the key's in every group, as the batch of a sweep that keeps the symbols of a
/// step the same for all contexts. None where no value of the key occurs twice, which would show nothing.
std::vector<std::string> keysAlongWith(const ResultsData& data, const std::string& key);
/// One series for each combination of the other swept keys, but for those that go along with this one. Groups without a
/// value of the key are in none.
std::vector<KeySeries> seriesAlong(const ResultsData& data, const std::string& key);
/// Different values of the key.
std::size_t valuesOf(const std::vector<KeySeries>& series);
/// The ink of a group's point: its own in a single series, else the series'.
Ink inkOf(const ResultsData& data, const std::vector<KeySeries>& series, const KeySeries& of, std::size_t group);
/// Draws the series' line, quiet where its points have colours of their own.
FigureCurve lineOf(const std::vector<KeySeries>& series, const KeySeries& of, QList<double> x, QList<double> y);
/// Groups at their x; NaN for those without.
QList<double> placesOf(const ResultsData& data, const std::vector<KeySeries>& series);

}  // namespace ropelab::ui
