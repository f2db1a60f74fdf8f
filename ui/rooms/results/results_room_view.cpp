// Creates and lays out the widgets of the Results room.
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/results/decision_aid.h"
#include "ui/common/empty_page.h"
#include "ui/common/fields.h"
#include "ui/common/scaled.h"
#include "ui/common/table_view.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/results/group_table.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/results/seed_table.h"
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

QWidget* ResultsRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(bar);
    const auto add = [&](Page page, const QString& title, const QString& why) {
        QToolButton* button = addToggle(row, group, title, tr("Show %1").arg(title), why);
        m_tabs.append(button);
        connect(button, &QToolButton::clicked, this, [this, page] { showPage(page); });
    };
    add(Page::groups, tr("Table and figures"),
        tr("Shows the results of the runs as a table of groups and as figures."));
    add(Page::predictions, tr("Predictions"),
        tr("Shows what each theory predicted before the runs, and whether the prediction was right."));
    row->addStretch(1);
    return bar;
}

QWidget* ResultsRoom::makeEmptyState() {
    const EmptyPage empty = makeEmptyPage(tr("Compare the results of runs and test their significance"), {}, this);
    m_emptyText = empty.text;
    m_goToTrain = empty.goToTrain;
    connect(m_goToTrain, &QPushButton::clicked, this, &ResultsRoom::trainRequested);
    return empty.page;
}

QWidget* ResultsRoom::makeResults() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_words = new QLabel(page);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setAccessibleName(tr("Summary of the table"));
    column->addWidget(m_words);
    m_decision = new QLabel(page);
    m_decision->setWordWrap(true);
    m_decision->setTextFormat(Qt::PlainText);
    m_decision->setAccessibleName(tr("Settings on the Pareto front of loss and speed"));
    column->addWidget(m_decision);

    m_groupView = makeTableView(tr("Groups"), m_order, this);
    m_groupView->setSortingEnabled(true);
    // Unsorted, the groups are in the order of their settings.
    m_groupView->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    connect(m_groupView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!current.isValid()) return;
                m_picked = m_order->mapToSource(current).row();
                renewPicked();
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

    auto* below = new QSplitter(Qt::Horizontal, page);
    below->setChildrenCollapsible(false);
    m_figures = new FigurePane(m_access.lab, m_access.runs, m_settings, m_access.dataDir, below);
    connect(m_figures, &FigurePane::groupPicked, this, &ResultsRoom::pickGroup);
    connect(m_figures, &FigurePane::exportRequested, this, &ResultsRoom::openExport);
    connect(m_figures, &FigurePane::contextMenuRequested, this, [this](const QPoint& where) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Export figure …"), this, &ResultsRoom::openExport);
        menu->addAction(tr("Copy figure"), this, &ResultsRoom::copy);
        addCaptionEntry(*menu);
        menu->addAction(tr("Show as table"), this, &ResultsRoom::openTable);
        menu->popup(where);
    });
    auto* group = new QFrame(below);
    m_groupDetails = group;
    group->setProperty("panel", true);
    auto* rows = new QVBoxLayout(group);
    scaleLayout(rows, {12, 8, 8, 4}, 4);
    m_seedTitle = new QLabel(group);
    m_seedTitle->setProperty("heading", true);
    m_seedTitle->setTextFormat(Qt::PlainText);
    m_seedTitle->setWordWrap(true);
    m_groupWords = new QLabel(group);
    m_groupWords->setWordWrap(true);
    m_groupWords->setTextFormat(Qt::PlainText);
    m_groupWords->setAccessibleName(tr("Verdict on the selected group"));
    keepLines(m_groupWords, 2);
    m_seedView = makeTableView(tr("Runs of the selected group"), m_seeds, this);
    m_seedView->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_seedView, &QTableView::customContextMenuRequested, this, &ResultsRoom::showSeedMenu);
    rows->addWidget(m_seedTitle);
    rows->addWidget(m_groupWords);
    rows->addWidget(m_seedView, 1);
    m_conversionWords = new QLabel(group);
    m_conversionWords->setWordWrap(true);
    m_conversionWords->setTextFormat(Qt::PlainText);
    m_conversionWords->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_conversionWords->setAccessibleName(tr("Conversions of heads of the selected group's runs"));
    m_conversionWords->hide();
    rows->addWidget(m_conversionWords);  // below all other widgets, which keep their place
    below->addWidget(m_figures);
    below->addWidget(group);
    below->setStretchFactor(0, 3);
    below->setStretchFactor(1, 2);
    below->setSizes({540, 400});

    m_split = new QSplitter(Qt::Vertical, page);
    connect(m_split, &QSplitter::splitterMoved, this, [this] { m_splitByHand = true; });
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_groupView);
    m_split->addWidget(below);
    m_split->setStretchFactor(0, 2);
    m_split->setStretchFactor(1, 3);
    column->addWidget(m_split, 1);
    return page;
}

void ResultsRoom::fitColumns() {
    m_groupView->resizeColumnsToContents();
    const int least = ThemeManager::instance().pixels(48);
    for (int i = 0; i < m_groups->columnCount(); ++i) {
        m_groupView->setColumnWidth(i, std::max(least, m_groupView->columnWidth(i)));
    }
    fitTable();
}

void ResultsRoom::fitTable() {
    // The table is as high as its rows, but at most two fifths of the height; the figure gets the rest.
    const int height = m_split->height();
    if (m_splitByHand || height <= 0) return;
    const int rows = m_groupView->horizontalHeader()->sizeHint().height() +
                     m_groups->rowCount() * m_groupView->verticalHeader()->defaultSectionSize() +
                     m_groupView->horizontalScrollBar()->sizeHint().height() + 2 * m_groupView->frameWidth();
    const int table = std::min(rows, 2 * height / 5);
    m_split->setSizes({table, height - table});
}

void ResultsRoom::resizeEvent(QResizeEvent* event) {
    Room::resizeEvent(event);
    fitTable();
}

void ResultsRoom::restyle() {
    const auto& manager = ThemeManager::instance();
    for (QTableView* view : {m_groupView, m_seedView}) view->setIconSize({manager.pixels(10), manager.pixels(10)});
    m_figures->view().setMinimumSize(manager.pixels(160), manager.pixels(120));
    if (!m_stale) fitColumns();
}

}  // namespace ropelab::ui
