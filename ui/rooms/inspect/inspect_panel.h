#pragma once

#include <QComboBox>
#include <QFrame>
#include <QLineEdit>
#include <QString>
#include <QStringList>
#include <QWidget>

#include "core/study/extrapolation.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/inspect/inspect_figures.h"

class QCheckBox;
class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace ropelab::ui {

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

    QComboBox* methods() const { return m_method; }
    QSpinBox* steps() const { return m_steps; }
    QLineEdit* learningRate() const { return m_learningRate; }
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
    QComboBox* m_method;
    QSpinBox* m_steps;
    QLineEdit* m_learningRate;
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
    InspectPanel(RunStore& runs, Settings& settings, QWidget* parent = nullptr);

    /// 0 if no run is selected.
    RunId run() const { return m_run->currentData().toLongLong(); }
    /// The second run, or 0.
    RunId ghost() const;
    /// Without the highlighted pair and the selected query.
    InspectChoices choices() const;
    QString text() const { return m_text->text(); }
    /// Choices that only one of the visible figures has; as InspectData::flags.
    QJsonObject flags() const;
    /// For a run with `pairs` pairs per head, of which `highlighted` is highlighted.
    Ablation ablation(std::int64_t pairs, std::optional<int> highlighted) const;
    Ablation::Kind kind() const { return static_cast<Ablation::Kind>(m_kind->currentData().toInt()); }
    /// Length of the extrapolation as a multiple of the training context.
    std::int64_t factor() const { return m_factor->currentData().toLongLong(); }
    /// At the length of factor().
    FineTuning fineTuning() const { return m_fineTune->chosen(factor()); }

    /// Preserves the selection. The default is the run with the most to see: a visible one, of these one with rotated
    /// pairs, of these one that has probes, of these a finished one, and of these the one with the lowest loss.
    void renewRuns();
    /// Another lab was opened, in which the ids are those of other runs.
    void forgetRuns();
    /// `other` 0 leaves the second run unchanged.
    void chooseRuns(RunId run, RunId other);
    void fit(const RunSpec& spec);
    /// `textProblem` is shown below the text field.
    void showFor(const std::vector<const InspectFigure*>& figures, const QString& textProblem);
    /// Only the figure of dials uses the lag.
    void showLag(bool shown) { m_lagBox->setVisible(shown); }
    void chooseHead(std::int64_t layer, std::int64_t head);

    QComboBox* runs() const { return m_run; }
    QComboBox* ghosts() const { return m_ghost; }
    QComboBox* rows() const { return m_rows; }
    QComboBox* layers() const { return m_layer; }
    QComboBox* heads() const { return m_head; }
    QComboBox* axis() const { return m_axis; }
    QCheckBox* difference() const { return m_difference; }
    QLineEdit* textField() const { return m_text; }
    QSpinBox* lag() const { return m_lag; }
    QComboBox* kinds() const { return m_kind; }
    QComboBox* which() const { return m_which; }
    QSpinBox* first() const { return m_first; }
    QSpinBox* last() const { return m_last; }
    QComboBox* factors() const { return m_factor; }
    FineTunePanel& fineTune() { return *m_fineTune; }

 signals:
    void changed();
    void ghostChosen();

 private:
    QGridLayout* addGroup(QVBoxLayout* column, const QString& title, QWidget** box);
    void renewRanges();
    void showOwnChoices(const std::vector<const InspectFigure*>& figures);
    void renewLayers();
    void renewHeads();
    void renewDifference();
    void saveChoicesOnChange();

    RunStore& m_runStore;
    Settings& m_settings;
    QComboBox* m_run;
    QComboBox* m_ghost;
    QCheckBox* m_difference;
    QComboBox* m_rows;
    QComboBox* m_layer;
    QComboBox* m_head;
    QComboBox* m_axis;
    QLabel* m_rowsTitle = nullptr;
    QLabel* m_layerTitle = nullptr;
    QLabel* m_headTitle = nullptr;
    QLabel* m_axisTitle = nullptr;
    std::int64_t m_layers = 0;  // number of layers of the run
    std::int64_t m_heads = 0;
    bool m_needsOneLayer = false;
    bool m_needsOneHead = false;
    /// The choices of figures that have such options, made when the first one is visible.
    QWidget* m_ownBox = nullptr;
    QGridLayout* m_ownGrid = nullptr;
    struct OwnChoice {
        const FigureOption* option;
        QLabel* title;
        QComboBox* choice;
    };
    std::vector<OwnChoice> m_ownChoices;
    QWidget* m_lagBox = nullptr;
    QSpinBox* m_lag;
    QWidget* m_textBox = nullptr;
    QLineEdit* m_text;
    QLabel* m_textWords;
    QWidget* m_ablationBox = nullptr;
    QComboBox* m_kind;
    QComboBox* m_which;
    bool m_picksPairs = true;
    QLabel* m_whichTitle = nullptr;
    QLabel* m_firstTitle = nullptr;
    QLabel* m_lastTitle = nullptr;
    QSpinBox* m_first;
    QSpinBox* m_last;
    QWidget* m_extrapolationBox = nullptr;
    QComboBox* m_factor;
    FineTunePanel* m_fineTune;
};

}  // namespace ropelab::ui
