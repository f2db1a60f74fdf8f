#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

struct KeyPoint {
    double at = 0;
    std::size_t group = 0;
};

/// Groups that differ in one setting only, in ascending order of its value.
struct KeySeries {
    QString label;  // the values of the other swept settings; "" if there is a single series
    std::vector<KeyPoint> points;
};

/// NaN if the setting has no meaning for the group, such as θ of a model without RoPE. The rotated fraction of such a
/// model is 0.
double keyValue(const ResultsData& data, const ResultGroup& group, const std::string& key);
/// The swept settings whose value is determined by `key` in every group, for example the batch size in a sweep over the
/// context that holds the number of tokens per step constant. Empty if no value of `key` occurs twice, because then
/// every setting would qualify.
std::vector<std::string> keysAlongWith(const ResultsData& data, const std::string& key);
/// One series per combination of the other swept settings, in the order of their values; settings of keysAlongWith() do
/// not separate series. Groups without a value of `key` are in no series.
std::vector<KeySeries> seriesAlong(const ResultsData& data, const std::string& key);
std::size_t countDistinctValues(const std::vector<KeySeries>& series);
FigureCurve seriesLine(const KeySeries& own, Ink ink, QList<double> x, QList<double> y);
std::vector<Ink> inksOf(const ResultsData& data, const std::vector<KeySeries>& series);
/// The x value of every group of the table; NaN for groups in no series.
QList<double> xByGroup(const ResultsData& data, const std::vector<KeySeries>& series);

}  // namespace ropelab::ui
