#include <QButtonGroup>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/findables.h"
#include "ui/common/flow_layout.h"
#include "ui/common/prediction_table.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/table_view.h"
#include "ui/common/text_list.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/reproduce/forest_view.h"
#include "ui/rooms/reproduce/letters_view.h"
#include "ui/rooms/reproduce/reproduce_room.h"
#include "ui/rooms/reproduce/sheet_tables.h"
#include "ui/rooms/reproduce/sheet_words.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

// Widest table column in pixels at 100 % scale; longer texts are shown in tooltips.
constexpr int kWidestColumn = 420;

struct Tab {
    const char* title;
    const char* why;
};
// Tabs in the order of Page.
constexpr Tab kTabs[] = {
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Claims and rules"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom",
                       "Claims of the source, runs that test them, and rules of the verdicts.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Comparison"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom",
                       "Results of this lab next to the published ones, with difference, p value and verdict.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Effects"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom",
                       "Forest plot: effect of each row with its interval, range of the rule, published value and "
                       "verdict.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Source checks"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Statements of the source, recomputed from its own tables.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Predictions"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Preregistered predictions of the theories, with their scores.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Bits per letter"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom",
                       "Example of Brahmachary 2025: code lengths of the letters A and B in bits, against the "
                       "probability of A.")},
};

QLabel* makeLabel(const QString& name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAccessibleName(name);
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
    setObjectName(QStringLiteral("reproduce"));
    m_panel->hide();
    m_comparison = new TextTable(this);
    m_seeds = new TextTable(this);

    auto* layout = new QVBoxLayout(this);
    scaleLayout(layout, {12, 8, 12, 12}, 8);
    m_title = makeLabel(tr("Sheet"), this);
    m_title->setProperty("roomTitle", true);
    QStringList titles;
    for (const Sheet& each : sheets()) titles << QString::fromStdString(each.title);
    keepTexts(m_title, titles);
    m_words = makeLabel(tr("State of the sheet"), this);
    keepTexts(m_words, stateExamples());
    layout->addWidget(m_title);
    layout->addWidget(m_words);
    layout->addWidget(makeBar());
    m_claims = new QTextBrowser(this);
    m_claims->setOpenLinks(false);
    m_claims->setFrameShape(QFrame::NoFrame);
    m_claims->setProperty("plain", true);
    m_claims->setAccessibleName(tr("Claims and rules"));
    m_effects = new ForestView(this);
    m_letters = new LettersView(this);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(m_claims);
    m_pages->addWidget(makeComparison());
    m_pages->addWidget(m_effects);
    m_checks =
        new TextList(tr("Checks of the source's statements"),
                     tr("Each row compares a statement of the source about its own numbers with the value recomputed "
                        "from these numbers. No run of this lab is part of it."),
                     tr("This sheet's source makes no statement that its tables allow to recompute."), this);
    m_pages->addWidget(m_checks);
    m_predictions = makePredictionList(
        tr("This sheet has no predictions: no theory predicts the measures that it compares."), this);
    m_pages->addWidget(m_predictions);
    m_pages->addWidget(m_letters);
    layout->addWidget(m_pages, 1);
    for (int i = 0; i < m_pages->count(); ++i) shownBy(m_pages->widget(i), m_tabs[i]);
    showPage(Page::claims);

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
    connect(m_panel, &ReproducePanel::startAsked, this, &ReproduceRoom::start);
    connect(m_panel, &ReproducePanel::startAgainAsked, this, &ReproduceRoom::startAgain);
    connect(&m_panel->output(), &TableOutput::copyRequested, this, &ReproduceRoom::copyTable);
    connect(&m_panel->output(), &TableOutput::saveRequested, this, &ReproduceRoom::saveTable);
    for (FigureView* view : {&m_effects->view(), &m_letters->view()}) {
        connect(view, &FigureView::contextMenuRequested, this, [this](const QPoint& where) {
            auto* menu = new QMenu(this);
            menu->setAttribute(Qt::WA_DeleteOnClose);
            menu->addAction(tr("Export figure …"), this, &ReproduceRoom::openExport);
            menu->addAction(tr("Copy figure"), this, &ReproduceRoom::copy);
            addCaptionEntry(*menu);
            menu->addAction(tr("Show as table"), this, &ReproduceRoom::openTable);
            menu->popup(where);
        });
    }
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (isVisible()) refreshTables();
    });
    adoptSheet();
}

