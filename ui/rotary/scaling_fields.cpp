#include "ui/rotary/scaling_fields.h"

#include <QHash>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

#include "core/spec/numbers.h"
#include "ui/common/format.h"
#include "ui/common/number_slider.h"
#include "ui/common/scaled.h"

namespace ropelab::ui {
namespace {

QString plain(double value) {
    return QString::fromStdString(number_text(std::round(value * 1e6) / 1e6));
}

/// Adds an empty page and returns its column.
QVBoxLayout* addPage(QStackedWidget* stack) {
    auto* page = new QWidget(stack);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    stack->addWidget(page);
    return column;
}

}  // namespace

/// A parameter of a scaling: its field, its member of Scaling, and the methods that use it.
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
         "Scaling factor s: target context divided by training context."},
        {"training context",
         "tokens",
         16,
         1048576,
         &Scaling::original_context,
         {M::dynamic, M::ntk_by_parts, M::yarn, M::llama3, M::longrope},
         "Context length L that the model was trained with."},
        {"β fast",
         "periods",
         1,
         128,
         &Scaling::beta_fast,
         {M::yarn, M::ntk_by_parts},
         "Pairs with more periods than this in the training context are not scaled. Peng et al. 2023, formulas 21 and "
         "22"},
        {"β slow",
         "periods",
         0.1,
         32,
         &Scaling::beta_slow,
         {M::yarn, M::ntk_by_parts},
         "The frequencies of pairs with fewer periods than this in the training context are divided by the factor. "
         "Peng et al. 2023, formulas 21 and 22"},
        {"low frequency factor",
         "periods",
         0.1,
         32,
         &Scaling::low_freq_factor,
         {M::llama3},
         "The frequencies of pairs with fewer periods than this in the training context are divided by the factor. "
         "Grattafiori et al. 2024, formula 23"},
        {"high frequency factor",
         "periods",
         0.2,
         64,
         &Scaling::high_freq_factor,
         {M::llama3},
         "Pairs with more periods than this in the training context are not scaled. Grattafiori et al. 2024, formula "
         "23"},
    };
    return all;
}

QWidget* ScalingFields::field(const QString& name) const {
    static const QHash<QString, double Scaling::*> members = {
        {QStringLiteral("factor"), &Scaling::factor},
        {QStringLiteral("original_context"), &Scaling::original_context},
        {QStringLiteral("beta_fast"), &Scaling::beta_fast},
        {QStringLiteral("beta_slow"), &Scaling::beta_slow},
        {QStringLiteral("low_freq_factor"), &Scaling::low_freq_factor},
        {QStringLiteral("high_freq_factor"), &Scaling::high_freq_factor}};
    const auto member = members.constFind(name);
    if (member == members.constEnd()) return nullptr;
    for (const auto& [parameter, slider] : m_sliders) {
        if (parameter->member == *member) return slider;
    }
    return nullptr;
}

bool ScalingFields::isShared(const Parameter& parameter) {
    return parameter.methods.contains(ScalingMethod::llama3) && parameter.methods.size() > 1;
}

ScalingFields::ScalingFields(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    // Parameters that the method does not use are disabled and not hidden, so that all other fields keep their place.
    m_bands = new QStackedWidget(this);
    QVBoxLayout* other = addPage(m_bands);
    QVBoxLayout* llama = addPage(m_bands);
    for (const Parameter& parameter : parameters()) {
        auto* slider = new NumberSlider({.label = tr(parameter.name),
                                         .unit = tr(parameter.unit),
                                         .minimum = parameter.minimum,
                                         .maximum = parameter.maximum,
                                         .logarithmic = true,
                                         .step = parameter.isTokens() ? 1.0 : 0.0,
                                         .text = parameter.isTokens() ? wholeText : plain,
                                         .why = tr(parameter.why)},
                                        this);
        const QString what = tr("change %1").arg(tr(parameter.name));
        connect(slider, &NumberSlider::changed, this, [this, what, &parameter](double value) {
            Scaling next = m_scaling;
            next.*parameter.member = value;
            emit changed(what, next);
        });
        connect(slider, &NumberSlider::finished, this, &ScalingFields::finished);
        (isShared(parameter)                                 ? column
         : parameter.methods.contains(ScalingMethod::llama3) ? llama
                                                             : other)
            ->addWidget(slider);
        m_sliders.append({&parameter, slider});
    }
    column->addWidget(m_bands);
    m_bands->raise();  // the last child, as it is the last on screen
    for (QVBoxLayout* page : {other, llama}) page->addStretch(1);
}

void ScalingFields::setSetup(const RotarySetup& setup) {
    m_scaling = setup.scaling;
    for (const auto& [parameter, slider] : m_sliders) {
        const double value = m_scaling.*parameter->member;
        slider->setValue(value > 0 ? value : static_cast<double>(setup.context));
        slider->setEnabled(parameter->methods.contains(m_scaling.method));
    }
    m_bands->setCurrentIndex(m_scaling.method == ScalingMethod::llama3 ? 1 : 0);
}

}  // namespace ropelab::ui
