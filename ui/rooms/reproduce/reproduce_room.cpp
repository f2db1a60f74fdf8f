#include "ui/rooms/reproduce/reproduce_room.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "core/data/known_sets.h"
#include "core/reproduce/report.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/controls/table_view.h"
#include "ui/controls/text_table.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/reproduce/claims_page.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/reproduce/letters_view.h"
#include "ui/rooms/reproduce/sheet_words.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/session/settings.h"
#include "ui/shell/actions.h"
#include "ui/shell/findables.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Names of the tabs, in the order of Page.
constexpr std::array<const char*, 6> kParts = {"effects", "claims", "comparison", "checks", "predictions", "letters"};

}  // namespace

QWidget* ReproduceRoom::panel(QWidget* /*parent*/) {
    m_panel->show();
    return m_panel;
}

void ReproduceRoom::addActions(ActionRegistry& registry, const RoomHandle<ReproduceRoom>& room) {
    registry.add({.id = "reproduce.start",
                  .menu = "Run",
                  .text = u"Start or continue reproduction"_s,
                  .handler = [room] { room->m_panel->startButton()->click(); },
                  .enabled = [room] { return !room.made() || room->m_panel->startButton()->isEnabled(); },
                  .separatorBefore = true});
    registry.add({.id = "reproduce.copy", .menu = "Edit", .text = u"Copy reproduction as table"_s, .handler = [room] {
                      room->copyTable();
                  }});
    registry.add({.id = "reproduce.save", .menu = "File", .text = u"Save reproduction as table …"_s, .handler = [room] {
                      room->saveTable();
                  }});
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        registry.add(
            {.id = u"reproduce."_s + QLatin1String(kParts[i]),
             .menu = {},
             .text = u"Reproduce: %1"_s.arg(titleOf(static_cast<Page>(i))),
             .handler = registry.inRoom("reproduce", [room, i] { room->showPart(QLatin1String(kParts[i])); })});
    }
}

FigureOrigin ReproduceRoom::originOf(const Figure&) {
    const LabFile* lab = m_access.lab.file();
    if (m_page != Page::effects || !lab) return {};
    return forestOrigin(*lab, m_access.runs, m_effects->claimBox().currentData().toString());
}

void ReproduceRoom::refreshNow() {
    try {
        m_trainer.loadNow();
    } catch (const std::exception& error) {
        emit m_actions.problem(u"reproduce"_s, QString::fromStdString(error.what()));
    }
    refresh();
    m_effects->refreshNow();
    m_letters->refreshNow();
}

void ReproduceRoom::addParts() {
    addFigure({&m_effects->view(), [this] { return m_effects->figure(); }});
    addFigure({&m_letters->view(), [this] { return m_letters->figure(); }});
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        const auto page = static_cast<Page>(i);
        addPart({QLatin1String(kParts[i]), [this, page] { showPage(page); }, [this, page] { return m_page == page; }});
    }
    addControl(controlOf(u"sheet"_s, m_panel->form().field<QComboBox>("sheet")));
    addBars({m_measure});
    addChoices({m_measure, &m_effects->claimBox(), &m_letters->slider()});
    addChoice(m_panel->form().field<QWidget>("scale"), static_cast<int>(SheetScale::laptop));
    for (QToolButton* tab : m_tabs) addBars({tab});
}

void ReproduceRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    m_trainer.watch(true);
    refresh();
}

void ReproduceRoom::hideEvent(QHideEvent* event) {
    Room::hideEvent(event);
    m_trainer.watch(false);
}

void ReproduceRoom::adoptSheet() {
    if (const auto& sheet = m_trainer.sheet()) {
        m_panel->choose(sheet->plan.sheet, sheet->plan.scale);
    }
    m_planned.reset();
    if (isVisible()) refresh();
}

void ReproduceRoom::refresh() {
    refreshPlan();
    refreshState();
    refreshTitle();
    m_panel->output().setReady(m_plan.has_value());
    refreshMeasures();
    if (m_isStale) refreshTables();
}

void ReproduceRoom::refreshTitle() {
    if (m_page == Page::letters) return m_title->setText(u"Brahmachary 2025: code length of two letters"_s);
    // A sheet that cannot be planned, for example without its data sets, still has its title.
    m_title->setText(QString::fromStdString(
        m_plan ? m_plan->title : sheet(m_panel->form().value("sheet").toString().toStdString()).title));
}

