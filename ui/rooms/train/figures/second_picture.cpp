#include "ui/rooms/train/figures/second_picture.h"

#include <QEvent>
#include <QLabel>
#include <QObject>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "ui/common/latest_job.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/train/figures/setting_strips.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/session/settings.h"
#include "ui/shell/explanation.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// Loads stored snapshots from the lab on another thread; the events of training replace them. Only one snapshot per
/// run is in memory, with a few numbers of all its snapshots, so that sweeps of many runs stay small.
class LatestSnapshots : public QObject {
    Q_OBJECT

 public:
    LatestSnapshots(LabDocument& lab, SweepSession& session, QObject* parent = nullptr);

    /// Loads the snapshots of new runs; changed() follows if there are any.
    void setRuns(const std::set<RunId>& runs);
    /// nullptr if there is none, or while it is being loaded.
    const Snapshot* find(RunId run) const;
    /// If true, the numbers of experts of earlier snapshots are loaded too, for which all snapshots are read.
    void setWithExperts(bool wanted);
    /// In ascending order of steps; empty without experts.
    std::vector<ExpertPoint> experts(RunId run) const;
    bool isLoading() const { return m_job.isRunning(); }
    /// Tells why the lab could not be read; "" if it could.
    const QString& problem() const { return m_problem; }

 signals:
    void changed();

 private:
    void load();
    void reload();
    void handleDeliveries(const std::vector<Delivery>& deliveries);

    struct KnownRun {
        bool isLoaded = false;  // its stored snapshot has been loaded, if there is one
        Snapshot latest;        // without a result if there is none
        std::int64_t until = std::numeric_limits<std::int64_t>::max();  // later snapshots of a resumed run do not count
        std::map<std::int64_t, ExpertPoint> experts;                    // by step
    };
    LabDocument& m_lab;
    std::map<RunId, KnownRun> m_runs;  // only the selected ones
    bool m_withExperts = false;
    QString m_problem;
    LatestJob m_job;  // declared last, so that its thread ends before the other members are destroyed
};

namespace {

struct LoadedSnapshots {
    Snapshot newest;  // without a result if there is none
    std::vector<ExpertPoint> experts;
};

/// The newest snapshot at or before the step `until` and, if `withExperts`, the numbers of experts of all snapshots.
/// The result is incomplete if `cancelled` returned true.
LoadedSnapshots loadSnapshots(const LabFile& lab, RunId run, std::int64_t until, bool withExperts,
                              const Cancelled& cancelled) {
    LoadedSnapshots loaded;
    const std::vector<std::int64_t> iterations = lab.snapshots(run);
    for (auto at = iterations.rbegin(); at != iterations.rend() && !cancelled(); ++at) {
        if (*at > until) continue;
        auto result = lab.snapshot(run, *at);
        if (!result) continue;
        const auto point = expertPoint(*at, *result);
        if (point) loaded.experts.push_back(*point);
        if (!loaded.newest.result) loaded.newest = {*at, std::make_shared<const ProbeResult>(std::move(*result))};
        if (!withExperts || !point) break;
    }
    return loaded;
}

}  // namespace

LatestSnapshots::LatestSnapshots(LabDocument& lab, SweepSession& session, QObject* parent)
    : QObject(parent), m_lab(lab) {
    connect(&session, &SweepSession::delivered, this, &LatestSnapshots::handleDeliveries);
    connect(&m_lab, &LabDocument::opened, this, &LatestSnapshots::reload);
}

const Snapshot* LatestSnapshots::find(RunId run) const {
    const auto found = m_runs.find(run);
    return found == m_runs.end() || !found->second.latest.result ? nullptr : &found->second.latest;
}

void LatestSnapshots::setWithExperts(bool wanted) {
    if (wanted == m_withExperts) return;
    m_withExperts = wanted;
    if (!wanted) return;
    for (auto& [run, known] : m_runs) known.isLoaded = false;
    load();
}

std::vector<ExpertPoint> LatestSnapshots::experts(RunId run) const {
    std::vector<ExpertPoint> points;
    const auto found = m_withExperts ? m_runs.find(run) : m_runs.end();
    if (found == m_runs.end()) return points;
    for (const auto& [step, point] : found->second.experts) points.push_back(point);
    return points;
}

