#include "ui/rooms/context/tuning_panel.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "ui/common/fields.h"
#include "ui/common/number_slider.h"
#include "ui/common/scaled.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {
namespace {

QString whole(double value) {
    return QString::number(value, 'f', 0);
}

struct TuningTexts {
    QString dimension;
    QString base;
    QString limit;
};

TuningTexts textsOf(const TuningNumbers& numbers) {
    return {TuningPanel::tr("%1 of %2").arg(numbers.criticalDimension).arg(numbers.rotatedChannels),
            numbers.criticalBase ? thetaText(std::ceil(*numbers.criticalBase))
            : numbers.context    ? TuningPanel::tr("undefined")
                                 : TuningPanel::tr("no target"),
            numbers.extrapolationLimit
                ? TuningPanel::tr("%1 tokens").arg(tokensText(std::floor(*numbers.extrapolationLimit)))
                : TuningPanel::tr("undefined")};
}

}  // namespace

TuningPanel::TuningPanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Fine-tuning for a longer context"), this));
    m_hasTarget = new QCheckBox(tr("set a target"), this);
    m_hasTarget->setToolTip(
        tr("Sets a target context and a base for fine-tuning, for which the critical base and the extrapolation limit "
           "are computed. Clear the check mark to remove the target."));
    column->addWidget(m_hasTarget);
    m_context = new NumberSlider(
        {.label = tr("target context"),
         .unit = tr("tokens"),
         .minimum = 16,
         .maximum = 1 << 24,
         .logarithmic = true,
         .step = 1,
         .text = whole,
         .why = tr(
             "L′ is the context at which the model is fine-tuned. It starts at the target of the setup's scaling, or "
             "at four times the training context.")},
        this);
    column->addWidget(m_context);
    m_base = new NumberSlider({.label = tr("tuned base β"),
                               .minimum = 2,
                               .maximum = 1e9,
                               .logarithmic = true,
                               .why = tr("β is the base with which the model is fine-tuned. The default is the current "
                                         "θ. Liu et al. 2023, formula 15")},
                              this);
    column->addWidget(m_base);
    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 4);
    grid->setColumnStretch(0, 1);
    const auto addRow = [&](const QString& name) {
        auto* label = new QLabel(name, this);
        label->setProperty("quiet", true);
        auto* value = new QLabel(this);
        value->setAlignment(Qt::AlignRight);
        value->setAccessibleName(name);
        const int row = grid->rowCount();
        grid->addWidget(label, row, 0);
        grid->addWidget(value, row, 1);
        return value;
    };
    m_criticalDimension = addRow(tr("critical dimension d_c"));
    m_criticalBase = addRow(tr("critical base β₀"));
    m_extrapolationLimit = addRow(tr("extrapolation limit T at β"));
    column->addLayout(grid);
    m_unscaled = makeNote(this);
    m_unscaled->setText(tr("These three numbers are unscaled: they belong to the frequencies without the scaling."));
    keepSpace(m_unscaled);
    m_unscaled->hide();
    column->addWidget(m_unscaled);
    connect(m_hasTarget, &QCheckBox::toggled, this, [this](bool on) {
        m_tuning = on ? Tuning{m_context->value(), {}} : Tuning{};
        emit changed();
    });
    connect(m_context, &NumberSlider::changed, this, [this](double value) {
        m_tuning.context = value;
        emit changed();
    });
    connect(m_base, &NumberSlider::changed, this, [this](double value) {
        m_tuning.base = value;
        emit changed();
    });
}

void TuningPanel::renew(const RotarySetup& setup, const std::optional<RotarySetup>& other, bool editsB) {
    const TuningNumbers numbers = tuningNumbers(setup, m_tuning);
    const QSignalBlocker quiet(m_hasTarget);
    m_hasTarget->setChecked(m_tuning.context || m_tuning.base);
    for (NumberSlider* slider : {m_context, m_base}) slider->setEnabled(m_hasTarget->isChecked());
    if (!m_tuning.context) {
        m_context->setValue(suggestedTarget(setup));
    }
    if (!m_tuning.base) {
        m_base->setValue(numbers.base);
    }
    m_unscaled->setVisible(numbers.isScaled);
    const TuningTexts mine = textsOf(numbers);
    const TuningTexts theirs = other ? textsOf(tuningNumbers(*other, m_tuning)) : mine;
    const auto show = [&](QLabel* label, QString TuningTexts::*member, const QString& why) {
        const QString& first = (editsB ? theirs : mine).*member;
        const QString& second = (editsB ? mine : theirs).*member;
        // One line per setup, because the panel is narrow.
        label->setText(other ? QStringLiteral("A %1\nB %2").arg(first, second) : first);
        label->setToolTip(why);
    };
    show(m_criticalDimension, &TuningTexts::dimension, criticalDimensionWhy(numbers, setup.theta));
    show(m_criticalBase, &TuningTexts::base, criticalBaseWhy(numbers, setup.theta));
    show(m_extrapolationLimit, &TuningTexts::limit, extrapolationLimitWhy(numbers));
}

QString TuningPanel::criticalDimension() const {
    return m_criticalDimension->text();
}

QString TuningPanel::criticalBase() const {
    return m_criticalBase->text();
}

QString TuningPanel::extrapolationLimit() const {
    return m_extrapolationLimit->text();
}

}  // namespace ropelab::ui
