#include "ui/rooms/results/results_room.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/results/across_texts.h"
#include "core/results/decision_aid.h"
#include "core/results/interactions.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/fitting_label.h"
#include "ui/controls/table_view.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/results/generation_measurement.h"
#include "ui/rooms/results/group_table.h"
#include "ui/rooms/results/predictions_page.h"
#include "ui/rooms/results/results_panel.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/empty_page.h"
#include "ui/shell/setting_name_dialog.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// The least time between two updates of the table while runs train.
constexpr int kUpdateMs = 200;
constexpr std::size_t kMostComparedNow = 500;  // the tests of more runs would stop the window
constexpr int kMostSeeds = 12;                 // more runs of a group scroll
constexpr int kLongestName = 12;               // of the selected setting, beside its number of runs

// Heights in pixels at a scale of 100 %.
constexpr int kLowestFigure = 200;
constexpr int kLowPage = 400;  // there the page scrolls
constexpr int kMostRowsOfLow = 12;

/// One sentence per data set, and the details for the tooltip.
std::pair<QString, QString> decisionTexts(const ResultsTable& table, const DecisionChoice& choice) {
    DecisionNames names = decision_names(table);
    names.group = [&table](const ResultGroup& group) { return shortLabel(table, group).toStdString(); };
    names.loss = [](const Measure& measure) { return measureTitle(measure).toStdString(); };
    QStringList sentences;
    QStringList details;
    for (const DecisionAid& aid : decision_aids(table, choice)) {
        sentences << u"By %1 and %2: %3"_s.arg(QString::fromStdString(names.loss(measures()[aid.loss])),
                                               QString::fromStdString(names.cost(aid.cost)),
                                               QString::fromStdString(decision_words(aid, table, names)));
        details << texts(decision_details(aid, table, names));
    }
    details << QString() << QString::fromStdString(decision_rule_words(table));
    return {sentences.join(QLatin1Char('\n')), details.join(QLatin1Char('\n'))};
}

/// At which steps the losses of unfinished runs were measured; "" if none counts.
QString unfinishedWords(const Results& results, const RunStore& store) {
    std::set<std::int64_t> steps;
    std::int64_t runs = 0;
    for (const ResultGroup& group : results.table.groups) {
        for (const std::size_t member : group.counted) {
            const RunView* run = store.find(results.runAt(member));
            if (!run || run->record.state == RunState::finished || !run->last) continue;
            ++runs;
            steps.insert(run->last->iteration);
        }
    }
    if (runs == 0) return {};
    const QString first = groupedText(*steps.begin());
    return u"Not finished: %1, shown with the losses of %2."_s.arg(
        countText(runs, u"run"_s),
        steps.size() == 1 ? u"step %1"_s.arg(first) : u"steps %1 to %2"_s.arg(first, groupedText(*steps.rbegin())));
}

/// The largest decided difference, or that none is.
QString headlineOf(const ResultsTable& table) {
    if (table.groups.empty()) return {};
    const auto began = [](const ResultGroup& each) {
        return std::ranges::any_of(each.summaries, &RunSummary::iterations);
    };
    if (table.open() > 0 && std::ranges::none_of(table.groups, began))
        return u"The runs begin; the first comparison follows after their first steps"_s;
    if (table.groups.size() == 1 && !table.target()) {
        const ResultGroup& only = table.groups.front();
        const Measure& measure = measures()[table.compared];
        return (table.open() > 0 ? u"Not finished; so far: "_s : QString()) +
               u"%1: %2 %3 (%4)"_s.arg(measureTitle(measure), text(measure_cell(only, table.compared)),
                                       measureUnit(table), countText(only.described[table.compared].n, u"seed"_s));
    }
    QString decided = numberText(headline(
        table, [&](const ResultGroup& group) { return settingInWords(settingName(table, group)).toStdString(); }));
    if (!decided.isEmpty()) {
        if (decided[0].unicode() < 128) decided[0] = decided[0].toUpper();  // but not θ
        return headlineText(decided);
    }
    if (isNothingCompared(table)) {
        return u"No significance test is possible: each group has a %1 of its own"_s.arg(text(data_words(table)));
    }
    const ResultGroup* nearest = nullptr;
    const auto p = [](const ResultGroup& group) { return group.decided().p_holm; };
    for (const ResultGroup& group : table.groups) {
        if (p(group) && (!nearest || *p(group) < *p(*nearest))) nearest = &group;
    }
    const ResultGroup& own = table.groups[table.baseline];
    const QString title = baselineTitle(table);
    const QString baseline = title == longLabel(table, own) ? settingName(table, own) : title;
    if (!nearest) return u"No significance test against %1 is possible yet"_s.arg(baseline);
    if (const std::string words = equivalence_headline(table, baseline.toStdString()); !words.empty())
        return headlineText(text(words));
    if (verdict_of(table, *nearest).kind == Verdict::Kind::equivalent) {
        return headlineText(u"No setting is known to differ from %1%2 by more than the relevance margin of %3"_s.arg(
            baseline, text(text_words(table)), text(margin_words(table))));
    }
    if (table.sequential) {
        return headlineText(u"No setting differs significantly from %1%2 (%3)"_s.arg(baseline, text(text_words(table)),
                                                                                     text(stopping_state(table))));
    }
    const auto difference = [](const ResultGroup& group) {
        const auto& estimate = group.decided().estimate;
        return estimate ? std::abs(estimate->difference) : 0.0;
    };
    const ResultGroup& farthest =
        *std::max_element(table.groups.begin(), table.groups.end(),
                          [&](const ResultGroup& a, const ResultGroup& b) { return difference(a) < difference(b); });
    return headlineText(
        u"No setting differs significantly from %1%7 with %2%8 (p ≥ %3); the largest difference is %4 %5 (%6)"_s.arg(
            baseline, testedSeeds(table), text(p_text(p(*nearest))), text(rough_text(difference(farthest))),
            measureUnit(table), settingName(table, farthest), text(text_words(table)),
            look_warning(table).empty() ? QString() : u", tested before with fewer seeds"_s));
}

}  // namespace

