#pragma once

#include <QTimer>
#include <functional>

#include "core/study/head_conversion.h"
#include "ui/common/room.h"
#include "ui/rooms/results/results_source.h"
#include "ui/session/run_access.h"

class QLabel;
class QMenu;
class QModelIndex;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ropelab::ui {

class SessionActions;
class Settings;

class FigurePane;
class GenerationMeasurement;
class GroupOrder;
class GroupTable;
class PredictionsPage;
class ResultsPanel;
class SeedTable;

/// The room that compares the lab's runs: a table of groups (runs that differ only in their seed) with statistical
/// tests, figures, the runs of the selected group, and a page with predictions. It is updated when the lab changes;
/// while it is hidden nothing is computed.
class ResultsRoom : public Room {
    Q_OBJECT

 public:
    /// The pages of the room: the table of groups with its figures, and the predictions.
    enum class Page { groups, predictions };

    ResultsRoom(SessionActions& actions, RunAccess access, Settings& settings, QWidget* parent = nullptr);
    ~ResultsRoom() override;

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    Figure figure() override;
    /// Returns the choices of the panel as flags, and the runs of the table.
    FigureOrigin originOf(const Figure& figure) override;
    bool hasFigure() const override { return m_hasCountedRuns && m_page == Page::groups; }
    void refreshNow() override;
    bool isBusy() const override;
    /// Shows the figure with this name, or the page of predictions for "predictions". Throws BadInput for another name.
    void showPart(const QString& figure) override;
    /// Shows only the figure of a part, without the table and the sentences, which tell its result.
    void showOnlyPart(const QString& part) override;
    QString shownPart() const override;
    /// Returns quantity, the compared measure.
    std::vector<RoomControl> controls() override;
    QList<QWidget*> bars() override;

    const Results& results() const { return m_results; }
    GroupTable& groups() { return *m_groups; }
    SeedTable& seeds() { return *m_seeds; }
    QTableView& groupView() { return *m_groupView; }
    FigurePane& figures() { return *m_figures; }
    ResultsPanel& choices() { return *m_panel; }
    PredictionsPage& predictionsPage() { return *m_predictionsPage; }
    GenerationMeasurement& generation() { return *m_generation; }
    Page page() const { return m_page; }
    /// Shows a page of the room.
    void showPage(Page page);
    /// Returns whether the bar for switching between the pages is shown.
    bool offersPredictions() const;
    /// Returns the summary above the table.
    QString words() const;
    /// Returns the sentences on conversions of heads of the selected group's runs; "" without any.
    QString conversionWords() const;
    /// Returns the settings that no other one beats in loss and speed; "" if there are fewer than two.
    QString decisionWords() const;
    /// The tooltip of the decision aid: the tests, what dominates each other setting, and the rule.
    QString decisionDetails() const;
    /// Returns the verdict on the selected group.
    QString groupWords() const;
    QPushButton* goToTrain() const { return m_goToTrain; }
    /// Returns whether there are no results to show yet.
    bool isEmpty() const { return !m_hasCountedRuns; }

    /// Selects the group with this index in the results.
    void pickGroup(int group);
    int pickedGroup() const { return m_picked; }

    /// Starts measuring the generation speed of the runs, or stops it; reports a problem where that is not possible.
    void measureGeneration();
    /// Copies the table to the clipboard in the selected format.
    void copyTable();
    /// Asks for a file name and saves the table there in the selected format.
    void saveTable();
    /// Opens a file dialog and returns the chosen path, or "" if it was cancelled. Tests replace it.
    std::function<QString(const QString& suggestion)> askSave;

 signals:
    /// The button that leads to the Train room was clicked.
    void trainRequested();
    /// Another page is shown.
    void pageChanged();

 protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeEmptyState();
    QWidget* makeResults();
    void schedule();
    void renew();
    void renewPages();
    void renewEmptyState();
    void renewPicked();
    /// Reads the conversions of heads that the lab stores.
    void renewConversions();
    void fitColumns();
    void fitTable();
    void restyle();
    QString exportText() const;
    void showGroupMenu(const QPoint& where);
    void showSeedMenu(const QPoint& where);
    void renewColumnChoice();
    TableStyle tableStyle(const ResultsTable& table) const;
    void saveOrder();
    void restoreOrder();
    /// Makes the order of the columns that the user dragged that of the chosen columns.
    void takeColumnOrder(int moved);
    /// Moves the columns of this name by one place to the left (−1) or to the right (1).
    void moveColumn(const QString& name, int by);
    /// Shows the menu of a column: hide it, move it, and the choice of columns.
    void showColumnMenu(int column, const QPoint& where);
    /// Adds what showColumnMenu() shows to a menu.
    void addColumnEntries(QMenu& menu, int column);
    /// Adds the entry that renames the setting of a row of the table, an index of its source model.
    void addNameEntry(QMenu& menu, const QModelIndex& index);

    SessionActions& m_actions;
    RunAccess m_access;
    Settings& m_settings;
    Results m_results;
    bool m_hasCountedRuns = false;  // a group has at least one run that counts
    bool m_stale = true;
    int m_picked = -1;
    QTimer m_timer;
    GroupTable* m_groups;
    GroupOrder* m_order;
    SeedTable* m_seeds;
    ResultsPanel* m_panel;
    GenerationMeasurement* m_generation;
    QStackedWidget* m_pages;
    PredictionsPage* m_predictionsPage;
    Page m_page = Page::groups;
    QWidget* m_bar = nullptr;
    QList<QToolButton*> m_tabs;  // in the order of Page
    QLabel* m_words = nullptr;
    QLabel* m_decision = nullptr;
    bool m_showsOnlyFigure = false;
    QWidget* m_groupDetails = nullptr;  // the selected group: verdict and runs
    QLabel* m_groupWords = nullptr;
    QLabel* m_conversionWords = nullptr;
    std::vector<StoredHeadConversion> m_conversions;  // of all runs of the lab
    QLabel* m_emptyText = nullptr;
    QPushButton* m_goToTrain = nullptr;
    QTableView* m_groupView = nullptr;
    QTableView* m_seedView = nullptr;
    QLabel* m_seedTitle = nullptr;
    FigurePane* m_figures = nullptr;
    QSplitter* m_split = nullptr;
    bool m_splitByHand = false;
    bool m_isRestoringOrder = false;  // the program sorts the table, not the user
    bool m_isPlacingColumns = false;  // the program moves the titles of the table, not the user
    bool m_orderWanted = true;        // the saved order of this lab is still to be restored
};

}  // namespace ropelab::ui
