// What one sets in the spectrum room, and its words.
#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/rope/context.h"
#include "core/spec/error.h"
#include "ui/rotary/number_slider.h"
#include "ui/rotary/spectrum/encodings_page.h"
#include "ui/rotary/spectrum/scaling_comparison.h"
#include "ui/rotary/spectrum/spectrum_data.h"
#include "ui/rotary/spectrum/spectrum_room.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/fields.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/why.h"

namespace ropelab::ui {
namespace {

QLabel* makeQuiet(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setProperty("quiet", true);
    label->setWordWrap(true);
    return label;
}

}  // namespace

QWidget* SpectrumRoom::makeTabs() {
    auto* tabs = new QWidget(this);
    auto* row = new QHBoxLayout(tabs);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(tabs);
    m_frequenciesTab = new QToolButton(tabs);
    m_frequenciesTab->setText(tr("Frequencies"));
    m_frequenciesTab->setToolTip(tr("RoPE's frequencies as wavelengths, and the kernel that they add up to."));
    m_encodingsTab = new QToolButton(tabs);
    m_encodingsTab->setText(tr("Encodings"));
    m_encodingsTab->setToolTip(
        tr("ALiBi's bias (formula 25), the attention mask and sinusoidal embeddings (formula 30)."));
    for (QToolButton* button : {m_frequenciesTab, m_encodingsTab}) {
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(tr("Show %1").arg(button->text()));
        group->addButton(button);
        row->addWidget(button);
    }
    m_frequenciesTab->setChecked(true);
    row->addStretch(1);
    return tabs;
}

QWidget* SpectrumRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(bar);
    m_wavelength = new QToolButton(bar);
    m_wavelength->setText(tr("wavelength"));
    m_wavelength->setToolTip(tr("λ_i = 2π/g_i, the tokens that pair i takes for a turn."));
    m_frequency = new QToolButton(bar);
    m_frequency->setText(tr("inverse frequency"));
    m_frequency->setToolTip(tr("g_i = b^(−2i/d_r), the radians that pair i turns with a token (formulas 3 and 4)."));
    for (QToolButton* button : {m_wavelength, m_frequency}) {
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(tr("Show %1").arg(button->text()));
        group->addButton(button);
        row->addWidget(button);
    }
    m_wavelength->setChecked(true);
    connect(m_frequency, &QToolButton::toggled, this, &SpectrumRoom::schedule);
    row->addSpacing(8);
    m_words = makeQuiet(bar);
    m_words->setAccessibleName(tr("What completes a turn"));
    row->addWidget(m_words, 1);
    // Room for two lines always: what is dragged must not move because a word more is said.
    const auto fit = [this] { m_words->setMinimumHeight(2 * m_words->fontMetrics().lineSpacing()); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, m_words, fit);
    fit();
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
    boxes->addWidget(makeWindow(m_frequencyOptions));
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
        tr("Slice spreads the whole spectrum over the rotated channels (formula 3); truncate keeps the "
           "head's spectrum and stops its slow pairs (formula 4)."));
    connect(m_otherPartial, &QCheckBox::toggled, this, &SpectrumRoom::schedule);
    column->addWidget(m_otherPartial);
    m_coincide = makeQuiet(box);
    m_coincide->setToolTip(
        tr("truncate(b) with d_r rotated channels of d has exactly the frequencies of slice(b′) with\n"
           "b′ = b^(d_r/d)\nbefore any scaling (formula 5)"));
    column->addWidget(m_coincide);
    m_useOther = new QPushButton(tr("Use it"), box);
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