ResultsRoom::ResultsRoom(SessionActions& actions, RunAccess access, Settings& settings, QWidget* parent)
    : Room(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_settings(settings),
      m_groups(new GroupTable(this)),
      m_order(new GroupOrder(this)),
      m_seeds(new TextTable(this)),
      m_panel(new ResultsPanel(m_access.lab, m_settings, this)),
      m_generation(new GenerationMeasurement(m_access, m_panel)),
      m_pages(new QStackedWidget(this)),
      m_predictionsPage(new PredictionsPage(m_access, this)) {
    setObjectName(u"results"_s);
    m_panel->hide();
    m_panel->addWidget(m_generation);
    connect(m_generation, &GenerationMeasurement::measured, this, [this] {
        // While a sweep trains, the file lags behind the runs; they are read again at its end.
        const LabFile* file = m_access.lab.file();
        if (file && !m_access.session.isActive()) m_access.runs.refreshRecords(*file);
    });
    auto* layout = scaledColumn(this, 4, {12, 4, 12, 4});
    m_order->setSourceModel(m_groups);
    m_order->setSortRole(GroupTable::kSortRole);
    m_bar = makeBar();
    layout->addWidget(m_bar);
    m_pages->addWidget(makeEmptyState());
    m_pages->addWidget(makeResults());
    m_pages->addWidget(m_predictionsPage);
    layout->addWidget(m_pages, 1);
    connect(m_predictionsPage, &PredictionsPage::changed, this, &ResultsRoom::renewPages);
    addParts();
    showPage(Page::groups);

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible() && m_stale) renewLater();
    });
    RunStore& runs = m_access.runs;
    connect(&runs, &RunStore::reloaded, this, &ResultsRoom::schedule);
    connect(&runs, &RunStore::runChanged, this, &ResultsRoom::schedule);
    connect(&runs, &RunStore::runPicked, this, &ResultsRoom::takeGroup);
    connect(&m_access.session, &SweepSession::stateChanged, this, &ResultsRoom::schedule);
    connect(&m_access.lab, &LabDocument::opened, this, [this] {
        m_orderWanted = true;
        m_isNewLab = true;
        m_job.cancel();
        m_hasCountedRuns = false;
    });
    connect(&m_job, &LatestJob::runningChanged, this, [this](bool isRunning) {
        // The first results restore the choices that were saved for the lab.
        m_panel->setEnabled(!isRunning || !m_isNewLab);
    });
    connect(m_panel, &ResultsPanel::changed, this, [this] {
        m_stale = true;
        m_job.cancel();  // its choices are not those of the panel any more
        if (isVisible()) renewLater();
    });
    connect(m_panel, &ResultsPanel::copyRequested, this, &ResultsRoom::copyTable);
    connect(m_panel, &ResultsPanel::saveRequested, this, &ResultsRoom::saveTable);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ResultsRoom::restyle);
    restyle();
}

ResultsRoom::~ResultsRoom() = default;

QString ResultsRoom::headline() const {
    return m_headline->text();
}

QWidget* ResultsRoom::panel(QWidget* /*parent*/) {
    m_panel->show();
    return m_panel;
}

