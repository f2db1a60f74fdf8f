#pragma once

#include <QComboBox>
#include <QPlainTextEdit>
#include <QTimer>
#include <QWidget>

#include "core/spec/event.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/train/live_figures.h"
#include "ui/session/run_access.h"

class QLabel;
class QLayout;
class QStackedWidget;
class QToolButton;

namespace ropelab::ui {

class CurvePlot;
class FigureView;
class LatestSnapshots;
class Settings;
struct RunView;

/// The picture beside the plot: the generated text of a run, a figure of the newest probes, or the gradient norm. It
/// follows training and shows the picked run, or all visible settings if none is picked. The room places the list of
/// choices, which the settings store.
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
    QComboBox* chooser() const { return m_chooser; }
    /// Selects whether figures of probes show the picked run, if there is one, or always all visible settings. The
    /// settings store it.
    QToolButton* pickedButton() const { return m_pickedOnly; }
    /// Folds the plot of the curves, so that this picture has its space. The settings store it.
    QToolButton* foldButton() const { return m_fold; }

    void setSample(const QString& title, const QString& text);
    QString sampleText() const { return m_sample->toPlainText(); }
    /// 0: no run is picked.
    void setPicked(RunId run);

    QString title() const { return m_wholeTitle; }
    FigureView& view() { return *m_view; }
    CurvePlot& gradientPlot() { return *m_gradient; }
    /// Requires hasFigure().
    Figure figure() const;
    bool hasFigure() const;
    void refreshNow();
    bool isBusy() const;

 signals:
    void choiceChanged();
    void foldChanged();
    /// A click or the keyboard focus has chosen the picture, so that exports use its figure.
    void pictureChosen();
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
    void selectRuns();
    void renew();
    void renewTitle();
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
