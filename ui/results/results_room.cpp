#include "ui/results/results_room.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSaveFile>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/plot/figure_view.h"
#include "ui/results/group_table.h"
#include "ui/results/results_figure.h"
#include "ui/results/results_panel.h"
#include "ui/results/results_words.h"
#include "ui/results/seed_table.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/actions.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

// While runs train, the table is made anew at most this often.
constexpr int liveMs = 200;

}  // namespace

ResultsRoom::ResultsRoom(Workspace& workspace, QWidget* parent)
    : Room(parent),
      m_workspace(workspace),
      m_source(workspace),
      m_groups(new GroupTable(this)),
      m_order(new GroupOrder(this)),
      m_seeds(new SeedTable(workspace, this)),
      m_panel(new ResultsPanel(workspace, this)),
      m_pages(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("results"));
    m_panel->hide();
    askSave = [this](const QString& suggestion) {
        return QFileDialog::getSaveFileName(this, tr("Save the table as"), suggestion);
    };
    auto* layout = new QVBoxLayout(this);
    scaleLayout(layout, {12, 8, 12, 12}, 8);
    m_order->setSourceModel(m_groups);
    m_order->setSortRole(GroupTable::SortRole);
    m_pages->addWidget(makeEmptyState());
    m_pages->addWidget(makeResults());
    layout->addWidget(m_pages, 1);

    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible() && m_stale) renew();
    });
    RunStore& runs = workspace.runs();
    connect(&runs, &RunStore::reloaded, this, &ResultsRoom::schedule);
    connect(&runs, &RunStore::runChanged, this, &ResultsRoom::schedule);
    connect(&workspace.session(), &SweepSession::stateChanged, this, &ResultsRoom::schedule);
    connect(m_panel, &ResultsPanel::changed, this, [this] {
        m_stale = true;
        if (isVisible()) renew();
    });
    connect(m_panel, &ResultsPanel::copyAsked, this, &ResultsRoom::copyTable);
    connect(m_panel, &ResultsPanel::saveAsked, this, &ResultsRoom::saveTable);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ResultsRoom::restyle);
    restyle();
}

ResultsRoom::~ResultsRoom() = default;

QWidget* ResultsRoom::makeEmptyState() {
    auto* page = new QFrame(this);
    page->setProperty("paper", true);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {48, 24, 48, 24}, 16);
    column->addStretch(2);
    auto* title = new QLabel(tr("What the runs reached, and whether it is more than chance"), page);
    title->setProperty("roomTitle", true);
    m_emptyText = new QLabel(page);
    for (QLabel* label : {title, m_emptyText}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    m_goToTrain = new QPushButton(tr("Go to Train"), page);
    m_goToTrain->setProperty("primary", true);
    m_goToTrain->setFocusPolicy(Qt::TabFocus);
    scaleWidth(m_goToTrain, 160);
    connect(m_goToTrain, &QPushButton::clicked, this, &ResultsRoom::trainAsked);
    column->addWidget(m_goToTrain, 0, Qt::AlignCenter);
    column->addStretch(3);
    return page;
}

QTableView* ResultsRoom::makeTable(const QString& name, QAbstractItemModel* model) {
    auto* view = new QTableView(this);
    view->setModel(model);
    view->setAccessibleName(name);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->verticalHeader()->hide();
    view->horizontalHeader()->setHighlightSections(false);
    return view;
}

QWidget* ResultsRoom::makeResults() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_words = new QLabel(page);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setAccessibleName(tr("What the table says"));
    column->addWidget(m_words);

    m_groupView = makeTable(tr("Groups"), m_order);
    m_groupView->setSortingEnabled(true);
    m_groupView->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // as they were trained
    connect(m_groupView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!current.isValid()) return;
                m_picked = m_order->mapToSource(current).row();
                renewPicked();
            });

    auto* below = new QSplitter(Qt::Horizontal, page);
    below->setChildrenCollapsible(false);
    m_view = new FigureView(below);
    m_view->setAccessibleName(tr("Means with 95 % confidence intervals"));
    m_view->setReadout([this](QPointF place) { return resultsReadout(m_results, place); });
    connect(m_view, &FigureView::clicked, this,
            [this](const QPointF& place) { pickGroup(static_cast<int>(std::lround(place.x()))); });
    connect(m_view, &FigureView::contextMenuAsked, this, [this](const QPoint& where) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Export …"), this, &ResultsRoom::openExport);
        menu->addAction(tr("Copy"), this, &ResultsRoom::copy);
        menu->popup(where);
    });
    auto* group = new QFrame(below);
    group->setProperty("panel", true);
    auto* rows = new QVBoxLayout(group);
    scaleLayout(rows, {12, 8, 8, 4}, 4);
    m_seedTitle = new QLabel(group);
    m_seedTitle->setProperty("heading", true);
    m_seedTitle->setTextFormat(Qt::PlainText);
    m_groupWords = new QLabel(group);
    m_groupWords->setWordWrap(true);
    m_groupWords->setTextFormat(Qt::PlainText);
    m_groupWords->setAccessibleName(tr("Verdict on the picked group"));
    m_seedView = makeTable(tr("Runs of the picked group"), m_seeds);
    rows->addWidget(m_seedTitle);
    rows->addWidget(m_groupWords);
    rows->addWidget(m_seedView, 1);
    below->addWidget(m_view);
    below->addWidget(group);
    below->setStretchFactor(0, 3);
    below->setStretchFactor(1, 2);
    below->setSizes({540, 400});

    auto* split = new QSplitter(Qt::Vertical, page);
    split->setChildrenCollapsible(false);
    split->addWidget(m_groupView);
    split->addWidget(below);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({260, 380});
    column->addWidget(split, 1);
    return page;
}

