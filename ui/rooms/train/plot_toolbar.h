#pragma once

#include <QWidget>

class QComboBox;
class QToolButton;

namespace ropelab::ui {

class CurvePlot;
class RunTable;
class Settings;

/// Chooses the quantity, its unit, the axis scale and the smoothing of the plot. The settings store the choices.
class PlotToolbar : public QWidget {
    Q_OBJECT

 public:
    PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent = nullptr);

    /// The ids are "validation_loss", "training_loss", "losses", "learning_rate", "gradient_norm", "tokens_per_second"
    /// and "roofline". Throws BadInput for any other id.
    void showQuantity(const QString& id);

    /// Throws BadInput for a word that is not in lossUnitWords.
    void showUnit(const QString& word);
    bool isLossPerToken() const;

    QComboBox* quantity() const { return m_quantity; }
    bool isRoofline() const;

    QToolButton* resetButton() const { return m_reset; }
    /// The plot shows the mean over seeds with a band of one standard deviation.
    bool isBands() const;
    /// Bands are possible if some visible runs differ only in their seed. `wanted` is the state of the button until the
    /// user clicks it for the first time.
    void setBandsPossible(bool possible, bool wanted);

 signals:
    void bandsChanged(bool on);
    void exportRequested();
    void rooflineChanged(bool on);
    void unitChanged();
    /// `weight` is that of the moving average (see CurvePlot::setSmoothing).
    void smoothingChanged(double weight);

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    /// −1 for an unknown id. Ids of earlier versions are known too.
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
