#include "ui/rotary/scaling_fields.h"

#include <QVBoxLayout>
#include <cmath>

#include "core/spec/numbers.h"
#include "ui/rotary/number_slider.h"
#include "ui/window/scaled.h"

namespace ropelab::ui {
namespace {

QString whole(double value) {
    return QString::number(value, 'f', 0);
}

QString plain(double value) {
    return QString::fromStdString(number_text(std::round(value * 1e6) / 1e6));
}

}  // namespace

/// One of them: its field, its place in the scaling, and which methods read it.
struct ScalingFields::Parameter {
    const char* name;
    const char* unit;
    double minimum;
    double maximum;
    double Scaling::*member;
    QList<ScalingMethod> methods;
    const char* why;

    bool isTokens() const { return member == &Scaling::original_context; }
};

const QList<ScalingFields::Parameter>& ScalingFields::parameters() {
    using M = ScalingMethod;
    static const QList<Parameter> all = {
        {"factor",
         "",
         1,
         128,
         &Scaling::factor,
         {M::linear, M::ntk, M::dynamic, M::ntk_by_parts, M::yarn, M::llama3},
         "s, target context over training context."},
        {"training context",
         "tokens",
         16,
         1048576,
         &Scaling::original_context,
         {M::dynamic, M::ntk_by_parts, M::yarn, M::llama3, M::longrope},
         "L, the context that the model was trained at."},
        {"β fast",
         "turns",
         1,
         128,
         &Scaling::beta_fast,
         {M::yarn, M::ntk_by_parts},
         "Pairs that turn more often than this in the training context are kept. Peng et al. 2023, formulas 21 and 22"},
        {"β slow",
         "turns",
         0.1,
         32,
         &Scaling::beta_slow,
         {M::yarn, M::ntk_by_parts},
         "Pairs that turn less often than this are divided by the factor. Peng et al. 2023, formulas 21 and 22"},
        {"low frequency factor",
         "turns",
         0.1,
         32,
         &Scaling::low_freq_factor,
         {M::llama3},
         "Pairs with fewer turns in the training context are divided by the factor. "
         "Grattafiori et al. 2024, formula 23"},
        {"high frequency factor",
         "turns",
         0.2,
         64,
         &Scaling::high_freq_factor,
         {M::llama3},
         "Pairs with more turns are kept. Grattafiori et al. 2024, formula 23"},
    };
    return all;
}

ScalingFields::ScalingFields(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    for (const Parameter& parameter : parameters()) {
        auto* slider = new NumberSlider({.label = tr(parameter.name),
                                         .unit = tr(parameter.unit),
                                         .minimum = parameter.minimum,
                                         .maximum = parameter.maximum,
                                         .logarithmic = true,
                                         .step = parameter.isTokens() ? 1.0 : 0.0,
                                         .text = parameter.isTokens() ? whole : plain,
                                         .why = tr(parameter.why)},
                                        this);
        const QString what = tr("change %1").arg(tr(parameter.name));
        connect(slider, &NumberSlider::changed, this, [this, what, &parameter](double value) {
            Scaling next = m_scaling;
            next.*parameter.member = value;
            emit changed(what, next);
        });
        connect(slider, &NumberSlider::finished, this, &ScalingFields::finished);
        column->addWidget(slider);
        m_sliders.append({&parameter, slider});
    }
}

void ScalingFields::setSetup(const RotarySetup& setup) {
    m_scaling = setup.scaling;
    for (const auto& [parameter, slider] : m_sliders) {
        const double value = m_scaling.*parameter->member;
        slider->setValue(value > 0 ? value : static_cast<double>(setup.context));
        slider->setVisible(parameter->methods.contains(m_scaling.method));
    }
    setVisible(m_scaling.method != ScalingMethod::none);
}

}  // namespace ropelab::ui
