#include "ui/rooms/context/criteria_panel.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "ui/common/label_text.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/rooms/context/context_data.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

struct TuningTexts {
    QString dimension;
    QString base;
    QString limit;
};

TuningTexts textsOf(const TuningNumbers& numbers) {
    return {u"%1 of %2"_s.arg(numbers.criticalDimension).arg(numbers.rotatedChannels),
            numbers.criticalBase ? thetaText(std::ceil(*numbers.criticalBase))
            : numbers.context    ? u"undefined"_s
                                 : u"no target"_s,
            numbers.extrapolationLimit     ? u"%1 tokens"_s.arg(tokensText(std::floor(*numbers.extrapolationLimit)))
            : numbers.hasNoUntrainedPair() ? u"no limit"_s
                                           : u"undefined"_s};
}

double toHundredths(double value) {
    return std::round(100 * value) / 100 + 0.0;  // adding 0 turns −0 into 0
}

QList<FormRow> tuningRows() {
    return {{"target",
             u"set a target"_s,
             {},
             u"Sets a target context and a base for fine-tuning, for which the critical base and the extrapolation "
             "limit are computed. Clear the check mark to remove the target."_s,
             CheckRow{.isWide = true}},
            {"context",
             u"target context"_s,
             {},
             u"L′ is the context length at which the model is fine-tuned. The default is the target of the setup's "
             "scaling, or four times the training context."_s,
             SliderRow{.unit = u"tokens"_s,
                       .minimum = 16,
                       .maximum = 1 << 24,
                       .logarithmic = true,
                       .step = 1,
                       .text = tokensText}},
            {"base",
             u"tuned base β"_s,
             {},
             u"β is the base with which the model is fine-tuned. The default is the current θ. Liu et al. 2023; "
             "formula 15 of the guide"_s,
             SliderRow{.minimum = 2, .maximum = 1e9, .logarithmic = true}}};
}

}  // namespace

TuningPanel::TuningPanel(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"Fine-tuning for a longer context"_s, this));
    m_form.add(column, tuningRows());
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
    m_criticalDimension = addRow(u"critical dimension d_c"_s);
    m_criticalBase = addRow(u"critical base β₀"_s);
    m_extrapolationLimit = addRow(u"extrapolation limit T at β"_s);
    column->addLayout(grid);
    m_unscaled = makeNote(this);
    m_unscaled->setText(u"d_c, β₀ and T are computed from the frequencies without the setup's scaling."_s);
    keepSpace(m_unscaled);
    m_unscaled->hide();
    column->addWidget(m_unscaled);
    connect(&m_form, &Form::changed, this, [this](std::string_view id) {
        const double value = m_form.value(id).toDouble();
        if (id == "target") m_tuning = value != 0 ? Tuning{m_form.value("context").toDouble(), {}} : Tuning{};
        if (id == "context") m_tuning.context = value;
        if (id == "base") m_tuning.base = value;
        emit changed();
    });
}

void TuningPanel::renew(const RotarySetup& setup, const std::optional<RotarySetup>& other, bool editsB) {
    const TuningNumbers numbers = tuningNumbers(setup, m_tuning);
    const bool hasTarget = m_tuning.context || m_tuning.base;
    m_form.showValue("target", hasTarget);
    for (const char* field : {"context", "base"}) m_form.setEnabled(field, hasTarget);
    if (!m_tuning.context) m_form.showValue("context", suggestedTarget(setup));
    if (!m_tuning.base) m_form.showValue("base", numbers.base);
    m_unscaled->setVisible(numbers.isScaled);
    const TuningTexts mine = textsOf(numbers);
    const TuningTexts theirs = other ? textsOf(tuningNumbers(*other, m_tuning)) : mine;
    const auto show = [&](QLabel* label, QString TuningTexts::*member, const QString& why) {
        const QString& first = (editsB ? theirs : mine).*member;
        const QString& second = (editsB ? mine : theirs).*member;
        // One line per setup, because the panel is narrow.
        changeText(label, other ? u"A %1\nB %2"_s.arg(first, second) : first);
        label->setToolTip(why);
    };
    show(m_criticalDimension, &TuningTexts::dimension, criticalDimensionWhy(numbers, setup.theta));
    show(m_criticalBase, &TuningTexts::base, criticalBaseWhy(numbers, setup.theta));
    show(m_extrapolationLimit, &TuningTexts::limit, extrapolationLimitWhy(numbers));
}

QList<FormRow> randomRows() {
    const SliderRow mean{.minimum = -kMaxMean, .maximum = kMaxMean, .snap = toHundredths};
    const SliderRow correlation{.minimum = -1, .maximum = 1, .snap = toHundredths};
    return {{"mean",
             u"mean μ"_s,
             {},
             u"μ is the mean of every component of q and of k. A mean that is not 0 makes the expected logit depend on "
             "the distance, although q and k are independent.\nE[qᵀR(−Δ)k] = (μ² + ρ)·(d − d_r + 2 K(Δ)), "
             "K(Δ) = Σ cos(Δωᵢ), formula 16"_s,
             mean},
            {"correlation",
             u"correlation ρ"_s,
             {},
             u"ρ is the correlation of a component of q with the same component of k: 0 for independent vectors, 1 for "
             "k = q. Components have mean μ and variance 1; d_r of the d channels are rotated.\n"
             "E[qᵀR(−Δ)k] = (μ² + ρ)·(d − d_r + 2 K(Δ)), K(Δ) = Σ cos(Δωᵢ), formula 16"_s,
             correlation}};
}

}  // namespace ropelab::ui

#include "moc_criteria_panel.cpp"
