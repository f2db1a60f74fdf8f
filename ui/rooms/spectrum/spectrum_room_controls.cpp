#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/rope/context.h"
#include "core/spec/error.h"
#include "ui/common/explanation.h"
#include "ui/common/fields.h"
#include "ui/common/format.h"
#include "ui/common/number_slider.h"
#include "ui/common/scaled.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/spectrum/encodings_page.h"
#include "ui/rooms/spectrum/scaling_comparison.h"
#include "ui/rooms/spectrum/spectrum_room.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

QWidget* SpectrumRoom::makeTabs() {
    auto* tabs = new QWidget(this);
    auto* row = new QHBoxLayout(tabs);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(tabs);
    m_frequenciesTab = addToggle(row, group, tr("Frequencies"), tr("Show Frequencies"),
                                 tr("Shows the wavelengths of RoPE and the kernel, the sum of their cosines."));
    m_encodingsTab =
        addToggle(row, group, tr("Encodings"), tr("Show Encodings"),
                  tr("Shows ALiBi's bias (formula 25), the attention mask, sinusoidal embeddings (formula 30), the "
                     "receptive field of sliding windows (formula 61), and all encodings side by side (formula 60)."));
    m_frequenciesTab->setChecked(true);
    row->addStretch(1);
    return tabs;
}

QWidget* SpectrumRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(bar);
    m_wavelength = addToggle(row, group, tr("wavelength"), tr("Show wavelength"),
                             tr("Shows wavelengths λ_i = 2π/ωᵢ: the tokens per period of pair i."));
    m_frequency = addToggle(
        row, group, tr("frequency"), tr("Show frequency"),
        tr("Shows frequencies ωᵢ = θ^(−2i/d_r): the rotation of pair i in radians per token (formulas 3 and 4)."));
    m_wavelength->setChecked(true);
    connect(m_frequency, &QToolButton::toggled, this, &SpectrumRoom::schedule);
    row->addSpacing(8);
    m_summary = makeNote(bar);
    m_summary->setAccessibleName(tr("Pairs that complete a period"));
    row->addWidget(m_summary, 1);
    keepLines(m_summary, 2);
    return bar;
}

QWidget* SpectrumRoom::makeOptions() {
    auto* options = new QWidget;
    auto* column = new QVBoxLayout(options);
    scaleLayout(column, {0, 8, 0, 0}, 0);
    m_frequencyOptions = new QWidget(options);
    auto* boxes = new QVBoxLayout(m_frequencyOptions);
    scaleLayout(boxes, {0, 0, 0, 0}, 16);
    boxes->addWidget(makePartial(m_frequencyOptions));
    m_comparison = new ScalingComparison(m_frequencyOptions);
    connect(m_comparison, &ScalingComparison::changed, this, &SpectrumRoom::schedule);
    boxes->addWidget(m_comparison);
    boxes->addWidget(makeKernelOptions(m_frequencyOptions));
    column->addWidget(m_frequencyOptions);
    m_encodingFields = m_encodings->makeFields(options);
    m_encodingFields->hide();
    column->addWidget(m_encodingFields);
    return options;
}

QWidget* SpectrumRoom::makePartial(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = new QVBoxLayout(box);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Slice and truncate"), box));
    m_otherPartial = new QCheckBox(box);
    m_otherPartial->setToolTip(
        tr("Slice spreads all wavelengths over the rotated channels (formula 3). Truncate leaves the frequencies of "
           "the whole head unchanged and sets the lowest ones to 0 (formula 4)."));
    connect(m_otherPartial, &QCheckBox::toggled, this, &SpectrumRoom::schedule);
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
    connect(m_useOther, &QPushButton::clicked, this, [this] {
        model().endDrag();
        try {
            changeSetup(tr("change slice or truncate"), withOtherPartial(model().setup()));
        } catch (const BadInput& error) {
            m_coincide->setText(QString::fromStdString(error.what()));
        }
        model().endDrag();
    });
    column->addWidget(m_useOther, 0, Qt::AlignLeft);
    return box;
}

