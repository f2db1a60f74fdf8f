#pragma once

#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

class RotaryModel;

/// Chooses the edited setup, exchanges A and B, and ends the comparison. Also makes the menu that begins one.
class ComparisonBar : public QWidget {
    Q_OBJECT

 public:
    explicit ComparisonBar(RotaryModel& model, QWidget* parent = nullptr);

    /// Compares with previous setups, the setup of the clipboard or a known model.
    QPushButton* makeButton(QWidget* parent);
    void fill(QMenu& menu);

    QToolButton* choiceA() const { return m_a; }
    QToolButton* choiceB() const { return m_b; }
    QPushButton* swap() const { return m_swap; }
    QPushButton* end() const { return m_end; }
    /// "A: θ = 10k" and "B: θ = 500k" in two lines.
    QString names() const;

 signals:
    void problem(const QString& sentence);

 private:
    void renew();
    void compareWithClipboard();

    RotaryModel& m_model;
    QLabel* m_names;
    QToolButton* m_a;
    QToolButton* m_b;
    QPushButton* m_swap;
    QPushButton* m_end;
};

}  // namespace ropelab::ui
