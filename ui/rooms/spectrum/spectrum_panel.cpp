#include "ui/rooms/spectrum/spectrum_panel.h"

#include <QCheckBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/number_slider.h"
#include "ui/common/scaled.h"
#include "ui/rooms/spectrum/kernel_figures.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {
namespace {

/// At the same θ, with the scaling of the setup.
QString partialSentence(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    if (rotated == 0) return SpectrumPanel::tr("No pair is rotated: slice and truncate are the same.");
    // The dots of the figure compare the same two setups.
    const auto different = firstDifferentPair(setup, switchedPartial(setup));
    if (!different) {
        return rotated == setup.head_dim
                   ? SpectrumPanel::tr("All channels are rotated: slice and truncate are the same.")
                   : SpectrumPanel::tr("At this θ, slice and truncate have the same frequencies.");
    }
    return SpectrumPanel::tr("At this θ, slice and truncate differ from pair %1.").arg(*different);
}

}  // namespace

SpectrumPanel::SpectrumPanel(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 16);
    column->addWidget(makePartial());
    m_comparison = new ScalingComparison(this);
    connect(m_comparison, &ScalingComparison::changed, this, &SpectrumPanel::changed);
    column->addWidget(m_comparison);
    column->addWidget(makeKernel());
}

QWidget* SpectrumPanel::makePartial() {
    auto* box = new QWidget(this);
    auto* column = scaledColumn(box, 8);
    column->addWidget(makeHeading(tr("Slice and truncate"), box));
    m_otherPartial = new QCheckBox(box);
    m_otherPartial->setToolTip(
        tr("Slice spreads all wavelengths over the rotated channels (formula 3). Truncate leaves the frequencies of "
           "the whole head unchanged and sets the lowest ones to 0 (formula 4)."));
    connect(m_otherPartial, &QCheckBox::toggled, this, &SpectrumPanel::changed);
    column->addWidget(m_otherPartial);
    m_coincide = makeNote(box);
    m_coincide->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    keepLines(m_coincide, 5);
    m_coincide->setToolTip(
        tr("Before scaling, truncate with base θ and d_r of d channels rotated has exactly the frequencies of slice "
           "with base\nθ′ = θ^(d_r/d) (formula 5). Some scalings depend on d or d_r, so that the scaled frequencies "
           "differ."));
    column->addWidget(m_coincide);
    m_useOther = new QPushButton(tr("Switch method"), box);
    m_useOther->setFocusPolicy(Qt::TabFocus);
    connect(m_useOther, &QPushButton::clicked, this, &SpectrumPanel::otherPartialRequested);
    column->addWidget(m_useOther, 0, Qt::AlignLeft);
    return box;
}

QWidget* SpectrumPanel::makeKernel() {
    auto* box = new QWidget(this);
    auto* column = scaledColumn(box, 8);
    m_kernelHeading = makeHeading(tr("Kernel"), box);
    m_kernelHeading->setToolTip(tr(
        "Kernel of length W: K(Δ) = Σ cos(Δωᵢ) over the rotated pairs, Δ = 0 … W − 1 (formulas 12 and 16).\n"
        "Its spectrum is |DFT|·2/W. A pair with an integer number of periods in W tokens has a peak of magnitude 1;\n"
        "pairs with less than one period add up at 0 periods (formula 9)."));
    column->addWidget(m_kernelHeading);
    m_usesContext = new QCheckBox(tr("kernel length = context"), box);
    m_usesContext->setChecked(true);
    column->addWidget(m_usesContext);
    m_kernelLength = new NumberSlider(
        {.label = tr("kernel length"),
         .unit = tr("tokens"),
         .minimum = 2,
         .maximum = static_cast<double>(kMaxKernelLength),
         .logarithmic = true,
         .step = 1,
         .text = wholeText,
         .why = tr("Number of distances of the kernel, from 0. Its spectrum is computed over the same distances.")},
        box);
    m_kernelLength->setValue(1024);
    m_kernelLength->setEnabled(false);
    column->addWidget(m_kernelLength);
    m_kernelNote = makeNote(box);
    keepLines(m_kernelNote, 2);
    column->addWidget(m_kernelNote);
    m_busy = new QProgressBar(box);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(tr("The kernel is being computed"));
    keepSpace(m_busy);
    m_busy->hide();
    column->addWidget(m_busy);
    connect(m_usesContext, &QCheckBox::toggled, this, [this](bool on) {
        if (!on) m_kernelLength->setValue(static_cast<double>(m_contextLength));
        m_kernelLength->setEnabled(!on);
        emit changed();
    });
    connect(m_kernelLength, &NumberSlider::changed, this, &SpectrumPanel::changed);
    return box;
}

void SpectrumPanel::renew(const RotarySetup& setup, const ComparedSetups& setups, bool editsB) {
    m_contextLength = contextKernelLength(setup);
    m_comparison->renew(setups, editsB);
    renewPartial(setup);
}

void SpectrumPanel::renewPartial(const RotarySetup& setup) {
    const bool isSlice = setup.partial == Partial::slice;
    m_otherPartial->setText(isSlice ? tr("compare with truncate") : tr("compare with slice"));
    QString sentence = partialSentence(setup);
    bool usable = false;
    std::optional<int> different;
    const auto base = coincidingBase(setup);
    if (base && rotary_dim(setup) != setup.head_dim) {
        const QString other = isSlice ? tr("truncate") : tr("slice");
        usable = *base > 1 && *base <= 1e15;
        different = usable ? firstDifferentPair(setup, withOtherPartial(setup)) : std::nullopt;
        const bool isScaled = setup.scaling.method != ScalingMethod::none;
        const QString at = thetaText(*base);
        sentence += QLatin1Char(' ');
        if (!usable) {
            sentence += tr("Before scaling, %1 has the same frequencies at θ = %2; the largest valid θ is 10¹⁵.")
                            .arg(other, at);
        } else if (different) {
            sentence += tr("At θ = %2, %1 has the same frequencies before scaling; after it they differ from pair %3.")
                            .arg(other, at)
                            .arg(*different);
        } else {
            sentence += (isScaled ? tr("At θ = %2, %1 has the same scaled frequencies.")
                                  : tr("At θ = %2, %1 has the same frequencies."))
                            .arg(other, at);
        }
    }
    m_coincide->setText(sentence);
    m_useOther->setEnabled(usable);
    const QString effect =
        different
            ? tr("The frequencies before scaling do not change; the scaled ones change from pair %1.").arg(*different)
            : tr("The frequencies of the rotated pairs do not change.");
    m_useOther->setToolTip((isSlice ? tr("Switches to truncate with that θ.") : tr("Switches to slice with that θ.")) +
                           QLatin1Char(' ') + effect);
}

QString SpectrumPanel::partialWords() const {
    return m_coincide->text();
}

void SpectrumPanel::setPartialWords(const QString& words) {
    m_coincide->setText(words);
}

std::int64_t SpectrumPanel::kernelLength() const {
    return m_usesContext->isChecked() ? 0 : std::llround(m_kernelLength->value());
}

void SpectrumPanel::setKernelLength(std::int64_t tokens) {
    m_usesContext->setChecked(tokens == 0);
    if (tokens > 0) m_kernelLength->commit(QString::number(tokens));
    emit changed();
}

void SpectrumPanel::setKernelNote(const QString& note) {
    m_kernelNote->setText(note);
}

void SpectrumPanel::setBusy(bool isBusy) {
    m_busy->setVisible(isBusy);
}

}  // namespace ropelab::ui
