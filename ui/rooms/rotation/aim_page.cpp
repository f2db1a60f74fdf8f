#include "ui/rooms/rotation/aim_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/common/scaled.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/aim_figure.h"
#include "ui/rooms/rotation/position_slider.h"
#include "ui/rooms/rotation/side_area.h"
#include "ui/rotary/comparison.h"

namespace ropelab::ui {
namespace {

// Costs in evaluations of one pair at one distance: about 2 ms per frame, and about 1 s per background job.
constexpr std::int64_t kFrameBudget = std::int64_t{1} << 20;
constexpr std::int64_t kJobBudget = std::int64_t{1} << 29;
constexpr int kStretches = 1200;

bool haveSameCurve(const RotationScene& a, const RotationScene& b) {
    return a.setup == b.setup && a.state.query == b.state.query && a.state.key == b.state.key &&
           a.state.distance == b.state.distance;
}

}  // namespace

AimPage::AimPage(FigureView* view, QWidget* parent)
    : QWidget(parent), m_view(view), m_aim(new QPushButton(this)), m_text(makeNote(this)) {
    auto* row = new QHBoxLayout(this);
    scaleLayout(row, {0, 0, 0, 0}, 12);
    row->addWidget(view, 1);
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_distance = new PositionSlider(
        tr("r"), tr("Aimed distance r [tokens]"),
        tr("Sets k to q rotated by r positions, which moves the largest logit to the distance r (Barbero et al. 2024, "
           "formula 17). The current distance of q and k is Δ = m − n."),
        side);
    column->addWidget(m_distance);
    m_aim->setText(tr("Aim k at distance r"));
    m_aim->setToolTip(tr(
        "Sets k to q rotated by r positions: at the distance r the rotated q and k are parallel in every pair (Barbero "
        "et al. 2024, formula 17)."));
    column->addWidget(m_aim);
    column->addWidget(m_text);
    column->addStretch(1);
    row->addWidget(makeSideArea(side, this));

    connect(m_aim, &QPushButton::clicked, this, [this] {
        emit aimed(m_distance->value());
        emit finished();
    });
    connect(m_distance, &PositionSlider::finished, this, &AimPage::finished);
    connect(view, &FigureView::lineDropped, this, &AimPage::finished);
    connect(m_distance, &PositionSlider::changed, this, &AimPage::aimed);
    connect(m_distance, &PositionSlider::problemChanged, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) {
            m_text->setText(sentence);
        } else if (m_mine.scene) {
            m_text->setText(currentText());
        }
    });
    connect(view, &FigureView::lineDragged, this, [this](const QString& handle, double at) {
        if (handle == QLatin1String(kAimHandle)) {
            emit aimed(std::llround(at));
        }
    });
}

void AimPage::show(const RotationScene& scene, const std::optional<RotationScene>& other, bool editsB) {
    m_editsB = editsB;
    m_distance->show(scene.state.distance, std::max<std::int64_t>(0, scene.setup.context - 1));
    compute(m_mine, scene);
    if (other) {
        compute(m_theirs, *other);
    } else {
        m_theirs.job.cancel();
        m_theirs.scene.reset();
    }
    present();
}

void AimPage::compute(Computed& computed, const RotationScene& scene) {
    if (!computed.scene || !haveSameCurve(*computed.scene, scene)) {
        const std::int64_t coarse = strideWithin(scene, kFrameBudget);
        computed.curve = logitCurve(scene, coarse, kStretches);
        computed.job.cancel();
        if (coarse > 1) {
            computed.job.start(
                [this, &computed, scene, fine = strideWithin(scene, kJobBudget)](const Cancelled& cancelled) {
                    LogitCurve curve = logitCurve(scene, fine, kStretches, cancelled);
                    return std::function<void()>([this, &computed, curve = std::move(curve)]() mutable {
                        if (curve.complete) {
                            computed.curve = std::move(curve);
                            present();
                            emit refined();
                        }
                    });
                });
        }
    }
    computed.scene = scene;
}

void AimPage::stop() {
    for (Computed* computed : {&m_mine, &m_theirs}) {
        if (computed->job.isRunning()) {
            computed->job.cancel();
            computed->scene.reset();  // makes the next show() compute the fine curve
        }
    }
}

Figure AimPage::figure() const {
    return aimFigure(*m_mine.scene, m_mine.curve);
}

Figure AimPage::otherFigure() const {
    return aimFigure(*m_theirs.scene, m_theirs.curve);
}

QString AimPage::currentText() const {
    const QString mine = aimText(*m_mine.scene, m_mine.curve);
    if (!m_theirs.scene) return mine;
    const QString theirs = aimText(*m_theirs.scene, m_theirs.curve);
    return m_editsB ? letteredSentences(theirs, mine) : letteredSentences(mine, theirs);
}

void AimPage::present() {
    if (!m_mine.scene) return;
    if (!m_theirs.scene) m_view->setFigure(figure());
    if (m_distance->problem().isEmpty()) {
        m_text->setText(currentText());
    }
    m_aim->setEnabled(m_mine.scene->rotatedPairs() > 0);
}

QString AimPage::text() const {
    return m_text->text();
}

}  // namespace ropelab::ui
