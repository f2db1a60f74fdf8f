#pragma once

#include <QDialog>
#include <QList>
#include <functional>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

class LatestJob;
class RotaryModel;
struct Evidence;
struct Statement;

/// Each card shows a statement, why it is wrong, the computed evidence, and a button that demonstrates it. Not modal. A
/// background job computes the evidence when the dialog is first shown.
class StatementCards : public QDialog {
    Q_OBJECT

 public:
    /// `roomTitle` gives the title of a room by its id.
    StatementCards(RotaryModel& model, std::function<QString(const QString& room)> roomTitle,
                   QWidget* parent = nullptr);

    /// "computing …" while the background job runs.
    QString evidence(int card) const;
    QPushButton* button(int card) const { return m_cards[card].button; }

 signals:
    /// The setup was changed to demonstrate a statement; the receiver should show this room and part.
    void shown(const QString& room, const QString& part);
    void formulaRequested(int number);

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    struct Card {
        QLabel* evidence;
        QPushButton* button;
    };
    QWidget* makeCard(const Statement& statement);
    void compute();
    void demonstrate(const Statement& statement);

    RotaryModel& m_model;
    std::function<QString(const QString&)> m_roomTitle;
    LatestJob* m_job;
    QList<Card> m_cards;
    bool m_isComputed = false;
};

}  // namespace ropelab::ui
