#include "ui/rooms/train/plan_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QStringList>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <set>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/forecast/time_model.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRunRole = Qt::UserRole;  // the index of the run in the preview

QString valueText(const RunSpec& run, const std::string& name) {
    const auto json = [](const auto& value) { return nlohmann::json(value); };
    const Value value = key(name).get(run);
    const QString title = settingTitle(name, std::visit(json, value), static_cast<int>(run.head_dim()));
    // Sizes are abbreviated ("10k") only if that is shorter (131072 stays); seeds are never abbreviated.
    const QString whole =
        std::holds_alternative<std::int64_t>(value) ? QString::fromStdString(to_text(value)) : QString();
    const bool isName = name == "seed" || name == "data_seed";
    const bool isWord = !title.isEmpty() && title.front().isLetter();
    return !whole.isEmpty() && (isName || (!isWord && whole.size() <= title.size())) ? whole : title;
}

}  // namespace

QString costText(double seconds, std::int64_t bytes, bool measured) {
    // An estimate is the same range as in the panel.
    const QString time = measured ? durationText(seconds) : QString::fromStdString(expected_duration(seconds));
    return u"about %1, %2 (%3)"_s.arg(time, bytesText(bytes), measured ? u"measured"_s : u"estimated"_s);
}

SweepPreview::SweepPreview(SessionActions& actions, RunAccess access, ExperimentModel& experiment, QWidget* parent)
    : QFrame(parent), m_actions(actions), m_access(std::move(access)), m_experiment(experiment) {
    setProperty("panel", true);
    setAccessibleName(u"Runs of the sweep"_s);
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    column->addWidget(makeHeading(u"Runs of the planned sweep"_s, this));
    auto* top = new QHBoxLayout;
    m_title = new QLabel(this);
    m_title->setWordWrap(true);
    m_title->setAccessibleName(u"Time and memory of the sweep"_s);
    top->addWidget(m_title, 1);
    m_measure = makeButton<QPushButton>(
        {},
        u"Measures the sweep's time and memory instead of estimating them: trains each cohort (runs that train "
        "together as one batch) for a few steps on this machine. The estimated memory for training a run on the CPU is "
        "within 12 % of measured peaks; sweeps with models of many shapes can need a quarter more."_s,
        this);
    connect(m_measure, &QPushButton::clicked, this, &SweepPreview::measure);
    top->addWidget(m_measure);
    column->addLayout(top);
    auto* more = new QHBoxLayout;
    m_notes = makeText(u"Missing data sets and duplicate runs"_s, this);
    m_notes->hide();
    more->addWidget(m_notes, 1);
    m_exclude = makeButton<QPushButton>(
        u"Exclude duplicates"_s, u"Excludes the runs that would train exactly the same model as another run."_s, this);
    connect(m_exclude, &QPushButton::clicked, this, &SweepPreview::excludeDuplicates);
    keepSpace(m_exclude);  // the line of notes keeps its height, so that the table does not move
    more->addWidget(m_exclude, 0, Qt::AlignTop);
    column->addLayout(more);
    m_table = new QTreeWidget(this);
    m_table->setAccessibleName(u"Runs of the sweep, grouped by cohort (runs that train together as one batch)"_s);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setStyleSheet(u"QTreeView::item { padding: 2px 0; }"_s);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, &SweepPreview::openMenu);
    column->addWidget(m_table, 1);

    connect(&m_experiment, &ExperimentModel::changed, this, &SweepPreview::renew);
    connect(&m_access.runs, &RunStore::reloaded, this, [this] {
        if (m_experiment.options().extends) renew();  // the lab lacks other runs now
    });
    connect(&m_access.session, &SweepSession::stateChanged, this, &SweepPreview::renewButton);
    connect(&m_access.session, &SweepSession::ended, this, [this] {
        if (!m_preview.measured()) renew();  // the measured speed of the machine may have changed
    });
    connect(&m_access.meter, &SweepMeter::started, this, &SweepPreview::renewButton);
    connect(&m_access.meter, &SweepMeter::measured, this, &SweepPreview::applyMeasurement);
    connect(&m_access.meter, &SweepMeter::ended, this, [this] {
        m_measures = false;
        renewButton();
    });
    renew();
}

