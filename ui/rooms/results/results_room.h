#pragma once

#include <QLabel>
#include <QString>
#include <QTimer>

#include "core/results/decision_aid.h"
#include "core/study/head_conversion.h"
#include "ui/common/latest_job.h"
#include "ui/rooms/results/results_picture.h"
#include "ui/session/run_access.h"
#include "ui/shell/room.h"

class QButtonGroup;
class QMenu;
class QModelIndex;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ropelab::ui {

class ActionRegistry;
class FigurePane;
class FittingLabel;
class GenerationMeasurement;
class GroupOrder;
class GroupTable;
class PredictionsPage;
class ResultsPanel;
class SessionActions;
class Settings;
class TextTable;

/// Compares the lab's runs: the verdict as a headline, figures, a table of groups (runs that differ only in their seed)
/// with statistical tests, the runs of the selected group, and a page with predictions. Its parts are the names of the
/// figures, whose presentation hides headline and table, and "predictions"; its control is quantity, the compared
/// measure. It is updated when the lab changes; while it is hidden nothing is computed.
class ResultsRoom : public Room {
    Q_OBJECT

 public:
    enum class Page { groups, predictions };

    ResultsRoom(SessionActions& actions, RunAccess access, Settings& settings, QWidget* parent = nullptr);
    ~ResultsRoom() override;

    QWidget* panel(QWidget* parent = nullptr) override;
    static void addActions(ActionRegistry& registry, const RoomHandle<ResultsRoom>& room);
    bool hasFigure() const override { return m_hasCountedRuns && m_page == Page::groups; }
    void refreshNow() override;
    bool isBusy() const override;

    const Results& results() const { return *m_results; }
    GroupTable& groups() { return *m_groups; }
    TextTable& seeds() { return *m_seeds; }
    QTableView& groupView() { return *m_groupView; }
    FigurePane& figures() { return *m_figures; }
    ResultsPanel& choices() { return *m_panel; }
    PredictionsPage& predictionsPage() { return *m_predictionsPage; }
    GenerationMeasurement& generation() { return *m_generation; }
    Page page() const { return m_page; }
    void showPage(Page page);
    bool offersPredictions() const { return !m_bar->isHidden(); }
    /// What the tests have decided so far, in one sentence; "" without results.
    QString headline() const;
    /// The runs that count, the verdicts with their test and what it can detect, and warnings.
    QString words() const;
    /// The sentences on conversions of heads of the selected group's runs; "" without any.
    QString conversionWords() const { return m_conversionWords->text(); }
    /// The settings that no other one beats in loss and speed; "" if there are fewer than two.
    QString decisionWords() const { return m_decision->text(); }
    /// The tooltip of the decision aid: the tests, what dominates each other setting, and the rule.
    QString decisionDetails() const { return m_decision->toolTip(); }
    QString groupWords() const { return m_groupWords->text(); }
    QPushButton* goToTrain() const { return m_goToTrain; }
    bool isEmpty() const { return !m_hasCountedRuns; }

    void pickGroup(int group);
    int pickedGroup() const { return m_picked; }

    /// Starts or stops the measurement; reports a problem where it is not possible.
    void measureGeneration();
    void copyTable();
    void saveTable();

 protected:
    /// The choices of the panel as flags, and the runs of the table.
    FigureOrigin originOf(const Figure& figure) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void fitPage(const QSize& page) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeEmptyState();
    QWidget* makeResults();
    QWidget* makeHead(QWidget* parent);
    QWidget* makeDetails(QWidget* parent);
    void addParts();
    void schedule();
    ResultsChoices shownChoices() const;
    /// What the room shows of the runs, made without widgets, so that another thread can make it.
    struct Shown {
        std::shared_ptr<const Results> results;
        ResultsChoices choices;
        QString headline = {}, words = {}, decisionWords = {}, decisionDetails = {};
        QStringList warnings = {};
    };
    static Shown shownOf(ChosenRuns chosen, const ResultsChoices& choices, const DecisionChoice& decision);
    /// False if the panel restored other choices that were saved for this lab, which `isFirst` asks for.
    bool showResults(const Shown& shown, bool isFirst);
    void renew();
    /// For many runs on another thread; until then the room shows what it showed.
    void renewLater();
    void renewPages();
    void renewEmptyState();
    void renewPicked();
    /// Picks a run of the picked group in all rooms, and the group of the run that another room picked.
    void shareGroup();
    void takeGroup();
    void renewConversions();
    void fitColumns();
    void fitTable();
    void restyle();
    QString exportText() const;
    void showGroupMenu(const QPoint& where);
    void showSeedMenu(const QPoint& where);
    TableStyle tableStyle(const ResultsTable& table) const;
    void saveOrder();
    void restoreOrder();
    /// The order that the user dragged becomes that of the chosen columns.
    void takeColumnOrder(int moved);
    /// By one place to the left (−1) or to the right (1).
    void moveColumn(const QString& name, int by);
    void showColumnMenu(int column, const QPoint& where);
    void addColumnEntries(QMenu& menu, int column);
    /// The entry renames the setting of a row; `index` is one of the source model.
    void addNameEntry(QMenu& menu, const QModelIndex& index);

    SessionActions& m_actions;
    RunAccess m_access;
    Settings& m_settings;
    std::shared_ptr<const Results> m_results = std::make_shared<Results>();
    bool m_hasCountedRuns = false;  // a group has at least one run that counts
    bool m_stale = true;
    bool m_isFitted = true;  // false: the style changed while the room was hidden
    int m_picked = -1;
    bool m_isRenewing = false;  // the table changes, which is no choice of the user
    QTimer m_timer;
    GroupTable* m_groups;
    GroupOrder* m_order;
    TextTable* m_seeds;
    std::vector<RunId> m_seedRuns;  // by row
    ResultsPanel* m_panel;
    GenerationMeasurement* m_generation;
    QStackedWidget* m_pages;
    PredictionsPage* m_predictionsPage;
    Page m_page = Page::groups;
    QWidget* m_bar = nullptr;
    QButtonGroup* m_tabs = nullptr;  // in the order of Page
    QWidget* m_head = nullptr;       // headline, warnings and, when it is unfolded, their explanation
    bool m_isLow = false;            // the page scrolls, and no table in it
    FittingLabel* m_headline = nullptr;
    QLabel* m_warnings = nullptr;
    QLabel* m_words = nullptr;
    QLabel* m_decision = nullptr;
    QWidget* m_table = nullptr;       // the groups and the selected one
    QWidget* m_details = nullptr;     // the selected group, when it is unfolded: verdict and runs
    QToolButton* m_tests = nullptr;   // shows the explanation of the headline
    QToolButton* m_unfold = nullptr;  // shows m_details
    QLabel* m_groupWords = nullptr;
    QLabel* m_conversionWords = nullptr;
    std::vector<StoredHeadConversion> m_conversions;  // of all runs of the lab
    QLabel* m_emptyText = nullptr;
    QPushButton* m_goToTrain = nullptr;
    QTableView* m_groupView = nullptr;
    QTableView* m_seedView = nullptr;
    FigurePane* m_figures = nullptr;
    QSplitter* m_split = nullptr;
    bool m_splitByHand = false;
    bool m_isRestoringOrder = false;  // the program sorts the table, not the user
    bool m_isPlacingColumns = false;  // the program moves the titles of the table, not the user
    bool m_orderWanted = true;        // the saved order of this lab is still to be restored
    bool m_isNewLab = true;           // no results of this lab were shown yet
    bool m_wanted = false;            // the runs changed while they were compared
    LatestJob m_job;                  // declared last, so that its thread ends first
};

}  // namespace ropelab::ui
