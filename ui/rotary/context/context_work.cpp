// What the context room computes: within a frame, and beside the window's thread.
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/rotary/context/context_room.h"
#include "ui/rotary/context/criteria_list.h"
#include "ui/rotary/context/tuning_panel.h"

namespace ropelab::ui {
namespace {

// The first bases come within a frame, so that a drag shows some; later ones in larger helpings.
constexpr double kFirstScanMs = 8;
constexpr double kScanMs = 60;
constexpr int kMostDoublings = 15;
constexpr std::size_t kScreenshotBases = 513;
constexpr double kScreenshotScanMs = 600;
constexpr std::int64_t kScreenshotDraws = 4096;

}  // namespace

void ContextRoom::refreshNow() {
    m_atOnce = true;
    RotaryRoom::refreshNow();
    m_atOnce = false;
}

void ContextRoom::hideEvent(QHideEvent* event) {
    RotaryRoom::hideEvent(event);
    m_boundJob.cancel();
    m_basesJob.cancel();
    m_drawsJob.cancel();
    m_nextRound.stop();
    schedule();  // to go on when it is shown again
}

std::int64_t ContextRoom::end() const {
    return m_heldEnd > 0 ? m_heldEnd : pictureEnd(model().setup().context);
}

void ContextRoom::renew() {
    const RotarySetup& setup = model().setup();
    renewBound();
    m_tuning->renew(setup);
    m_criteria->setCriteria(contextCriteria(m_bound, m_tuning->tuning()));
    switch (m_part) {
        case Part::bound:
            m_view->setFigure(boundFigure(m_bound, m_logarithmic->isChecked()));
            m_words->setText(boundSentence(m_bound));
            break;
        case Part::bases:
            renewBases();
            break;
        case Part::decay:
            m_view->setFigure(decayFigure(setup, end()));
            m_words->setText(decaySentence());
            break;
        case Part::random:
            renewDraws();
            break;
    }
    showBusy();
}

void ContextRoom::renewBound() {
    const RotarySetup& setup = model().setup();
    const std::optional<std::int64_t> heldEnd =
        m_part == Part::bound && m_heldEnd > 0 ? std::optional(m_heldEnd) : std::nullopt;
    const bool isShown = m_bound.setup == setup && !m_bound.bound.empty() && (!heldEnd || m_bound.end == *heldEnd);
    const bool mayStayHeld =
        heldEnd || m_bound.end == pictureEnd(std::max(setup.context, m_bound.firstNegative.value_or(0)));
    if (isShown && mayStayHeld && (m_bound.isComplete || m_boundJob.isRunning())) {
        return;
    }
    m_bound = boundData(setup, followedAtOnce(setup), heldEnd);
    if (m_bound.isComplete) {
        m_boundJob.cancel();
        return;
    }
    m_boundJob.start([this, setup, heldEnd](const Cancelled& cancelled) -> std::function<void()> {
        return [this, data = boundData(setup, kMostFollowed, heldEnd, cancelled)] {
            m_bound = data;
            schedule();
        };
    });
}

void ContextRoom::renewBases() {
    const RotarySetup& setup = model().setup();
    const BaseProfile::Range range = m_heldBases.value_or(baseRange(setup, m_near->isChecked()));
    if (!m_profile.isOf(setup, range)) {
        BaseProfile::Range plain = range;
        plain.doublings = BaseProfile::Range{}.doublings;
        m_profile = BaseProfile(setup, plain);
        m_basesJob.cancel();
    }
    if (m_atOnce && canBeNegative(setup) && m_profile.done() < kScreenshotBases) {
        m_profile.extend(kScreenshotScanMs);
    }
    const bool isPlain = setup.scaling.method == ScalingMethod::none;
    const auto carried = isPlain ? isCarried(m_bound) : plainlyCarried(setup, followedAtOnce(setup));
    m_view->setFigure(basesFigure(setup, m_profile, carried));
    m_words->setText(basesSentence(setup, m_profile));
    const bool isOpen = canBeNegative(setup) && !m_profile.isComplete();
    m_finer->setEnabled(canBeNegative(setup) && !isOpen && m_profile.range().doublings < kMostDoublings);
    if (isOpen && !m_basesJob.isRunning() && isVisible()) {
        scanOn(m_profile.done() == 0 ? kFirstScanMs : kScanMs);
    }
}

void ContextRoom::scanOn(double milliseconds) {
    m_basesJob.start([this, profile = m_profile, milliseconds](const Cancelled& cancelled) -> std::function<void()> {
        BaseProfile more = profile;
        more.extend(milliseconds, cancelled);
        return [this, more = std::move(more)] {
            m_profile = more;
            schedule();
        };
    });
}

void ContextRoom::renewDraws() {
    const RotarySetup& setup = model().setup();
    const std::int64_t shown = end();
    const bool isSame = m_draws.setup == setup && m_draws.seed == m_seed && !m_draws.distances.empty() &&
                        m_draws.distances.back() == static_cast<double>(shown);
    if (!isSame) {
        m_drawsJob.cancel();
        m_nextRound.stop();
        m_draws = startDraws(setup, m_seed, shown);
    }
    while (m_atOnce && m_draws.draws < kScreenshotDraws) {
        m_draws = withMoreDraws(m_draws, nextRound(m_draws));
    }
    m_view->setFigure(randomFigure(m_draws, shown));
    m_words->setText(randomSentence(m_draws));
    if (!m_nextRound.isActive()) {
        drawOn();
    }
}

void ContextRoom::drawOn() {
    if (!isVisible() || m_part != Part::random || m_drawsJob.isRunning() || m_draws.draws >= kMostDraws) {
        return;
    }
    m_drawsJob.start([this, draws = m_draws](const Cancelled& cancelled) -> std::function<void()> {
        return [this, more = withMoreDraws(draws, nextRound(draws), cancelled)] {
            m_draws = more;
            schedule();
            m_nextRound.start();
        };
    });
}

bool ContextRoom::isScanning() const {
    return m_part == Part::bases && canBeNegative(model().setup()) && !m_profile.isComplete();
}

bool ContextRoom::isDrawing() const {
    return m_part == Part::random && m_draws.draws < kMostDraws;
}

bool ContextRoom::isBusy() const {
    return isScanning() || isDrawing() || m_boundJob.isRunning();
}

void ContextRoom::showBusy() {
    if (isScanning()) {
        m_progress->setRange(0, static_cast<int>(m_profile.count()));
        m_progress->setValue(static_cast<int>(m_profile.done()));
    } else if (isDrawing()) {
        m_progress->setRange(0, static_cast<int>(kMostDraws));
        m_progress->setValue(static_cast<int>(m_draws.draws));
    } else {
        m_progress->setRange(0, 0);
    }
    m_progress->setVisible(isBusy());
}

}  // namespace ropelab::ui