void SweepPreview::measure() {
    if (m_access.meter.isActive()) return m_access.meter.stop();
    if (m_preview.cohorts.empty()) return;
    m_measures = true;
    m_actions.measure(m_preview.cohort_runs());
    m_measures = m_access.meter.isActive();
    renewButton();
}

void SweepPreview::exclude(std::size_t run) {
    std::map<std::string, std::string> values;
    for (const std::string& name : m_preview.differing) {
        values[name] = to_text(key(name).get(m_preview.runs.at(run)));
    }
    if (values.empty()) return;
    m_experiment.edit(u"exclude %1"_s.arg(QString::fromStdString(assignments_text(values))),
                      [&](Experiment& experiment) {
                          auto exclusions = experiment.exclusions();
                          exclusions.push_back(values);
                          experiment.set_exclusions(std::move(exclusions));
                      });
}

void SweepPreview::excludeDuplicates() {
    if (m_preview.same.exclusions.empty()) return;
    m_experiment.edit(u"exclude duplicate runs"_s, [same = m_preview.same.exclusions](Experiment& experiment) {
        auto exclusions = experiment.exclusions();
        exclusions.insert(exclusions.end(), same.begin(), same.end());
        experiment.set_exclusions(std::move(exclusions));
    });
}

void SweepPreview::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    if (m_stale) renew();
}

void SweepPreview::renew() {
    m_stale = !isVisible();
    if (m_stale) return;
    if (m_measures) {  // The active measurement is of the previous sweep.
        m_measures = false;
        m_access.meter.stop();
    }
    m_preview = {};
    try {
        m_preview = ropelab::preview(runsToTrain(m_experiment.value(), m_experiment.options(), m_access.lab.file()),
                                     m_access.dataDir);
        fill();
    } catch (const BadInput& error) {
        m_table->clear();
        m_title->setText(QString::fromStdString(error.what()));
        m_notes->hide();
    }
    renewButton();
}

void SweepPreview::fill() {
    m_table->clear();
    QStringList titles = {u"run"_s};
    for (const std::string& name : m_preview.differing) {
        titles << keyTitle(name);
    }
    m_table->setColumnCount(static_cast<int>(titles.size()));
    m_table->setHeaderLabels(titles);
    for (const PreviewedCohort& cohort : m_preview.cohorts) {
        auto* group = new QTreeWidgetItem(m_table);
        group->setFirstColumnSpanned(true);
        for (const std::size_t run : cohort.runs) {
            auto* item = new QTreeWidgetItem(group);
            item->setText(0, m_preview.differing.empty() ? QString::fromStdString(label_of(m_preview.runs[run]))
                                                         : QString::number(run + 1));
            item->setData(0, kRunRole, static_cast<qulonglong>(run));
            for (std::size_t k = 0; k < m_preview.differing.size(); ++k) {
                const int place = static_cast<int>(k) + 1;
                item->setText(place, valueText(m_preview.runs[run], m_preview.differing[k]));
            }
        }
        group->setExpanded(true);
    }
    fillCosts();
    for (int i = 0; i < m_table->columnCount(); ++i) m_table->resizeColumnToContents(i);
}

