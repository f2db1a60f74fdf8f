#pragma once

#include <QComboBox>
#include <QPlainTextEdit>
#include <QTimer>
#include <QWidget>

#include "core/contract/event.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/train/figures/live_figures.h"
#include "ui/session/run_access.h"

class QLabel;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class CurvePlot;
class FigureView;
class LatestSnapshots;
class Settings;
struct RunView;

/// The picture below the plot: the generated text of a run, a figure of the newest probes, or the gradient norm. It
/// follows training and shows the picked run, or all visible settings if none is picked. A low picture shows figures as
/// one strip per setting. The room places the list of choices, which the settings store, and the buttons.
class SecondPicture : public QWidget {
    Q_OBJECT

 public:
    SecondPicture(RunAccess access, Settings& settings, QWidget* parent = nullptr);

    /// "sample", "gradient-norm", "nothing" or the name of a figure (liveFigures()).
    QString chosen() const { return m_chooser->currentData().toString(); }
    bool choose(const QString& name);
    struct Choice {
        QString name;
        QString title;
        QString why;
    };
    static QList<Choice> choices();
    bool isNone() const;
    bool isGradient() const;
    QComboBox* chooser() const { return m_chooser; }
    /// Selects whether figures of probes show the picked run, if there is one, or always all visible settings. The
    /// settings store it.
    QToolButton* pickedButton() const { return m_pickedOnly; }
    void wantPicked(bool on);
    /// Folds the plot of the curves, so that this picture has its space and axes. The settings store it.
    QToolButton* foldButton() const { return m_fold; }

    void setSample(const QString& title, const QString& text);
    QString sampleText() const { return m_sample->toPlainText(); }
    /// 0: no run is picked.
    void setPicked(RunId run);

    QString title() const { return m_wholeTitle; }
    FigureView& view() { return *m_view; }
    /// With its axes, also while the view shows it as strips.
    const Figure& picture() const { return m_picture.figure; }
    CurvePlot& gradientPlot() { return *m_gradient; }
    /// Requires hasFigure().
    Figure figure() const;
    bool hasFigure() const;
    void refreshNow();
    bool isBusy() const;

 signals:
    void choiceChanged();
    void foldChanged();

 protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* makeSamplePage();
    void fillChooser();
    /// Renews the picture before the next frame, at most once.
    void schedule();
    void selectRuns();
    void renew();
    /// `rowInk` is that of the rows of a map.
    void showPicture(Ink rowInk);
    void renewPage();
    void renewTitle();
    void elideTitle();
    /// Without space for axes.
    bool isLow() const;
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
    QString m_hovered;  // the value under the pointer, which replaces the title
    RunId m_picked = 0;
    bool m_wantsPicked = false;  // the user wants the picked run instead of all settings
    bool m_stale = true;
    bool m_showsStrips = false;
    bool m_wasLow = false;  // when the picture was made
    QTimer m_timer;
};

}  // namespace ropelab::ui
