#include "ui/rooms/results/predictions_page.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "core/reproduce/rules/measuring.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/text_table.h"
#include "ui/rooms/results/results_picture.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLoadDelayMs = 200;  // after a run has ended, since several runs can end together
constexpr int kReloadMs = 700;     // while the recorder still writes to the lab, or measurements run

std::int64_t unmeasuredOf(const std::vector<SweepPredictions>& sweeps) {
    std::int64_t runs = 0;
    for (const SweepPredictions& sweep : sweeps) runs += sweep.unmeasured;
    return runs;
}

}  // namespace

PredictionsPage::PredictionsPage(RunAccess access, QWidget* parent) : QWidget(parent), m_access(std::move(access)) {
    auto* column = scaledColumn(this, 8);
    auto* row = scaledRow(nullptr, 8);
    m_words = makeText(u"Score of the predictions"_s, this);
    row->addWidget(m_words, 1);
    m_button = makeButton<QPushButton>({}, {}, this);
    connect(m_button, &QPushButton::clicked, this, &PredictionsPage::measure);
    keepSpace(m_button);
    row->addWidget(m_button);
    column->addLayout(row);
    m_list = makePredictionList(
        u"There are no predictions for this sweep: the theories compare at least two values of θ, or of the rotated "
        "fraction above 0, with plain RoPE in all layers. They are stored before the first run, so imported runs have "
        "none. The page Reproduce shows the predictions for reproductions of papers."_s,
        this);
    column->addWidget(m_list, 1);

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &PredictionsPage::load);
    connect(&m_access.lab, &LabDocument::opened, this, [this] {
        m_loading.cancel();
        m_work.cancel();
        m_isMeasuring = false;
        m_failure.clear();
        setPredictions({});
        scheduleLoad();
    });
    connect(&m_access.lab, &LabDocument::runsChanged, this, &PredictionsPage::scheduleLoad);
    SweepSession& session = m_access.session;
    connect(&session, &SweepSession::delivered, this, [this] {
        if (endedRuns() != m_known) scheduleLoad();
    });
    connect(&session, &SweepSession::started, this, [this] {
        if (m_isMeasuring) measure();  // training at the same time would falsify the measured speeds
        renew();
    });
    connect(&session, &SweepSession::ended, this, &PredictionsPage::scheduleLoad);
    renew();
}

TextTable& PredictionsPage::table() {
    return m_list->table();
}

void PredictionsPage::choose(std::int64_t experiment) {
    if (experiment == m_experiment) return;
    m_experiment = experiment;
    renew();
}

void PredictionsPage::watch(bool on) {
    m_watched = on;
    if (on && m_stale) load();
}

void PredictionsPage::scheduleLoad() {
    m_stale = true;
    if (m_watched && !m_timer.isActive()) m_timer.start(kLoadDelayMs);
}

std::int64_t PredictionsPage::endedRuns() const {
    const auto& runs = m_access.runs.runs();
    return std::count_if(runs.begin(), runs.end(), [](const RunView& run) {
        return run.record.state == RunState::finished || run.record.state == RunState::failed;
    });
}

void PredictionsPage::loadNow() {
    const LabFile* file = m_access.lab.file();
    m_loading.cancel();
    m_known = endedRuns();
    m_stale = false;
    setPredictions(file ? sweep_predictions_of(*file) : std::vector<SweepPredictions>{});
}

void PredictionsPage::load() {
    if (!m_watched || m_loading.isRunning() || !m_access.lab.hasFile()) return;
    m_stale = false;
    m_known = endedRuns();
    m_loading.start([this, path = m_access.lab.path()](const Cancelled&) -> std::function<void()> {
        try {
            return [this, sweeps = sweep_predictions_of(*LabFile::open(toPath(path), LabFile::Mode::read))]() mutable {
                setPredictions(std::move(sweeps));
                // The recorder writes on another thread, and a measurement does not report its progress.
                if (m_stale || m_isMeasuring || m_access.session.isActive()) m_timer.start(kReloadMs);
            };
        } catch (const std::exception&) {
            // The lab is locked or was removed: the loaded predictions stay.
            return [this] { m_timer.start(kReloadMs); };
        }
    });
}

