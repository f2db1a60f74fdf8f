#pragma once

#include <QList>
#include <QWidget>
#include <utility>

#include "core/rope/rotary_setup.h"

class QStackedWidget;

namespace ropelab::ui {

class NumberSlider;

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
    /// Llama 3 and other methods use the parameter; the others are on one of two pages.
    static bool isShared(const Parameter& parameter);

    Scaling m_scaling;
    QStackedWidget* m_bands = nullptr;  // the limits between scaled and unscaled pairs: of Llama 3, or of the others
    QList<std::pair<const Parameter*, NumberSlider*>> m_sliders;
};

}  // namespace ropelab::ui
