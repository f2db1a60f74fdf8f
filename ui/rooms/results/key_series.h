#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// A group and its value of a setting, the x value of its point.
struct KeyPoint {
    double at = 0;
    std::size_t group = 0;
};

/// Groups that differ in one setting only, in ascending order of its value.
struct KeySeries {
    QString label;  // the values of the other swept settings; "" if there is a single series
    std::vector<KeyPoint> points;
};

/// Returns a group's value of a numeric setting; NaN if the setting has no meaning for the group, such as θ of a model
/// without RoPE. The rotated fraction of such a model is 0.
double keyValue(const ResultsData& data, const ResultGroup& group, const std::string& key);
/// Returns the swept settings whose value is determined by `key` in every group. Example: the batch size in a sweep
/// over the context that holds the number of tokens per step constant. Empty if no value of `key` occurs twice, because
/// then every setting would qualify.
std::vector<std::string> keysAlongWith(const ResultsData& data, const std::string& key);
/// Returns one series per combination of the other swept settings; settings of keysAlongWith() do not separate series.
/// Groups without a value of `key` are in no series. The series are in the order of their settings' values.
std::vector<KeySeries> seriesAlong(const ResultsData& data, const std::string& key);
/// Returns the number of distinct values of the setting over all series.
std::size_t countDistinctValues(const std::vector<KeySeries>& series);
/// Returns the line of a series, with its label.
FigureCurve seriesLine(const KeySeries& own, Ink ink, QList<double> x, QList<double> y);
/// Returns the inks of the lines of the series (seriesInks).
std::vector<Ink> inksOf(const ResultsData& data, const std::vector<KeySeries>& series);
/// Returns the x value of every group of the table; NaN for groups in no series.
QList<double> xByGroup(const ResultsData& data, const std::vector<KeySeries>& series);

}  // namespace ropelab::ui