QWidget* ResultsRoom::panel() {
    m_panel->show();
    return m_panel;
}

void ResultsRoom::addActions(ActionRegistry& registry) {
    registry.add(
        {.id = "results.copy", .menu = "Edit", .text = tr("Copy results table"), .handler = [this] { copyTable(); }});
    registry.add(
        {.id = "results.save", .menu = "File", .text = tr("Save results table …"), .handler = [this] { saveTable(); }});
    connect(this, &ResultsRoom::trainAsked, &registry, [&registry] {
        if (QAction* train = registry.action(QStringLiteral("room.train"))) train->trigger();
    });
}

Figure ResultsRoom::figure() {
    if (m_stale) renew();
    return m_view->figure();
}

void ResultsRoom::refreshNow() {
    renew();
    m_view->refreshNow();
}

QString ResultsRoom::words() const {
    return m_words->text();
}

QString ResultsRoom::groupWords() const {
    return m_groupWords->text();
}

void ResultsRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    if (m_stale) renew();
}

void ResultsRoom::schedule() {
    m_stale = true;
    if (isVisible() && !m_timer.isActive()) m_timer.start(liveMs);
}

void ResultsRoom::renew() {
    m_stale = false;
    m_timer.stop();
    m_results = m_source.results(m_panel->choices());
    m_panel->renew(m_results);
    const ResultsTable& table = m_results.table;
    m_counted = std::any_of(table.groups.begin(), table.groups.end(),
                            [](const ResultGroup& group) { return !group.summaries.empty(); });
    m_pages->setCurrentIndex(m_counted ? 1 : 0);
    if (!m_counted) renewEmptyState();
    const int rows = m_groups->rowCount();
    const int columns = m_groups->columnCount();
    m_groups->setResults(m_results);
    m_words->setText(overallWords(table));
    if (m_picked >= static_cast<int>(table.groups.size()) || (m_picked < 0 && !table.groups.empty())) m_picked = 0;
    if (table.groups.empty()) m_picked = -1;
    const bool another = rows != m_groups->rowCount() || columns != m_groups->columnCount();
    if (m_picked >= 0 && (another || !m_groupView->currentIndex().isValid())) pickGroup(m_picked);
    renewPicked();
    fitColumns();
}

void ResultsRoom::renewEmptyState() {
    int training = 0;
    int others = 0;
    for (const RunView& run : m_workspace.runs().runs()) {
        const bool trains = run.record.state == RunState::running || run.record.state == RunState::paused ||
                            run.record.state == RunState::waiting;
        ++(trains ? training : others);
    }
    if (training > 0 && m_workspace.session().isActive()) {
        m_emptyText->setText(tr("%1 in training. The first group appears here when one finishes; “Also unfinished "
                                "runs” shows them as they stand.")
                                 .arg(countText(training, tr("run"))));
    } else if (training + others > 0) {
        m_emptyText->setText(
            tr("None of these runs has finished. Continue them in Train, choose another experiment, "
               "or count them as they stand with “Also unfinished runs”."));
    } else {
        m_emptyText->setText(
            tr("Train a sweep with a few seeds. Runs that differ only in their seed become one row here: "
               "mean ± standard deviation, the improvement over a baseline, and whether it is "
               "significant. A test needs two seeds; three show only large differences, ten most."));
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
    m_groupWords->setVisible(!m_groupWords->text().isEmpty());
    m_view->setFigure(resultsFigure(m_results, table.groups.size() > 1 ? m_picked : -1));
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

void ResultsRoom::copyTable() {
    if (m_stale) renew();
    QApplication::clipboard()->setText(formatted(m_results.table, m_panel->format()));
}

void ResultsRoom::saveTable() {
    if (m_stale) renew();
    const ResultsPanel::Format format = m_panel->format();
    QString path = askSave(QStringLiteral("results.") + suffixOf(format));
    if (path.isEmpty()) return;
    QSaveFile file(path);
    const QByteArray bytes = formatted(m_results.table, format).toUtf8();
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) {
        emit m_workspace.solved(QStringLiteral("results"));
        return;
    }
    emit m_workspace.problem(QStringLiteral("results"),
                             tr("The table cannot be written to %1: %2. Choose a folder that can be written.")
                                 .arg(path, file.errorString()));
}

void ResultsRoom::fitColumns() {
    m_groupView->resizeColumnsToContents();
    const int least = ThemeManager::instance().pixels(48);
    for (int i = 0; i < m_groups->columnCount(); ++i) {
        m_groupView->setColumnWidth(i, std::max(least, m_groupView->columnWidth(i)));
    }
}

void ResultsRoom::restyle() {
    const auto& manager = ThemeManager::instance();
    const Theme& theme = manager.theme();
    for (QTableView* view : {m_groupView, m_seedView}) {
        view->verticalHeader()->setDefaultSectionSize(manager.pixels(26));
        view->setIconSize({manager.pixels(10), manager.pixels(10)});
        QColor picked = theme.accent;
        picked.setAlphaF(0.12F);
        view->setStyleSheet(QStringLiteral("QTableView { selection-background-color: %1; selection-color: %2; }"
                                           "QTableView::item { border: none; padding: 0 %3px; }"
                                           "QTableView::item:selected { background: %1; }")
                                .arg(QStringLiteral("rgba(%1, %2, %3, %4)")
                                         .arg(picked.red())
                                         .arg(picked.green())
                                         .arg(picked.blue())
                                         .arg(picked.alpha()),
                                     theme.text.name())
                                .arg(manager.pixels(8)));
    }
    m_view->setMinimumSize(manager.pixels(160), manager.pixels(120));
    if (!m_stale) fitColumns();
}

}  // namespace ropelab::ui