// Prefers the lab's stored sheet to the chosen one.
void ReproduceRoom::refreshPlan() {
    try {
        const ReproducePanel::Choice choice = m_panel->choice();
        const auto& stored = m_trainer.sheet();
        const auto seedsOf = [](const SheetPlan& plan) {
            return static_cast<std::int64_t>(plan.experiment.values("seed").size());
        };
        m_isStored = stored && stored->plan.sheet == choice.sheet && stored->plan.scale == choice.scale &&
                     (!choice.seeds || *choice.seeds == seedsOf(stored->plan));
        const auto& progress = m_trainer.progress();
        if (m_isStored) {
            m_isStale = true;
            const bool isOther = !m_plan || m_planned || m_cost.isEmpty();
            m_plan = stored->plan;
            m_rows = progress ? progress->rows : evaluate(*m_plan, {});
            m_scored = progress ? progress->predictions : score(*m_plan, {});
            m_planned.reset();
            m_missing.clear();
            m_problem.clear();
            if (!isOther) return;
        } else if (!m_planned || *m_planned != choice) {
            m_plan.reset();
            m_planned = choice;
            m_missing.clear();
            m_plan = sheet(choice.sheet).plan({choice.scale, choice.seeds, m_access.dataDir});
            if (choice.scale != SheetScale::smoke) m_missing = m_plan->missing_sets;
            m_rows = evaluate(*m_plan, {});
            m_scored = score(*m_plan, {});
            m_problem.clear();
        } else {
            return;
        }
        m_isStale = true;
        m_cost = costWords(*m_plan, m_access.dataDir);
    } catch (const std::exception& error) {
        if (const auto* missing = dynamic_cast<const MissingSet*>(&error)) m_missing = {missing->name};
        m_isStale = true;
        m_plan.reset();
        m_isStored = false;
        m_cost.clear();
        m_rows.clear();
        m_scored.clear();
        m_problem = QString::fromStdString(error.what());
    }
}

void ReproduceRoom::refreshState() {
    using Step = SheetTrainer::Step;
    const Step step = m_trainer.step();
    const bool isReadOnly = m_access.lab.isReadOnly();
    const bool isTraining = m_access.session.isActive();
    ReproducePanel::Offer offer{u"Start"_s, false};
    QString words;
    const QString startedLab = m_plan && !m_isStored ? m_trainer.labOf(m_plan->sheet, m_plan->scale) : QString();
    if (step == Step::preparing) {
        words = u"Loading the data sets and storing the rules of the verdicts …"_s;
        offer = {u"Stop"_s, true};
    } else if (!m_plan) {
        words = m_problem;
    } else if (m_isStored) {
        words = progressWords(m_trainer, isReadOnly);
        const auto& progress = m_trainer.progress();
        const bool isComplete = progress && progress->isComplete();
        if (step != Step::idle) {
            offer = {u"Stop"_s, m_access.session.state() != SweepSession::State::stopping,
                     u"Stops after the current training step. The trained runs and their checkpoints stay in the lab "
                     "file."_s};
        } else if (isComplete) {
            offer = {u"Finished"_s, false, u"All runs of this reproduction are trained and measured."_s, !isTraining};
        } else {
            offer = {u"Continue"_s, !isReadOnly && !isTraining && progress,
                     isTraining ? u"The reproduction cannot continue while another sweep is training."_s : QString(),
                     !isTraining};
        }
    } else if (step != Step::idle || isTraining) {
        words =
            u"This reproduction has not started. Other runs are training; stop these runs, or wait until they "
            "end."_s;
        offer.why = u"The reproduction cannot start while other runs are training."_s;
    } else if (!startedLab.isEmpty()) {
        words = u"This reproduction was started in the lab file “%1”."_s.arg(QFileInfo(startedLab).completeBaseName());
        offer = {u"Open lab and continue"_s, true, startedLab, true};
    } else {
        words = notStartedWords(m_rows);
        offer.isRecommended = isTestable(m_rows);
        if (!offer.isRecommended) offer.text = u"Start without a verdict"_s;
        offer.isEnabled = true;
    }
    if (!m_isStored && !m_trainer.failure().isEmpty() && step == Step::idle) {
        words +=
            QLatin1Char(' ') + u"The last attempt to start this reproduction failed: %1"_s.arg(m_trainer.failure());
    }
    if (m_words->text() != words) m_words->setText(words);
    m_panel->offer(offer);
    m_panel->offerSets(m_missing);
    m_panel->showCost(m_cost.isEmpty() ? QString() : m_cost + QLatin1Char('.'));
    m_panel->showProblem(m_problem);
}