void PredictionsPage::setPredictions(std::vector<SweepPredictions> sweeps) {
    m_all = std::move(sweeps);
    renew();
}

void PredictionsPage::renew() {
    m_shown.clear();
    std::copy_if(m_all.begin(), m_all.end(), std::back_inserter(m_shown), [this](const SweepPredictions& sweep) {
        return m_experiment == ResultsChoices::kAllExperiments || sweep.stored.experiment == m_experiment;
    });
    const std::vector<ScoredPrediction> predictions = all_predictions(m_shown);
    m_list->setContent(m_shown.empty() ? TextTable::Content{} : predictionTable(predictions));
    QStringList sentences;
    if (!predictions.empty()) sentences << predictionWords(predictions);
    const std::int64_t unmeasured = unmeasuredOf(m_shown);
    const QString runs = countText(unmeasured, u"run"_s);
    const bool isReadOnly = m_access.lab.isReadOnly();
    const bool isTraining = m_access.session.isActive();
    if (m_isMeasuring) {
        sentences << u"Measuring the quantities that the theories predict: %1 left."_s.arg(runs);
    } else if (unmeasured > 0) {
        sentences << u"The predicted quantities are not measured yet for %1%2."_s.arg(
            runs, isTraining ? u"; “Measure runs” measures them when the sweep has ended"_s : QString());
        if (isReadOnly) {
            sentences << u"This lab file is open read-only; save it under another name to measure the predicted "
                         "quantities."_s;
        }
    }
    if (!m_failure.isEmpty()) sentences << u"Measuring failed: %1"_s.arg(m_failure);
    m_words->setText(sentences.join(QLatin1Char(' ')));
    m_words->setVisible(!sentences.isEmpty());
    m_button->setText(m_isMeasuring ? u"Stop measuring"_s : u"Measure runs"_s);
    m_button->setVisible(m_isMeasuring || unmeasured > 0);
    m_button->setEnabled(m_isMeasuring || (!isReadOnly && !isTraining));
    m_button->setToolTip(
        m_isMeasuring ? u"Stops measuring after the current run; completed measurements are saved."_s
        : isTraining
            ? u"A sweep is training; the predicted quantities can be measured after it has ended."_s
            : u"Measures each trained model's retrieval accuracy (how well it copies earlier tokens) and its loss at "
              "1, 2 and 4 times the training context. The command ropelab-cli results --measure runs the same "
              "measurement."_s);
    emit changed();
}

void PredictionsPage::measure() {
    if (m_isMeasuring) {
        m_work.cancel();
        m_isMeasuring = false;
        scheduleLoad();
        return renew();
    }
    if (m_access.session.isActive() || m_access.lab.isReadOnly()) return;
    std::vector<StoredSheet> sheets;
    for (const SweepPredictions& sweep : m_shown) {
        if (sweep.unmeasured > 0) sheets.push_back(sweep.stored);
    }
    if (sheets.empty()) return;
    m_failure.clear();
    m_isMeasuring = true;
    EngineLock& engineLock = m_access.engineLock;
    engineLock.released();
    m_work.start([this, sheets = std::move(sheets), path = m_access.lab.path(), dataDir = m_access.dataDir,
                  &engineLock](const Cancelled& cancelled) -> std::function<void()> {
        return [this, problem = measureWithLock(engineLock, path, sheets, dataDir, cancelled)] {
            m_isMeasuring = false;
            m_failure = problem;
            scheduleLoad();
            renew();
        };
    });
    scheduleLoad();
    renew();
}

}  // namespace ropelab::ui

#include "moc_predictions_page.cpp"
