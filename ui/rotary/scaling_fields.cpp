#include "ui/rotary/scaling_fields.h"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

#include "core/spec/numbers.h"
#include "ui/common/format.h"
#include "ui/common/number_slider.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"

namespace ropelab::ui {
namespace {

QString plain(double value) {
    return QString::fromStdString(number_text(std::round(value * 1e6) / 1e6));
}

/// Returns the column of the new page.
QVBoxLayout* addPage(QStackedWidget* stack) {
    auto* page = new QWidget(stack);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    stack->addWidget(page);
    return column;
}

}  // namespace

struct ScalingFields::Parameter {
    const char* name;
    const char* label;
    double minimum;
    double maximum;

    const SetupKey& key() const { return setup_key(name); }
    bool isTokens() const { return key().unit == "tokens"; }
    bool isUsedBy(ScalingMethod method) const {
        RotarySetup setup;
        setup.scaling.method = method;
        return key().matters(setup);
    }
};

const QList<ScalingFields::Parameter>& ScalingFields::parameters() {
    static const QList<Parameter> all = {
        {"factor", "factor", 1, 128},
        {"original_context", "training context", 16, 1048576},
        {"beta_fast", "β fast", 1, 128},
        {"beta_slow", "β slow", 0.1, 32},
        {"low_freq_factor", "low frequency factor", 0.1, 32},
        {"high_freq_factor", "high frequency factor", 0.2, 64},
    };
    return all;
}

QWidget* ScalingFields::field(const QString& name) const {
    for (const auto& [parameter, slider] : m_sliders) {
        if (name == QLatin1String(parameter->name)) return slider;
    }
    return nullptr;
}

bool ScalingFields::isShared(const Parameter& parameter) {
    return parameter.isUsedBy(ScalingMethod::llama3) && parameter.isUsedBy(ScalingMethod::yarn);
}

ScalingFields::ScalingFields(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    // Parameters that the method does not use are disabled and not hidden, so that all other fields keep their place.
    m_bands = new QStackedWidget(this);
    QVBoxLayout* other = addPage(m_bands);
    QVBoxLayout* llama = addPage(m_bands);
    for (const Parameter& parameter : parameters()) {
        auto* slider = new NumberSlider({.label = tr(parameter.label),
                                         .unit = text(parameter.key().unit),
                                         .minimum = parameter.minimum,
                                         .maximum = parameter.maximum,
                                         .logarithmic = true,
                                         .step = parameter.isTokens() ? 1.0 : 0.0,
                                         .text = parameter.isTokens() ? wholeText : plain,
                                         .why = text(parameter.key().meaning)},
                                        this);
        const QString what = tr("change %1").arg(tr(parameter.label));
        connect(slider, &NumberSlider::changed, this, [this, what, &parameter](double value) {
            RotarySetup next;
            next.scaling = m_scaling;
            parameter.key().set(next, value);
            emit changed(what, next.scaling);
        });
        connect(slider, &NumberSlider::finished, this, &ScalingFields::finished);
        (isShared(parameter) ? column : parameter.isUsedBy(ScalingMethod::llama3) ? llama : other)->addWidget(slider);
        m_sliders.append({&parameter, slider});
    }
    column->addWidget(m_bands);
    m_bands->raise();  // the last child, as it is the last on screen
    for (QVBoxLayout* page : {other, llama}) page->addStretch(1);
}

void ScalingFields::setSetup(const RotarySetup& setup) {
    m_scaling = setup.scaling;
    for (const auto& [parameter, slider] : m_sliders) {
        const double value = std::get<double>(parameter->key().get(setup));
        slider->setValue(value > 0 ? value : static_cast<double>(setup.context));
        slider->setEnabled(parameter->isUsedBy(m_scaling.method));
    }
    m_bands->setCurrentIndex(m_scaling.method == ScalingMethod::llama3 ? 1 : 0);
}

}  // namespace ropelab::ui