void ReproduceRoom::refreshTables() {
    m_isStale = false;
    m_claims->setSheet(m_plan.value_or(SheetPlan{}), m_rows, m_cost);
    const std::vector<Claim> claims = m_plan ? m_plan->claims : std::vector<Claim>{};
    m_comparison->setContent(comparisonTable(m_rows, m_measure->currentData().toString().toStdString(), claims));
    m_effects->setSheet(m_plan.value_or(SheetPlan{}), m_rows);
    m_checks->setContent(m_plan ? checkTable(m_plan->sheet) : TextTable::Content{});
    m_predictions->setContent(predictionTable(m_scored), predictionWords(m_scored));
    fitColumns();
    if (!m_comparisonView->currentIndex().isValid()) selectRow(0);
    refreshSelectedRow();
}

void ReproduceRoom::start() {
    if (m_trainer.step() != SheetTrainer::Step::idle) return m_trainer.stop();
    if (!m_plan) return;
    if (m_isStored) return m_trainer.continueSheet();
    const QString startedLab = m_trainer.labOf(m_plan->sheet, m_plan->scale);
    startedLab.isEmpty() ? m_trainer.begin(*m_plan) : m_trainer.open(startedLab);
}

// Data sets may have been downloaded since the sheet's lab was created, so it is planned again.
void ReproduceRoom::startAgain() {
    try {
        const ReproducePanel::Choice choice = m_panel->choice();
        m_trainer.begin(sheet(choice.sheet).plan({choice.scale, choice.seeds, m_access.dataDir}));
    } catch (const std::exception& error) {
        m_panel->showProblem(QString::fromStdString(error.what()));
    }
}

QString ReproduceRoom::table() const {
    if (!m_plan) return {};
    switch (m_panel->output().format()) {
        case TableFormat::text:
            return QString::fromStdString(sheet_text(*m_plan, m_rows, m_scored));
        case TableFormat::csv:
            return QString::fromStdString(sheet_csv(m_rows));
        case TableFormat::latex:
            return QString::fromStdString(sheet_latex(*m_plan, m_rows));
        case TableFormat::json:
            return QString::fromStdString(sheet_json(*m_plan, m_rows, m_scored).dump(2)) + QLatin1Char('\n');
    }
    return {};
}

void ReproduceRoom::copyTable() {
    refresh();
    if (m_plan) QApplication::clipboard()->setText(table());
}

void ReproduceRoom::saveTable() {
    refresh();
    if (!m_plan) return;
    const QString suggestion =
        u"%1-%2.%3"_s.arg(QString::fromStdString(m_plan->sheet), QString::fromStdString(to_string(m_plan->scale)),
                          suffixOf(m_panel->output().format()));
    const QString path = dialogs().save(this, {.title = u"Save table"_s, .path = suggestion});
    if (path.isEmpty()) return;
    m_actions.attempt(u"reproduce"_s, [&] { ropelab::ui::saveTable(path, table()); });
}

