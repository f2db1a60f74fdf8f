#pragma once

#include <QHash>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <functional>

#include "core/rope/rotary_setup.h"
#include "ui/controls/number_slider.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLayout;
class QPushButton;

namespace ropelab::ui {

class ComparisonBar;
class FieldNote;
class RotaryModel;

/// Every rotary room has one. The fields named in `withoutEffect`, as in a setup's line of text, say that they change
/// no figure of the room.
class SetupPanel : public QWidget {
    Q_OBJECT

 public:
    explicit SetupPanel(RotaryModel& model, QWidget* parent = nullptr, const QStringList& withoutEffect = {});

    // Fields of settings, named as in the setup's line of text; null if there is none.
    NumberSlider* slider(const QString& name) const { return m_sliders.value(name); }
    QComboBox* choice(const QString& name) const { return m_choices.value(name); }
    QWidget* field(const QString& name) const;
    QPushButton* statements() const { return m_statements; }
    /// What the setup rotates. It stands at the end of the panel, because its height changes.
    QLabel* summary() const { return m_summary; }

    ComparisonBar* comparison() const { return m_comparison; }

    /// One or two setups, like pasting their text. The panel shows an error if the text is invalid.
    void applyText(const QString& text);
    QString problem() const;

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

 private:
    void makeNumbers();
    void makeChoices(QGridLayout* grid, const QStringList& withoutEffect);
    /// Parameters that the scaling method does not use are hidden.
    QWidget* makeScaling();
    /// `what` names its changes.
    void addSlider(const char* name, NumberSlider::Options options, const QString& what, QLayout* column);
    void renew();
    /// One undoable change. An invalid one is reverted, and the panel shows the error.
    void change(const QString& what, const std::function<void(RotarySetup&)>& apply);
    void showProblem(const QString& sentence);

    RotaryModel& m_model;
    QHash<QString, NumberSlider*> m_sliders;  // by the name of the setting
    QHash<QString, QComboBox*> m_choices;
    QPushButton* m_statements = nullptr;
    bool m_isStale = false;  // the model changed while no field was shown
    ComparisonBar* m_comparison = nullptr;
    QLabel* m_modelName = nullptr;
    QLabel* m_summary = nullptr;
    QPointer<FieldNote> m_problem;  // floats in another widget, which may be deleted first
};

}  // namespace ropelab::ui