void ResultsRoom::addActions(ActionRegistry& registry, const RoomHandle<ResultsRoom>& room) {
    registry.add({.id = "results.copy", .menu = "Edit", .text = u"Copy results table"_s, .handler = [room] {
                      room->copyTable();
                  }});
    registry.add({.id = "results.save", .menu = "File", .text = u"Save results table …"_s, .handler = [room] {
                      room->saveTable();
                  }});
    const auto here = [&registry](const std::function<void()>& change) { return registry.inRoom("results", change); };
    registry.add({.id = "results.nextFigure",
                  .menu = "View",
                  .text = u"Show next results figure"_s,
                  .handler = here([room] {
                      room->showPage(Page::groups);
                      room->m_figures->step(1);
                  }),
                  .separatorBefore = true});
    registry.add({.id = "results.previousFigure",
                  .menu = "View",
                  .text = u"Show previous results figure"_s,
                  .handler = here([room] {
                      room->showPage(Page::groups);
                      room->m_figures->step(-1);
                  })});
    registry.add({.id = "results.predictions",
                  .menu = "View",
                  .text = u"Show predictions for the sweep"_s,
                  .handler = here([room] { room->showPage(Page::predictions); })});
    registry.add({.id = "results.measureGeneration",
                  .menu = "Run",
                  .text = u"Measure generation speed of the results"_s,
                  .handler = here([room] { room->measureGeneration(); }),
                  .liveText =
                      [room] {
                          return room.made() && room->m_generation->isMeasuring()
                                     ? u"Stop measuring the generation speed"_s
                                     : u"Measure generation speed of the results"_s;
                      },
                  .separatorBefore = true});
    for (const ResultsFigure& figure : resultsFigures()) {
        const QString name = QLatin1String(figure.name);
        registry.add({.id = u"results.figure."_s + name,
                      .menu = {},
                      .text = u"Show results figure: %1"_s.arg(figure.title),
                      .handler = here([room, name] { room->showPart(name); })});
    }
}

void ResultsRoom::measureGeneration() {
    if (m_stale) renew();  // chooses the experiment
    m_generation->toggle();
    // The panel can be folded away, so the window also says why nothing is measured.
    const QString id = u"results.generation"_s;
    if (m_generation->isMeasuring() || m_generation->words().isEmpty()) {
        emit m_actions.solved(id);
    } else {
        emit m_actions.problem(id, m_generation->words());
    }
}

ResultsChoices ResultsRoom::shownChoices() const {
    ResultsChoices result = m_panel->choices();
    // What a lecture trains in front of the class is shown while it grows.
    if (!m_access.lab.isOwn() && m_access.session.isActive()) result.options.unfinished = true;
    return result;
}

FigureOrigin ResultsRoom::originOf(const Figure& figure) {
    const LabFile* lab = m_access.lab.file();
    if (!lab) return {};
    const bool withPublished = m_panel->form().value("published").toBool();
    FigureOrigin origin = resultsOrigin(*lab, shownChoices(), *m_results, withPublished, m_picked);
    origin.flags[u"figure"_s] = figure.name;
    return origin;
}

void ResultsRoom::refreshNow() {
    renew();
    try {
        m_predictionsPage->loadNow();
    } catch (const std::exception& error) {
        emit m_actions.problem(u"results"_s, QString::fromStdString(error.what()));
    }
    m_figures->refreshNow();
}

bool ResultsRoom::isBusy() const {
    return m_page == Page::predictions ? m_predictionsPage->isLoading() : m_job.isRunning() || m_figures->isBusy();
}

void ResultsRoom::addParts() {
    addFigure({&m_figures->view(), [this] {
                   if (m_stale) renew();
                   return m_figures->figure();
               }});
    for (const ResultsFigure& figure : resultsFigures()) {
        const QString name = QLatin1String(figure.name);
        addPart({name,
                 [this, name] {
                     m_figures->choose(name);
                     showPage(Page::groups);
                 },
                 [this, name] { return m_page == Page::groups && name == QLatin1String(m_figures->chosen().name); },
                 {m_head, m_table}});
    }
    addPart(
        {u"predictions"_s, [this] { showPage(Page::predictions); }, [this] { return m_page == Page::predictions; }});
    addControl(controlOf(u"quantity"_s, m_panel->form().field<QComboBox>("measure")));
    addBars({m_bar, m_figures->bar()});
    for (const auto& [field, key] : {std::pair("measure", "results/measure"),
                                     {"test", "results/test"},
                                     {"target", "results/target"},
                                     {"published", "results/published"},
                                     {"loss", "results/decisionLoss"},
                                     {"cost", "results/decisionCost"}})
        addChoice(m_panel->form().field<QWidget>(field), Settings::standard(key));
}

void ResultsRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    if (m_stale) renewLater();
    if (!std::exchange(m_isFitted, true)) fitColumns();
    m_predictionsPage->watch(true);
}

void ResultsRoom::hideEvent(QHideEvent* event) {
    Room::hideEvent(event);
    m_predictionsPage->watch(false);
}

void ResultsRoom::showPage(Page page) {
    m_page = page;
    m_tabs->button(static_cast<int>(page))->setChecked(true);
    renewPages();
    emit actionsChanged();
}