namespace {

// Widest table column in pixels at 100 % scale; longer texts are shown in tooltips.
constexpr int kWidestColumn = 420;
constexpr int kLowPage = 400;  // height at 100 % of a page that scrolls

struct Tab {
    const char* title;
    const char* why;
};
// Tabs in the order of Page.
constexpr Tab kTabs[] = {
    {"Effects",
     "Shows a forest plot: the effect of each group of runs with its interval, the range that the verdict's rule "
     "tests, the published effect and the verdict."},
    {"Claims and rules", "Shows the published claims, the runs that test them, and the rules of the verdicts."},
    {"Comparison", "Shows the results of this lab beside the published ones, with difference, p value and verdict."},
    {"Source checks", "Checks statements of the publication by recomputing them from the publication's own tables."},
    {"Predictions", "Shows what theories of RoPE predicted before the runs, and which predictions were right."},
    {"Bits per letter",
     "Shows the example of Brahmachary 2025: code lengths of the letters A and B in bits, against the probability of "
     "A."},
};

QLabel* makeLabel(const QString& name, QWidget* parent) {
    QLabel* label = makeText(name, parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

ReproduceRoom::ReproduceRoom(SessionActions& actions, RunAccess access, Settings& settings, QWidget* parent)
    : Room(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_settings(settings),
      m_trainer(m_actions, m_access, m_settings),
      m_panel(new ReproducePanel(m_settings, this)) {
    setObjectName(u"reproduce"_s);
    m_panel->hide();
    m_comparison = new TextTable(this);
    m_seeds = new TextTable(this);

    auto* layout = scaledColumn(this, 8, {12, 8, 12, 12});
    m_title = makeLabel(u"Sheet"_s, this);
    m_title->setProperty("roomTitle", true);
    m_words = m_panel->stateLabel();
    layout->addWidget(m_title);
    layout->addWidget(makeBar());
    m_claims = new ClaimsPage(this);
    connect(m_claims, &ClaimsPage::effectsAsked, this, [this](const QString& claim) {
        chooseData(&m_effects->claimBox(), claim);
        showPage(Page::effects);
    });
    m_effects = new ForestView(this);
    m_panel->addClaimChoice(&m_effects->claimBox());
    m_letters = new LettersView(this);
    m_pages = new QStackedWidget(this);
    const auto addPage = [this](QWidget* page) {  // the first page is shown, so its look is known before
        page->setProperty("paper", true);
        page->setAttribute(Qt::WA_StyledBackground);
        m_pages->addWidget(page);
    };
    addPage(m_effects);
    m_pages->addWidget(m_claims);  // it consists of cards
    addPage(makeComparison());
    m_checks = new TextList(
        u"Checks of the publication's statements about its own numbers"_s,
        u"Each row compares a statement of the publication about its own numbers with the value recomputed from these "
        "numbers. No run of this lab is used."_s,
        u"The publication makes no statement that can be recomputed from its tables."_s, this);
    addPage(m_checks);
    m_predictions = makePredictionList(
        u"This reproduction has no predictions: no theory predicts the measures that it compares."_s, this);
    addPage(m_predictions);
    addPage(m_letters);
    layout->addWidget(m_pages, 1);
    for (int i = 0; i < m_pages->count(); ++i) shownBy(m_pages->widget(i), m_tabs[i]);
    for (TextList* list : {m_checks, m_predictions}) scaleLayout(list->layout(), {12, 8, 12, 8}, 8);
    addParts();
    showPage(Page::effects);

    connect(&m_trainer, &SheetTrainer::sheetChanged, this, &ReproduceRoom::adoptSheet);
    connect(&m_trainer, &SheetTrainer::changed, this, [this] {
        if (isVisible()) refresh();
    });
    connect(&m_access.session, &SweepSession::stateChanged, this, [this] {
        if (isVisible()) refreshState();
    });
    connect(m_panel, &ReproducePanel::changed, this, [this] {
        if (isVisible()) refresh();
    });
    connect(m_panel, &ReproducePanel::setsDownloaded, this, [this] {
        m_planned.reset();
        if (isVisible()) refresh();
    });
    connect(m_panel, &ReproducePanel::startAsked, this, &ReproduceRoom::start);
    connect(m_panel, &ReproducePanel::startAgainAsked, this, &ReproduceRoom::startAgain);
    connect(&m_panel->output(), &TableOutput::copyRequested, this, &ReproduceRoom::copyTable);
    connect(&m_panel->output(), &TableOutput::saveRequested, this, &ReproduceRoom::saveTable);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        m_isStale = true;
        if (isVisible()) refreshTables();
    });
    adoptSheet();
}

ReproduceRoom::~ReproduceRoom() = default;

QString ReproduceRoom::titleOf(Page page) {
    return QString::fromUtf8(kTabs[static_cast<std::size_t>(page)].title);
}

QWidget* ReproduceRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar);
    scaleLayout(flow, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(bar);
    for (const Tab& tab : kTabs) {
        const int index = static_cast<int>(m_tabs.size());
        const QString title = QString::fromUtf8(tab.title);
        QToolButton* button = addToggle(flow, group, title, u"Show %1"_s.arg(title), QString::fromUtf8(tab.why));
        m_tabs.append(button);
        connect(button, &QToolButton::clicked, this, [this, index] { showPage(static_cast<Page>(index)); });
    }
    return bar;
}

QWidget* ReproduceRoom::makeComparison() {
    auto* page = new QWidget(this);
    auto* column = scaledColumn(page, 8, {12, 8, 12, 8});
    m_measure = new QComboBox(page);
    m_measure->setAccessibleName(u"Measure"_s);
    m_measure->setToolTip(u"Selects the measure whose rows the table shows; rows of other measures are hidden."_s);
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_measure->setFocusPolicy(Qt::StrongFocus);
    m_measure->addItem(u"all measures"_s, QString());
    connect(m_measure, &QComboBox::currentIndexChanged, this, [this] {
        m_isStale = true;
        if (isVisible()) refreshTables();
    });
    column->addWidget(m_measure, 0, Qt::AlignLeft);
    m_comparisonView = makeTableView(u"Comparison"_s, m_comparison, page);
    connect(m_comparisonView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ReproduceRoom::refreshSelectedRow);
    column->addWidget(m_comparisonView, 1);
    auto* row = scaledRow(nullptr, 12);
    auto* texts = scaledColumn(nullptr, 4);
    m_rowTitle = makeLabel(u"Selected row"_s, page);
    m_rowTitle->setProperty("heading", true);
    m_rowText = makeLabel(u"Verdict on the selected row"_s, page);
    m_rowText->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    texts->addWidget(m_rowTitle);
    texts->addWidget(m_rowText, 1);
    row->addLayout(texts, 3);
    m_seedView = makeTableView(u"Values per seed"_s, m_seeds, page);
    row->addWidget(m_seedView, 2);
    column->addLayout(row);
    return page;
}

void ReproduceRoom::showPage(Page page) {
    m_page = page;
    const int index = static_cast<int>(page);
    m_tabs[index]->setChecked(true);
    m_pages->setCurrentIndex(index);
    refreshTitle();
    if (page == Page::effects) emit m_effects->view().chosen();
    if (page == Page::letters) emit m_letters->view().chosen();
    emit actionsChanged();
}

void ReproduceRoom::fitPage(const QSize& page) {
    m_effects->setLow(page.height() < ThemeManager::instance().pixels(kLowPage));
}

void ReproduceRoom::fitColumns() {
    const ThemeManager& theme = ThemeManager::instance();
    m_comparisonView->resizeColumnsToContents();
    const int widest = theme.pixels(kWidestColumn);
    for (int i = 0; i < m_comparison->columnCount(); ++i) {
        m_comparisonView->setColumnWidth(i, std::min(widest, m_comparisonView->columnWidth(i)));
    }
}

void ReproduceRoom::resizeEvent(QResizeEvent* event) {
    Room::resizeEvent(event);
    fitColumns();
}

void ReproduceRoom::refreshMeasures() {
    QStringList names;
    if (m_plan) {
        for (const PlannedRow& row : m_plan->rows) {
            const QString name = QString::fromStdString(row.measure);
            if (!names.contains(name)) names << name;
        }
    }
    if (names.size() != 1) names << QString();
    QStringList shown;
    for (int i = 0; i < m_measure->count(); ++i) shown << m_measure->itemData(i).toString();
    if (shown == names) return;
    const QSignalBlocker quiet(m_measure);
    m_measure->clear();
    for (const QString& name : names) {
        m_measure->addItem(name.isEmpty() ? u"all measures"_s : measureTitleOf(name.toStdString()), name);
    }
}

void ReproduceRoom::refreshSelectedRow() {
    const std::vector<std::size_t> indices = comparedRows(m_rows, m_measure->currentData().toString().toStdString());
    const int selected = m_comparisonView->currentIndex().row();
    const bool isSelected = selected >= 0 && selected < static_cast<int>(indices.size());
    if (!isSelected) {
        m_rowTitle->clear();
        m_rowText->clear();
        m_seeds->setContent({});
        m_seedView->hide();
        return;
    }
    const SheetRow& row = m_rows[indices[static_cast<std::size_t>(selected)]];
    m_rowTitle->setText(rowTitle(row.plan) + u": "_s + measureTitleOf(row.plan.measure));
    m_rowText->setText(withUnbreakablePercent(rowWords(row)));
    m_seeds->setContent(seedTable(row));
    m_seedView->resizeColumnsToContents();
    m_seedView->setVisible(m_seeds->rowCount() > 0);
}

void ReproduceRoom::selectRow(int row) {
    if (row < m_comparison->rowCount()) m_comparisonView->setCurrentIndex(m_comparison->index(row, 0));
}

}  // namespace ropelab::ui

#include "moc_reproduce_room.cpp"
