#include "ui/rooms/results/results_figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

PublishedResults publishedResults(const std::vector<ResultsRun>& runs) {
    std::vector<ComparableRun> trained;
    trained.reserve(runs.size());
    for (const ResultsRun& run : runs) {
        if (!run.imported) trained.push_back({run.spec, run.state, run.text});
    }
    return published_results(trained);
}

namespace {

constexpr double kNearDistance = 0.08;  // largest distance to a spot, relative to the axes' lengths

/// 0 at the start of the axis, 1 at its end.
double axisFraction(double value, const Range& range, bool logarithmic) {
    if (logarithmic) return std::log(value / range.minimum) / std::log(range.maximum / range.minimum);
    return (value - range.minimum) / (range.maximum - range.minimum);
}

}  // namespace

std::span<const ResultsFigure> resultsFigures() {
    using Input = ResultsFigure::Input;
    static const std::vector<ResultsFigure> all = {
        {"group-means", u"group means"_s,
         u"Shows the mean of each group of runs with its 95 % confidence interval, and the values of its seeds."_s,
         Input::table, meansFigure},
        {"loss-by-theta", u"loss against θ"_s,
         u"Shows the compared measure against θ, with published values in grey (figure 1 of Huang et al. 2025)."_s,
         Input::table, lossByTheta},
        {"improvement", u"improvement over the baseline"_s,
         u"Shows the improvement of the compared measure in percent of the baseline's mean, with 95 % confidence "
         "intervals of the difference (figure 2 of Huang et al. 2025)."_s,
         Input::table, improvementFigure},
        {"interaction", u"interaction of two settings"_s,
         u"Shows the compared measure against the setting that the table compares, with one line per level of the "
         u"other "
         "settings and 95 % confidence intervals. The effects do not depend on the level where the lines are parallel; "
         "contrasts of four groups test this (formula 69 of the guide)."_s,
         Input::table, interactionFigure},
        {"paired-differences", u"differences per seed"_s,
         u"Shows each run's difference from the baseline's run of the same seed. Runs with equal seeds have the same "
         "initial weights and batches, so comparing them in pairs reveals smaller differences."_s,
         Input::table, pairedDifferences},
        {"loss-by-fraction", u"loss by rotated fraction"_s,
         u"Shows the compared measure against the rotated fraction. It tests a claim of Khan et al.: runs that rotate "
         "10 % or more of the channels have similar losses, and runs that rotate 0 or 2 channels have similar losses, "
         "too."_s,
         Input::table, lossByFraction},
        {"loss-fit", u"fit of the loss against fraction, size and tokens"_s,
         u"Shows the compared loss against the rotated fraction, with a fit of the loss to fraction, number of "
         "parameters and number of training tokens with 95 % prediction intervals (formula 38 of the guide)."_s,
         Input::table, lossFitFigure},
        {"loss-by-context", u"loss against context"_s,
         u"Shows the compared measure against the context length, one curve per rotated fraction (or other swept "
         "setting)."_s,
         Input::table, lossByContext},
        {"loss-by-length", u"loss beyond the context"_s,
         u"Shows the validation loss at multiples of the training context, measured after training, with 95 % "
         "confidence intervals over the seeds. It shows how position encodings extrapolate beyond the training "
         "context."_s,
         Input::measurements, lossByLength},
        {"learning-curves", u"learning curves, mean ± std"_s,
         u"Shows the validation loss during training: each group's mean over its seeds ± standard deviation."_s,
         Input::evaluations, meanCurves},
        {"spikes", u"loss spikes"_s,
         u"Shows the training loss and the gradient norm of every step, to find loss spikes and what precedes them."_s,
         Input::steps, spikeFigure},
        {"loss-by-speed", u"loss against speed"_s,
         u"Shows which groups of runs are on the Pareto front of the mean loss and training speed."_s, Input::table,
         lossBySpeed},
        {"loss-by-memory", u"loss against memory"_s,
         u"Shows which groups of runs are on the Pareto front of the mean loss and training memory."_s, Input::table,
         lossByMemory},
        {"loss-by-generation-speed", u"loss against generation speed"_s,
         u"Shows which groups of runs are on the Pareto front of the mean loss and generation speed."_s, Input::table,
         lossByGenerationSpeed},
        {"loss-by-cache", u"loss against cache size"_s,
         u"Shows which groups of runs are on the Pareto front of the mean loss and the size of KV cache and RoPE cache."_s,
         Input::table, lossByCache},
        {"parallel-coordinates", u"parallel coordinates"_s,
         u"Shows each group of runs as a line across parallel axes: the swept settings, the losses and the speed."_s,
         Input::table, parallelCoordinates},
        {"optimum-by-width", u"best θ against the text's width"_s,
         u"Shows the θ of the best mean loss of each data set, with its bootstrap interval over seeds, against the "
         "distance at which the mutual information of its tokens falls to half (theta paper, section 6.1)."_s,
         Input::texts, optimumFigure},
        {"mutual-information", u"mutual information by distance"_s,
         u"Shows the mutual information of two tokens by their distance, and the wavelengths at the swept values of θ. "
         "The figure can explain why the best θ depends on the data set."_s,
         Input::texts, informationFigure},
    };
    return all;
}

const Spot* spotNear(const ResultsPicture& picture, QPointF place) {
    const Figure& figure = picture.figure;
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    const bool columns = !figure.x.categories.isEmpty() && figure.y.categories.isEmpty();
    const double placeX = axisFraction(place.x(), x, figure.x.logarithmic);
    const double placeY = axisFraction(place.y(), y, figure.y.logarithmic);
    const Spot* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Spot& spot : picture.spots) {
        const double dx = axisFraction(spot.at.x(), x, figure.x.logarithmic) - placeX;
        const double dy = axisFraction(spot.at.y(), y, figure.y.logarithmic) - placeY;
        // With categories on x, the nearest category decides first, then the distance along y.
        const bool inColumn = columns && std::abs(spot.at.x() - place.x()) <= 0.5;
        if (columns ? !inColumn : std::hypot(dx, dy) > kNearDistance) continue;
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