void ResultsRoom::renewPages() {
    const bool isSweep = !m_access.runs.runs().empty() || !m_predictionsPage->isEmpty();
    m_pages->setCurrentIndex(m_page == Page::predictions && isSweep ? 2 : m_hasCountedRuns ? 1 : 0);
    m_bar->setVisible(m_page == Page::predictions || !m_predictionsPage->isEmpty());
}

void ResultsRoom::schedule() {
    m_stale = true;
    m_wanted = m_wanted || m_job.isRunning();
    if (isVisible() && !m_timer.isActive()) m_timer.start(kUpdateMs);
}

void ResultsRoom::renewLater() {
    const RunStore& runs = m_access.runs;
    if (runs.runs().size() <= kMostComparedNow) return renew();
    m_wanted = m_job.isRunning();  // starting it again at every change would never let it finish
    if (m_wanted) return;
    m_timer.stop();
    m_job.start([this, chosen = chosenRuns(runs, shownChoices()), choices = shownChoices(),
                 decision = m_panel->decision()](const Cancelled&) mutable {
        const auto made = std::make_shared<const Shown>(shownOf(std::move(chosen), choices, decision));
        return [this, made] {
            const bool isShown = showResults(*made, true);
            if (std::exchange(m_wanted, false)) schedule();
            if (!isShown) renewLater();
        };
    });
    if (!m_hasCountedRuns) renewEmptyState();
}

void ResultsRoom::renew() {
    m_job.cancel();
    const auto made = [this] {
        const ResultsChoices choices = shownChoices();
        return shownOf(chosenRuns(m_access.runs, choices), choices, m_panel->decision());
    };
    if (!showResults(made(), true)) showResults(made(), false);
}

ResultsRoom::Shown ResultsRoom::shownOf(ChosenRuns chosen, const ResultsChoices& choices,
                                        const DecisionChoice& decision) {
    Shown shown{std::make_shared<const Results>(resultsOf(std::move(chosen), choices.options)), choices};
    const ResultsTable& table = shown.results->table;
    shown.headline = withSharedData(headlineOf(table), table);
    QStringList words = {shown.results->words, overallWords(table),
                         text(interaction_words(table, interactions(table)))};
    for (const AcrossTexts& across : across_texts(table)) words << text(across_words(table, across));
    words.removeAll(QString());
    shown.words = words.join(QLatin1Char(' '));
    shown.warnings << text(search_warning(table)) << texts(condition_warnings(table));
    std::tie(shown.decisionWords, shown.decisionDetails) = decisionTexts(table, decision);
    return shown;
}

bool ResultsRoom::showResults(const Shown& shown, bool isFirst) {
    const QScopedValueRollback renewing(m_isRenewing, true);
    m_stale = false;
    m_timer.stop();
    m_results = shown.results;
    m_panel->renew(*m_results);
    m_isNewLab = false;
    if (isFirst && !shown.choices.sameRuns(shownChoices())) return false;
    const ResultsTable& table = m_results->table;
    m_hasCountedRuns = std::any_of(table.groups.begin(), table.groups.end(),
                                   [](const ResultGroup& group) { return !group.summaries.empty(); });
    renewPages();
    renewConversions();
    m_predictionsPage->choose(m_results->experiment);
    m_generation->choose(m_results->experiment);
    if (!m_hasCountedRuns) renewEmptyState();
    const int rows = m_groups->rowCount();
    QStringList titles;
    for (int i = 0; i < m_groups->columnCount(); ++i) titles << m_groups->titleOf(i);
    m_groups->setResults(m_results, m_panel->columns()->columns());
    m_panel->columns()->setColumns(m_groups->choices(), table);
    m_headline->setText(shown.headline);
    m_words->setText(shown.words);
    m_headline->setToolTip(m_words->text());
    QStringList warnings = QStringList(unfinishedWords(*m_results, m_access.runs)) + shown.warnings;
    warnings.removeAll(QString());
    m_warnings->setText(warnings.join(QLatin1Char(' ')));
    m_warnings->setVisible(!m_warnings->text().isEmpty());
    m_decision->setText(shown.decisionWords);
    m_decision->setToolTip(shown.decisionDetails);
    m_decision->setVisible(!m_decision->text().isEmpty());
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
    return true;
}

void ResultsRoom::saveOrder() {
    if (m_isRestoringOrder || m_orderWanted) return;
    const QString lab = m_access.lab.path();
    const QHeaderView* header = m_groupView->horizontalHeader();
    QJsonObject choices = labChoices(m_settings, lab);
    choices[u"order"_s] = m_groups->titleOf(header->sortIndicatorSection());
    choices[u"descending"_s] = header->sortIndicatorOrder() == Qt::DescendingOrder;
    saveLabChoices(m_settings, lab, choices);
}

