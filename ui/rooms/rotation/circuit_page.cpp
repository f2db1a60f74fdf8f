#include "ui/rooms/rotation/circuit_page.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "ui/common/fields.h"
#include "ui/common/flow_layout.h"
#include "ui/common/number_slider.h"
#include "ui/common/scaled.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/side_area.h"
#include "ui/rooms/rotation/text_field.h"

namespace ropelab::ui {
namespace {

constexpr double kMostNorm = 20;
constexpr double kHalfTurn = 180;  // degrees

struct HeadButton {
    std::int64_t distance;
    const char* text;
    const char* tip;
};
constexpr HeadButton kHeadButtons[] = {
    {1, QT_TRANSLATE_NOOP("ropelab::ui::CircuitPage", "previous token"),
     QT_TRANSLATE_NOOP("ropelab::ui::CircuitPage",
                       "Builds a previous-token head: the phases are φᵢ = −ωᵢ, so that all pairs have their largest "
                       "term at distance 1 (formula 17).")},
    {0, QT_TRANSLATE_NOOP("ropelab::ui::CircuitPage", "same token"),
     QT_TRANSLATE_NOOP("ropelab::ui::CircuitPage",
                       "Builds a diagonal head: all phases are 0, so that a token attends to itself.")},
    {3, QT_TRANSLATE_NOOP("ropelab::ui::CircuitPage", "three back"),
     QT_TRANSLATE_NOOP("ropelab::ui::CircuitPage",
                       "Builds a head that attends to the token three positions before: φᵢ = −3ωᵢ (formula 17).")}};

NumberSlider* normSlider(const QString& label, const QString& why, QWidget* parent) {
    NumberSlider::Options options;
    options.label = label;
    options.maximum = kMostNorm;
    options.snap = [](double value) { return std::round(value * 10) / 10; };
    options.text = [](double value) { return readableNumber(value); };
    options.why = why;
    return new NumberSlider(std::move(options), parent);
}

/// Text that is being typed stays, because a value that the field shows already is not set.
void showValue(NumberSlider* slider, double value) {
    if (slider->value() != value) slider->setValue(value);
}

}  // namespace

CircuitPage::CircuitPage(QWidget* attention, QWidget* distance, const RunAccess& access, QWidget* parent)
    : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget;
    auto* row = new QHBoxLayout(content);
    scaleLayout(row, {0, 0, 0, 0}, 12);
    row->addWidget(attention, 1);
    row->addWidget(distance, 1);
    auto* side = new QWidget;
    makeFields(side);
    m_runs = new CircuitRuns(access, side);
    side->layout()->addWidget(m_runs);
    static_cast<QVBoxLayout*>(side->layout())->addStretch(1);
    row->addWidget(makeSideArea(side, content));
    setWidget(content);
}

void CircuitPage::makeFields(QWidget* side) {
    auto* column = new QVBoxLayout(side);
    scaleLayout(column, {0, 0, 4, 0}, 8);
    auto* headRow = new QWidget(side);
    auto* heads = new FlowLayout(headRow);  // wraps to two lines
    scaleLayout(heads, {0, 0, 0, 0}, 4);
    for (std::size_t i = 0; i < std::size(kHeadButtons); ++i) {
        auto* button = new QToolButton(headRow);
        button->setText(tr(kHeadButtons[i].text));
        button->setToolTip(tr(kHeadButtons[i].tip));
        button->setAccessibleName(tr("Build a head: %1").arg(button->text()));
        button->setProperty("chip", true);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::clicked, this, [this, i] { emit headRequested(kHeadButtons[i].distance); });
        heads->addWidget(button);
        m_heads[i] = button;
    }
    column->addWidget(headRow);
    m_sentence = makeNote(side);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    keepLines(m_sentence, 5);
    column->addWidget(m_sentence);
    m_text = makeTextField(side);
    connect(m_text, &QLineEdit::textEdited, this, &CircuitPage::textEdited);
    connect(m_text, &QLineEdit::editingFinished, this, &CircuitPage::finished);
    column->addWidget(m_text);
    m_scale = normSlider(tr("largest norm"),
                         tr("Multiplies q and k. The logits grow with the square of the norms, which makes the "
                            "attention sharper, as a lower temperature of the softmax does."),
                         side);
    column->addWidget(m_scale);
    m_pairTitle = makeHeading(tr("Pair %1").arg(0), side);
    column->addWidget(m_pairTitle);
    m_norm = normSlider(tr("norm ‖qᵢ‖ = ‖kᵢ‖"),
                        tr("Sets ‖qᵢ‖ = ‖kᵢ‖ of the enlarged pair: the amplitude of its term of the logit is ‖qᵢ‖ "
                           "‖kᵢ‖/√d (formula 7)."),
                        side);
    NumberSlider::Options phase;
    phase.label = tr("phase φᵢ");
    phase.unit = tr("°");
    phase.minimum = -kHalfTurn;
    phase.maximum = kHalfTurn;
    phase.text = [](double value) { return readableNumber(value); };
    phase.snap = [](double value) { return std::round(value); };
    phase.why =
        tr("Sets the angle φᵢ from kᵢ to qᵢ of the enlarged pair before rotation: its term of the logit is "
           "largest where φᵢ + Δωᵢ is a multiple of 360° (formula 7).");
    m_phase = new NumberSlider(std::move(phase), side);
    column->addWidget(m_norm);
    column->addWidget(m_phase);
    const auto edited = [this] { emit pairEdited(m_norm->value(), m_phase->value() * std::numbers::pi / kHalfTurn); };
    connect(m_norm, &NumberSlider::changed, this, edited);
    connect(m_phase, &NumberSlider::changed, this, edited);
    connect(m_scale, &NumberSlider::changed, this, &CircuitPage::scaled);
    for (NumberSlider* each : {m_scale, m_norm, m_phase})
        connect(each, &NumberSlider::finished, this, &CircuitPage::finished);
}

void CircuitPage::show(const RotationScene& scene, const QString& sentence) {
    const auto pair = scene.enlargedPair();
    for (QWidget* each :
         {static_cast<QWidget*>(m_scale), static_cast<QWidget*>(m_norm), static_cast<QWidget*>(m_phase),
          static_cast<QWidget*>(m_heads[0]), static_cast<QWidget*>(m_heads[1]), static_cast<QWidget*>(m_heads[2])}) {
        each->setEnabled(pair.has_value());
    }
    if (pair) {
        m_pairTitle->setText(tr("Pair %1").arg(*pair).toUpper());
        showValue(m_scale, std::min(kMostNorm, scene.largestNorm()));
        showValue(m_norm, std::min(kMostNorm, scene.pairNorm(*pair)));
        showValue(m_phase, scene.term(*pair).phase * kHalfTurn / std::numbers::pi);
    }
    const QString text = QString::fromStdString(scene.state.text);
    if (m_text->text() != text) {
        m_text->setText(text);
        m_text->setCursorPosition(0);  // a narrow field shows the beginning
    }
    if (m_sentence->text() != sentence) m_sentence->setText(sentence);
    m_runs->show(scene);
}

QToolButton* CircuitPage::headButton(std::int64_t distance) const {
    for (std::size_t i = 0; i < std::size(kHeadButtons); ++i) {
        if (kHeadButtons[i].distance == distance) return m_heads[i];
    }
    return nullptr;
}

QString CircuitPage::sentence() const {
    return m_sentence->text();
}

}  // namespace ropelab::ui
