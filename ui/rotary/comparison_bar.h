#pragma once

#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

class RotaryModel;

/// Visible while two setups are compared: chooses which one the fields edit, exchanges A and B, and ends the
/// comparison. It also makes the menu that begins a comparison.
class ComparisonBar : public QWidget {
    Q_OBJECT

 public:
    explicit ComparisonBar(RotaryModel& model, QWidget* parent = nullptr);

    /// Begins a comparison, or chooses another setup to compare with: previous setups, the setup of the clipboard and
    /// the known models.
    QPushButton* makeButton(QWidget* parent);
    void fill(QMenu& menu);

    QToolButton* choiceA() const { return m_a; }
    QToolButton* choiceB() const { return m_b; }
    QPushButton* swap() const { return m_swap; }
    QPushButton* end() const { return m_end; }
    /// "A: θ = 10k" and "B: θ = 500k" in two lines.
    QString names() const;

 signals:
    /// A setup cannot be compared; `sentence` says why.
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
