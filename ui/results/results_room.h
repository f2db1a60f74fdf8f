#pragma once

#include <QTimer>
#include <functional>

#include "ui/results/results_source.h"
#include "ui/window/room.h"

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ropelab::ui {

class FigurePane;
class GroupOrder;
class GroupTable;
class LedgerPage;
class ResultsPanel;
class SeedTable;
class Workspace;

/// What the lab's runs reached and whether it is more than chance: a table of groups, pictures of them, and the runs
/// behind the picked group; and what theories had predicted of them. It follows the lab; while it is hidden nothing is
/// computed.
class ResultsRoom : public Room {
    Q_OBJECT

 public:
    enum class Page { groups, predictions };

    explicit ResultsRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~ResultsRoom() override;

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    Figure figure() override;
    bool hasFigure() const override { return m_counted && m_page == Page::groups; }
    void refreshNow() override;
    bool isBusy() const override;
    /// A figure by its name, or "predictions".
    void showPart(const QString& figure) override;

    const Results& results() const { return m_results; }
    GroupTable& groups() { return *m_groups; }
    SeedTable& seeds() { return *m_seeds; }
    QTableView& groupView() { return *m_groupView; }
    FigurePane& figures() { return *m_figures; }
    ResultsPanel& choices() { return *m_panel; }
    LedgerPage& ledger() { return *m_ledger; }
    Page page() const { return m_page; }
    void showPage(Page page);
    /// Whether one can turn to the predictions: where there are any.
    bool offersPredictions() const;
    /// The sentences above the table, and on the picked group.
    QString words() const;
    QString groupWords() const;
    QPushButton* goToTrain() const { return m_goToTrain; }
    /// Whether there are no results to show yet.
    bool isEmpty() const { return !m_counted; }

    /// The group of that index in the results.
    void pickGroup(int group);
    int pickedGroup() const { return m_picked; }

    void copyTable();
    void saveTable();
    /// Asks for a file's name; tests answer for the person. "" where the person thought better of it.
    std::function<QString(const QString& suggestion)> askSave;

 signals:
    /// The person wants to train runs first.
    void trainAsked();
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
    void fitColumns();
    void fitTable();
    void restyle();
    void keepOrder();
    void recallOrder();

    Workspace& m_workspace;
    Results m_results;
    bool m_counted = false;  // some run counts
    bool m_stale = true;
    int m_picked = -1;
    QTimer m_timer;
    GroupTable* m_groups;
    GroupOrder* m_order;
    SeedTable* m_seeds;
    ResultsPanel* m_panel;
    QStackedWidget* m_pages;
    LedgerPage* m_ledger;
    Page m_page = Page::groups;
    QWidget* m_bar = nullptr;
    QList<QToolButton*> m_tabs;  // in Page's order
    QLabel* m_words = nullptr;
    QLabel* m_groupWords = nullptr;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_goToTrain = nullptr;
    QTableView* m_groupView = nullptr;
    QTableView* m_seedView = nullptr;
    QLabel* m_seedTitle = nullptr;
    FigurePane* m_figures = nullptr;
    QSplitter* m_split = nullptr;
    bool m_splitByHand = false;
    bool m_ordering = false;    // the room sorts, not the person
    bool m_orderWanted = true;  // this lab's order has not been taken up yet
};

}  // namespace ropelab::ui