void ResultsRoom::restoreOrder() {
    m_orderWanted = false;
    const QJsonObject choices = labChoices(m_settings, m_access.lab.path());
    const int column = m_groups->columnOf(choices.value(u"order"_s).toString());
    m_isRestoringOrder = true;
    m_groupView->sortByColumn(column,
                              choices.value(u"descending"_s).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
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
    m_goToTrain->setVisible(!m_job.isRunning());
    const QString example =
        m_access.lab.isUnsaved() ? u" The example is another lab file: File › Open example lab."_s : QString();
    if (m_job.isRunning()) {
        renewPages();
        m_emptyText->setText(u"The results of %1 are being computed …"_s.arg(countText(training + others, u"run"_s)));
    } else if (training > 0 && m_access.session.isActive()) {
        m_emptyText->setText(
            u"Training: %1. The first results appear when a run finishes; “Include unfinished runs” shows the latest "
            "losses now."_s.arg(countText(training, u"run"_s)) +
            example);
    } else if (training + others > 0) {
        m_emptyText->setText(
            u"None of the selected runs has finished. Resume the runs on the page Train, select “Include unfinished "
            "runs”, or choose another experiment if the list has one."_s +
            example);
    } else {
        m_emptyText->setText(
            u"To compare settings, train a sweep with several seeds. Runs that differ only in their seed form one "
            "row of the table: mean ± standard deviation, improvement over a baseline, and its significance. A test "
            "needs at least two seeds per group; with three seeds the test detects only large differences, with ten "
            "seeds most differences."_s);
    }
}

void ResultsRoom::renewConversions() {
    m_conversions.clear();
    m_actions.attempt(u"results.conversions"_s, [this] {
        if (const LabFile* file = m_access.lab.file()) m_conversions = stored_head_conversions(*file);
    });
}

void ResultsRoom::renewPicked() {
    const ResultsTable& table = m_results->table;
    const bool any = m_picked >= 0 && m_picked < static_cast<int>(table.groups.size());
    const std::vector<std::size_t> members =
        any ? table.groups[static_cast<std::size_t>(m_picked)].members : std::vector<std::size_t>();
    std::vector<RunId> runs;
    for (const std::size_t member : members) runs.push_back(m_results->runAt(member));
    if (runs != m_seedRuns) m_seeds->setContent({});  // a selection of other runs is not preserved
    m_seedRuns = std::move(runs);
    m_seeds->setContent(seedTable(*m_results, m_picked, m_panel->columns()->shown(), m_access.runs));
    m_seedView->resizeColumnsToContents();
    fitRows(m_seedView, std::clamp(m_seeds->rowCount(), 1, kMostSeeds));
    m_unfold->setEnabled(any);
    const QString name = any ? shortLabel(table, table.groups[static_cast<std::size_t>(m_picked)]) : QString();
    const QString count = countText(m_seeds->rowCount(), u"run"_s);
    m_unfold->setText(name.size() > kLongestName ? count : u"%1: %2"_s.arg(name, count));
    m_groupWords->setText(any && table.groups.size() > 1
                              ? groupVerdict(table, table.groups[static_cast<std::size_t>(m_picked)])
                              : QString());
    QStringList conversions;
    for (const StoredHeadConversion& stored : m_conversions) {
        if (std::none_of(members.begin(), members.end(),
                         [&](std::size_t member) { return m_results->runAt(member) == stored.run; })) {
            continue;
        }
        const RunView* run = m_access.runs.find(stored.run);
        conversions << u"%1: %2"_s.arg(run ? run->name : QString::number(stored.run),
                                       QString::fromStdString(head_conversion_words(stored.result)));
    }
    m_conversionWords->setText(conversions.join(QLatin1Char('\n')));
    m_conversionWords->setVisible(!conversions.isEmpty());
    m_figures->show(m_results, table.groups.size() > 1 ? m_picked : -1, m_panel->form().value("published").toBool());
}

void ResultsRoom::pickGroup(int group) {
    if (group < 0 || group >= m_groups->rowCount()) return;
    m_picked = group;
    const QModelIndex shown = m_order->mapFromSource(m_groups->index(group, 0));
    if (m_groupView->currentIndex().row() != shown.row()) {
        m_groupView->setCurrentIndex(shown);
    } else {
        m_groupView->selectRow(shown.row());
        if (!m_isRenewing) renewPicked();
    }
}

void ResultsRoom::shareGroup() {
    const RunId shared = m_access.runs.picked();
    if (m_isRenewing || m_seedRuns.empty() || shared < 0 || std::ranges::find(m_seedRuns, shared) != m_seedRuns.end())
        return;
    m_access.runs.pick(m_seedRuns.front());
}

void ResultsRoom::takeGroup() {
    const auto& groups = m_results->table.groups;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const std::size_t member : groups[i].members) {
            if (m_results->runAt(member) == m_access.runs.picked()) return pickGroup(static_cast<int>(i));
        }
    }
}

QString ResultsRoom::words() const {
    return m_warnings->text().isEmpty() ? m_words->text() : m_words->text() + QLatin1Char(' ') + m_warnings->text();
}