void LatestSnapshots::setRuns(const std::set<RunId>& runs) {
    if (std::ranges::equal(runs, std::views::keys(m_runs))) return;
    std::erase_if(m_runs, [&](const auto& entry) { return !runs.contains(entry.first); });
    for (const RunId run : runs) m_runs.try_emplace(run);
    load();
}

void LatestSnapshots::reload() {
    for (auto& [run, known] : m_runs) known = {};
    m_problem.clear();
    m_job.cancel();
    load();
    emit changed();
}

void LatestSnapshots::load() {
    std::vector<std::pair<RunId, std::int64_t>> missing;  // with the last step that counts
    for (const auto& [run, known] : m_runs) {
        if (!known.isLoaded) missing.emplace_back(run, known.until);
    }
    if (missing.empty() || !m_lab.hasFile()) return m_job.cancel();
    const std::filesystem::path path = toPath(m_lab.path());
    m_job.start(
        [this, path, missing, withExperts = m_withExperts](const Cancelled& cancelled) -> std::function<void()> {
            auto found = std::make_shared<std::map<RunId, LoadedSnapshots>>();
            const QString problem = problemOf([&] {
                const auto lab = LabFile::open(path, LabFile::Mode::read);
                for (const auto& [run, until] : missing) {
                    if (!cancelled()) (*found)[run] = loadSnapshots(*lab, run, until, withExperts, cancelled);
                }
            });
            return [this, found, problem] {
                m_problem = problem;
                for (auto& [run, loaded] : *found) {
                    const auto selected = m_runs.find(run);
                    if (selected == m_runs.end()) continue;  // not any more: the selection changed while it was loaded
                    KnownRun& known = selected->second;
                    known.isLoaded = true;
                    for (const ExpertPoint& point : loaded.experts) known.experts.emplace(point.iteration, point);
                    Snapshot& snapshot = loaded.newest;
                    // Events may have brought a newer snapshot while this one was being loaded.
                    if (snapshot.result && (!known.latest.result || known.latest.iteration < snapshot.iteration)) {
                        known.latest = std::move(snapshot);
                    }
                }
                emit changed();
            };
        });
}

void LatestSnapshots::handleDeliveries(const std::vector<Delivery>& deliveries) {
    bool any = false;
    bool lost = false;
    for (const Delivery& delivery : deliveries) {
        if (const auto* cut = std::get_if<DiscardAfter>(&delivery)) {
            const auto found = m_runs.find(cut->run);
            if (found == m_runs.end()) continue;
            KnownRun& known = found->second;
            known.until = cut->iteration;
            known.experts.erase(known.experts.upper_bound(cut->iteration), known.experts.end());
            if (known.latest.result && known.latest.iteration <= cut->iteration) continue;
            known.latest = {};
            known.isLoaded = false;
            lost = true;
        } else if (const auto* probed = std::get_if<event::Probed>(&std::get<Event>(delivery))) {
            const auto found = m_runs.find(probed->run);
            if (found == m_runs.end()) continue;
            found->second.latest = {probed->iteration, probed->result};  // the event shares its result
            if (const auto point = expertPoint(probed->iteration, *probed->result)) {
                found->second.experts[probed->iteration] = *point;
            }
            any = true;
        }
    }
    if (lost) load();
    if (any || lost) emit changed();
}

namespace {

constexpr int kPictureFrameMs = 16;
constexpr int kLeastForAxes = 180;  // height in pixels at 100 %
constexpr const char* kSample = "sample";
constexpr const char* kGradient = "gradient-norm";
constexpr const char* kNothing = "nothing";

enum Page { samplePage, figurePage, gradientPage };

}  // namespace

