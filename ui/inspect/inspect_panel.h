#pragma once

#include <QFrame>

#include "ui/inspect/fine_tune_panel.h"
#include "ui/inspect/inspect_data.h"
#include "ui/inspect/inspect_figures.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
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
    /// With the length that is read.
    FineTuning fineTuning() const { return m_fineTune->chosen(factor()); }

    /// The lab's runs into the lists; keeps what is chosen. Without a choice: the first run that is shown.
    void renewRuns();
    /// Layers, heads and pairs that the run has.
    void fit(const RunSpec& spec);
    /// Shows what these figures read and heed, and nothing else.
    void showFor(const std::vector<const InspectFigure*>& figures, const QString& textProblem);
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
    FineTunePanel& fineTune() { return *m_fineTune; }

 signals:
    void changed();
    /// The person chose a second run, or none any more.
    void ghostChosen();

 private:
    QGridLayout* addGroup(QVBoxLayout* column, const QString& title, QWidget** box);
    void renewRanges();
    void renewLayers();
    void renewDifference();
    void remember();

    Workspace& m_workspace;
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
    std::int64_t m_layers = 0;  // of the run
    bool m_needsOneLayer = false;
    QWidget* m_lagBox = nullptr;
    QSpinBox* m_lag;
    QWidget* m_textBox = nullptr;
    QLineEdit* m_text;
    QLabel* m_textWords;
    QWidget* m_knockOutBox = nullptr;
    QComboBox* m_kind;
    QComboBox* m_which;
    bool m_picksPairs = true;
    QLabel* m_whichTitle = nullptr;
    QLabel* m_firstTitle = nullptr;
    QLabel* m_lastTitle = nullptr;
    QSpinBox* m_first;
    QSpinBox* m_last;
    QWidget* m_beyondBox = nullptr;
    QComboBox* m_factor;
    FineTunePanel* m_fineTune;
};

}  // namespace ropelab::ui