ReproduceRoom::~ReproduceRoom() = default;

QString ReproduceRoom::titleOf(Page page) {
    return tr(kTabs[static_cast<std::size_t>(page)].title);
}

QWidget* ReproduceRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar);
    scaleLayout(flow, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(bar);
    for (const Tab& tab : kTabs) {
        auto* button = new QToolButton(bar);
        button->setText(tr(tab.title));
        button->setToolTip(tr(tab.why));
        button->setAccessibleName(tr("Show %1").arg(button->text()));
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        const int index = static_cast<int>(m_tabs.size());
        group->addButton(button);
        flow->addWidget(button);
        m_tabs.append(button);
        connect(button, &QToolButton::clicked, this, [this, index] {
            m_isPageChosen = true;
            showPage(static_cast<Page>(index));
        });
    }
    return bar;
}

QWidget* ReproduceRoom::makeComparison() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_measure = new QComboBox(page);
    m_measure->setAccessibleName(tr("Measure"));
    m_measure->setToolTip(tr("Measure whose rows the table shows; the other measures are hidden."));
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_measure->setFocusPolicy(Qt::StrongFocus);
    m_measure->addItem(tr("all measures"), QString());
    connect(m_measure, &QComboBox::currentIndexChanged, this, [this] {
        if (isVisible()) refreshTables();
    });
    column->addWidget(m_measure, 0, Qt::AlignLeft);
    auto* split = new QSplitter(Qt::Vertical, page);
    column->addWidget(split, 1);
    split->setChildrenCollapsible(false);
    m_comparisonView = makeTableView(tr("Comparison"), m_comparison, split);
    connect(m_comparisonView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ReproduceRoom::refreshSelectedRow);
    auto* details = new QFrame(split);
    details->setProperty("panel", true);
    auto* row = new QHBoxLayout(details);
    scaleLayout(row, {12, 8, 8, 8}, 12);
    auto* texts = new QVBoxLayout;
    scaleLayout(texts, {0, 0, 0, 0}, 4);
    m_rowTitle = makeLabel(tr("Selected row"), details);
    m_rowTitle->setProperty("heading", true);
    m_rowText = makeLabel(tr("Verdict on the selected row"), details);
    m_rowText->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    texts->addWidget(m_rowTitle);
    auto* area = new QScrollArea(details);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rowText->setProperty("panel", true);
    area->setWidget(m_rowText);
    texts->addWidget(area, 1);
    row->addLayout(texts, 3);
    m_seedView = makeTableView(tr("Values per seed"), m_seeds, details);
    row->addWidget(m_seedView, 2);
    split->addWidget(m_comparisonView);
    split->addWidget(details);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({360, 180});
    return page;
}

void ReproduceRoom::showPage(Page page) {
    m_page = page;
    const int index = static_cast<int>(page);
    m_tabs[index]->setChecked(true);
    m_pages->setCurrentIndex(index);
    emit actionsChanged();
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
        m_measure->addItem(name.isEmpty() ? tr("all measures") : measureTitleOf(name.toStdString()), name);
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
        return;
    }
    const SheetRow& row = m_rows[indices[static_cast<std::size_t>(selected)]];
    m_rowTitle->setText(rowTitle(row.plan) + QStringLiteral(": ") + measureTitleOf(row.plan.measure));
    m_rowText->setText(withUnbreakablePercent(rowWords(row)));
    m_seeds->setContent(seedTable(row));
    m_seedView->resizeColumnsToContents();
}

void ReproduceRoom::selectRow(int row) {
    if (row < m_comparison->rowCount()) m_comparisonView->setCurrentIndex(m_comparison->index(row, 0));
}

}  // namespace ropelab::ui
