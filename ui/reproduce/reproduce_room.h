#pragma once

#include <QList>
#include <functional>

#include "ui/reproduce/reproduce_panel.h"
#include "ui/reproduce/sheet_trainer.h"
#include "ui/window/room.h"

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;
class QTextBrowser;
class QToolButton;

namespace ropelab::ui {

class LettersView;
class WordList;
class WordTable;

/// Published claims, trained again and judged by rules that were fixed before the first run: what is claimed, ours
/// beside theirs, the source's own numbers recomputed, the prediction ledger. It follows the lab while runs finish.
class ReproduceRoom : public Room {
    Q_OBJECT

 public:
    enum class Page { claims, comparison, checks, predictions, letters };

    explicit ReproduceRoom(Workspace& workspace, QWidget* parent = nullptr);
    ~ReproduceRoom() override;

    QWidget* panel() override;
    void addActions(ActionRegistry& registry) override;
    /// Of the two letters; the other pages are tables.
    Figure figure() override;
    bool hasFigure() const override { return m_page == Page::letters; }
    bool isBusy() const override;
    void refreshNow() override;
    /// "claims", "comparison", "checks", "predictions", "letters".
    void showPart(const QString& part) override;

    Page page() const { return m_page; }
    void showPage(Page page);
    SheetTrainer& trainer() { return m_trainer; }
    ReproducePanel& choices() { return *m_panel; }
    LettersView& letters() { return *m_letters; }
    WordTable& comparison() { return *m_comparison; }
    WordTable& seeds() { return *m_seeds; }
    WordTable& checks();
    WordTable& predictions();
    QComboBox* measureBox() const { return m_measure; }
    /// Where the shown sheet stands; what is said of the picked row; the first page as plain text.
    QString words() const;
    QString rowText() const;
    QString pageText() const;

    void pickRow(int row);
    /// The shown sheet as the chosen format has it; "" where none can be planned.
    QString table() const;
    void copyTable();
    void saveTable();
    /// Asks for a file's name; tests answer for the person. "" where the person thought better of it.
    std::function<QString(const QString& suggestion)> askSave;

 signals:
    void pageChanged();

 protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeBar();
    QWidget* makeComparison();
    void fitColumns();
    void takeUpSheet();
    void renew();
    void renewPlan();
    void renewState();
    void renewMeasures();
    void renewTables();
    void renewPicked();
    void start();
    void startAnew();

    Workspace& m_workspace;
    SheetTrainer m_trainer;
    ReproducePanel* m_panel;
    Page m_page = Page::claims;
    bool m_isPageChosen = false;  // by the person; else a lab with a sheet shows its table

    // What is shown: the lab's sheet, or one as it would be begun.
    std::optional<SheetPlan> m_plan;
    bool m_isLabs = false;
    std::optional<ReproducePanel::Choice> m_planned;  // what m_plan was made for, where it is not the lab's
    QString m_problem;
    QString m_cost;
    std::vector<SheetRow> m_rows;
    std::vector<ScoredPrediction> m_scored;

    QLabel* m_title = nullptr;
    QLabel* m_words = nullptr;
    QList<QToolButton*> m_tabs;
    QComboBox* m_measure = nullptr;
    QStackedWidget* m_pages = nullptr;
    QTextBrowser* m_claims = nullptr;
    WordTable* m_comparison = nullptr;
    WordTable* m_seeds = nullptr;
    WordList* m_checks = nullptr;
    WordList* m_predictions = nullptr;
    QTableView* m_comparisonView = nullptr;
    QTableView* m_seedView = nullptr;
    QLabel* m_rowTitle = nullptr;
    QLabel* m_rowText = nullptr;
    LettersView* m_letters = nullptr;
    QString m_pageHtml;
};

}  // namespace ropelab::ui
