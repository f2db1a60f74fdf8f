#pragma once

#include <QWidget>

#include "ui/figure/figure.h"

class QLabel;
class QTableView;

namespace ropelab::ui {

class FigureView;
class NumberSlider;
class WordTable;

/// The post's example of bits as a slider: what an A, a B and a letter on average cost where A has probability p,
/// beside what the post prints for p = 0.9.
class LettersView : public QWidget {
    Q_OBJECT

 public:
    explicit LettersView(QWidget* parent = nullptr);

    void setProbability(double p);
    double probability() const;
    Figure figure() const;
    void refreshNow();

    NumberSlider& slider() { return *m_slider; }
    WordTable& table() { return *m_table; }
    FigureView& view() { return *m_view; }
    QString words() const;

 signals:
    void exportAsked();

 private:
    void renew();

    NumberSlider* m_slider;
    WordTable* m_table;
    QTableView* m_tableView;
    QLabel* m_words;
    FigureView* m_view;
};

/// Bits over p(A), with a line at `p` that can be dragged.
Figure lettersFigure(double p);

}  // namespace ropelab::ui
