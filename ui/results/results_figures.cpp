#include "ui/results/results_figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/results/key_figures.h"
#include "ui/results/means_figure.h"
#include "ui/results/text_figure.h"
#include "ui/results/tradeoff_figures.h"
#include "ui/results/training_figures.h"

namespace ropelab::ui {

namespace {

constexpr double near = 0.08;  // of the axes' lengths

double shareOf(double value, const Range& range, bool logarithmic) {
    if (logarithmic) return std::log(value / range.minimum) / std::log(range.maximum / range.minimum);
    return (value - range.minimum) / (range.maximum - range.minimum);
}

}  // namespace

std::span<const ResultsFigure> resultsFigures() {
    using Reads = ResultsFigure::Reads;
    static const std::vector<ResultsFigure> all = {
        {"group-means", QObject::tr("means of groups"),
         QObject::tr("Each group's mean with its 95 % interval, and its seeds beside it."), Reads::table, meansFigure},
        {"loss-by-theta", QObject::tr("loss against θ"),
         QObject::tr("The theta paper's figure 1: the compared measure against θ, with published values in grey."),
         Reads::table, lossByTheta},
        {"improvement", QObject::tr("improvement over the baseline"),
         QObject::tr("The theta paper's figure 2: percent of the baseline's mean, with the difference's interval."),
         Reads::table, improvementFigure},
        {"paired-differences", QObject::tr("differences by seed"),
         QObject::tr("What a group changes for each seed: seeds share their weights and batches, so pairs show small "
                     "differences sooner."),
         Reads::table, pairedDifferences},
        {"loss-by-fraction", QObject::tr("loss against fraction"),
         QObject::tr("The partial-RoPE paper's claim: 10 % and more lie in one band, 0 and 2 channels in another."),
         Reads::table, lossByFraction},
        {"loss-by-context", QObject::tr("loss against context"),
         QObject::tr("Against the context length, one curve for each fraction (or other swept key)."), Reads::table,
         lossByContext},
        {"learning-curves", QObject::tr("learning curves, mean ± std"),
         QObject::tr("Validation loss along training: each group's mean over seeds with its standard deviation."),
         Reads::evaluations, meanCurves},
        {"spikes", QObject::tr("spikes"), QObject::tr("Training loss and gradient norm of each step on one time axis."),
         Reads::steps, spikeFigure},
        {"loss-by-speed", QObject::tr("loss against speed"),
         QObject::tr("Which groups no other beats in both loss and training speed."), Reads::table, lossBySpeed},
        {"loss-by-memory", QObject::tr("loss against memory"),
         QObject::tr("Which groups no other beats in both loss and memory."), Reads::table, lossByMemory},
        {"parallel-coordinates", QObject::tr("parallel coordinates"),
         QObject::tr("Keys that differ, and losses: each group a line across them."), Reads::table,
         parallelCoordinates},
        {"mutual-information", QObject::tr("information in the text"),
         QObject::tr("How much two symbols tell of each other by their distance, beside the wavelengths of the "
                     "thetas: why the best θ might depend on the text."),
         Reads::texts, informationFigure},
    };
    return all;
}

QStringList resultsFigureNames() {
    QStringList names;
    for (const ResultsFigure& figure : resultsFigures()) names << QString::fromLatin1(figure.name);
    return names;
}

const ResultsFigure* findResultsFigure(const QString& name) {
    const auto all = resultsFigures();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ResultsFigure& figure) { return name == QLatin1String(figure.name); });
    return found == all.end() ? nullptr : &*found;
}

const Spot* spotNear(const ResultsPicture& picture, QPointF place) {
    const Figure& figure = picture.figure;
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    const bool columns = !figure.x.categories.isEmpty() && figure.y.categories.isEmpty();
    const double placeX = shareOf(place.x(), x, figure.x.logarithmic);
    const double placeY = shareOf(place.y(), y, figure.y.logarithmic);
    const Spot* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Spot& spot : picture.spots) {
        const double dx = shareOf(spot.at.x(), x, figure.x.logarithmic) - placeX;
        const double dy = shareOf(spot.at.y(), y, figure.y.logarithmic) - placeY;
        // Between names of a column the nearest name decides, then the height.
        const bool inColumn = columns && std::abs(spot.at.x() - place.x()) <= 0.5;
        if (columns ? !inColumn : std::hypot(dx, dy) > near) continue;
        const double distance = columns ? std::abs(dy) : std::hypot(dx, dy);
        if (distance >= least) continue;
        least = distance;
        nearest = &spot;
    }
    return nearest;
}

std::optional<FigureView::Readout> readoutAt(const ResultsPicture& picture, QPointF place) {
    const Spot* spot = spotNear(picture, place);
    if (!spot) return std::nullopt;
    FigureView::Readout readout;
    readout.title = spot->title;
    readout.x = spot->at.x();
    for (const auto& [label, value] : spot->rows) readout.rows.append({label, value});
    return readout;
}

}  // namespace ropelab::ui
