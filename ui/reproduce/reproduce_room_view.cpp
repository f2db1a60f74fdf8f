// How the Reproduce room looks: its widgets and their sizes.
#include <QButtonGroup>
#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/experiment/flow_layout.h"
#include "ui/plot/figure_view.h"
#include "ui/reproduce/letters_view.h"
#include "ui/reproduce/reproduce_room.h"
#include "ui/reproduce/sheet_tables.h"
#include "ui/reproduce/sheet_words.h"
#include "ui/results/prediction_table.h"
#include "ui/results/results_words.h"
#include "ui/results/table_view.h"
#include "ui/results/word_list.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

// Pixels at 100 %.
constexpr int widestColumn = 420;  // longer words are on hover

struct Tab {
    const char* title;
    const char* why;
};
// In Page's order.
constexpr Tab kTabs[] = {
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Claims and rules"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "What is claimed, what runs, and how it is judged.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Ours and theirs"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Cell by cell, with difference, p and verdict.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Their own numbers"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "The source's statements, recomputed from its own tables.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Predictions"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "What each theory said before the runs, and its score.")},
    {QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "Two letters"),
     QT_TRANSLATE_NOOP("ropelab::ui::ReproduceRoom", "The post's example of bits per character, as a slider.")},
};

QLabel* makeWords(const QString& name, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAccessibleName(name);
    return label;
}

}  // namespace

ReproduceRoom::ReproduceRoom(Workspace& workspace, QWidget* parent)
    : Room(parent), m_workspace(workspace), m_trainer(workspace), m_panel(new ReproducePanel(workspace, this)) {
    setObjectName(QStringLiteral("reproduce"));
    m_panel->hide();
    askSave = [this](const QString& suggestion) {
        return QFileDialog::getSaveFileName(this, tr("Save the table as"), suggestion);
    };
    m_comparison = new WordTable(this);
    m_seeds = new WordTable(this);

    auto* layout = new QVBoxLayout(this);
    scaleLayout(layout, {12, 8, 12, 12}, 8);
    m_title = makeWords(tr("Sheet"), this);
    m_title->setProperty("roomTitle", true);
    m_words = makeWords(tr("Where the sheet stands"), this);
    layout->addWidget(m_title);
    layout->addWidget(m_words);
    layout->addWidget(makeBar());
    m_claims = new QTextBrowser(this);
    m_claims->setOpenLinks(false);
    m_claims->setFrameShape(QFrame::NoFrame);
    m_claims->setStyleSheet(QStringLiteral("QTextBrowser { border: none; background: transparent; padding: 0; }"));
    m_claims->setAccessibleName(tr("Claims and rules"));
    m_letters = new LettersView(this);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(m_claims);
    m_pages->addWidget(makeComparison());
    m_checks =
        new WordList(tr("The source's own numbers"),
                     tr("What the source says of its own numbers, beside what these numbers give; no run of ours is "
                        "part of it."),
                     tr("There are no statements of this sheet's source to recompute from its tables."), this);
    m_pages->addWidget(m_checks);
    m_predictions =
        makePredictionList(tr("This sheet has no predictions: no theory says anything about what it compares."), this);
    m_pages->addWidget(m_predictions);
    m_pages->addWidget(m_letters);
    layout->addWidget(m_pages, 1);
    showPage(Page::claims);

    connect(&m_trainer, &SheetTrainer::sheetChanged, this, &ReproduceRoom::takeUpSheet);
    connect(&m_trainer, &SheetTrainer::changed, this, [this] {
        if (isVisible()) renew();
    });
    connect(&workspace.session(), &SweepSession::stateChanged, this, [this] {
        if (isVisible()) renewState();
    });
    connect(m_panel, &ReproducePanel::changed, this, [this] {
        if (isVisible()) renew();
    });
    connect(m_panel, &ReproducePanel::startAsked, this, &ReproduceRoom::start);
    connect(m_panel, &ReproducePanel::anewAsked, this, &ReproduceRoom::startAnew);
    connect(&m_panel->output(), &TableOutput::copyAsked, this, &ReproduceRoom::copyTable);
    connect(&m_panel->output(), &TableOutput::saveAsked, this, &ReproduceRoom::saveTable);
    connect(&m_letters->view(), &FigureView::contextMenuAsked, this, [this] { openExport(); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (isVisible()) renewTables();
    });
    takeUpSheet();
}