QString ResultsRoom::exportText() const {
    const Results results = resultsOf(m_access.runs, shownChoices(), m_access.lab.file());
    return formatted(results, m_predictionsPage->sweeps(), m_panel->format(), tableStyle(results.table),
                     m_panel->decision());
}

void ResultsRoom::showGroupMenu(const QPoint& where) {
    const QModelIndex under = m_groupView->indexAt(where);
    const QModelIndex cell = under.isValid() ? under : m_groupView->currentIndex();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(u"group-menu"_s);
    addNameEntry(*menu, m_order->mapToSource(cell));
    addColumnEntries(*menu, cell.column());
    menu->popup(m_groupView->viewport()->mapToGlobal(where));
}

void ResultsRoom::addNameEntry(QMenu& menu, const QModelIndex& index) {
    if (!index.isValid()) return;
    ResultGroup group = m_results->table.groups[static_cast<std::size_t>(index.row())];
    const RunView* run = m_access.runs.find(m_results->runAt(group.members.front()));
    if (!run) return;
    const QString name = QString::fromStdString(std::exchange(group.name, {}));
    menu.addAction(u"Rename setting …"_s, this,
                   [this, name, setting = run->setting, automatic = longLabel(m_results->table, group)] {
                       openSettingName(
                           automatic, name,
                           [this, setting](const QString& typed) { m_actions.renameSetting(setting, typed); }, this);
                   });
    menu.addSeparator();
}

void ResultsRoom::showSeedMenu(const QPoint& where) {
    const QModelIndex index = m_seedView->indexAt(where);
    if (!index.isValid()) return;
    const RunId run = m_seedRuns.at(static_cast<std::size_t>(index.row()));
    const bool excluded = m_panel->excludes(run);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(excluded ? u"Include run in results"_s : u"Exclude run from results"_s, this,
                    [this, run, excluded] { m_panel->setExcluded(run, !excluded); });
    menu->popup(m_seedView->viewport()->mapToGlobal(where));
}

TableStyle ResultsRoom::tableStyle(const ResultsTable& table) const {
    TableStyle style = m_panel->style();
    const auto known = column_names(table);
    // A lab can lack a column that was chosen in another lab.
    std::erase_if(style.columns, [&](const std::string& name) {
        return name != "short" && name != "paper" && name != "full" && name != "settings" &&
               std::none_of(known.begin(), known.end(), [&](const auto& each) { return each.first == name; });
    });
    return style;
}

void ResultsRoom::copyTable() {
    if (m_stale) renew();
    m_actions.attempt(u"results"_s, [this] { QApplication::clipboard()->setText(exportText()); });
}

void ResultsRoom::saveTable() {
    if (m_stale) renew();
    const ResultsPanel::Format format = m_panel->format();
    const QString path = dialogs().save(this, {.title = u"Save table as"_s, .path = u"results."_s + suffixOf(format)});
    if (path.isEmpty()) return;
    m_actions.attempt(u"results"_s, [&] { ropelab::ui::saveTable(path, exportText()); });
}

QWidget* ResultsRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = scaledRow(bar, 4);
    m_tabs = addToggles(
        row,
        {{u"Table and figures"_s, u"Show Table and figures"_s,
          u"Shows the results of the runs as figures and as a table of groups."_s},
         {u"Predictions"_s, u"Show Predictions"_s,
          u"Shows what each theory of RoPE predicted before the runs, and whether the prediction was right."_s}},
        [this](int page) { showPage(static_cast<Page>(page)); });
    row->addStretch(1);
    return bar;
}

QWidget* ResultsRoom::makeEmptyState() {
    const EmptyPage empty =
        makeEmptyPage(u"Compare the results of runs and test their significance"_s, {}, u"results"_s, this);
    m_emptyText = empty.text;
    m_goToTrain = empty.button;
    connect(m_goToTrain, &QPushButton::clicked, this, [this] { emit roomRequested(u"train"_s); });
    return empty.page;
}

QWidget* ResultsRoom::makeHead(QWidget* parent) {
    m_head = new QWidget(parent);
    auto* column = scaledColumn(m_head, 4);
    m_headline = new FittingLabel(m_head);
    m_headline->setAccessibleName(u"Verdict"_s);
    auto* explanation = new QFrame(m_head);
    explanation->setProperty("paper", true);
    auto* texts = scaledColumn(explanation, 8, {12, 8, 12, 8});
    m_words = makeText(u"Summary of the tests in the table"_s, explanation);
    m_decision = makeText(u"Settings that are not Pareto-dominated in loss and cost"_s, explanation);
    texts->addWidget(m_words);
    texts->addWidget(m_decision);
    m_warnings = makeText(u"Warnings"_s, m_head);
    m_tests = makeFold(
        u"Tests"_s,
        u"Shows which runs the means include, which difference the test can detect, and for which settings no test "
        "shows that another setting is better in loss or cost and not inferior in the other (Pareto-dominated "
        "settings are left out)."_s,
        explanation, m_head);
    column->addWidget(m_headline);
    column->addWidget(m_warnings);
    column->addWidget(explanation);
    return m_head;
}

