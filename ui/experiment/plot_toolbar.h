#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace ropelab::ui {

class CurvePlot;
class RunTable;
class Settings;

/// Over the plot: which quantity, in which unit, on which axis, how smooth; what was chosen is remembered.
class PlotToolbar : public QWidget {
    Q_OBJECT

 public:
    PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent = nullptr);

    /// "validation_loss", "training_loss", "losses", "learning_rate", "gradient_norm", "characters_per_second",
    /// "roofline". Throws BadInput for any other.
    void showQuantity(const QString& id);

    /// Whether the choice is the roofline, which another widget than the plot shows.
    bool isRoofline() const;

    /// Whether runs are averaged over seeds, where that is possible.
    bool isBands() const;
    /// Whether there are runs that differ in seed only; without them there is nothing to switch.
    /// `wanted`: they are averaged until the person chooses.
    void setBandsPossible(bool possible, bool wanted);

 signals:
    void bandsChanged(bool on);
    void exportAsked();
    void rooflineChanged(bool on);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    QWidget* makeAxisChoice();
    QWidget* makeSmoothing();
    void applyView();
    void showBands();

    CurvePlot& m_plot;
    RunTable& m_table;
    Settings& m_settings;
    QComboBox* m_quantity = nullptr;
    QComboBox* m_unit = nullptr;
    QWidget* m_axis = nullptr;
    QWidget* m_smoothing = nullptr;
    QToolButton* m_linear = nullptr;
    QToolButton* m_log = nullptr;
    QToolButton* m_bands = nullptr;
    QToolButton* m_export = nullptr;
    bool m_bandsPossible = false;
};

}  // namespace ropelab::ui
