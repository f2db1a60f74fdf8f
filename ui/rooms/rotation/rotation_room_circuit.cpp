#include <QLineEdit>
#include <QScopeGuard>
#include <QUndoStack>
#include <QVBoxLayout>

#include "ui/common/scaled.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/circuit_figure.h"
#include "ui/rooms/rotation/circuit_page.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/rotation/text_field.h"
#include "ui/rooms/rotation/token_figure.h"
#include "ui/rotary/paired_view.h"

namespace ropelab::ui {
namespace {

constexpr int kLowestTokens = 114;  // pixels at 100 %

}  // namespace

QWidget* RotationRoom::makeTokensPage() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 4);
    m_tokensField = makeTextField(page);
    scaleMinimumHeight(m_tokens, kLowestTokens);  // with its field, the page is as high as the other pages
    column->addWidget(m_tokensField);
    column->addWidget(m_tokensPair, 1);
    connect(m_tokensField, &QLineEdit::textEdited, this, &RotationRoom::setText);
    connect(m_tokensField, &QLineEdit::editingFinished, this, &RotationRoom::endMerging);
    const auto at = [this](const QPointF& place) {
        return tokenGridOf(m_scene, m_tokens->canvasRect(), m_tokens->style()).pairAt(place);
    };
    connectPairs(m_tokens, at);
    return page;
}

QWidget* RotationRoom::makeCircuitPage() {
    m_circuitPage = new CircuitPage(m_circuitPair, m_circuitDistance, m_runAccess, this);
    connect(m_circuitPage, &CircuitPage::headRequested, this, &RotationRoom::buildHead);
    connect(m_circuitPage, &CircuitPage::textEdited, this, &RotationRoom::setText);
    connect(m_circuitPage, &CircuitPage::finished, this, &RotationRoom::endMerging);
    connect(m_circuitPage, &CircuitPage::scaled, this, [this](double norm) {
        const auto scale = [this, norm] {
            m_scene.scaleNorms(norm);
            schedule();
        };
        change(tr("scale q and k"), scale, true);
    });
    connect(m_circuitPage, &CircuitPage::pairEdited, this, [this](double norm, double phase) {
        const auto pair = m_scene.enlargedPair();
        if (!pair) return;
        const auto edit = [this, pair = *pair, norm, phase] {
            m_scene.setPair(pair, norm, phase);
            schedule();
        };
        change(tr("edit q and k in pair %1").arg(*pair), edit, true);
    });
    connect(m_circuitPage->runs(), &CircuitRuns::similarChanged, this, &RotationRoom::schedule);
    connect(m_circuitPage->runs(), &CircuitRuns::setupNeeded, this, &RotationRoom::useSetupOfRun);
    return m_circuitPage;
}

void RotationRoom::setText(const QString& text) {
    const auto set = [this, &text] {
        m_scene.state.text = text.toStdString();
        schedule();
    };
    change(tr("edit text"), set, true);
}

void RotationRoom::buildHead(std::int64_t distance) {
    change(tr("build a head"), [this, distance] {
        m_scene.buildHead(distance);
        schedule();
    });
}

void RotationRoom::useSetupOfRun(const RotarySetup& setup) {
    RotarySetup next = setup;
    next.precision = model().setup().precision;
    model().endDrag();
    ModelShape shape = model().shape();
    shape.name.clear();
    const QString what = tr("use the RoPE settings of a run");
    const bool sameChannels = next.head_dim == m_scene.setup.head_dim;
    model().undoStack().beginMacro(what);
    const auto end = qScopeGuard([this] { model().undoStack().endMacro(); });
    model().change(what, next, shape);
    model().endDrag();
    change(what, [&] {
        m_scene.setSetup(model().setup(), model().frequencies());
        if (!sameChannels) m_scene.buildHead(m_scene.state.distance);
        schedule();
    });
    m_circuitPage->runs()->show(m_scene);
}

void RotationRoom::renewTokens() {
    const QString text = QString::fromStdString(m_scene.state.text);
    if (m_tokensField->text() != text) m_tokensField->setText(text);
    showScene(m_tokens, tokenFigure);
}

void RotationRoom::renewCircuit() {
    const auto& other = model().other();
    const QString mine = circuitText(m_scene);
    // First the page, which drops the trained head that belongs to an earlier built head.
    m_circuitPage->show(m_scene, other ? bothSentences(mine, circuitText(otherScene(*other))) : mine);
    showScene(m_circuit, circuitFigure);
    showFigure(m_circuitDistance,
               circuitDistanceFigure(m_scene, other ? std::nullopt : m_circuitPage->runs()->similar()),
               [this](const ShapedSetup& theirs) { return circuitDistanceFigure(otherScene(theirs)); });
}

}  // namespace ropelab::ui
