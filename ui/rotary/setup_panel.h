#pragma once

#include <QList>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <utility>

#include "core/rope/rotary_setup.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace ropelab::ui {

class ComparisonBar;
class FieldNote;
class NumberSlider;
class RotaryModel;

/// Parameters that the scaling method does not use are hidden.
class ScalingFields : public QWidget {
    Q_OBJECT

 public:
    explicit ScalingFields(QWidget* parent = nullptr);

    /// Emits no signal. An unset training context is shown as the context of the setup.
    void setSetup(const RotarySetup& setup);
    /// `name` as in a setup's line of text ("factor"); null if there is none.
    QWidget* field(const QString& name) const;

 signals:
    /// Emitted repeatedly during a drag. `what` names the change, for example "change factor".
    void changed(const QString& what, const ropelab::Scaling& scaling);
    /// The user released a slider or pressed Enter.
    void finished();

 private:
    struct Parameter;
    static const QList<Parameter>& parameters();

    Scaling m_scaling;
    QList<std::pair<const Parameter*, NumberSlider*>> m_sliders;
};

// Texts of the setup panel about the current setup.

/// "25 %".
QString percentText(double fraction);
QString thetaToolTip(const RotaryModel& model);
QString fractionToolTip(const RotaryModel& model);
/// Rotated channels, longest wavelength, and the number of pairs that complete a period in the context.
QString rotationSummary(const RotaryModel& model);

/// Every rotary room has one. The fields named in `withoutEffect`, as in a setup's line of text, say that they change
/// no figure of the room.
class SetupPanel : public QWidget {
    Q_OBJECT

 public:
    explicit SetupPanel(RotaryModel& model, QWidget* parent = nullptr, const QStringList& withoutEffect = {});

    NumberSlider* theta() const { return m_theta; }
    NumberSlider* fraction() const { return m_fraction; }
    NumberSlider* context() const { return m_context; }
    NumberSlider* headDim() const { return m_headDim; }
    QComboBox* scaling() const { return m_scaling; }
    QPushButton* statements() const { return m_statements; }
    /// What the setup rotates. It stands at the end of the panel, because its height changes.
    QLabel* summary() const { return m_summary; }

    /// `name` as in the setup's line of text; null if there is none.
    QWidget* field(const QString& name) const;
    ComparisonBar* comparison() const { return m_comparison; }

    /// One or two setups, like pasting their text. The panel shows an error if the text is invalid.
    void applyText(const QString& text);
    QString problem() const;

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void makeNumbers();
    void makeChoices(QGridLayout* grid, const QStringList& withoutEffect);
    void renew();
    /// One undoable change. An invalid one is reverted, and the panel shows the error.
    template <typename Change>
    void change(const QString& what, Change apply);
    void showProblem(const QString& sentence);

    RotaryModel& m_model;
    NumberSlider* m_theta = nullptr;
    NumberSlider* m_fraction = nullptr;
    NumberSlider* m_headDim = nullptr;
    NumberSlider* m_context = nullptr;
    QComboBox* m_partial = nullptr;
    QComboBox* m_pairing = nullptr;
    QComboBox* m_precision = nullptr;
    QComboBox* m_scaling = nullptr;
    ScalingFields* m_scalingFields = nullptr;
    QPushButton* m_statements = nullptr;
    ComparisonBar* m_comparison = nullptr;
    QLabel* m_modelName = nullptr;
    QLabel* m_summary = nullptr;
    QPointer<FieldNote> m_problem;  // floats in another widget, which may be deleted first
};

}  // namespace ropelab::ui
