#include "ui/results/ledger_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "core/experiment/sheets/measuring.h"
#include "ui/inspect/engine_work.h"
#include "ui/results/prediction_table.h"
#include "ui/results/results_source.h"
#include "ui/window/format.h"
#include "ui/window/paths.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

constexpr int soonMs = 200;   // after a run has ended: several may end together
constexpr int laterMs = 700;  // the recorder has not written everything down yet; and measuring goes on

std::int64_t unmeasuredOf(const std::vector<Ledger>& ledgers) {
    std::int64_t runs = 0;
    for (const Ledger& ledger : ledgers) runs += ledger.unmeasured;
    return runs;
}

}  // namespace

QString measureAlone(EngineTurn& turn, const QString& lab, const std::vector<StoredSheet>& sheets,
                     const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const auto outcome = withEngine<bool>(turn, cancelled, [&](Engine& engine, const Cancelled& ends) {
        const auto held = [&engine]() -> Engine& { return engine; };
        const auto file = LabFile::open(toPath(lab));
        return std::all_of(sheets.begin(), sheets.end(), [&](const StoredSheet& sheet) {
            return measure_runs(*file, sheet.experiment, sheet.plan, dataDir, held, ends);
        });
    });
    return outcome.problem;
}

LedgerPage::LedgerPage(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    m_words = new QLabel(this);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setAccessibleName(tr("How the predictions are scored"));
    row->addWidget(m_words, 1);
    m_button = new QPushButton(this);
    m_button->setFocusPolicy(Qt::TabFocus);
    connect(m_button, &QPushButton::clicked, this, &LedgerPage::measure);
    row->addWidget(m_button);
    column->addLayout(row);
    m_list = makePredictionList(
        tr("There are no predictions on this sweep: theories speak of runs that differ in θ alone or in the rotated "
           "fraction alone. Those on a sheet are in Reproduce."),
        this);
    column->addWidget(m_list, 1);

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &LedgerPage::read);
    connect(&workspace.lab(), &LabDocument::opened, this, [this] {
        m_reading.cancel();
        m_work.cancel();
        m_measures = false;
        m_failure.clear();
        keep({});
        lookAgain();
    });
    connect(&workspace.lab(), &LabDocument::runsChanged, this, &LedgerPage::lookAgain);
    SweepSession& session = workspace.session();
    connect(&session, &SweepSession::delivered, this, [this] {
        if (endedRuns() != m_known) lookAgain();
    });
    connect(&session, &SweepSession::started, this, [this] {
        if (m_measures) measure();  // measured speeds would be those of a busy machine
        renew();
    });
    connect(&session, &SweepSession::ended, this, &LedgerPage::lookAgain);
    renew();
}

WordTable& LedgerPage::table() {
    return m_list->table();
}

QString LedgerPage::words() const {
    return m_words->text();
}

void LedgerPage::choose(std::int64_t experiment) {
    if (experiment == m_experiment) return;
    m_experiment = experiment;
    renew();
}

void LedgerPage::watch(bool on) {
    m_watched = on;
    if (on && m_stale) read();
}

void LedgerPage::lookAgain() {
    m_stale = true;
    if (m_watched && !m_timer.isActive()) m_timer.start(soonMs);
}

std::int64_t LedgerPage::endedRuns() const {
    const auto& runs = m_workspace.runs().runs();
    return std::count_if(runs.begin(), runs.end(), [](const RunView& run) {
        return run.record.state == RunState::finished || run.record.state == RunState::failed;
    });
}

void LedgerPage::readNow() {
    const LabFile* file = m_workspace.lab().file();
    m_reading.cancel();
    m_known = endedRuns();
    m_stale = false;
    keep(file ? ledgers_of(*file) : std::vector<Ledger>{});
}

