#pragma once

#include <QWidget>

#include "ui/results/results_figures.h"
#include "ui/rotary/latest_job.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace ropelab::ui {

class Workspace;

/// The picture of the Results room with the list of its figures above it. What takes long (counting the texts) runs
/// beside the window's thread. It remembers the figure.
class FigurePane : public QWidget {
    Q_OBJECT

 public:
    FigurePane(Workspace& workspace, ResultsSource& source, QWidget* parent = nullptr);

    /// Draws the chosen figure of these results; `picked` is a group's index, or −1; `withPublished`: what papers print
    /// is drawn too.
    void show(const Results& results, int picked, bool withPublished);

    /// By its name. False for one that there is not.
    bool choose(const QString& name);
    /// Steps through the figures, round at the end.
    void step(int by);
    const ResultsFigure& chosen() const;

    const Figure& figure() const { return m_picture.figure; }
    const ResultsPicture& picture() const { return m_picture; }
    FigureView& view() const { return *m_view; }
    QComboBox* chooser() const { return m_chooser; }
    /// Whether numbers of this figure are still being counted.
    bool isBusy() const;

    /// The figure's note beneath the picture, where there is room.
    QLabel* words() const { return m_words; }

 signals:
    /// Another figure is shown.
    void figureChosen();
    /// A group's place in the picture was clicked.
    void groupPicked(int group);
    void exportAsked();
    void contextMenuAsked(const QPoint& where);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void draw();
    void askTexts();
    void fitWords();

    Workspace& m_workspace;
    ResultsSource& m_source;
    Results m_results;
    int m_picked = -1;
    bool m_withPublished = true;
    std::string m_textsKey;  // of m_texts, or of those on their way
    std::vector<TextInformation> m_texts;
    ResultsPicture m_picture;
    QComboBox* m_chooser;
    QToolButton* m_export;
    FigureView* m_view;
    QLabel* m_words;
    LatestJob m_job;  // last, so that it ends first
};

/// A figure of the workspace's lab without a widget; waits for what takes long. Throws BadInput, saying what is
/// missing, where there is nothing to draw.
Figure resultsFigureOf(Workspace& workspace, const ResultsFigure& figure, const ResultsChoices& choices);

}  // namespace ropelab::ui