SecondPicture::SecondPicture(RunAccess access, Settings& settings, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_settings(settings),
      m_snapshots(new LatestSnapshots(m_access.lab, m_access.session, this)),
      m_chooser(makeChoice(u"Figure below the curves"_s, this, 28)),
      m_title(makeNote(this)),
      m_pickedOnly(makeButton<QToolButton>(
          u"Selected run"_s,
          u"If pressed, the figure below the curves shows every layer of the run that is selected in the list or the "
          "plot, otherwise one curve per setting."_s,
          this)),
      m_fold(makeButton<QToolButton>(
          u"Enlarge"_s, u"Hides the loss curves above this figure, so the figure is larger and shows its axes."_s,
          this)),
      m_stack(new QStackedWidget(this)),
      m_view(new FigureView(this)),
      m_gradient(new CurvePlot(this)) {
    auto* column = scaledColumn(this, 4);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(false);  // one line, so that the picture below keeps its place
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_title->installEventFilter(this);
    scaleMargins(m_title, {12, 0, 12, 0});
    column->addWidget(m_title);
    m_pickedOnly->setCheckable(true);
    m_wantsPicked = m_settings.value("train/picked_only").toBool();
    connect(m_pickedOnly, &QToolButton::toggled, this, &SecondPicture::wantPicked);
    m_fold->setCheckable(true);
    m_fold->setChecked(m_settings.value("train/fold_curves").toBool());
    connect(m_fold, &QToolButton::toggled, this, [this](bool folded) {
        m_settings.setValue("train/fold_curves", folded);
        emit foldChanged();
    });
    m_gradient->setName(u"gradient norm"_s);
    m_gradient->setShownQuantity(Quantity::gradient_norm);
    m_stack->addWidget(makeSamplePage());
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_gradient);
    column->addWidget(m_stack, 1);
    // The room hides the picture if there is no space for two; its contents must not widen the window.
    setMinimumSize(1, 1);
    m_chooser->setMinimumWidth(1);  // the row above the pictures shortens it in a narrow window

    fillChooser();
    explainBy(m_view, m_chooser);
    const auto show = [this] {
        m_chooser->setToolTip(m_chooser->currentData(Qt::ToolTipRole).toString());
        m_view->setAccessibleName(m_chooser->currentText());
        m_fold->setEnabled(!isNone());
        renewPage();
        schedule();
    };
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this, show] {
        m_settings.setValue("train/second", chosen());
        show();
        emit choiceChanged();
    });
    const auto showHovered = [this](const QString& value) {
        if (std::exchange(m_hovered, value) != value) elideTitle();
    };
    connect(m_view, &FigureView::hovered, this, [this, showHovered](const QPointF& place) {
        if (m_showsStrips) showHovered(stripAt(m_picture.figure, m_view->canvasRect(), m_view->style(), place));
    });
    connect(m_view, &PlotWidget::left, this, [showHovered] { showHovered({}); });
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        selectRuns();
        if (isVisible()) renew();
    });
    RunStore& runs = m_access.runs;
    connect(m_snapshots, &LatestSnapshots::changed, this, &SecondPicture::schedule);
    connect(&runs, &RunStore::reloaded, this, &SecondPicture::selectRuns);
    connect(&runs, &RunStore::reloaded, this, &SecondPicture::schedule);
    connect(&runs, &RunStore::runChanged, this, &SecondPicture::schedule);
    connect(&runs, &RunStore::visibilityChanged, this, &SecondPicture::schedule);
    selectRuns();
    show();
}

void SecondPicture::wantPicked(bool on) {
    m_wantsPicked = on;
    m_settings.setValue("train/picked_only", on);
    schedule();
}

QWidget* SecondPicture::makeSamplePage() {
    auto* box = new QFrame(this);
    box->setProperty("panel", true);
    auto* column = scaledColumn(box, 4, {12, 4, 4, 4});
    m_sample = new QPlainTextEdit(box);
    m_sample->setReadOnly(true);
    m_sample->setFrameShape(QFrame::NoFrame);
    m_sample->setProperty("plain", true);
    m_sample->setAccessibleName(u"Sample: text that the selected run generated"_s);
    m_sample->setMinimumHeight(24);
    column->addWidget(m_sample, 1);
    return box;
}

QList<SecondPicture::Choice> SecondPicture::choices() {
    QList<Choice> all = {
        {kSample, u"Sample"_s, u"Shows the text that the selected run generated at its last evaluation."_s}};
    for (const LiveFigure& figure : liveFigures()) all.append({figure.name, figure.title, figure.why});
    all.append(
        {kGradient, u"Gradient norm"_s, u"Shows the norm of the gradient before clipping at each training step."_s});
    all.append({kNothing, u"No figure below the curves"_s,
                u"Shows no figure below the curves, so the curves use the whole height."_s});
    return all;
}