QWidget* ResultsRoom::makeDetails(QWidget* parent) {
    m_details = new QWidget(parent);
    auto* column = scaledColumn(m_details, 4, {12, 0, 12, 8});
    auto* row = scaledRow(nullptr, 12);
    m_groupWords = makeText(u"Verdict on the selected group"_s, m_details);
    m_groupWords->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_seedView = makeTableView(u"Runs of the selected group"_s, m_seeds, m_details);
    m_seedView->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_seedView, &QTableView::customContextMenuRequested, this, &ResultsRoom::showSeedMenu);
    row->addWidget(m_groupWords, 2);
    row->addWidget(m_seedView, 3, Qt::AlignTop);
    m_conversionWords = makeText(u"Head conversions (to fewer KV heads) of the selected group's runs"_s, m_details);
    m_conversionWords->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_conversionWords->hide();
    column->addLayout(row);
    column->addWidget(m_conversionWords);  // below all other widgets, which keep their place
    return m_details;
}

QWidget* ResultsRoom::makeResults() {
    auto* page = new QWidget(this);
    auto* column = scaledColumn(page, 4);
    column->addWidget(makeHead(page));

    m_split = new QSplitter(Qt::Vertical, page);
    m_figures = new FigurePane(m_access.lab, m_access.runs, m_settings, m_access.dataDir, m_split);
    connect(m_figures, &FigurePane::groupPicked, this, &ResultsRoom::pickGroup);
    connect(m_figures, &FigurePane::exportRequested, this, &ResultsRoom::openExport);

    m_table = new QFrame(m_split);
    m_table->setProperty("panel", true);
    auto* rows = scaledColumn(m_table, 4);
    m_groupView = makeTableView(u"Groups"_s, m_order, m_table);
    m_groupView->setSortingEnabled(true);
    // Unsorted, the groups are in the order of their settings.
    m_groupView->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    connect(m_groupView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!current.isValid()) return;
                m_picked = m_order->mapToSource(current).row();
                if (!m_isRenewing) renewPicked();
                shareGroup();
            });

    QHeaderView* header = m_groupView->horizontalHeader();
    connect(header, &QHeaderView::sortIndicatorChanged, this, &ResultsRoom::saveOrder);
    header->setSectionsMovable(true);
    connect(header, &QHeaderView::sectionMoved, this, [this](int moved) {
        if (!m_isPlacingColumns) takeColumnOrder(moved);
    });
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint& where) {
        showColumnMenu(header->logicalIndexAt(where), header->viewport()->mapToGlobal(where));
    });
    m_groupView->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_groupView, &QWidget::customContextMenuRequested, this, &ResultsRoom::showGroupMenu);

    rows->addWidget(m_groupView, 1);
    QWidget* details = makeDetails(m_table);
    m_unfold =
        makeFold({}, u"Shows the verdict on the selected group of runs and a table of its runs."_s, details, m_table);
    connect(m_unfold, &QToolButton::clicked, this, &ResultsRoom::fitTable);
    m_figures->addToBar(m_tests);
    m_figures->addToBar(m_unfold);
    rows->addWidget(details);

    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_figures);
    m_split->addWidget(m_table);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    connect(m_split, &QSplitter::splitterMoved, this, [this] { m_splitByHand = true; });
    column->addWidget(m_split, 1);
    return page;
}

namespace {

/// The width that the widest of some cells needs, among them those in view. QTableView::sizeHintForColumn() asks the
/// style about each of them, which takes long.
int widthOfCells(const QTableView& view, int column) {
    const QFontMetricsF metrics(view.font());
    const int rows = view.model()->rowCount();
    const int most = view.horizontalHeader()->resizeContentsPrecision();
    const int first = std::max(0, std::min(view.rowAt(0), rows - most));
    const int end = std::min(rows, first + most);
    double widestText = -1;
    QModelIndex widest;
    for (int row = first; row < end; ++row) {
        const QModelIndex cell = view.model()->index(row, column);
        const double width = metrics.horizontalAdvance(cell.data().toString());
        if (width <= widestText) continue;
        widestText = width;
        widest = cell;
    }
    return widest.isValid() ? view.sizeHintForIndex(widest).width() : 0;
}

}  // namespace

