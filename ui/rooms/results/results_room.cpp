#include "ui/rooms/results/results_room.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/results/decision_aid.h"
#include "core/results/results_cells.h"
#include "core/spec/error.h"
#include "ui/common/actions.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/setting_name_dialog.h"
#include "ui/rooms/results/column_choice.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/results/generation_measurement.h"
#include "ui/rooms/results/group_table.h"
#include "ui/rooms/results/predictions_page.h"
#include "ui/rooms/results/results_memory.h"
#include "ui/rooms/results/results_panel.h"
#include "ui/rooms/results/seed_table.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/lab_origin.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

// The least time between two updates of the table while runs train.
constexpr int kUpdateMs = 200;

struct DecisionTexts {
    QString words;    // one sentence per data set
    QString details;  // for the tooltip
};

DecisionTexts decisionTexts(const ResultsTable& table, const DecisionChoice& choice) {
    DecisionNames names = decision_names(table);
    names.group = [&table](const ResultGroup& group) { return shortLabel(table, group).toStdString(); };
    names.loss = [](const Measure& measure) { return measureTitle(measure).toStdString(); };
    QStringList sentences;
    QStringList details;
    for (const DecisionAid& aid : decision_aids(table, choice)) {
        sentences << QString::fromStdString(decision_words(aid, table, names));
        for (const std::string& line : decision_details(aid, table, names)) details << QString::fromStdString(line);
    }
    details << QString() << QString::fromStdString(decision_rule_words());
    return {sentences.join(QLatin1Char('\n')), details.join(QLatin1Char('\n'))};
}

}  // namespace

ResultsRoom::ResultsRoom(SessionActions& actions, RunAccess access, Settings& settings, QWidget* parent)
    : Room(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_settings(settings),
      m_groups(new GroupTable(this)),
      m_order(new GroupOrder(this)),
      m_seeds(new SeedTable(m_access.runs, this)),
      m_panel(new ResultsPanel(m_access.lab, m_settings, this)),
      m_generation(new GenerationMeasurement(m_access, m_panel)),
      m_pages(new QStackedWidget(this)),
      m_predictionsPage(new PredictionsPage(m_access, this)) {
    setObjectName(QStringLiteral("results"));
    m_panel->hide();
    m_panel->addWidget(m_generation);
    connect(m_generation, &GenerationMeasurement::measured, this, [this] {
        // While a sweep trains, the file lags behind the runs; they are read again at its end.
        const LabFile* file = m_access.lab.file();
        if (file && !m_access.session.isActive()) m_access.runs.refreshRecords(*file);
    });
    auto* layout = new QVBoxLayout(this);
    scaleLayout(layout, {12, 8, 12, 12}, 8);
    m_order->setSourceModel(m_groups);
    m_order->setSortRole(GroupTable::kSortRole);
    m_bar = makeBar();
    layout->addWidget(m_bar);
    m_pages->addWidget(makeEmptyState());
    m_pages->addWidget(makeResults());
    m_pages->addWidget(m_predictionsPage);
    layout->addWidget(m_pages, 1);
    connect(m_predictionsPage, &PredictionsPage::changed, this, &ResultsRoom::renewPages);
    showPage(Page::groups);

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible() && m_stale) renew();
    });
    RunStore& runs = m_access.runs;
    connect(&runs, &RunStore::reloaded, this, &ResultsRoom::schedule);
    connect(&runs, &RunStore::runChanged, this, &ResultsRoom::schedule);
    connect(&m_access.session, &SweepSession::stateChanged, this, &ResultsRoom::schedule);
    connect(&m_access.lab, &LabDocument::opened, this, [this] { m_orderWanted = true; });
    connect(m_panel, &ResultsPanel::changed, this, [this] {
        m_stale = true;
        if (isVisible()) renew();
    });
    connect(m_panel, &ResultsPanel::copyRequested, this, &ResultsRoom::copyTable);
    connect(m_panel, &ResultsPanel::saveRequested, this, &ResultsRoom::saveTable);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ResultsRoom::restyle);
    restyle();
}

ResultsRoom::~ResultsRoom() = default;

QWidget* ResultsRoom::panel() {
    m_panel->show();
    return m_panel;
}

