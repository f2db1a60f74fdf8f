#include "ui/rooms/spectrum/spectrum_panel.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/common/label_text.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/spectrum/spectrum_figures.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString timesText(double ratio) {
    return u"×"_s + QString::number(ratio, 'g', 3);
}

QLabel* makeNumber(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return label;
}

/// At the same θ, with the scaling of the setup.
QString partialSentence(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    if (rotated == 0)
        return u"No pair is rotated, so slice and truncate (the two kinds of partial rotation) do not "
               "differ."_s;
    // The dots of the figure compare the same two setups.
    const auto different = firstDifferentPair(setup, switchedPartial(setup));
    if (!different) {
        return rotated == setup.head_dim ? u"All channels are rotated, so slice and truncate (the two kinds of "
                                           "partial rotation) do not differ."_s
                                         : u"At this θ, slice and truncate (the two kinds of partial rotation) have "
                                           "the same frequencies."_s;
    }
    return u"At this θ, the frequencies of slice and truncate (the two kinds of partial rotation) first differ at "
           "pair %1."_s.arg(*different);
}

FormRow partialRow() {
    return {"other-partial",
            {},
            {},
            u"Slice spreads all wavelengths over the rotated channels (formula 3 of the guide). Truncate computes the "
            "frequencies for the whole head and sets the lowest ones to 0 (formula 4 of the guide)."_s,
            CheckRow{.isWide = true}};
}

QList<FormRow> kernelRows() {
    return {{"uses-context", u"kernel length = context"_s, {}, {}, CheckRow{.isWide = true}},
            {"kernel-length",
             u"kernel length"_s,
             {},
             u"Number of distances, from 0, for which the kernel is computed. The spectrum of the kernel uses these "
             "distances, too."_s,
             SliderRow{.unit = u"tokens"_s,
                       .minimum = 2,
                       .maximum = static_cast<double>(kMaxKernelLength),
                       .logarithmic = true,
                       .step = 1,
                       .text = wholeText}}};
}

}  // namespace

ScalingComparison::ScalingComparison(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"Compare scalings"_s, this));
    m_summary = makeNote(this);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_summary);

    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 4);
    grid->setColumnStretch(0, 1);
    const std::array<std::pair<QString, QString>, 3> heads = {
        {{u"λ min"_s, u"Factor by which the scaling multiplies the shortest wavelength."_s},
         {u"λ max"_s, u"Factor by which the scaling multiplies the longest wavelength of the rotated pairs."_s},
         {u"cos, sin"_s, u"Attention factor: the factor by which the scaling multiplies cos and sin."_s}}};
    for (std::size_t i = 0; i < heads.size(); ++i) {
        auto* head = makeNumber(this);
        head->setText(heads[i].first);
        head->setToolTip(heads[i].second);
        head->setProperty("quiet", true);
        grid->addWidget(head, 0, static_cast<int>(i) + 1);
    }
    for (const ScalingMethod method : scalingMethods()) {
        addRow(grid, method);
    }
    column->addLayout(grid);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &ScalingComparison::recolor);
    recolor();
}

void ScalingComparison::addRow(QGridLayout* grid, ScalingMethod method) {
    Row row{method, new QPushButton(this), makeNumber(this), makeNumber(this), makeNumber(this)};
    const QString title = scalingTitle(method);
    row.chip->setText(title);
    row.chip->setCheckable(true);
    row.chip->setProperty("chip", true);
    row.chip->setFocusPolicy(Qt::TabFocus);
    row.chip->setAccessibleName(u"Compare %1"_s.arg(title));
    connect(row.chip, &QPushButton::toggled, this, &ScalingComparison::changed);
    const int line = grid->rowCount();
    grid->addWidget(row.chip, line, 0, Qt::AlignLeft);
    grid->addWidget(row.fastest, line, 1);
    grid->addWidget(row.slowest, line, 2);
    grid->addWidget(row.attention, line, 3);
    m_rows.push_back(row);
}

void ScalingComparison::recolor() {
    const ThemeManager& manager = ThemeManager::instance();
    const int size = manager.pixels(10);
    const int gap = manager.pixels(4);
    for (const Row& row : m_rows) {
        // The icon is a piece of the method's line, because some methods differ in the dash pattern only. It includes a
        // gap, because a button leaves none between its icon and its text.
        const int length = manager.pixels(20);
        QPixmap swatch(length + gap, size);
        swatch.fill(Qt::transparent);
        FigureCurve curve;
        curve.ink = scalingInk(row.method);
        QPainter painter(&swatch);
        painter.setPen(FigureStyle::screen(manager.theme(), manager.pixels(100) / 75.0).penOf(curve));
        painter.drawLine(0, size / 2, length, size / 2);
        row.chip->setIcon(swatch);
        row.chip->setIconSize(swatch.size());
    }
}