void ResultsRoom::fitColumns() {
    const ThemeManager& theme = ThemeManager::instance();
    const QHeaderView& header = *m_groupView->horizontalHeader();
    const QFontMetrics metrics(header.font());
    QList<int> widths;
    QList<int> spare;  // space for the arrow of the sorted column, and margins
    for (int i = 0; i < m_groups->columnCount(); ++i) {
        const int words =
            metrics.horizontalAdvance(m_groups->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString());
        const int cells = widthOfCells(*m_groupView, i);
        widths << std::max({theme.pixels(48), header.sectionSizeHint(i), cells});
        spare << std::max(0, widths.last() - std::max({theme.pixels(48), words + theme.pixels(16), cells}));
    }
    // Where the columns are a little too wide for the table, they do without it, so that the verdict is seen.
    const int over = std::accumulate(widths.begin(), widths.end(), 0) - m_groupView->viewport()->width();
    const int all = std::accumulate(spare.begin(), spare.end(), 0);
    for (int i = 0; i < m_groups->columnCount(); ++i) {
        const int less = over > 0 && over <= all ? (over * spare[i] + all - 1) / all : 0;
        m_groupView->setColumnWidth(i, widths[i] - less);
    }
    fitTable();
}

void ResultsRoom::fitTable() {
    // The table is as high as its rows, but at most 30 % of the height in whole rows; the figure gets the rest.
    const int height = m_split->height();
    if (m_splitByHand || height <= 0) return;
    const bool isWide = m_groupView->horizontalHeader()->length() > m_groupView->viewport()->width();
    const int around = m_groupView->horizontalHeader()->sizeHint().height() +
                       (isWide ? m_groupView->horizontalScrollBar()->sizeHint().height() : 0) +
                       2 * m_groupView->frameWidth();
    const int row = m_groupView->verticalHeader()->defaultSectionSize();
    const int all = std::max(1, m_groups->rowCount());
    const int rows = m_isLow ? std::min(all, kMostRowsOfLow) : std::clamp((height * 3 / 10 - around) / row, 1, all);
    m_groupView->setMinimumHeight(around + rows * row);
    const int table = m_table->minimumSizeHint().height();
    m_split->setSizes({height - table, table});
}

void ResultsRoom::fitPage(const QSize& page) {
    const bool isLow = page.height() < ThemeManager::instance().pixels(kLowPage);
    if (std::exchange(m_isLow, isLow) != isLow) fitTable();
}

void ResultsRoom::resizeEvent(QResizeEvent* event) {
    Room::resizeEvent(event);
    fitTable();
}

void ResultsRoom::restyle() {
    const auto& manager = ThemeManager::instance();
    for (QTableView* view : {m_groupView, m_seedView}) view->setIconSize({manager.pixels(10), manager.pixels(10)});
    m_figures->view().setMinimumSize(manager.pixels(160), manager.pixels(kLowestFigure));
    if (!m_stale && isVisible()) fitColumns();
    m_isFitted = isVisible();
}

void ResultsRoom::takeColumnOrder(int moved) {
    QHeaderView* header = m_groupView->horizontalHeader();
    const QString name = m_groups->nameOf(moved);
    QStringList names;
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        const QString each = m_groups->nameOf(column);
        // The columns of the settings have one name and stay together, where the dragged one was dropped.
        if ((each != name || column == moved) && !names.contains(each)) names << each;
    }
    // The header is still in its own handling of the drag.
    QTimer::singleShot(0, this, [this, header, names] {
        m_isPlacingColumns = true;
        for (int column = 0; column < header->count(); ++column) {
            header->moveSection(header->visualIndex(column), column);
        }
        m_isPlacingColumns = false;
        m_panel->columns()->setShown(names);
    });
}

void ResultsRoom::moveColumn(const QString& name, int by) {
    QStringList names = m_panel->columns()->shown();
    const qsizetype place = names.indexOf(name);
    if (place < 0 || place + by < 0 || place + by >= names.size()) return;
    names.move(place, place + by);
    m_panel->columns()->setShown(names);
}

void ResultsRoom::showColumnMenu(int column, const QPoint& where) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(u"column-menu"_s);
    addColumnEntries(*menu, column);
    menu->popup(where);
}

void ResultsRoom::addColumnEntries(QMenu& menu, int column) {
    const QString name = m_groups->nameOf(column);
    if (!name.isEmpty()) {
        const QStringList shown = m_panel->columns()->shown();
        const auto place = shown.indexOf(name);
        menu.addAction(u"Hide column"_s, this,
                       [this, name, shown] {
                           QStringList others = shown;
                           others.removeAll(name);
                           m_panel->columns()->setShown(others);
                       })
            ->setEnabled(shown.size() > 1);
        menu.addAction(u"Move column left"_s, this, [this, name] { moveColumn(name, -1); })->setEnabled(place > 0);
        menu.addAction(u"Move column right"_s, this, [this, name] { moveColumn(name, 1); })
            ->setEnabled(place >= 0 && place + 1 < shown.size());
        menu.addSeparator();
    }
    menu.addActions(m_panel->columns()->menu()->actions());
}

}  // namespace ropelab::ui

#include "moc_results_room.cpp"
