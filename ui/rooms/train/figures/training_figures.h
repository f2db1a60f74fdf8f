#pragma once

#include <QObject>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/settings/run_spec.h"
#include "ui/common/latest_job.h"
#include "ui/figures/figure_entry.h"
#include "ui/plot/curve_bands.h"
#include "ui/plot/quantity.h"

namespace ropelab::ui {

class CurvePlot;
class LabDocument;
class RunStore;
struct RunView;

/// What the Train room plots over the steps.
struct CurveView {
    const char* id;                    // name of the view in settings: "losses"
    std::vector<Quantity> quantities;  // empty for the roofline
};
const std::vector<CurveView>& curveViews();
/// `id` may be that of an earlier version; null if there is no such view.
const CurveView* findCurveView(const QString& id);

/// Gives each plot the runs from the place `first` on, at most `most` of them, and the first plot the curves of their
/// evaluations that it does not have yet. Returns the place of the next run; nullopt if the plots have all.
std::optional<std::size_t> showRuns(std::span<CurvePlot* const> plots, const RunStore& runs, std::size_t first = 0,
                                    std::size_t most = std::numeric_limits<std::size_t>::max());
/// The runs whose curves are painted on a screen, if there are too many: those of the groups (or, without groups, those
/// visible runs) with the lowest validation losses, and that of `picked`. nullopt: all visible runs.
std::optional<std::set<RunId>> runsToPaint(const RunStore& runs, const std::vector<CurveGroup>& groups, RunId picked);
/// Reads the steps of the visible runs, or of `only` some of them, that the plot shows and does not have yet, of at
/// most `most` curves. Returns false if more are left. Throws BadInput if the lab cannot be read.
bool showSteps(CurvePlot& plot, const RunStore& runs, const LabFile& lab,
               const std::optional<std::set<RunId>>& only = std::nullopt, int most = std::numeric_limits<int>::max());
/// Reads all steps of a run that the plot does not have yet, so that the plot can append what the run trains now.
/// Throws as showSteps().
void readSteps(CurvePlot& plot, RunId run, const LabFile& lab);
/// Whether the run failed or was stopped, and the bytes of its tokens.
void showState(CurvePlot& plot, const RunView& run);
/// The ends of the visible runs and the rungs of their halving. Returns whether their tokenizers differ, so that their
/// losses per token cannot be compared.
bool showExtent(std::span<CurvePlot* const> plots, const RunStore& runs);
/// On a background thread, because it takes seconds. A newer request cancels the running one; results are cached.
class EntropyFloorJob : public QObject {
    Q_OBJECT

 public:
    /// In nats per character; nullopt if the data set has no entropy floor.
    using Find = std::function<std::optional<double>(const RunSpec& spec, const Cancelled& cancelled)>;

    /// `find` is entropy_floor_of by default; tests pass a function of their own.
    explicit EntropyFloorJob(QObject* parent = nullptr, Find find = {});

    /// found() follows, immediately if the result is cached. nullopt only cancels the running computation.
    void ask(const std::optional<RunSpec>& spec);
    bool isPending() const { return m_job.isRunning(); }
    /// Blocks; as found() reports it.
    static std::optional<double> now(const RunSpec& spec);
    /// Runs with equal keys have the same entropy floor.
    static std::string keyOf(const RunSpec& spec);

 signals:
    /// In nats per character; nullopt if it is unknown or does not exist.
    void found(std::optional<double> nats);

 private:
    Find m_find;
    std::string m_asked;
    std::map<std::string, std::optional<double>> m_known;
    LatestJob m_job;  // declared last so that it is destroyed first
};

/// nullopt if the visible runs have no common data set, and thus no common entropy floor.
std::optional<RunSpec> specWithFloor(const RunStore& runs);
/// Visible runs that have curves.
std::vector<RunId> shownRuns(const RunStore& runs);
/// The settings in which these runs differ from each other or from the default: a value, or a list of the values that
/// occur.
QJsonObject shownSettings(const RunStore& runs);
/// With more runs, a plot initially shows one curve per group of seeds.
inline constexpr std::size_t kMaxCurves = 10;

/// validation-loss, training-loss, learning-rate, gradient-norm.
FigureEntries trainingEntries();
/// Of a plot of the visible runs; `smoothing` in percent.
FigureOrigin trainingOrigin(const LabFile& lab, const RunStore& runs, const CurveView& view, const QString& unit,
                            int smoothing, bool isLogarithmic, bool hasBands);

}  // namespace ropelab::ui
