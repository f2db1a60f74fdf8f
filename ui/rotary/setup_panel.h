#pragma once

#include <QWidget>

#include "core/rope/rotary_setup.h"

class QComboBox;
class QGridLayout;
class QLabel;

namespace ropelab::ui {

class NumberSlider;
class RotaryModel;
class ScalingFields;
class Workspace;

/// Sets the rotary setup: theta, fraction, head dimension, context and the rest as fields, the setup as a line of text
/// to copy and paste, and the way to the models. Every rotary room has one; all show the same setup.
class SetupPanel : public QWidget {
    Q_OBJECT

 public:
    explicit SetupPanel(Workspace& workspace, QWidget* parent = nullptr);

    NumberSlider* theta() const { return m_theta; }
    NumberSlider* fraction() const { return m_fraction; }
    NumberSlider* context() const { return m_context; }
    NumberSlider* headDim() const { return m_headDim; }
    QComboBox* scaling() const { return m_scaling; }

    /// Takes a setup's text, as pasting does; what is wrong with it is said in the panel.
    void take(const QString& text);
    QString problem() const;

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void makeNumbers();
    void makeChoices(QGridLayout* grid);
    void renew();
    /// One undoable change of the setup; what is refused is said and put back.
    template <typename Change>
    void change(const QString& what, Change apply);
    void showProblem(const QString& sentence);

    Workspace& m_workspace;
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
    QLabel* m_modelName = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_problem = nullptr;
};

}  // namespace ropelab::ui
