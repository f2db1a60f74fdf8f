#pragma once

#include <QFrame>

#include "ui/inspect/inspect_data.h"
#include "ui/inspect/inspect_figures.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace ropelab::ui {

class Workspace;

/// The right panel of the Inspect room: which run and what of it, a text to read, knock-outs, how far beyond the
/// window. Groups that no figure on show reads are hidden.
class InspectPanel : public QFrame {
    Q_OBJECT

 public:
    explicit InspectPanel(Workspace& workspace, QWidget* parent = nullptr);

    /// 0: none.
    RunId run() const;
    RunId ghost() const;
    /// Without the lit pair and the picked symbol.
    InspectChoices choices() const;
    QString text() const;
    /// Of a run with so many pairs, where `lit` is the lit one.
    KnockOut knockOut(std::int64_t pairs, std::optional<int> lit) const;
    KnockOut::Kind kind() const;
    std::int64_t factor() const;
    /// With the length that is read; a learning rate that cannot be read is 0, the default.
    FineTuning fineTuning() const;

    /// The lab's runs into the lists; keeps what is chosen. Without a choice: the first run that is shown.
    void renewRuns();
    /// Layers, heads and pairs that the run has.
    void fit(const RunSpec& spec);
    /// Shows what figures that read such things need.
    void showFor(const std::vector<InspectFigure::Reads>& reads, const QString& textProblem);
    /// Whether fine-tuning goes on, why it did not, and what earlier ones gave.
    void showFineTuning(bool running, const QString& problem, const QStringList& numbers);
    void showFineTuned(std::int64_t done, std::int64_t steps);
    /// Whether the dials, which have a lag, are on show.
    void showLag(bool shown);
    /// Chooses a head, as a click on its map does.
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
    QComboBox* methods() const { return m_method; }
    QSpinBox* steps() const { return m_steps; }
    QLineEdit* rate() const { return m_rate; }
    QPushButton* fineTuneButton() const { return m_fineTune; }
    QProgressBar* fineTuneProgress() const { return m_fineTuneBar; }

 signals:
    void changed();
    /// To begin, or to end what goes on.
    void fineTuneAsked();

 private:
    QGridLayout* addGroup(QVBoxLayout* column, const QString& title, QWidget** box);
    void renewRanges();
    void makeFineTuning(QVBoxLayout* column);
    void renewFineTuning();

    Workspace& m_workspace;
    QComboBox* m_run;
    QComboBox* m_ghost;
    QCheckBox* m_difference;
    QComboBox* m_rows;
    QComboBox* m_layer;
    QComboBox* m_head;
    QComboBox* m_axis;
    QWidget* m_lagBox = nullptr;
    QSpinBox* m_lag;
    QWidget* m_textBox = nullptr;
    QLineEdit* m_text;
    QLabel* m_textWords;
    QWidget* m_knockOutBox = nullptr;
    QComboBox* m_kind;
    QComboBox* m_which;
    QLabel* m_firstTitle = nullptr;
    QLabel* m_lastTitle = nullptr;
    QSpinBox* m_first;
    QSpinBox* m_last;
    QWidget* m_beyondBox = nullptr;
    QComboBox* m_factor;
    QWidget* m_fineTuneBox = nullptr;
    QComboBox* m_method;
    QSpinBox* m_steps;
    QLineEdit* m_rate;
    QPushButton* m_fineTune;
    QProgressBar* m_fineTuneBar;
    QLabel* m_fineTuneWords;
    QLabel* m_fineTuned;
    QString m_fineTuneProblem;
    bool m_fineTuneRuns = false;
};

}  // namespace ropelab::ui