ReproduceRoom::~ReproduceRoom() = default;

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
        const int place = static_cast<int>(m_tabs.size());
        group->addButton(button);
        flow->addWidget(button);
        m_tabs.append(button);
        connect(button, &QToolButton::clicked, this, [this, place] {
            m_isPageChosen = true;
            showPage(static_cast<Page>(place));
        });
    }
    m_measure = new QComboBox(bar);
    m_measure->setAccessibleName(tr("Measure"));
    m_measure->setToolTip(tr("Which measure's rows are shown."));
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_measure->setFocusPolicy(Qt::StrongFocus);
    m_measure->addItem(tr("every measure"), QString());
    connect(m_measure, &QComboBox::currentIndexChanged, this, [this] {
        if (isVisible()) renewTables();
    });
    flow->addWidget(m_measure);
    return bar;
}

QWidget* ReproduceRoom::makeComparison() {
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setChildrenCollapsible(false);
    m_comparisonView = makeTableView(tr("Ours and theirs"), m_comparison, split);
    connect(m_comparisonView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ReproduceRoom::renewPicked);
    auto* below = new QFrame(split);
    below->setProperty("panel", true);
    auto* row = new QHBoxLayout(below);
    scaleLayout(row, {12, 8, 8, 8}, 12);
    auto* words = new QVBoxLayout;
    scaleLayout(words, {0, 0, 0, 0}, 4);
    m_rowTitle = makeWords(tr("Picked row"), below);
    m_rowTitle->setProperty("heading", true);
    m_rowText = makeWords(tr("Verdict on the picked row"), below);
    m_rowText->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    words->addWidget(m_rowTitle);
    auto* area = new QScrollArea(below);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rowText->setProperty("panel", true);
    area->setWidget(m_rowText);
    words->addWidget(area, 1);
    row->addLayout(words, 3);
    m_seedView = makeTableView(tr("Values per seed"), m_seeds, below);
    row->addWidget(m_seedView, 2);
    split->addWidget(m_comparisonView);
    split->addWidget(below);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({360, 180});
    return split;
}

void ReproduceRoom::showPage(Page page) {
    m_page = page;
    const int place = static_cast<int>(page);
    m_tabs[place]->setChecked(true);
    m_pages->setCurrentIndex(place);
    m_measure->setVisible(page == Page::comparison);
    emit pageChanged();
}

void ReproduceRoom::fitColumns() {
    const ThemeManager& theme = ThemeManager::instance();
    m_comparisonView->resizeColumnsToContents();
    const int widest = theme.pixels(widestColumn);
    for (int i = 0; i < m_comparison->columnCount(); ++i) {
        m_comparisonView->setColumnWidth(i, std::min(widest, m_comparisonView->columnWidth(i)));
    }
}

void ReproduceRoom::resizeEvent(QResizeEvent* event) {
    Room::resizeEvent(event);
    fitColumns();
}

void ReproduceRoom::renewMeasures() {
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
        m_measure->addItem(name.isEmpty() ? tr("every measure") : measureTitleOf(name.toStdString()), name);
    }
}

void ReproduceRoom::renewPicked() {
    const std::vector<std::size_t> places = comparedRows(m_rows, m_measure->currentData().toString().toStdString());
    const int picked = m_comparisonView->currentIndex().row();
    const bool any = picked >= 0 && picked < static_cast<int>(places.size());
    if (!any) {
        m_rowTitle->clear();
        m_rowText->clear();
        m_seeds->setContent({});
        return;
    }
    const SheetRow& row = m_rows[places[static_cast<std::size_t>(picked)]];
    m_rowTitle->setText(rowTitle(row.plan) + QStringLiteral(": ") + measureTitleOf(row.plan.measure));
    m_rowText->setText(keptTogether(rowWords(row)));
    m_seeds->setContent(seedTable(row));
    m_seedView->resizeColumnsToContents();
}

void ReproduceRoom::pickRow(int row) {
    if (row < m_comparison->rowCount()) m_comparisonView->setCurrentIndex(m_comparison->index(row, 0));
}

}  // namespace ropelab::ui