void ResultsRoom::addActions(ActionRegistry& registry, const RoomHandle<ResultsRoom>& room) {
    registry.add({.id = "results.copy", .menu = "Edit", .text = tr("Copy results table"), .handler = [room] {
                      room->copyTable();
                  }});
    registry.add({.id = "results.save", .menu = "File", .text = tr("Save results table …"), .handler = [room] {
                      room->saveTable();
                  }});
    const auto here =
        [&registry](const std::function<void()>& change) {  // opens the room first, so that the change is visible
            return [&registry, change] {
                registry.action(QStringLiteral("room.results"))->trigger();
                change();
            };
        };
    registry.add({.id = "results.nextFigure",
                  .menu = "View",
                  .text = tr("Show next results figure"),
                  .handler = here([room] {
                      room->showPage(Page::groups);
                      room->m_figures->step(1);
                  }),
                  .separatorBefore = true});
    registry.add({.id = "results.previousFigure",
                  .menu = "View",
                  .text = tr("Show previous results figure"),
                  .handler = here([room] {
                      room->showPage(Page::groups);
                      room->m_figures->step(-1);
                  })});
    registry.add({.id = "results.predictions",
                  .menu = "View",
                  .text = tr("Show predictions about the sweep"),
                  .handler = here([room] { room->showPage(Page::predictions); })});
    registry.add({.id = "results.measureGeneration",
                  .menu = "Run",
                  .text = tr("Measure generation speed of the results"),
                  .handler = here([room] { room->measureGeneration(); }),
                  .liveText =
                      [room] {
                          return room.made() && room->m_generation->isMeasuring()
                                     ? tr("Stop measuring the generation speed")
                                     : tr("Measure generation speed of the results");
                      },
                  .separatorBefore = true});
    for (const ResultsFigure& figure : resultsFigures()) {
        const QString name = QLatin1String(figure.name);
        registry.add({.id = QStringLiteral("results.figure.") + name,
                      .menu = {},
                      .text = tr("Show results figure: %1").arg(figure.title),
                      .handler = here([room, name] { room->showPart(name); })});
    }
}

void ResultsRoom::measureGeneration() {
    if (m_stale) renew();  // chooses the experiment
    m_generation->toggle();
    // The panel can be folded away, so the window also says why nothing is measured.
    const QString id = QStringLiteral("results.generation");
    if (m_generation->isMeasuring() || m_generation->words().isEmpty()) {
        emit m_actions.solved(id);
    } else {
        emit m_actions.problem(id, m_generation->words());
    }
}

Figure ResultsRoom::figure() {
    if (m_stale) renew();
    return m_figures->figure();
}

FigureOrigin ResultsRoom::originOf(const Figure& figure) {
    FigureOrigin origin;
    if (const LabFile* lab = m_access.lab.file()) origin.lab = labOrigin(*lab, m_results.runs);
    const ResultsTable& table = m_results.table;
    const std::string_view compared = measures()[table.compared].name;
    origin.flags = {
        {QStringLiteral("figure"), figure.name},
        {QStringLiteral("compare"), QString::fromUtf8(compared.data(), static_cast<qsizetype>(compared.size()))},
        {QStringLiteral("test"), QString::fromStdString(to_string(table.test))}};
    if (m_results.experiment > 0) origin.flags[QStringLiteral("experiment")] = QString::number(m_results.experiment);
    if (m_panel->published()->isChecked()) origin.flags[QStringLiteral("published")] = true;
    // Some figures show the selected group, others only highlight it.
    if (table.groups.size() > 1 && m_picked >= 0) origin.view = {{QStringLiteral("picked"), m_picked}};
    const ResultsChoices choices = m_panel->choices();
    if (choices.options.unfinished) origin.flags[QStringLiteral("unfinished")] = true;
    for (const std::string& name : choices.options.split_by) {  // one at most
        origin.flags[QStringLiteral("split-by")] = QString::fromStdString(name);
    }
    QJsonArray excluded;
    for (const RunId run : choices.excluded) excluded.append(QString::number(run));
    if (!excluded.isEmpty()) origin.flags[QStringLiteral("exclude-run")] = excluded;
    QJsonArray baseline;
    for (const auto& [key, value] : choices.options.baseline) {
        baseline.append(QString::fromStdString(key + "=" + value));
    }
    if (!baseline.isEmpty() && !m_results.baselineIsMissing) origin.flags[QStringLiteral("baseline")] = baseline;
    return origin;
}

