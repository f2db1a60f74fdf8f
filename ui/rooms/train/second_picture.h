#pragma once

#include <QTimer>
#include <QWidget>

#include "core/spec/event.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/train/live_data.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLabel;
class QLayout;
class QPlainTextEdit;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class CurvePlot;
class FigureView;
class LatestSnapshots;
class Settings;
struct RunView;

/// The picture beside the plot of the Train room: the generated text of a run, a figure of the newest probes, or the
/// gradient norm. It follows training and shows the picked run, or all visible settings if none is picked. The room
/// places the list of choices, which the settings store.
class SecondPicture : public QWidget {
    Q_OBJECT

 public:
    SecondPicture(RunAccess access, Settings& settings, QWidget* parent = nullptr);

    /// Returns the name of the choice: "sample", "gradient-norm", "nothing" or the name of a figure (liveFigures()).
    QString chosen() const;
    /// Selects a choice by its name. Returns false for an unknown name.
    bool choose(const QString& name);
    /// Returns whether there is no second picture.
    bool isNone() const;
    QComboBox* chooser() const { return m_chooser; }
    /// Returns the button that selects whether figures of probes show the picked run, if there is one, or always all
    /// visible settings. The settings store it.
    QToolButton* pickedButton() const { return m_pickedOnly; }
    /// Returns the button that folds the plot of the curves, so that this picture has its space. The settings store it.
    QToolButton* foldButton() const { return m_fold; }

    /// Sets the generated text of a run and the title above it.
    void setSample(const QString& title, const QString& text);
    QString sampleText() const;
    /// Tells which run is picked; 0: none.
    void setPicked(RunId run);

    /// Returns the line above the picture, which says which run and which step it shows.
    QString title() const;
    FigureView& view() { return *m_view; }
    /// Returns the plot of the gradient norm. The room adds its runs and values.
    CurvePlot& gradientPlot() { return *m_gradient; }
    /// Returns the current figure for export; requires hasFigure().
    Figure figure() const;
    /// Returns whether the choice is a figure that is not empty.
    bool hasFigure() const;
    /// Renews and repaints the picture immediately.
    void refreshNow();
    /// Returns whether snapshots are being loaded.
    bool isBusy() const;

 signals:
    /// Another choice was selected.
    void choiceChanged();
    /// The plot of the curves was folded or unfolded.
    void foldChanged();
    /// The picture was clicked or received the keyboard focus, so that exports use its figure.
    void pictureChosen();
    /// The context menu of the picture was requested at this place of the screen.
    void contextMenuRequested(const QPoint& where);

 protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* makeSamplePage();
    QLayout* makeTitleRow();
    void fillChooser();
    /// Renews the picture before the next frame, at most once.
    void schedule();
    /// Selects the runs whose snapshots the choice needs.
    void selectRuns();
    void renew();
    void renewTitle();
    /// Shows as much of the title as fits.
    void elideTitle();
    LiveData data() const;
    LiveRun liveRunOf(const RunView& run) const;

    RunAccess m_access;
    Settings& m_settings;
    LatestSnapshots* m_snapshots;
    QComboBox* m_chooser;
    QLabel* m_title;
    QToolButton* m_pickedOnly;
    QToolButton* m_fold;
    QStackedWidget* m_stack;
    QPlainTextEdit* m_sample = nullptr;
    FigureView* m_view;
    CurvePlot* m_gradient;
    InspectPicture m_picture;
    QString m_wholeTitle;
    QString m_sampleTitle;
    QString m_figureTitle;
    RunId m_picked = 0;
    bool m_wantsPicked = false;  // the user wants the picked run instead of all settings
    bool m_stale = true;
    QTimer m_timer;
};

}  // namespace ropelab::ui
