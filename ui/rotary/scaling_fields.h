#pragma once

#include <QList>
#include <QWidget>
#include <utility>

#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

class NumberSlider;

/// The parameters of a scaling, a field each. Those that its method does not read are hidden.
class ScalingFields : public QWidget {
    Q_OBJECT

 public:
    explicit ScalingFields(QWidget* parent = nullptr);

    /// Shows the setup's scaling; no signal. A training context that is not set reads as the setup's context.
    void setSetup(const RotarySetup& setup);

 signals:
    /// The person set one of them: what that is called ("change factor"), and the scaling with it. Many times in a
    /// drag.
    void changed(const QString& what, const ropelab::Scaling& scaling);
    /// The hand let go, or Enter was pressed.
    void finished();

 private:
    struct Parameter;
    static const QList<Parameter>& parameters();

    Scaling m_scaling;
    QList<std::pair<const Parameter*, NumberSlider*>> m_sliders;
};

}  // namespace ropelab::ui
