#pragma once

#include <QLabel>
#include <QList>

#include "ui/rooms/reproduce/reproduce_panel.h"
#include "ui/rooms/reproduce/sheet_trainer.h"
#include "ui/session/run_access.h"
#include "ui/shell/room.h"

class QComboBox;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ropelab::ui {

class ActionRegistry;
class ClaimsPage;
class ForestView;
class LettersView;
class SessionActions;
class Settings;
class TextList;
class TextTable;

/// Published claims are tested with new runs by preregistered rules. The tabs show claims and rules, own and published
/// results, their effects as a forest plot, the source's statements recomputed, and predictions. The room updates while
/// runs finish. Its parts are the tabs "effects", "claims", "comparison", "checks", "predictions" and "letters"; its
/// control is sheet, the shown sheet unless the open lab has one.
class ReproduceRoom : public Room {
    Q_OBJECT

 public:
    enum class Page { effects, claims, comparison, checks, predictions, letters };

    ReproduceRoom(SessionActions& actions, RunAccess access, Settings& settings, QWidget* parent = nullptr);
    ~ReproduceRoom() override;

    QWidget* panel(QWidget* parent = nullptr) override;
    static void addActions(ActionRegistry& registry, const RoomHandle<ReproduceRoom>& room);
    /// Only the tabs "Effects" and "Bits per letter" have a figure.
    void fitPage(const QSize& page) override;
    bool hasFigure() const override { return m_page == Page::effects || m_page == Page::letters; }
    bool isBusy() const override { return m_trainer.isLoading(); }
    void refreshNow() override;

    Page page() const { return m_page; }
    void showPage(Page page);
    static QString titleOf(Page page);
    SheetTrainer& trainer() { return m_trainer; }
    ReproducePanel& choices() { return *m_panel; }
    ForestView& effects() { return *m_effects; }
    LettersView& letters() { return *m_letters; }
    TextTable& comparison() { return *m_comparison; }
    /// The selected row's values per seed.
    TextTable& seeds() { return *m_seeds; }
    TextList& checks() { return *m_checks; }
    TextList& predictions() { return *m_predictions; }
    QComboBox* measureBox() const { return m_measure; }
    QString words() const { return m_words->text(); }
    QString rowText() const { return m_rowText->text(); }
    ClaimsPage& claims() { return *m_claims; }

    void selectRow(int row);
    /// In the selected file format; "" if no sheet can be planned.
    QString table() const;
    void copyTable();
    void saveTable();

 protected:
    /// The claim of the forest plot and the runs of its sheet.
    FigureOrigin originOf(const Figure& figure) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeComparison();
    void addParts();
    void fitColumns();
    void adoptSheet();
    void refresh();
    void refreshTitle();
    void refreshPlan();
    void refreshState();
    void refreshMeasures();
    void refreshTables();
    void refreshSelectedRow();
    void start();
    void startAgain();

    SessionActions& m_actions;
    RunAccess m_access;
    Settings& m_settings;
    SheetTrainer m_trainer;
    ReproducePanel* m_panel;
    Page m_page = Page::effects;

    // The open lab's sheet, or the one that the panel's choice would start.
    std::optional<SheetPlan> m_plan;
    bool m_isStored = false;
    bool m_isStale = true;                            // the tables show an earlier plan, theme or measure
    std::optional<ReproducePanel::Choice> m_planned;  // choice that m_plan was made for, unless it is the lab's sheet
    std::vector<std::string> m_missing;               // known data sets that the claims need
    QString m_problem;
    QString m_cost;
    std::vector<SheetRow> m_rows;
    std::vector<ScoredPrediction> m_scored;

    QLabel* m_title = nullptr;
    QLabel* m_words = nullptr;
    QList<QToolButton*> m_tabs;
    QComboBox* m_measure = nullptr;
    QStackedWidget* m_pages = nullptr;
    ClaimsPage* m_claims = nullptr;
    TextTable* m_comparison = nullptr;
    TextTable* m_seeds = nullptr;
    TextList* m_checks = nullptr;
    TextList* m_predictions = nullptr;
    QTableView* m_comparisonView = nullptr;
    QTableView* m_seedView = nullptr;
    QLabel* m_rowTitle = nullptr;
    QLabel* m_rowText = nullptr;
    ForestView* m_effects = nullptr;
    LettersView* m_letters = nullptr;
};

}  // namespace ropelab::ui
