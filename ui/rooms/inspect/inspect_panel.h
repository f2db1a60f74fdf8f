#pragma once

#include <QFrame>
#include <QString>
#include <QStringList>
#include <QWidget>

#include "core/study/extrapolation.h"
#include "ui/controls/form.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/inspect/inspect_figures.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

class LabDocument;
class RunStore;
class Settings;

struct FineTuneState {
    bool hasRun = false;  // a run is selected
    QString trainingRun;  // name of the run whose copy is being trained; "" if there is none
    QString refusal;      // why fine-tuning with these settings cannot start; "" if it can
    QString problem;      // why the last fine-tuning of the run failed; "" if it did not
    QStringList results;  // losses before and after earlier fine-tunings, one line each
};

/// Settings of fine-tuning a copy of a run, a button that starts or cancels it, and its progress and results.
class FineTunePanel : public QWidget {
    Q_OBJECT

 public:
    explicit FineTunePanel(QWidget* parent = nullptr);

    /// `factor` is that of the context. An invalid learning rate gives 0, the default.
    FineTuning chosen(std::int64_t factor) const;
    /// Shows the run's default learning rate in grey in the empty field.
    void fit(const RunSpec& spec);
    void showState(const FineTuneState& state);
    void showProgress(std::int64_t done, std::int64_t steps);

    Form& form() { return m_form; }
    QPushButton* button() const { return m_button; }
    QProgressBar* progress() const { return m_bar; }
    QLabel* words() const { return m_words; }
    QLabel* training() const { return m_training; }

 signals:
    void changed();
    /// Start fine-tuning, or cancel it if it runs.
    void toggleRequested();

 private:
    QLabel* addLabel(const QString& name);
    QString whyInvalidRate() const;
    void renew();

    FineTuneState m_state;
    Form m_form;
    QPushButton* m_button;
    QLabel* m_training;
    QProgressBar* m_bar;
    QLabel* m_words;
    QLabel* m_numbers;
};

/// Selects the run, the layer and head, a text, the ablation and the length of the extrapolation. Groups of fields that
/// do not affect the visible figures are hidden.
class InspectPanel : public QFrame {
    Q_OBJECT

 public:
    InspectPanel(RunStore& runs, const LabDocument& lab, Settings& settings, QWidget* parent = nullptr);

    /// 0 if no run is selected; below 0 for a model (LabDocument::models).
    RunId run() const { return m_form.value("run").toLongLong(); }
    /// The second run, or 0.
    RunId ghost() const;
    /// Without the highlighted pair and the selected query.
    InspectChoices choices() const;
    /// The text on which a model is measured: a file or a data set; "": the program's guide.
    QString modelText() const { return m_form.value("modelText").toString().trimmed(); }
    QString text() const { return m_form.value("text").toString(); }
    /// Choices that only one of the visible figures has; as InspectData::flags.
    QJsonObject flags() const;
    /// Choices that are missing get their standard.
    void setFlags(const QJsonObject& flags);
    /// For a run with `pairs` pairs per head, of which `highlighted` is highlighted.
    Ablation ablation(std::int64_t pairs, std::optional<int> highlighted) const;
    /// Length of the extrapolation as a multiple of the training context.
    std::int64_t factor() const { return m_form.value("length").toLongLong(); }
    /// At the length of factor().
    FineTuning fineTuning() const { return m_fineTune->chosen(factor()); }

    /// Preserves the selection. The default is the run with the most to see: a visible one, of these one with rotated
    /// pairs, of these one that has probes, of these a finished one, and of these the one with the lowest loss.
    void renewRuns();
    /// Another lab was opened, in which the ids are those of other runs.
    void forgetRuns();
    /// `other` 0 leaves the second run unchanged.
    void chooseRuns(RunId run, RunId other);
    void fit(const RunSpec& spec, std::int64_t pairs);
    /// `textProblem` is shown below the text field.
    void showFor(const std::vector<const InspectFigure*>& figures, const QString& textProblem);
    /// Only the figure of dials uses the lag.
    void showLag(bool shown) { m_lagBox->setVisible(shown); }
    void chooseHead(std::int64_t layer, std::int64_t head);

    Form& form() { return m_form; }
    FineTunePanel& fineTune() { return *m_fineTune; }

 signals:
    void changed();
    void ghostChosen();

 private:
    void renewRanges();
    void showOwnChoices(const std::vector<const InspectFigure*>& figures);
    /// The lists of layers and heads.
    void renewPlaces();
    void renewDifference();

    RunStore& m_runStore;
    const LabDocument& m_lab;
    Settings& m_settings;
    Form m_form;
    Form m_ownForm;             // the options of the visible figures, made when the first one is visible
    std::int64_t m_layers = 0;  // number of layers of the run
    std::int64_t m_heads = 0;
    bool m_needsOneLayer = false;
    bool m_needsOneHead = false;
    bool m_picksPairs = true;
    QWidget* m_ownBox;
    std::vector<const FigureOption*> m_ownOptions;
    QWidget* m_lagBox;
    QWidget* m_textBox;
    QLabel* m_textWords;
    QWidget* m_ablationBox;
    QWidget* m_extrapolationBox;
    FineTunePanel* m_fineTune;
};

}  // namespace ropelab::ui
