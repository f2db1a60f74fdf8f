#pragma once

#include <QStringList>
#include <filesystem>
#include <functional>
#include <span>

#include "ui/figures/figure_entry.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

// Figures of the compared measure against one swept setting. Points are means, bars are the 95 % intervals of the
// tested differences from the baseline, or without tests one sample standard deviation over the seeds; each combination
// of the other swept settings has its own curve. A group for which the setting has no meaning (θ of a model without
// RoPE) is a horizontal line.

/// After figure 1 of Huang et al. 2025, with published values in grey.
ResultsPicture lossByTheta(const ResultsData& data);
/// The rotated fraction is in percent. Two bands are shaded: the range of all runs that rotate at most two channels,
/// and of all runs that rotate at least 10 % (the two bands of Khan et al.).
ResultsPicture lossByFraction(const ResultsData& data);
ResultsPicture lossByContext(const ResultsData& data);

/// The improvement over the baseline in percent of the baseline's mean, with 95 % intervals of the chosen test (figure
/// 2 of Huang et al. 2025). The x axis is θ if it was swept, else the first of fraction, context and learning rate that
/// was swept. Each series is compared with its own group at the baseline's value of that setting.
ResultsPicture improvementFigure(const ResultsData& data);
ResultsPicture interactionFigure(const ResultsData& data);

/// The mean loss of each group at multiples of its training context, with 95 % confidence intervals over the seeds. The
/// losses are measured after training, on the same tokens at all lengths; models with learned positions have none.
ResultsPicture lossByLength(const ResultsData& data);

/// The compared loss against the rotated fraction (after rounding to whole pairs) with the fit of formula 38: means ±
/// standard deviation per setting, and for each combination of size and number of tokens the fitted curve with its 95 %
/// prediction interval. If the runs differ in settings for which the fit has no term, the selected group chooses the
/// runs, or ResultsData::fitLike. If no fit is possible, the empty text says why.
ResultsPicture lossFitFigure(const ResultsData& data);

/// A large point per group for the mean, a bar for its 95 % confidence interval, small points beside it for the seeds,
/// and a line at the baseline's mean.
ResultsPicture meansFigure(const ResultsData& data);

/// Differences from the baseline: a small point for each pair of runs with equal seed, the mean difference of each
/// group with its 95 % confidence interval, and a line at 0.
ResultsPicture pairedDifferences(const ResultsData& data);

/// Each data set of these runs once, for distances up to 5,000 tokens. Uses at most the first 2,000,000 tokens of the
/// training split. Takes seconds; `cancelled` is called repeatedly, and the computation stops when it returns true.
std::vector<TextInformation> textInformation(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir,
                                             const std::function<bool()>& cancelled = {});
/// A cache key that is equal for runs with the same data sets.
std::string textsKey(const std::vector<ResultsRun>& runs);

/// The mutual information by distance, one curve per data set, above rows of points at the wavelengths of the swept
/// thetas. It shows at which distances tokens depend on each other and which pairs complete a period there. Values
/// below 1/10,000 of the largest are omitted.
ResultsPicture informationFigure(const ResultsData& data);

/// θ with the best mean of the compared measure (setting_optima) against dependency_width(), one point per data set,
/// tokenizer and other swept setting.
ResultsPicture optimumFigure(const ResultsData& data);

// Figures of a loss against its cost, which Huang et al. 2025 use to choose settings. The line is the Pareto front:
// the groups for which no other mean is at least as good in both and better in one.

ResultsPicture lossBySpeed(const ResultsData& data);
/// The memory for training a single run, estimated from the model's shape.
ResultsPicture lossByMemory(const ResultsData& data);
/// Only groups whose generation speed is measured.
ResultsPicture lossByGenerationSpeed(const ResultsData& data);
/// The bytes of KV cache and RoPE cache at the context (cache_bytes).
ResultsPicture lossByCache(const ResultsData& data);

/// Each group is a line across axes for the swept settings and the measures. Each axis extends from its lowest to its
/// highest value; the values of a setting are equally spaced.
ResultsPicture parallelCoordinates(const ResultsData& data);

/// Each group's mean validation loss over the seeds that count, ± one sample standard deviation shaded, at the steps
/// where all of them were evaluated. Failed runs are separate red lines and in no mean. Requires
/// ResultsRun::evaluations.
ResultsPicture meanCurves(const ResultsData& data);

/// Training loss and gradient norm (before clipping) of each step of spikeRuns() on one logarithmic axis, which shows
/// loss spikes and whether the gradient norm rises before them. Requires ResultsRun::steps.
ResultsPicture spikeFigure(const ResultsData& data);
/// Indices of `data.runs`: all runs if there are at most 8, else the runs of the selected group.
std::vector<std::size_t> spikeRuns(const ResultsData& data);

/// Values of Huang et al. 2025 for the data sets of these runs (see published_results).
PublishedResults publishedResults(const std::vector<ResultsRun>& runs);

struct ResultsFigure {
    enum class Input { table, evaluations, steps, texts, measurements };

    const char* name;  // "loss-by-theta": the name on the command line and in the settings
    QString title;     // "loss against θ"
    QString why;       // the question that it answers, for the tooltip
    Input input;
    ResultsPicture (*make)(const ResultsData& data);
};

/// In the order of the room's list. The first figure works for any lab with results.
std::span<const ResultsFigure> resultsFigures();
/// As the command line requests them.
FigureEntries resultsEntries();
/// The runs of the results and the choices that select and compare them, without the lab's stored selection. `picked`
/// is the selected group, or −1.
FigureOrigin resultsOrigin(const LabFile& lab, const ResultsChoices& choices, const Results& results,
                           bool withPublished, int picked);

/// The nearest spot; `place` is in axis coordinates. Distances are relative to the axes' lengths; on an x axis with
/// categories the spot must be in the place's column. nullptr if no spot is near.
const Spot* spotNear(const ResultsPicture& picture, QPointF place);
std::optional<FigureView::Readout> readoutAt(const ResultsPicture& picture, QPointF place);

}  // namespace ropelab::ui
