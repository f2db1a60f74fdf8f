#include "ui/rooms/rotation/vectors_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/common/fields.h"
#include "ui/common/scaled.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

VectorsPanel::VectorsPanel(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeHeading(tr("Query and key"), this));

    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    const auto make = [&](const QString& text, const QString& tip, VectorSource source) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setCheckable(true);
        button->setProperty("chip", true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(tip);
        button->setAccessibleName(tr("Query and key: %1").arg(text));
        connect(button, &QToolButton::clicked, this, [this, source] { emit chosen(source); });
        row->addWidget(button);
        return button;
    };
    m_random = make(tr("random"),
                    tr("Samples q and k independently from a normal distribution of mean 0 and standard deviation 1."),
                    VectorSource::random);
    m_equal =
        make(tr("equal"), tr("Sets k = q before rotation: the logit is largest at distance 0."), VectorSource::equal);
    m_aimed =
        make(tr("aimed"),
             tr("Sets k to q rotated by r positions: the logit is largest at the distance r, which the page Aim sets "
                "(formula 17)."),
             VectorSource::aimed);
    row->addStretch(1);
    column->addLayout(row);
    m_sample = new QPushButton(tr("Resample q and k"), this);
    m_sample->setToolTip(tr("Samples q and k with the next random seed."));
    column->addWidget(m_sample, 0, Qt::AlignLeft);
    m_text = makeNote(this);
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    keepLines(m_text, 4);
    column->addWidget(m_text);
    connect(m_sample, &QPushButton::clicked, this, &VectorsPanel::sampleRequested);
}

QToolButton* VectorsPanel::button(VectorSource source) const {
    switch (source) {
        case VectorSource::equal:
            return m_equal;
        case VectorSource::aimed:
            return m_aimed;
        case VectorSource::random:
            return m_random;
        case VectorSource::handEdited:
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
        state.source == VectorSource::handEdited
            ? tr("q and k are edited by hand, by dragging an arrow of the enlarged pair.")
            : tr("q and k: %1. Drag an arrow of the enlarged pair to edit them by hand.").arg(vectorsText(state));
    if (text != m_text->text()) {
        m_text->setText(text);
    }
}

QString VectorsPanel::text() const {
    return m_text->text();
}

}  // namespace ropelab::ui