std::vector<ScalingMethod> ScalingComparison::chosen() const {
    std::vector<ScalingMethod> methods;
    for (const Row& row : m_rows) {
        if (row.chip->isChecked() && row.chip->isEnabled()) {
            methods.push_back(row.method);
        }
    }
    return methods;
}

void ScalingComparison::choose(ScalingMethod method, bool on) {
    for (const Row& row : m_rows) {
        if (row.method == method) {
            row.chip->setChecked(on);
        }
    }
}

void ScalingComparison::renew(const ComparedSetups& setups, bool editsB) {
    const RotarySetup& setup = editsB && setups.b ? *setups.b : setups.a;
    const ScalingFactor compared = comparedFactor(setup);
    const QString factor = QString::number(compared.factor, 'g', 4);
    const double trained = trainingContext(setup);
    QString summary =
        (compared.isDefault ? u"The scaling methods are compared at factor %1, from %2 to %3 tokens (a default, "
                              "because the setup has no scaling)."_s
                            : u"The scaling methods are compared at the setup's factor %1, from %2 to %3 tokens."_s)
            .arg(factor, tokensText(trained), tokensText(trained * compared.factor)) +
        QLatin1Char(' ') +
        u"The columns show by which factors each method multiplies the shortest wavelength, the longest "
        "wavelength, and cos and sin."_s;
    for (const Row& row : m_rows) {
        QString reason;
        const auto scaled = scaledBy(setup, row.method, &reason);
        row.chip->setEnabled(scaled.has_value());
        if (!scaled) {
            const QSignalBlocker quietly(row.chip);
            row.chip->setChecked(false);
        }
        row.chip->setToolTip(scaled ? scalingToolTip(row.method) : reason);
        // The letters stand in the first column only, because the panel is narrow.
        const auto a = editsB ? scaledBy(setups.a, row.method) : scaled;
        const auto b = setups.b ? scaledBy(*setups.b, row.method) : std::nullopt;
        const auto numbers = [&](const auto& of, bool hasLetters = false) {
            const auto one = [&](const auto& spectrum) { return spectrum ? timesText(of(*spectrum)) : u"–"_s; };
            if (!setups.b) return one(a);
            return (hasLetters ? u"A %1\nB %2"_s : u"%1\n%2"_s).arg(one(a), one(b));
        };
        changeText(row.fastest, numbers([](const ScaledSpectrum& spectrum) { return spectrum.fastest; }, true));
        changeText(row.slowest, numbers([](const ScaledSpectrum& spectrum) { return spectrum.slowest; }));
        changeText(row.attention,
                   numbers([](const ScaledSpectrum& spectrum) { return spectrum.frequencies.attention_factor; }));
        if (scaled && row.method == ScalingMethod::dynamic && scaled->slowest > 1.001 * compared.factor) {
            summary += QLatin1Char(' ') +
                       u"Dynamic NTK stretches more than the other methods: at %1 tokens its factor s = %2 "
                       "stretches the longest wavelength by s² − s + 1 = %3. At an equal stretch of %2, "
                       "dynamic NTK is the same as NTK-aware."_s.arg(tokensText(trained * compared.factor), factor,
                                                                     QString::number(scaled->slowest, 'g', 3));
        }
    }
    changeText(m_summary, summary);
}

QString ScalingComparison::slowestText(ScalingMethod method) const {
    for (const Row& row : m_rows) {
        if (row.method == method) {
            return row.slowest->text();
        }
    }
    return {};
}

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
    column->addWidget(makeHeading(u"Partial rotation: slice or truncate"_s, box));
    m_form.add(column, {partialRow()});
    m_coincide = makeNote(box);
    m_coincide->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_coincide->setToolTip(
        u"Before scaling, truncate with base θ and d_r of d channels rotated has exactly the frequencies of slice "
        "with base\nθ′ = θ^(d_r/d) (formula 5 of the guide). Some scalings depend on d or d_r, so the scaled "
        "frequencies "
        "differ."_s);
    column->addWidget(m_coincide);
    m_useOther = new QPushButton(u"Switch method"_s, box);
    m_useOther->setFocusPolicy(Qt::TabFocus);
    connect(m_useOther, &QPushButton::clicked, this, &SpectrumPanel::otherPartialRequested);
    column->addWidget(m_useOther, 0, Qt::AlignLeft);
    return box;
}

