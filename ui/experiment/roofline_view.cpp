#include "ui/experiment/roofline_view.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <thread>

#include "core/data/corpus.h"
#include "core/experiment/estimate.h"
#include "core/experiment/step_cost.h"
#include "ui/experiment/quantity_whys.h"
#include "ui/experiment/roofline_figure.h"
#include "ui/plot/figure_view.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

std::int64_t vocabularyOf(const RunView& run) {
    if (run.record.vocabulary.empty()) return likely_vocabulary(run.spec);
    return Vocabulary::from_text(run.record.vocabulary).size();
}

// The runs whose step is known, of those on show.
std::vector<RooflineRun> measuredRuns(const RunStore& store, const std::map<RunId, double>& speeds, RunId picked) {
    std::vector<RooflineRun> result;
    for (const RunView& run : store.runs()) {
        const auto& conditions = run.record.conditions;
        if (!run.visible || !conditions || conditions->device != "cpu") continue;
        double speed = run.record.summary ? run.record.summary->tokens_per_second : 0;
        if (const auto live = speeds.find(run.record.id); speed <= 0 && live != speeds.end()) speed = live->second;
        if (speed <= 0) continue;
        result.push_back({QString::fromStdString(run.record.name), run.colorIndex(), run.record.id == picked,
                          bench::roofline_point(run.spec, vocabularyOf(run), speed,
                                                precision_of(*conditions) == Precision::bfloat16)});
    }
    return result;
}

}  // namespace

RooflineView::RooflineView(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_sentence = new QLabel(this);
    m_sentence->setWordWrap(true);
    m_sentence->setAccessibleName(tr("What limits the speed"));
    column->addWidget(m_sentence);
    m_memory = new QLabel(this);
    m_memory->setWordWrap(true);
    m_memory->setProperty("quiet", true);
    column->addWidget(m_memory);
    m_view = new FigureView(this);
    m_view->setAccessibleName(tr("Roofline"));
    column->addWidget(m_view, 1);
    connect(&workspace.session(), &SweepSession::stateChanged, this, [this] {
        if (isVisible()) measureIfIdle();
        renew();
    });
    connect(&workspace.session(), &SweepSession::started, this, [this] { m_peak = 0; });
    connect(&workspace.runs(), &RunStore::reloaded, this, &RooflineView::renew);
    const auto renewIfShown = [this] {
        if (isVisible()) renew();
    };
    connect(&workspace.runs(), &RunStore::runChanged, this, renewIfShown);
    connect(&workspace.runs(), &RunStore::visibilityChanged, this, renewIfShown);
}

void RooflineView::setSpeed(RunId run, double symbolsPerSecond) {
    m_speeds[run] = symbolsPerSecond;
    if (isVisible()) renew();
}

void RooflineView::setPeakMemory(std::int64_t bytes) {
    m_peak = bytes;
    renew();
}

void RooflineView::pickRun(RunId run) {
    m_picked = run;
    renew();
}

void RooflineView::clear() {
    m_speeds.clear();
    m_peak = 0;
    m_picked = 0;
    renew();
}

void RooflineView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    measureIfIdle();
    renew();
}

bench::MachineSpeed RooflineView::machine() const {
    Settings& settings = m_workspace.settings();
    return {settings.value("machine/multiply_per_second").toDouble(),
            settings.value("machine/copy_per_second").toDouble()};
}

void RooflineView::measureIfIdle() {
    // Beside training both would be slower.
    if (m_measured || isMeasuring() || m_workspace.session().isActive()) return;
    m_measured = true;
    m_measuring.start([this](const Cancelled&) -> std::function<void()> {
        const auto found = bench::measure_machine(static_cast<int>(std::thread::hardware_concurrency()));
        return [this, found] {
            const bench::MachineSpeed known = machine();
            Settings& settings = m_workspace.settings();
            settings.setValue("machine/multiply_per_second", std::max(known.multiply, found.multiply));
            settings.setValue("machine/copy_per_second", std::max(known.copy, found.copy));
            renew();
        };
    });
}

Figure RooflineView::figure() const {
    return rooflineFigure(machine(), measuredRuns(m_workspace.runs(), m_speeds, m_picked));
}

QString RooflineView::sentence() const {
    const auto runs = measuredRuns(m_workspace.runs(), m_speeds, m_picked);
    if (!machine().known()) {
        return m_workspace.session().isActive() ? tr("This machine's own speed is measured when nothing trains.")
                                                : tr("This machine's own speed is being measured.");
    }
    if (runs.empty()) return tr("What limits a run's speed shows here while it trains on the processor.");
    const auto picked = std::find_if(runs.begin(), runs.end(), [](const RooflineRun& run) { return run.picked; });
    const RooflineRun& told = picked == runs.end() ? runs.front() : *picked;
    return tr("%1: %2").arg(told.label, QString::fromStdString(bench::verdict(machine(), told.point)));
}

QString RooflineView::memorySentence() const {
    std::vector<RunSpec> specs;
    for (const RunView& run : m_workspace.runs().runs()) {
        if (run.visible) specs.push_back(run.spec);
    }
    if (specs.empty()) return {};
    const QString predicted = bytesText(estimate(specs).bytes);
    return m_peak > 0 ? tr("Memory of training: %1 predicted, %2 measured.").arg(predicted, bytesText(m_peak))
                      : tr("Memory of training: %1 predicted.").arg(predicted);
}

void RooflineView::renew() {
    m_sentence->setText(sentence());
    m_memory->setText(memorySentence());
    m_view->setFigure(figure());
    m_view->setWhatsThis(whyOfRoofline(machine().multiply, machine().copy));
}

}  // namespace ropelab::ui