QWidget* SpectrumRoom::makeKernelOptions(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = new QVBoxLayout(box);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    auto* heading = makeHeading(tr("Kernel"), box);
    heading->setToolTip(tr(
        "Kernel of length W: K(Δ) = Σ cos(Δωᵢ) over the rotated pairs, Δ = 0 … W − 1 (formulas 12 and 16).\n"
        "Its spectrum is |DFT|·2/W. A pair with an integer number of periods in W tokens has a peak of magnitude 1;\n"
        "pairs with less than one period add up at 0 periods (formula 9)."));
    explainBy(m_kernel, heading);
    explainBy(m_kernelSpectrum, heading);
    column->addWidget(heading);
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
        if (!on) {
            m_kernelLength->setValue(static_cast<double>(contextKernelLength(model().setup())));
        }
        m_kernelLength->setEnabled(!on);
        schedule();
    });
    connect(m_kernelLength, &NumberSlider::changed, this, &SpectrumRoom::schedule);
    return box;
}

QString SpectrumRoom::partialWords() const {
    return m_coincide->text();
}

QString SpectrumRoom::words() const {
    return m_summary->text();
}

QString SpectrumRoom::partialSentence(const RotarySetup& setup) const {
    const int rotated = rotary_dim(setup);
    if (rotated == 0) return tr("No pair is rotated: slice and truncate are the same.");
    // The dots of the figure compare the same two setups.
    const auto different = firstDifferentPair(setup, switchedPartial(setup));
    if (!different) {
        return rotated == setup.head_dim ? tr("All channels are rotated: slice and truncate are the same.")
                                         : tr("At this θ, slice and truncate have the same frequencies.");
    }
    return tr("At this θ, slice and truncate differ from pair %1.").arg(*different);
}

void SpectrumRoom::renewPartialTexts() {
    const RotarySetup& setup = model().setup();
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

QString SpectrumRoom::pairsSentence(const RotarySetup& setup) const {
    const Frequencies now = frequencies(frequency_settings(setup));
    const int rotated = now.rotary_dim;
    if (rotated == 0) return tr("No pair is rotated.");
    const int incomplete = rotated / 2 - complete_pairs(now, static_cast<double>(setup.context));
    const QString pairs = incomplete == 0
                              ? tr("All rotated pairs complete at least one period in the context.")
                              : tr("Pairs without a full period in the context: %1.").arg(groupedText(incomplete));
    return pairs + QLatin1Char(' ') +
           (setup.scaling.method == ScalingMethod::none ? tr("Critical dimension (Liu et al.): %1 of %2.")
                                                        : tr("Critical dimension (Liu et al.), unscaled: %1 of %2."))
               .arg(criticalDimension(setup))
               .arg(rotated);
}

QString SpectrumRoom::comparedSentence() const {
    const auto slowest = [](const Frequencies& now) {
        return now.rotary_dim == 0
                   ? 0.0
                   : wavelengthOf(now.inverse_frequencies[static_cast<std::size_t>(now.rotary_dim / 2 - 1)]);
    };
    QStringList parts = {
        bothQuotient(tr("longest wavelength"), slowest(model().frequencies()), slowest(model().otherFrequencies()))};
    if (m_kernels.otherSetup && !m_kernels.curves.kernel.isEmpty() && !m_kernels.otherCurves.kernel.isEmpty()) {
        const auto lowest = [](const KernelCurves& curves) {
            return *std::min_element(curves.kernel.begin(), curves.kernel.end());
        };
        parts << tr("lowest K(Δ): %1")
                     .arg(bothValues(readableNumber(lowest(m_kernels.curves)),
                                     readableNumber(lowest(m_kernels.otherCurves))));
    }
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

void SpectrumRoom::renewTexts() {
    const RotarySetup& setup = model().setup();
    const double trained = trainingContext(setup);
    const int exponent = setup.partial == Partial::slice ? model().frequencies().rotary_dim : setup.head_dim;
    const auto other = otherSetup();
    m_summary->setText(other ? bothSentences(pairsSentence(setup), pairsSentence(*other)) + QLatin1Char('\n') +
                                   comparedSentence()
                             : pairsSentence(setup));
    m_summary->setToolTip(
        tr("A pair completes a period if L/λ_i ≥ 1, here with L = %1 (Peng et al. 2023, formula 9).\n"
           "The critical dimension is the number of channels that completed a full period in training:\n"
           "d_c = 2⌈(d/2)·log_θ(L/2π)⌉ with d = %2, θ = %3, L = %4 (Liu et al. 2023; for d_r < d our extension, "
           "formula 14)\n"
           "Drag the lines of the context and of the longest wavelength, or click one and press the arrow keys.")
            .arg(tokensText(static_cast<double>(setup.context)))
            .arg(exponent)
            .arg(thetaText(setup.theta), tokensText(trained)));
    renewPartialTexts();
}

}  // namespace ropelab::ui
