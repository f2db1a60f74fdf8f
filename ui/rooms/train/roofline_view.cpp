#include "ui/rooms/train/roofline_view.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <thread>

#include "core/data/corpus.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/quantity_explanations.h"
#include "ui/rooms/train/roofline_figure.h"
#include "ui/session/run_store.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

namespace {

std::int64_t vocabularySize(const RunView& run) {
    if (run.record.vocabulary.empty()) return likely_vocabulary(run.spec);
    return Vocabulary::from_text(run.record.vocabulary).size();
}

// Only visible runs that train on the CPU.
std::vector<RooflineRun> measuredRuns(const RunStore& store, const std::map<RunId, double>& speeds, RunId picked) {
    std::vector<RooflineRun> result;
    for (const RunView& run : store.runs()) {
        const auto& conditions = run.record.conditions;
        if (!run.visible || !conditions || conditions->device != "cpu") continue;
        double speed = run.record.summary ? run.record.summary->tokens_per_second : 0;
        if (const auto live = speeds.find(run.record.id); speed <= 0 && live != speeds.end()) speed = live->second;
        if (speed <= 0) continue;
        result.push_back({run.name, run.ink, run.record.id == picked,
                          bench::roofline_point(run.spec, vocabularySize(run), speed,
                                                precision_of(*conditions) == Precision::bfloat16)});
    }
    return result;
}

}  // namespace

RooflineView::RooflineView(RunStore& runs, SweepSession& session, Settings& settings, QWidget* parent)
    : QWidget(parent), m_runStore(runs), m_session(session), m_settings(settings) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_sentence = new QLabel(this);
    m_sentence->setWordWrap(true);
    m_sentence->setAccessibleName(tr("Bottleneck of the training speed"));
    column->addWidget(m_sentence);
    m_memory = makeNote(this);
    column->addWidget(m_memory);
    m_view = new FigureView(this);
    m_view->setAccessibleName(tr("Roofline"));
    column->addWidget(m_view, 1);
    connect(&m_session, &SweepSession::stateChanged, this, [this] {
        if (isVisible()) measureIfIdle();
        renew();
    });
    connect(&m_session, &SweepSession::started, this, [this] { m_peak = 0; });
    connect(&m_runStore, &RunStore::reloaded, this, &RooflineView::renew);
    const auto renewIfShown = [this] {
        if (isVisible()) renew();
    };
    connect(&m_runStore, &RunStore::runChanged, this, renewIfShown);
    connect(&m_runStore, &RunStore::visibilityChanged, this, renewIfShown);
}

void RooflineView::setSpeed(RunId run, double tokensPerSecond) {
    m_speeds[run] = tokensPerSecond;
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
    Settings& settings = m_settings;
    return {settings.value("machine/multiply_per_second").toDouble(),
            settings.value("machine/copy_per_second").toDouble()};
}

void RooflineView::measureIfIdle() {
    // The measurement and a training at the same time would slow each other down.
    if (m_measured || isMeasuring() || m_session.isActive()) return;
    m_measured = true;
    m_measuring.start([this](const Cancelled&) -> std::function<void()> {
        const auto found = bench::measure_machine(static_cast<int>(std::thread::hardware_concurrency()));
        return [this, found] {
            const bench::MachineSpeed known = machine();
            Settings& settings = m_settings;
            settings.setValue("machine/multiply_per_second", std::max(known.multiply, found.multiply));
            settings.setValue("machine/copy_per_second", std::max(known.copy, found.copy));
            renew();
        };
    });
}

Figure RooflineView::figure() const {
    return rooflineFigure(machine(), measuredRuns(m_runStore, m_speeds, m_picked));
}

QString RooflineView::sentence() const {
    const auto runs = measuredRuns(m_runStore, m_speeds, m_picked);
    if (!machine().known()) {
        return m_session.isActive() ? tr("The speed of this machine will be measured when no training is active.")
                                    : tr("The speed of this machine is being measured.");
    }
    if (runs.empty()) return tr("While a run trains on the CPU, this line says what limits its speed.");
    const auto picked = std::find_if(runs.begin(), runs.end(), [](const RooflineRun& run) { return run.picked; });
    const RooflineRun& described = picked == runs.end() ? runs.front() : *picked;
    return tr("%1: %2").arg(described.label, QString::fromStdString(bench::verdict(machine(), described.point)));
}

QString RooflineView::memorySentence() const {
    std::vector<RunSpec> specs;
    for (const RunView& run : m_runStore.runs()) {
        if (run.visible) specs.push_back(run.spec);
    }
    if (specs.empty()) return {};
    const QString predicted = bytesText(estimate(specs).bytes);
    return m_peak > 0 ? tr("Training memory: %1 predicted, %2 measured.").arg(predicted, bytesText(m_peak))
                      : tr("Training memory: %1 predicted.").arg(predicted);
}

void RooflineView::renew() {
    m_sentence->setText(sentence());
    m_memory->setText(memorySentence());
    m_view->setFigure(figure());
    m_view->setWhatsThis(rooflineExplanation(machine().multiply, machine().copy));
}

}  // namespace ropelab::ui
