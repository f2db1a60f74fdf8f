#include "ui/rooms/spectrum/scaling_comparison.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/common/fields.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

QString timesText(double ratio) {
    return QStringLiteral("×") + QString::number(ratio, 'g', 3);
}

QLabel* makeNumber(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return label;
}

}  // namespace

ScalingComparison::ScalingComparison(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(tr("Compare scalings"), this));
    m_summary = makeNote(this);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    keepLines(m_summary, 9);
    column->addWidget(m_summary);

    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 4);
    grid->setColumnStretch(0, 1);
    const std::array<std::pair<QString, QString>, 3> heads = {
        {{tr("λ min"), tr("Factor by which the scaling multiplies the shortest wavelength.")},
         {tr("λ max"), tr("Factor by which the scaling multiplies the longest wavelength of the rotated pairs.")},
         {tr("cos, sin"), tr("Attention factor: the factor by which the scaling multiplies cos and sin.")}}};
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
    const QString title = text(scaling_names().at(static_cast<std::size_t>(method)).title);
    row.chip->setText(title);
    row.chip->setCheckable(true);
    row.chip->setProperty("chip", true);
    row.chip->setFocusPolicy(Qt::TabFocus);
    row.chip->setAccessibleName(tr("Compare %1").arg(title));
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
    m_summary->setText((compared.isDefault
                            ? tr("Scaling factor %1, from %2 to %3 tokens (default, because the setup has no scaling).")
                            : tr("Scaling factor %1 of the setup, from %2 to %3 tokens."))
                           .arg(factor, tokensText(trained), tokensText(trained * compared.factor)) +
                       QLatin1Char(' ') +
                       tr("The columns show by which factor a method multiplies the shortest and the longest "
                          "wavelength, and cos and sin."));
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
        const auto numbers = [&](const auto& of, bool hasLetters = false) {
            const auto one = [&](const RotarySetup& each) {
                const auto spectrum = scaledBy(each, row.method);
                return spectrum ? timesText(of(*spectrum)) : QStringLiteral("–");
            };
            if (!setups.b) return one(setups.a);
            return (hasLetters ? QStringLiteral("A %1\nB %2") : QStringLiteral("%1\n%2"))
                .arg(one(setups.a), one(*setups.b));
        };
        row.fastest->setText(numbers([](const ScaledSpectrum& spectrum) { return spectrum.fastest; }, true));
        row.slowest->setText(numbers([](const ScaledSpectrum& spectrum) { return spectrum.slowest; }));
        row.attention->setText(
            numbers([](const ScaledSpectrum& spectrum) { return spectrum.frequencies.attention_factor; }));
        if (scaled && row.method == ScalingMethod::dynamic && scaled->slowest > 1.001 * compared.factor) {
            m_summary->setText(
                m_summary->text() + QLatin1Char(' ') +
                tr("Dynamic NTK is not compared at equal stretch: at %1 tokens its factor %2 stretches "
                   "the longest wavelength by s² − s + 1 = %3. At an equal stretch of %2 it is the same "
                   "as NTK-aware.")
                    .arg(tokensText(trained * compared.factor), factor, QString::number(scaled->slowest, 'g', 3)));
        }
    }
}

QString ScalingComparison::summary() const {
    return m_summary->text();
}

QString ScalingComparison::slowestText(ScalingMethod method) const {
    for (const Row& row : m_rows) {
        if (row.method == method) {
            return row.slowest->text();
        }
    }
    return {};
}

}  // namespace ropelab::ui