QWidget* SpectrumRoom::makeWindow(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = new QVBoxLayout(box);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    auto* heading = makeHeading(tr("Kernel"), box);
    heading->setToolTip(
        tr("K(Δ) = Σ cos(Δ·g_i) over the pairs that turn, Δ = 0 … W − 1 (formulas 12 and 16).\n"
           "Its spectrum is |DFT|·2/W: a pair that turns a whole number of times in the window shows as 1 "
           "there,\npairs that turn less than once stand together at 0 (formula 9)."));
    explainBy(m_kernel, heading);
    explainBy(m_kernelSpectrum, heading);
    column->addWidget(heading);
    m_isContext = new QCheckBox(tr("the window is the context"), box);
    m_isContext->setChecked(true);
    column->addWidget(m_isContext);
    m_window = new NumberSlider({.label = tr("window"),
                                 .unit = tr("tokens"),
                                 .minimum = 2,
                                 .maximum = static_cast<double>(kMostWindow),
                                 .logarithmic = true,
                                 .step = 1,
                                 .text = [](double value) { return QString::number(value, 'f', 0); },
                                 .why = tr("How far the kernel is followed, and what its spectrum is taken over.")},
                                box);
    m_window->setValue(1024);
    m_window->hide();
    column->addWidget(m_window);
    m_windowWords = makeQuiet(box);
    column->addWidget(m_windowWords);
    m_busy = new QProgressBar(box);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(tr("The kernel is being computed"));
    m_busy->hide();
    column->addWidget(m_busy);
    connect(m_isContext, &QCheckBox::toggled, this, [this](bool on) {
        if (!on) {
            m_window->setValue(static_cast<double>(contextWindow(model().setup())));
        }
        m_window->setVisible(!on);
        schedule();
    });
    connect(m_window, &NumberSlider::changed, this, &SpectrumRoom::schedule);
    return box;
}

void SpectrumRoom::renewWords() {
    const RotarySetup& setup = model().setup();
    const int turning = model().frequencies().rotary_dim;
    const bool isSlice = setup.partial == Partial::slice;
    const double trained = trainingContext(setup);
    const int critical = criticalDimension(setup);
    const int exponent = isSlice ? turning : setup.head_dim;
    const int incomplete = turning / 2 - complete_pairs(model().frequencies(), static_cast<double>(setup.context));
    const QString pairs = incomplete == 0
                              ? tr("Every rotated pair turns once or more in the context.")
                              : tr("%1 never turn once in the context.").arg(countText(incomplete, tr("pair")));
    m_words->setText(turning == 0
                         ? tr("No pair turns.")
                         : pairs + QLatin1Char(' ') + tr("Critical dimension %1 of %2.").arg(critical).arg(turning));
    m_words->setToolTip(
        tr("Complete: L/λ_i ≥ 1, here L = %1 (Peng et al. 2023, formula 9).\n"
           "Critical dimension, the channels that saw a full period in training:\n"
           "d_c = 2⌈(d/2)·log_b(L/2π)⌉ with d = %2, b = %3, L = %4 (Liu et al. 2023, formula 14)\n"
           "The context and the slowest pair's line can be dragged; once clicked, arrow keys move them.")
            .arg(tokensText(static_cast<double>(setup.context)))
            .arg(exponent)
            .arg(thetaText(setup.theta), tokensText(trained)));
    m_otherPartial->setText(isSlice ? tr("lay truncate over it") : tr("lay slice over it"));
    const auto base = coincidingBase(setup);
    QString sentence = tr("Nothing turns: both are the same.");
    bool usable = false;
    if (base && turning == setup.head_dim) {
        sentence = tr("Every channel turns: both are the same.");
    } else if (base) {
        sentence = (isSlice ? tr("Truncate has this spectrum at θ = %1.") : tr("Slice has this spectrum at θ = %1."))
                       .arg(thetaText(*base));
        usable = *base > 1 && *base <= 1e15;
        if (!usable) {
            sentence += QLatin1Char(' ') + tr("A setup takes at most 10¹⁵.");
        }
    }
    m_coincide->setText(sentence);
    m_useOther->setEnabled(usable);
    m_useOther->setToolTip(isSlice ? tr("Change to truncate with that base; the turning pairs stay as they are.")
                                   : tr("Change to slice with that base; the turning pairs stay as they are."));
}

}  // namespace ropelab::ui