QWidget* SpectrumPanel::makeKernel() {
    auto* box = new QWidget(this);
    auto* column = scaledColumn(box, 8);
    m_kernelHeading = makeHeading(u"Kernel"_s, box);
    m_kernelHeading->setToolTip(
        u"Kernel of length W: K(Δ) = Σ cos(Δωᵢ) over the rotated pairs, Δ = 0 … W − 1 (formulas 12 and 16).\n"
        "Its spectrum is |DFT|·2/W. A pair with an integer number of periods in W tokens has a peak of magnitude 1;\n"
        "pairs with less than one period add up at 0 periods (formula 9 of the guide)."_s);
    column->addWidget(m_kernelHeading);
    m_form.add(column, kernelRows());
    m_form.setValue("uses-context", true);
    m_form.setValue("kernel-length", 1024);
    m_form.setEnabled("kernel-length", false);
    m_kernelNote = makeNote(box);
    column->addWidget(m_kernelNote);
    m_busy = new QProgressBar(box);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(u"The kernel is being computed"_s);
    keepSpace(m_busy);
    m_busy->hide();
    column->addWidget(m_busy);
    connect(&m_form, &Form::changed, this, [this](std::string_view id) {
        const bool usesContext = m_form.value("uses-context").toBool();
        if (id == "uses-context" && !usesContext)
            m_form.setValue("kernel-length", static_cast<double>(m_contextLength));
        m_form.setEnabled("kernel-length", !usesContext);
        emit changed();
    });
    return box;
}

void SpectrumPanel::renew(const RotarySetup& setup, const ComparedSetups& setups, bool editsB) {
    m_contextLength = contextKernelLength(setup);
    m_comparison->renew(setups, editsB);
    renewPartial(setup);
}

void SpectrumPanel::renewPartial(const RotarySetup& setup) {
    const bool isSlice = setup.partial == Partial::slice;
    m_form.field<QCheckBox>("other-partial")->setText(isSlice ? u"compare with truncate"_s : u"compare with slice"_s);
    QString sentence = partialSentence(setup);
    bool usable = false;
    std::optional<int> different;
    const auto base = coincidingBase(setup);
    if (base && rotary_dim(setup) != setup.head_dim) {
        const QString other = isSlice ? u"truncate"_s : u"slice"_s;
        usable = *base > 1 && *base <= 1e15;
        different = usable ? firstDifferentPair(setup, withOtherPartial(setup)) : std::nullopt;
        const bool isScaled = setup.scaling.method != ScalingMethod::none;
        const QString at = thetaText(*base);
        sentence += QLatin1Char(' ');
        if (!usable) {
            sentence +=
                u"Before scaling, the partial rotation %1 has the setup's frequencies at θ = %2; the largest "
                "valid θ is 10¹⁵."_s.arg(other, at);
        } else if (different) {
            sentence +=
                u"At θ = %2, the partial rotation %1 has the same frequencies as this setup before scaling; after "
                "scaling, the frequencies of the two setups first differ at pair %3."_s.arg(other, at)
                    .arg(*different);
        } else {
            sentence += (isScaled ? u"At θ = %2, the partial rotation %1 has the setup's scaled frequencies."_s
                                  : u"At θ = %2, the partial rotation %1 has the setup's frequencies."_s)
                            .arg(other, at);
        }
    }
    changeText(m_coincide, sentence);
    m_useOther->setEnabled(usable);
    const QString effect =
        different
            ? u"The switch does not change the frequencies before scaling; the first scaled frequency that changes "
              "is that of pair %1."_s.arg(*different)
            : u"The switch does not change the frequencies of the rotated pairs."_s;
    m_useOther->setToolTip((isSlice ? u"Switches to truncate and to the θ at which truncate has the frequencies of "
                                      "the current setup."_s
                                    : u"Switches to slice and to the θ at which slice has the frequencies of the "
                                      "current setup."_s) +
                           QLatin1Char(' ') + effect);
}

std::int64_t SpectrumPanel::kernelLength() const {
    return m_form.value("uses-context").toBool() ? 0 : std::llround(m_form.value("kernel-length").toDouble());
}

void SpectrumPanel::setKernelLength(std::int64_t tokens) {
    m_form.setValue("uses-context", tokens == 0);
    if (tokens > 0) m_form.field<NumberSlider>("kernel-length")->commit(QString::number(tokens));
    emit changed();
}

}  // namespace ropelab::ui

#include "moc_spectrum_panel.cpp"
