#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/figure/figure.h"

class QTableView;

namespace ropelab::ui {

class FigureView;
class NumberSlider;
class TextTable;

/// The post's example of code length: a slider sets the probability p of the letter A, and a table and a figure show
/// the bits for A, for B and on average, next to the post's numbers for p = 0.9.
class LettersView : public QWidget {
    Q_OBJECT

 public:
    explicit LettersView(QWidget* parent = nullptr);

    void setProbability(double p);
    double probability() const;
    Figure figure() const;
    void refreshNow();

    NumberSlider& slider() { return *m_slider; }
    TextTable& table() { return *m_table; }
    FigureView& view() { return *m_view; }
    QString words() const { return m_words->text(); }

 signals:
    void exportRequested();

 private:
    void refresh();

    NumberSlider* m_slider;
    TextTable* m_table;
    QTableView* m_tableView;
    QLabel* m_words;
    FigureView* m_view;
};

/// Code lengths in bits over p(A), with a line at `p` that can be dragged.
Figure lettersFigure(double p);

}  // namespace ropelab::ui