void SweepPreview::fillCosts() {
    for (std::size_t i = 0; i < m_preview.cohorts.size(); ++i) {
        const PreviewedCohort& cohort = m_preview.cohorts[i];
        QTreeWidgetItem* item = m_table->topLevelItem(static_cast<int>(i));
        QString text = u"cohort %1: %2"_s.arg(QString::number(i + 1), countText(std::ssize(cohort.runs), u"run"_s));
        if (m_preview.cohorts.size() > 1)  // a single one costs what the title says
            text += u", %1"_s.arg(costText(cohort.cost.seconds, cohort.cost.bytes, cohort.measured));
        if (!cohort.width.empty()) item->setToolTip(0, QString::fromStdString(cohort.width));
        if (!cohort.problem.empty()) {
            text += u"; not measured: %1"_s.arg(QString::fromStdString(cohort.problem));
            item->setToolTip(0, QString::fromStdString(cohort.problem));
        }
        item->setText(0, text);
    }
    m_title->setText(u"%1 in %2 (runs that train together), %3"_s.arg(
        countText(std::ssize(m_preview.runs), u"run"_s), countText(std::ssize(m_preview.cohorts), u"cohort"_s),
        costText(m_preview.seconds(), m_preview.bytes(), m_preview.measured())));
    QStringList notes;
    if (!m_preview.same.runs.empty()) notes << QString::fromStdString(words_of(m_preview.same, m_preview.runs));
    for (const std::string& sentence : m_preview.missing) {
        notes << u"The sweep cannot start yet: %1"_s.arg(QString::fromStdString(sentence));
    }
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!notes.isEmpty());
}

void SweepPreview::renewButton() {
    const bool active = m_access.meter.isActive();
    m_measure->setText(active ? u"Stop measuring"_s : u"Measure cost"_s);
    m_exclude->setVisible(!m_preview.same.exclusions.empty());
    m_measure->setEnabled(active || (!m_preview.cohorts.empty() && !m_access.session.isActive()));
}

void SweepPreview::applyMeasurement(const Measurement& measurement) {
    if (!m_measures) return;
    m_preview.take(measurement);
    fillCosts();
}

void SweepPreview::openMenu(const QPoint& where) {
    const QTreeWidgetItem* item = m_table->itemAt(where);
    const QVariant run = item ? item->data(0, kRunRole) : QVariant();
    if (!run.isValid() || m_preview.differing.empty()) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(u"Exclude run from sweep"_s, this, [this, run] { exclude(run.toULongLong()); });
    menu->popup(m_table->viewport()->mapToGlobal(where));
}

namespace {

constexpr int kCohortRole = Qt::UserRole;

}  // namespace

