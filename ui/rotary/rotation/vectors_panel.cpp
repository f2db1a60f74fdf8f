#include "ui/rotary/rotation/vectors_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/rotary/rotation/rotation_text.h"
#include "ui/window/fields.h"
#include "ui/window/scaled.h"

namespace ropelab::ui {

VectorsPanel::VectorsPanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Query and key"), this));

    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    const auto make = [&](const QString& text, const QString& why, VectorSource source) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setCheckable(true);
        button->setProperty("chip", true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(why);
        button->setAccessibleName(tr("Query and key: %1").arg(text));
        connect(button, &QToolButton::clicked, this, [this, source] { emit chosen(source); });
        row->addWidget(button);
        return button;
    };
    m_random = make(tr("random"), tr("q and k drawn apart from a normal distribution of mean 0 and deviation 1."),
                    VectorSource::random);
    m_equal = make(tr("equal"), tr("k is the same as q before rotation: the logit is largest at distance 0."),
                   VectorSource::equal);
    m_aimed = make(tr("aimed"), tr("k = R_r q: the logit is largest at distance r, which Aim sets (formula 17)."),
                   VectorSource::aimed);
    row->addStretch(1);
    column->addLayout(row);
    m_draw = new QPushButton(tr("Draw again"), this);
    m_draw->setToolTip(tr("Other random numbers, from the next seed."));
    column->addWidget(m_draw, 0, Qt::AlignLeft);
    m_text = new QLabel(this);
    m_text->setProperty("quiet", true);
    m_text->setWordWrap(true);
    column->addWidget(m_text);
    connect(m_draw, &QPushButton::clicked, this, &VectorsPanel::drawAsked);
}

QToolButton* VectorsPanel::button(VectorSource source) const {
    switch (source) {
        case VectorSource::equal:
            return m_equal;
        case VectorSource::aimed:
            return m_aimed;
        case VectorSource::random:
            return m_random;
        case VectorSource::handSet:
        case VectorSource::trained:
            break;
    }
    return nullptr;
}

void VectorsPanel::show(const RotationState& state) {
    m_random->setChecked(state.source == VectorSource::random);
    m_equal->setChecked(state.source == VectorSource::equal);
    m_aimed->setChecked(state.source == VectorSource::aimed);
    const QString text =
        state.source == VectorSource::handSet
            ? tr("Set by hand, by dragging an arrow of the large pair.")
            : tr("%1. Drag an arrow of the large pair to set its numbers by hand.").arg(vectorsText(state));
    if (text != m_text->text()) {
        m_text->setText(text);
    }
}

QString VectorsPanel::text() const {
    return m_text->text();
}

}  // namespace ropelab::ui
