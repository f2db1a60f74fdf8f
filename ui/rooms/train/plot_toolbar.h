#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace ropelab::ui {

class CurvePlot;
class RunTable;
class Settings;

/// Toolbar above the plot of the Train room: chooses the quantity, its unit, the axis scale and the smoothing. The
/// choices are stored in the settings.
class PlotToolbar : public QWidget {
    Q_OBJECT

 public:
    PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent = nullptr);

    /// Selects the quantity with this id: "validation_loss", "training_loss", "losses", "learning_rate",
    /// "gradient_norm", "tokens_per_second" or "roofline". Throws BadInput for any other id.
    void showQuantity(const QString& id);

    /// Selects the unit of losses with this word (lossUnitWords). Throws BadInput for any other word.
    void showUnit(const QString& word);
    /// Returns whether the plot shows losses in a unit per token.
    bool isLossPerToken() const;

    QComboBox* quantity() const { return m_quantity; }
    /// Returns whether the roofline is selected, which RooflineView shows in place of the plot.
    bool isRoofline() const;

    /// Returns the button "Reset view", which the room places.
    QToolButton* resetButton() const { return m_reset; }
    /// Returns whether the plot shows the mean over seeds with a band of one standard deviation.
    bool isBands() const;
    /// Shows the "± std" button if `possible`, that is if some visible runs differ only in their seed. `wanted` is the
    /// state of the button until the user clicks it for the first time.
    void setBandsPossible(bool possible, bool wanted);

 signals:
    void bandsChanged(bool on);
    void exportRequested();
    void rooflineChanged(bool on);
    /// The quantity or the unit of losses changed.
    void unitChanged();
    /// The weight of the moving average changed (see CurvePlot::setSmoothing).
    void smoothingChanged(double weight);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    /// Returns the index of a quantity in its list; −1 for an unknown id. Ids of earlier versions are known too.
    int indexOfQuantity(const QString& id) const;
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
    QToolButton* m_reset = nullptr;
    QToolButton* m_export = nullptr;
    bool m_bandsPossible = false;
};

}  // namespace ropelab::ui