QueueView::QueueView(SessionActions& actions, RunAccess access, QWidget* parent)
    : QFrame(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_list(new QListWidget(this)),
      m_earlier(new QPushButton(u"Move earlier"_s, this)),
      m_later(new QPushButton(u"Move later"_s, this)),
      m_remove(new QPushButton(u"Remove"_s, this)) {
    setProperty("panel", true);
    setAccessibleName(u"Queue"_s);
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    column->addWidget(makeHeading(u"Waiting cohorts"_s, this));
    m_list->setAccessibleName(u"Waiting cohorts (runs that train together) in the order in which they will train"_s);
    m_list->setTextElideMode(Qt::ElideRight);
    column->addWidget(m_list, 1);
    auto* row = scaledRow(nullptr, 8);
    m_remove->setToolTip(
        u"Removes the selected cohort (runs that train together as one batch) from the queue. The runs of the cohort "
        "are also removed from the lab file, except those that have already trained."_s);
    for (QPushButton* button : {m_earlier, m_later, m_remove}) {
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    row->addStretch(1);
    column->addLayout(row);
    connect(m_earlier, &QPushButton::clicked, this, &QueueView::moveEarlier);
    connect(m_later, &QPushButton::clicked, this, &QueueView::moveLater);
    connect(m_remove, &QPushButton::clicked, this, &QueueView::removePicked);
    connect(m_list, &QListWidget::currentRowChanged, this, &QueueView::renewButtons);
    connect(&m_access.session, &SweepSession::queueChanged, this, &QueueView::renew);
    connect(&m_access.runs, &RunStore::reloaded, this, &QueueView::renew);
    renew();
}

void QueueView::removePicked() {
    if (picked() != 0) m_actions.removeWaiting(picked());
}

void QueueView::renew() {
    const std::int64_t keep = picked();
    const std::vector<WaitingCohort> waiting = m_access.session.waiting();
    m_list->clear();
    for (const WaitingCohort& cohort : waiting) {
        auto* item = new QListWidgetItem(textOf(cohort), m_list);
        item->setData(kCohortRole, static_cast<qlonglong>(cohort.id));
        item->setToolTip(item->text());
        if (cohort.id == keep) m_list->setCurrentItem(item);
    }
    setVisible(!waiting.empty());
    renewButtons();
}

void QueueView::renewButtons() {
    const int row = m_list->currentRow();
    m_earlier->setEnabled(row > 0);
    m_later->setEnabled(row >= 0 && row + 1 < m_list->count());
    m_remove->setEnabled(row >= 0);
}

std::int64_t QueueView::picked() const {
    const QListWidgetItem* item = m_list->currentItem();
    return item ? item->data(kCohortRole).toLongLong() : 0;
}

void QueueView::move(int by) {
    const int target = m_list->currentRow() + by;
    if (picked() == 0 || target < 0 || target >= m_list->count()) return;
    m_access.session.moveWaiting(picked(), static_cast<std::size_t>(target));
}

QString QueueView::textOf(const WaitingCohort& cohort) const {
    QStringList names;
    for (const RunId id : cohort.runs) {
        if (const RunView* run = m_access.runs.find(id)) names << run->name;
    }
    return u"%1: %2"_s.arg(countText(std::ssize(cohort.runs), u"run"_s), names.join(u"; "_s));
}

namespace {

const auto kBannerId = u"take-over"_s;

}  // namespace

TakeOver::TakeOver(SessionActions& actions, RunAccess access, QWidget* parent)
    : BannerArea(parent), m_actions(actions), m_access(std::move(access)) {
    connect(&m_access.lab, &LabDocument::opened, this, &TakeOver::renew);
    connect(&m_access.session, &SweepSession::ended, this, &TakeOver::renew);
    renew();
}

void TakeOver::renew() {
    m_job.cancel();
    offer({});
    const LabFile* file = m_access.lab.file();
    if (!file) return;
    if (!LabDocument::isLarge(m_access.lab.path())) return offer(file->claimed_runs());
    m_job.start([this, path = file->path()](const Cancelled&) {
        std::vector<ClaimedRun> claimed;
        // A lab that cannot be read offers nothing; the window says why.
        problemOf([&] { claimed = LabFile::open(path, LabFile::Mode::read)->claimed_runs(); });
        return [this, claimed] { offer(claimed); };
    });
}

void TakeOver::offer(std::vector<ClaimedRun> claimed) {
    dismiss(kBannerId);
    m_runs = std::move(claimed);
    std::erase_if(m_runs, [](const ClaimedRun& run) { return run.host.empty(); });
    if (m_runs.empty()) return;
    std::set<QString> hosts;
    for (const ClaimedRun& run : m_runs) hosts.insert(QString::fromStdString(run.host));
    const QString where = QStringList(hosts.begin(), hosts.end()).join(u", "_s);
    QString text =
        u"Another machine (%1) was training %2 of this lab. RoPE Lab cannot check from here whether that "
        "training still runs."_s.arg(where, countText(std::ssize(m_runs), u"run"_s));
    QList<Choice> choices;
    if (m_access.lab.isReadOnly()) {
        text += QLatin1Char(' ') + u"This lab file is open read-only, so its runs cannot be resumed here."_s;
    } else {
        text +=
            QLatin1Char(' ') +
            u"If the training in the other program has ended, “Take over” lets this window resume its runs from their last checkpoints."_s;
        choices.append({u"Take over"_s, [this] { takeOver(); }});
    }
    show(kBannerId, Kind::warning, text, choices);
}

void TakeOver::takeOver() {
    std::vector<RunId> left;
    const bool isTaken = m_actions.attempt(kBannerId, [this] {
        const auto file = LabFile::open(toPath(m_access.lab.path()));
        file->recover(true);
        m_access.runs.refreshRecords(*file);
    });
    if (!isTaken) return renew();
    for (const ClaimedRun& claimed : m_runs) {
        const RunView* run = m_access.runs.find(claimed.id);
        if (run && LabDocument::isUnfinished(run->record)) left.push_back(claimed.id);
    }
    renew();
    m_actions.resumeRuns(left);
}

}  // namespace ropelab::ui

#include "moc_plan_page.cpp"
