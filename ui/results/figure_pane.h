#pragma once

#include <QWidget>
#include <map>
#include <memory>

#include "ui/results/results_figures.h"
#include "ui/rotary/latest_job.h"

class QComboBox;
class QToolButton;

namespace ropelab::ui {

class Workspace;

/// The picture of the Results room with the list of its figures above it. What takes long (counting the texts, reading
/// every step of runs) runs beside the window's thread. It remembers the figure.
class FigurePane : public QWidget {
    Q_OBJECT

 public:
    explicit FigurePane(Workspace& workspace, QWidget* parent = nullptr);

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
    /// Whether numbers of this figure are still being counted or read.
    bool isBusy() const;

 signals:
    /// A group's place in the picture was clicked.
    void groupPicked(int group);
    void exportAsked();
    void contextMenuAsked(const QPoint& where);

 private:
    void draw();
    void askTexts();
    /// Reads the steps of the runs that the figure draws where they went on since; then paints it.
    void askSteps();
    void paintFigure();
    /// Without texts, steps and what papers print.
    ResultsData shownData() const;

    Workspace& m_workspace;
    Results m_results;
    int m_picked = -1;
    bool m_withPublished = true;
    std::string m_textsKey;  // of m_texts, or of those on their way
    std::vector<TextInformation> m_texts;
    QString m_stepsLab;  // whose steps these are
    std::map<RunId, std::shared_ptr<const RunMetrics::Steps>> m_steps;
    bool m_stepsWanted = false;  // asked for while others were being read
    ResultsPicture m_picture;
    QComboBox* m_chooser;
    QToolButton* m_export;
    FigureView* m_view;
    // Last, so that they end first.
    LatestJob m_job;
    LatestJob m_stepsJob;
};

/// A figure of the workspace's lab without a widget; waits for what takes long. Throws BadInput, saying what is
/// missing, where there is nothing to draw.
Figure resultsFigureOf(Workspace& workspace, const ResultsFigure& figure, const ResultsChoices& choices);

}  // namespace ropelab::ui