void SecondPicture::fillChooser() {
    for (const Choice& choice : choices()) {
        if (choice.name == QLatin1String(kNothing)) m_chooser->insertSeparator(m_chooser->count());
        m_chooser->addItem(choice.title, choice.name);
        m_chooser->setItemData(m_chooser->count() - 1, choice.why, Qt::ToolTipRole);
    }
    m_chooser->setMaxVisibleItems(m_chooser->count());
    chooseData(m_chooser, m_settings.value("train/second"));
}

bool SecondPicture::choose(const QString& name) {
    const int place = m_chooser->findData(name);
    if (place >= 0) m_chooser->setCurrentIndex(place);
    return place >= 0;
}

bool SecondPicture::isNone() const {
    return chosen() == QLatin1String(kNothing);
}

bool SecondPicture::isGradient() const {
    return chosen() == QLatin1String(kGradient);
}

bool SecondPicture::isLow() const {
    return height() < ThemeManager::instance().pixels(kLeastForAxes);
}

void SecondPicture::renewPage() {
    m_stack->setCurrentIndex(chosen() == QLatin1String(kSample) ? samplePage
                             : isGradient() && !isLow()         ? gradientPage
                                                                : figurePage);
    renewTitle();
}

void SecondPicture::setSample(const QString& title, const QString& text) {
    m_sampleTitle = title;
    if (m_sample->toPlainText() != text) m_sample->setPlainText(text);
    renewTitle();
}

void SecondPicture::setPicked(RunId run) {
    if (run == m_picked) return;
    m_picked = run;
    renewTitle();
    schedule();
}

void SecondPicture::renewTitle() {
    const int page = m_stack->currentIndex();
    m_wholeTitle = page == samplePage ? m_sampleTitle : isGradient() ? u"gradient norm of every step"_s : m_figureTitle;
    m_title->setAccessibleName(m_wholeTitle);
    elideTitle();
    // Without a picked run the picture shows all settings, so the button does not look pressed.
    const bool isPickable = findLiveFigure(chosen()) && m_access.runs.find(m_picked);
    const QSignalBlocker quiet(m_pickedOnly);
    m_pickedOnly->setEnabled(isPickable);
    m_pickedOnly->setChecked(isPickable && m_wantsPicked);
}

void SecondPicture::elideTitle() {
    const bool isReason = m_showsStrips && m_stack->currentWidget() == m_view && ui::isEmpty(m_picture.figure) &&
                          !m_picture.figure.emptyText.isEmpty();
    const Figure& figure = m_picture.figure;
    QStringList parts(!m_hovered.isEmpty() ? m_hovered : isReason ? figure.emptyText : m_wholeTitle);
    if (parts.first() == m_wholeTitle && m_showsStrips && m_stack->currentWidget() == m_view && !ui::isEmpty(figure)) {
        parts = stripWords(figure, m_wholeTitle);
    }
    const QFontMetrics metrics = m_title->fontMetrics();
    const int width = m_title->contentsRect().width();
    const auto words = [&parts] { return parts.join(u"; "_s); };
    m_title->setToolTip(words());  // a narrow picture leaves the last parts out
    while (parts.size() > 1 && metrics.horizontalAdvance(words()) > width) parts.removeLast();
    m_title->setText(metrics.elidedText(words(), Qt::ElideRight, width));
}

bool SecondPicture::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_title && event->type() == QEvent::Resize) elideTitle();
    return QWidget::eventFilter(watched, event);
}

void SecondPicture::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_stale) schedule();
}

void SecondPicture::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    renewPage();
    if (m_wasLow != isLow()) schedule();
}

void SecondPicture::schedule() {
    m_stale = true;
    if (!m_timer.isActive()) m_timer.start(kPictureFrameMs);
}

void SecondPicture::selectRuns() {
    std::set<RunId> wanted;
    const LiveFigure* figure = findLiveFigure(chosen());
    if (figure) {
        for (const RunView& run : m_access.runs.runs()) {
            if (run.visible || run.record.id == m_picked) wanted.insert(wanted.end(), run.record.id);
        }
    }
    m_snapshots->setWithExperts(figure && figure->isOfExperts);
    m_snapshots->setRuns(wanted);
}