void LedgerPage::read() {
    if (!m_watched || m_reading.isRunning() || !m_workspace.lab().hasFile()) return;
    m_stale = false;
    m_known = endedRuns();
    m_reading.start([this, path = m_workspace.lab().path()](const Cancelled&) -> std::function<void()> {
        try {
            return [this, ledgers = ledgers_of(*LabFile::open(toPath(path), LabFile::Mode::read))]() mutable {
                keep(std::move(ledgers));
                // The recorder writes beside this thread; and measuring tells nothing of its progress.
                if (m_stale || m_measures || m_workspace.session().isActive()) m_timer.start(laterMs);
            };
        } catch (const std::exception&) {
            // A lab that is locked or went away: what was read stays.
            return [this] { m_timer.start(laterMs); };
        }
    });
}

void LedgerPage::keep(std::vector<Ledger> ledgers) {
    m_all = std::move(ledgers);
    renew();
}

void LedgerPage::renew() {
    m_shown.clear();
    std::copy_if(m_all.begin(), m_all.end(), std::back_inserter(m_shown), [this](const Ledger& ledger) {
        return m_experiment == ResultsChoices::allExperiments || ledger.stored.experiment == m_experiment;
    });
    std::vector<ScoredPrediction> predictions;
    for (const Ledger& ledger : m_shown) {
        predictions.insert(predictions.end(), ledger.predictions.begin(), ledger.predictions.end());
    }
    m_list->setContent(m_shown.empty() ? WordTable::Content{} : predictionTable(predictions));
    QStringList sentences;
    if (!predictions.empty()) sentences << scoreWords(predictions);
    const std::int64_t unmeasured = unmeasuredOf(m_shown);
    const QString runs = countText(unmeasured, tr("run"));
    const bool isReadOnly = m_workspace.lab().isReadOnly();
    const bool isTraining = m_workspace.session().isActive();
    if (m_measures) {
        sentences << tr("Measuring what they speak of: %1 left.").arg(runs);
    } else if (unmeasured > 0) {
        sentences << tr("What they speak of is still to be measured of %1.").arg(runs);
        if (isReadOnly) {
            sentences << tr("This lab can only be read here; save it under another name to measure them.");
        }
    }
    if (!m_failure.isEmpty()) sentences << tr("Measuring went no further: %1").arg(m_failure);
    m_words->setText(sentences.join(QLatin1Char(' ')));
    m_words->setVisible(!sentences.isEmpty());
    m_button->setText(m_measures ? tr("Stop") : tr("Measure"));
    m_button->setVisible(m_measures || unmeasured > 0);
    m_button->setEnabled(m_measures || (!isReadOnly && !isTraining));
    m_button->setToolTip(m_measures   ? tr("After the present run; what was measured is kept.")
                         : isTraining ? tr("A sweep is training; it can be measured when that has ended.")
                                      : tr("Asks each trained model for what it read before (retrieval), and measures "
                                           "its loss at 1, 2 and 4 times the context. ropelab-cli results --measure "
                                           "does the same."));
    emit changed();
}

void LedgerPage::measure() {
    if (m_measures) {
        m_work.cancel();
        m_measures = false;
        lookAgain();
        return renew();
    }
    if (m_workspace.session().isActive() || m_workspace.lab().isReadOnly()) return;
    std::vector<StoredSheet> sheets;
    for (const Ledger& ledger : m_shown) {
        if (ledger.unmeasured > 0) sheets.push_back(ledger.stored);
    }
    if (sheets.empty()) return;
    m_failure.clear();
    m_measures = true;
    EngineTurn& turn = m_workspace.engineTurn();
    turn.released();
    m_work.start([this, sheets = std::move(sheets), path = m_workspace.lab().path(), dataDir = m_workspace.dataDir(),
                  &turn](const Cancelled& cancelled) -> std::function<void()> {
        return [this, problem = measureAlone(turn, path, sheets, dataDir, cancelled)] {
            m_measures = false;
            m_failure = problem;
            lookAgain();
            renew();
        };
    });
    lookAgain();
    renew();
}

}  // namespace ropelab::ui
