#pragma once

#include <QWidget>
#include <filesystem>
#include <map>
#include <memory>

#include "ui/common/latest_job.h"
#include "ui/rooms/results/results_figures.h"

class QComboBox;
class QToolButton;

namespace ropelab::ui {

class LabDocument;
class RunStore;
class Settings;

/// The figure of the Results room with a list of all figures above it. Slow work (statistics of the data sets, loading
/// the steps of runs) runs on another thread. The selected figure is saved in the settings.
class FigurePane : public QWidget {
    Q_OBJECT

 public:
    FigurePane(LabDocument& lab, RunStore& runs, Settings& settings, const std::filesystem::path& dataDir,
               QWidget* parent = nullptr);

    /// Shows the selected figure for `results`. `picked` is the index of the selected group, or −1. With
    /// `withPublished`, the figure also shows the values that papers report.
    void show(const Results& results, int picked, bool withPublished);

    /// Selects a figure by its name. Returns false for an unknown name.
    bool choose(const QString& name);
    /// Selects the figure that is `by` places further in the list, which wraps around.
    void step(int by);
    /// Returns the selected figure.
    const ResultsFigure& chosen() const;

    const Figure& figure() const { return m_picture.figure; }
    const ResultsPicture& picture() const { return m_picture; }
    FigureView& view() const { return *m_view; }
    QComboBox* chooser() const { return m_chooser; }
    /// Returns the row of the chooser and the button for exporting, above the figure.
    QWidget* bar() const { return m_bar; }
    /// Returns whether data of the selected figure are still being computed or loaded.
    bool isBusy() const;

 signals:
    /// A point of this group was clicked in the figure.
    void groupPicked(int group);
    /// The button for exporting the figure was clicked.
    void exportRequested();
    /// The figure's context menu was requested at this place of the screen.
    void contextMenuRequested(const QPoint& where);

 private:
    void draw();
    void requestTexts();
    /// Loads the steps of the runs in the figure that have trained since the last load, then draws the figure.
    void requestSteps();
    void paintFigure();
    /// Returns the figure's data without statistics of data sets, steps and published values.
    ResultsData shownData() const;

    LabDocument& m_lab;
    RunStore& m_runStore;
    Settings& m_settings;
    std::filesystem::path m_dataDir;
    Results m_results;
    int m_picked = -1;
    bool m_withPublished = true;
    std::string m_textsKey;  // textsKey() of m_texts, or of the texts that are being computed
    std::vector<TextInformation> m_texts;
    QString m_stepsLab;  // path of the lab that m_steps belongs to
    std::map<RunId, std::shared_ptr<const RunMetrics::Steps>> m_steps;
    bool m_stepsWanted = false;  // requested while a load was running
    ResultsPicture m_picture;
    QWidget* m_bar;
    QComboBox* m_chooser;
    QToolButton* m_export;
    FigureView* m_view;
    // Declared last, so that the threads end before the members that they use are destroyed.
    LatestJob m_job;
    LatestJob m_stepsJob;
};

/// Returns a figure of the workspace's lab without a widget. Blocks until slow data are computed. With `withPublished`,
/// the figure also shows the values that papers report. `picked` is the index of the selected group, or −1. Throws
/// BadInput, with a sentence on what is missing, if the figure would be empty.
Figure resultsFigureOf(const LabDocument& lab, const RunStore& runs, const std::filesystem::path& dataDir,
                       const ResultsFigure& figure, const ResultsChoices& choices, bool withPublished = false,
                       int picked = -1);

}  // namespace ropelab::ui
