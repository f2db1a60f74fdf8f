#pragma once

#include <QFrame>
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

/// The figure of the room with a list of all figures above it. Slow work (statistics of the data sets, loading the
/// steps of runs, figures of many groups) runs on another thread. The settings store the selected figure.
class FigurePane : public QFrame {
    Q_OBJECT

 public:
    FigurePane(LabDocument& lab, RunStore& runs, Settings& settings, const std::filesystem::path& dataDir,
               QWidget* parent = nullptr);

    /// `picked` is the index of the selected group, or −1. With `withPublished`, the figure also shows the values that
    /// papers report.
    void show(std::shared_ptr<const Results> results, int picked, bool withPublished);

    bool choose(const QString& name);
    /// Moves the selection by this many places; the list wraps around.
    void step(int by);
    const ResultsFigure& chosen() const;

    /// As shown, with the table of results in its settings.
    Figure figure() const { return pictureMaker(true)().figure; }
    const ResultsPicture& picture() const { return m_picture; }
    FigureView& view() const { return *m_view; }
    QComboBox* chooser() const { return m_chooser; }
    QWidget* bar() const { return m_bar; }
    /// Before the button that exports.
    void addToBar(QWidget* widget);
    bool isBusy() const;
    /// Paints the figure before it returns.
    void refreshNow();

 signals:
    void groupPicked(int group);
    void exportRequested();

 private:
    void draw();
    void requestTexts();
    /// Loads the steps of the runs in the figure that have trained since the last load, then draws the figure.
    void requestSteps();
    void paintFigure();
    void showPicture(ResultsPicture picture);
    /// The function uses no widget, so that another thread can call it.
    std::function<ResultsPicture()> pictureMaker(bool isRecorded) const;
    /// Without results, statistics of data sets, steps and published values.
    ResultsData shownData() const;

    LabDocument& m_lab;
    RunStore& m_runStore;
    Settings& m_settings;
    std::filesystem::path m_dataDir;
    std::shared_ptr<const Results> m_results = std::make_shared<Results>();
    int m_picked = -1;
    bool m_withPublished = true;
    std::string m_textsKey;  // textsKey() of m_texts, or of the texts that are being computed
    std::vector<TextInformation> m_texts;
    QString m_stepsLab;  // path of the lab that m_steps belongs to
    std::map<RunId, std::shared_ptr<const RunMetrics::Steps>> m_steps;
    bool m_stepsWanted = false;  // requested while a load was running
    ResultsPicture m_picture;
    QString m_pictureLab;          // path of the lab that m_picture belongs to
    bool m_pictureWanted = false;  // the results changed while their picture was being made
    QWidget* m_bar;
    QComboBox* m_chooser;
    QToolButton* m_export;
    FigureView* m_view;
    // Declared last, so that the threads end before the members that they use are destroyed.
    LatestJob m_job;
    LatestJob m_stepsJob;
    LatestJob m_pictureJob;
};

/// Blocks until slow data are computed. `results`, `withPublished` and `picked` are those of FigurePane::show();
/// `fitsLikeBaseline`: ResultsData::fitLike is the baseline. Throws BadInput, with a sentence on what is missing, if
/// the figure would be empty.
Figure resultsFigureOf(const LabDocument& lab, const RunStore& runs, const std::filesystem::path& dataDir,
                       const ResultsFigure& figure, Results results, bool withPublished, int picked,
                       bool fitsLikeBaseline);

}  // namespace ropelab::ui