void ResultsRoom::refreshNow() {
    renew();
    try {
        m_predictionsPage->loadNow();
    } catch (const std::exception& error) {
        emit m_actions.problem(QStringLiteral("results"), QString::fromStdString(error.what()));
    }
    m_figures->view().refreshNow();
}

bool ResultsRoom::isBusy() const {
    return m_page == Page::predictions ? m_predictionsPage->isLoading() : m_figures->isBusy();
}

void ResultsRoom::showPart(const QString& figure) {
    const QString predictions = QStringLiteral("predictions");
    if (figure == predictions) return showPage(Page::predictions);
    if (!m_figures->choose(figure)) throw noPart(figure, resultsFigureNames() << predictions);
    showPage(Page::groups);
}

void ResultsRoom::showOnlyPart(const QString& part) {
    if (!part.isEmpty()) showPart(part);
    m_showsOnlyFigure = !part.isEmpty() && m_page == Page::groups;
    for (QWidget* each : {static_cast<QWidget*>(m_words), static_cast<QWidget*>(m_groupView), m_groupDetails}) {
        each->setVisible(!m_showsOnlyFigure);
    }
    m_decision->setVisible(!m_showsOnlyFigure && !m_decision->text().isEmpty());
}

QString ResultsRoom::shownPart() const {
    return m_page == Page::predictions ? QStringLiteral("predictions") : QString::fromLatin1(m_figures->chosen().name);
}

std::vector<RoomControl> ResultsRoom::controls() {
    return {controlOf(QStringLiteral("quantity"), m_panel->measure())};
}

QList<QWidget*> ResultsRoom::bars() {
    return {m_bar, m_figures->bar()};
}

QString ResultsRoom::words() const {
    return m_words->text();
}

QString ResultsRoom::decisionWords() const {
    return m_decision->text();
}

QString ResultsRoom::decisionDetails() const {
    return m_decision->toolTip();
}

QString ResultsRoom::conversionWords() const {
    return m_conversionWords->text();
}

QString ResultsRoom::groupWords() const {
    return m_groupWords->text();
}

void ResultsRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    if (m_stale) renew();
    m_predictionsPage->watch(true);
}

void ResultsRoom::hideEvent(QHideEvent* event) {
    Room::hideEvent(event);
    m_predictionsPage->watch(false);
}

void ResultsRoom::showPage(Page page) {
    m_page = page;
    m_tabs[static_cast<int>(page)]->setChecked(true);
    renewPages();
    emit actionsChanged();
}

bool ResultsRoom::offersPredictions() const {
    return !m_bar->isHidden();
}

void ResultsRoom::renewPages() {
    m_pages->setCurrentIndex(m_page == Page::predictions ? 2 : m_hasCountedRuns ? 1 : 0);
    m_bar->setVisible(m_page == Page::predictions || !m_predictionsPage->isEmpty());
}

void ResultsRoom::schedule() {
    m_stale = true;
    if (isVisible() && !m_timer.isActive()) m_timer.start(kUpdateMs);
}

void ResultsRoom::renew() {
    m_stale = false;
    m_timer.stop();
    ResultsChoices choices = m_panel->choices();
    m_results = resultsOf(m_access.runs, choices);
    m_panel->renew(m_results);
    if (!choices.sameRuns(m_panel->choices())) {  // the panel restored the choices that were saved for this lab
        m_results = resultsOf(m_access.runs, m_panel->choices());
        m_panel->renew(m_results);
    }
    const ResultsTable& table = m_results.table;
    m_hasCountedRuns = std::any_of(table.groups.begin(), table.groups.end(),
                                   [](const ResultGroup& group) { return !group.summaries.empty(); });
    renewPages();
    renewConversions();
    m_predictionsPage->choose(m_results.experiment);
    m_generation->choose(m_results.experiment);
    if (!m_hasCountedRuns) renewEmptyState();
    const int rows = m_groups->rowCount();
    QStringList titles;
    for (int i = 0; i < m_groups->columnCount(); ++i) titles << m_groups->titleOf(i);
    m_groups->chooseColumns(m_panel->style().columns);
    m_groups->setResults(m_results);
    renewColumnChoice();
    QStringList words = {m_results.words, overallWords(table)};
    for (const std::string& warning : condition_warnings(table)) words << QString::fromStdString(warning);
    words.removeAll(QString());
    m_words->setText(words.join(QLatin1Char(' ')));
    const DecisionTexts decision = decisionTexts(table, m_panel->decision());
    m_decision->setText(decision.words);
    m_decision->setToolTip(decision.details);
    m_decision->setVisible(!m_showsOnlyFigure && !m_decision->text().isEmpty());
    if (m_picked >= static_cast<int>(table.groups.size()) || (m_picked < 0 && !table.groups.empty())) m_picked = 0;
    if (table.groups.empty()) m_picked = -1;
    QStringList newTitles;
    for (int i = 0; i < m_groups->columnCount(); ++i) newTitles << m_groups->titleOf(i);
    const bool another = rows != m_groups->rowCount() || titles != newTitles;
    if (m_picked >= 0 && (another || !m_groupView->currentIndex().isValid())) pickGroup(m_picked);
    renewPicked();
    fitColumns();
    // The sorted column can have another place now.
    if (m_hasCountedRuns && (m_orderWanted || titles != newTitles)) restoreOrder();
}