LiveRun SecondPicture::liveRunOf(const RunView& run) const {
    LiveRun live{run.record.id,
                 run.name,
                 &run.spec,
                 run.ink,
                 std::nullopt,
                 run.record.state,
                 run.record.iteration,
                 m_snapshots->experts(run.record.id)};
    if (const Snapshot* snapshot = m_snapshots->find(run.record.id)) live.snapshot = *snapshot;
    return live;
}

LiveData SecondPicture::data() const {
    LiveData data;
    for (const CurveGroup& group : seedGroups(m_access.runs)) {
        LiveSetting setting{group.label, {}};
        setting.seeds.reserve(group.runs.size());
        for (const RunId id : group.runs) {
            if (const RunView* run = m_access.runs.find(id)) setting.seeds.push_back(liveRunOf(*run));
        }
        data.settings.push_back(std::move(setting));
    }
    const RunView* picked = m_wantsPicked ? m_access.runs.find(m_picked) : nullptr;
    if (picked) data.picked = liveRunOf(*picked);
    return data;
}

void SecondPicture::renew() {
    m_stale = false;
    if (isGradient()) {
        m_picture = {m_gradient->toFigure(true)};
        return showPicture({});
    }
    const LiveFigure* figure = findLiveFigure(chosen());
    if (!figure) return;
    const LiveData now = data();
    m_picture = figure->make(now);
    const QString step = liveStepText(now);
    if (step.isEmpty() && (m_snapshots->isLoading() || !m_snapshots->problem().isEmpty())) {
        m_picture.figure.emptyText = m_snapshots->isLoading()
                                         ? u"Loading the newest measurements of the runs (probes) …"_s
                                         : m_snapshots->problem();
        m_picture.figure.summary = m_picture.figure.emptyText;
    }
    const QString who = now.picked ? now.picked->name : u"all settings"_s;
    m_figureTitle = step.isEmpty() ? who : u"Measured at %1: %2"_s.arg(step, who);
    if (skipsProbes(now)) m_figureTitle += u"; measured less often, because each measurement is slow"_s;
    renewTitle();
    showPicture(now.picked ? now.picked->ink : Ink());
}

void SecondPicture::showPicture(Ink rowInk) {
    m_wasLow = isLow();
    m_showsStrips = m_wasLow || areSpectra(m_picture.figure);
    Figure figure = m_picture.figure;
    if (m_showsStrips && !ui::isEmpty(figure)) {
        figure.drawing = stripsOf(figure, rowInk);
        figure.curves.clear();
        figure.map.reset();
    } else if (m_showsStrips) {
        figure.x = figure.y = Axis{};
        figure.emptyText.clear();  // the title says it: a low picture has no space for a sentence
    }
    elideTitle();
    m_view->setReadout(m_showsStrips ? decltype(m_picture.readout)() : m_picture.readout);
    m_view->setFigure(std::move(figure));
}

Figure SecondPicture::figure() const {
    if (isGradient()) return m_gradient->toFigure();
    Figure figure = m_picture.figure;
    // The title is not part of the exported figure, so its note says which run and step it shows.
    figure.note = figure.note.isEmpty() ? m_figureTitle : u"%1; %2"_s.arg(m_figureTitle, figure.note);
    return figure;
}

bool SecondPicture::hasFigure() const {
    if (isGradient()) return !m_gradient->runs().empty();
    return !isNone() && m_stack->currentIndex() == figurePage && !ui::isEmpty(m_picture.figure);
}

void SecondPicture::refreshNow() {
    m_timer.stop();
    selectRuns();
    renewPage();
    renew();
    if (m_stack->currentIndex() == figurePage) m_view->refreshNow();
    if (m_stack->currentIndex() == gradientPage) m_gradient->refreshNow();
}

bool SecondPicture::isBusy() const {
    return m_snapshots->isLoading() || (isVisible() && m_timer.isActive());
}

}  // namespace ropelab::ui

#include "moc_second_picture.cpp"
#include "second_picture.moc"
