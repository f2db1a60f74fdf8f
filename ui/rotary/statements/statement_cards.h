#pragma once

#include <QDialog>
#include <QList>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

class LatestJob;
class RotaryModel;
class Workspace;
struct Reading;
struct Statement;

/// The wrong statements as cards: what is wrong, the number that shows it, and a button that takes the rotary setup
/// there. Not modal; show it with show(). The numbers are computed when it is first shown, beside the window's thread.
class StatementCards : public QDialog {
    Q_OBJECT

 public:
    explicit StatementCards(Workspace& workspace, QWidget* parent = nullptr);

    /// The number's text on a card; a word to wait while it is computed.
    QString reading(int card) const;
    QPushButton* button(int card) const { return m_cards[card].button; }

 signals:
    /// The setup shows a statement now; its room and part are to be brought to the front.
    void shown(const QString& room, const QString& part);
    /// A statement's formula is to be looked up.
    void formulaAsked(int number);

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    struct Card {
        QLabel* reading;
        QPushButton* button;
    };
    QWidget* makeCard(const Statement& statement);
    void compute();
    void demonstrate(const Statement& statement);

    RotaryModel& m_model;
    LatestJob* m_job;
    QList<Card> m_cards;
    bool m_isComputed = false;
};

}  // namespace ropelab::ui