void ResultsRoom::renewColumnChoice() {
    QStringList inPaper = {QStringLiteral("settings")};
    for (const std::string& name : paper_columns(m_results.table)) inPaper << QString::fromStdString(name);
    m_panel->columns()->setColumns(m_groups->choices(), inPaper);
}

void ResultsRoom::saveOrder() {
    if (m_isRestoringOrder || m_orderWanted) return;
    const QString lab = m_access.lab.path();
    const QHeaderView* header = m_groupView->horizontalHeader();
    QJsonObject choices = labChoices(m_settings, lab);
    choices[QStringLiteral("order")] = m_groups->titleOf(header->sortIndicatorSection());
    choices[QStringLiteral("descending")] = header->sortIndicatorOrder() == Qt::DescendingOrder;
    saveLabChoices(m_settings, lab, choices);
}

void ResultsRoom::restoreOrder() {
    m_orderWanted = false;
    const QJsonObject choices = labChoices(m_settings, m_access.lab.path());
    const int column = m_groups->columnOf(choices.value(QStringLiteral("order")).toString());
    m_isRestoringOrder = true;
    m_groupView->sortByColumn(
        column, choices.value(QStringLiteral("descending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    m_isRestoringOrder = false;
}

void ResultsRoom::renewEmptyState() {
    int training = 0;
    int others = 0;
    for (const RunView& run : m_access.runs.runs()) {
        const bool trains = run.record.state == RunState::running || run.record.state == RunState::paused ||
                            run.record.state == RunState::waiting;
        ++(trains ? training : others);
    }
    if (training > 0 && m_access.session.isActive()) {
        m_emptyText->setText(tr("%1 in training. The first group appears when a run finishes; “Include unfinished "
                                "runs” shows the latest losses now.")
                                 .arg(countText(training, tr("run"))));
    } else if (training + others > 0) {
        m_emptyText->setText(
            tr("None of these runs has finished. Resume them in Train, choose another experiment, or select “Include "
               "unfinished runs”."));
    } else {
        m_emptyText->setText(
            tr("Train a sweep with several seeds. Runs that differ only in their seed form one row: mean ± standard "
               "deviation, improvement over a baseline, and its significance. A test needs at least two seeds per "
               "group; three detect only large differences, ten detect most."));
    }
}

void ResultsRoom::renewConversions() {
    const auto id = QStringLiteral("results.conversions");
    m_conversions.clear();
    try {
        if (const LabFile* file = m_access.lab.file()) m_conversions = stored_head_conversions(*file);
        emit m_actions.solved(id);
    } catch (const BadInput& error) {
        emit m_actions.problem(id, QString::fromStdString(error.what()));
    }
}

void ResultsRoom::renewPicked() {
    const ResultsTable& table = m_results.table;
    const bool any = m_picked >= 0 && m_picked < static_cast<int>(table.groups.size());
    m_seeds->setGroup(m_results, m_picked);
    m_seedView->resizeColumnsToContents();
    m_seedTitle->setText(any ? longLabel(table, table.groups[static_cast<std::size_t>(m_picked)]) : QString());
    m_groupWords->setText(any && table.groups.size() > 1
                              ? groupVerdict(table, table.groups[static_cast<std::size_t>(m_picked)])
                              : QString());
    QStringList conversions;
    const std::vector<std::size_t> members =
        any ? table.groups[static_cast<std::size_t>(m_picked)].members : std::vector<std::size_t>();
    for (const StoredHeadConversion& stored : m_conversions) {
        if (std::none_of(members.begin(), members.end(),
                         [&](std::size_t member) { return m_results.runAt(member) == stored.run; })) {
            continue;
        }
        const RunView* run = m_access.runs.find(stored.run);
        conversions << tr("%1: %2").arg(run ? run->name : QString::number(stored.run),
                                        QString::fromStdString(head_conversion_words(stored.result)));
    }
    m_conversionWords->setText(conversions.join(QLatin1Char('\n')));
    m_conversionWords->setVisible(!conversions.isEmpty());
    m_figures->show(m_results, table.groups.size() > 1 ? m_picked : -1, m_panel->published()->isChecked());
}

void ResultsRoom::pickGroup(int group) {
    if (group < 0 || group >= m_groups->rowCount()) return;
    m_picked = group;
    const QModelIndex shown = m_order->mapFromSource(m_groups->index(group, 0));
    if (m_groupView->currentIndex().row() != shown.row()) {
        m_groupView->setCurrentIndex(shown);
    } else {
        m_groupView->selectRow(shown.row());
        renewPicked();
    }
}

QString ResultsRoom::exportText() const {
    const Results results = resultsOf(m_access.runs, m_panel->choices(), m_access.lab.file());
    return formatted(results, m_predictionsPage->sweeps(), m_panel->format(), tableStyle(results.table),
                     m_panel->decision());
}

void ResultsRoom::showGroupMenu(const QPoint& where) {
    const QModelIndex under = m_groupView->indexAt(where);
    const QModelIndex cell = under.isValid() ? under : m_groupView->currentIndex();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("group-menu"));
    addNameEntry(*menu, m_order->mapToSource(cell));
    addColumnEntries(*menu, cell.column());
    menu->popup(m_groupView->viewport()->mapToGlobal(where));
}

void ResultsRoom::addNameEntry(QMenu& menu, const QModelIndex& index) {
    if (!index.isValid()) return;
    ResultGroup group = m_results.table.groups[static_cast<std::size_t>(index.row())];
    const RunView* run = m_access.runs.find(m_results.runAt(group.members.front()));
    if (!run) return;
    const QString name = QString::fromStdString(std::exchange(group.name, {}));
    menu.addAction(tr("Rename setting …"), this,
                   [this, name, setting = run->setting, automatic = longLabel(m_results.table, group)] {
                       openSettingName(
                           automatic, name,
                           [this, setting](const QString& typed) { m_actions.renameSetting(setting, typed); }, this);
                   });
    menu.addSeparator();
}

void ResultsRoom::showSeedMenu(const QPoint& where) {
    const QModelIndex index = m_seedView->indexAt(where);
    if (!index.isValid()) return;
    const RunId run = m_seeds->runAt(index.row());
    const bool excluded = m_panel->excludes(run);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(excluded ? tr("Include run in results") : tr("Exclude run from results"), this,
                    [this, run, excluded] { m_panel->setExcluded(run, !excluded); });
    menu->popup(m_seedView->viewport()->mapToGlobal(where));
}

TableStyle ResultsRoom::tableStyle(const ResultsTable& table) const {
    TableStyle style = m_panel->style();
    const auto known = column_names(table);
    // A lab can lack a column that was chosen in another lab.
    std::erase_if(style.columns, [&](const std::string& name) {
        return name != "paper" && name != "full" && name != "settings" &&
               std::none_of(known.begin(), known.end(), [&](const auto& each) { return each.first == name; });
    });
    return style;
}

void ResultsRoom::copyTable() {
    if (m_stale) renew();
    try {
        QApplication::clipboard()->setText(exportText());
        emit m_actions.solved(QStringLiteral("results"));
    } catch (const std::exception& refusal) {
        emit m_actions.problem(QStringLiteral("results"), QString::fromStdString(refusal.what()));
    }
}

void ResultsRoom::saveTable() {
    if (m_stale) renew();
    const ResultsPanel::Format format = m_panel->format();
    const QString path =
        dialogs().save(this, {.title = tr("Save table as"), .path = QStringLiteral("results.") + suffixOf(format)});
    if (path.isEmpty()) return;
    try {
        ropelab::ui::saveTable(path, exportText());
        emit m_actions.solved(QStringLiteral("results"));
    } catch (const std::exception& refusal) {
        emit m_actions.problem(QStringLiteral("results"), QString::fromStdString(refusal.what()));
    }
}

}  // namespace ropelab::ui
