// Computations of ContextRoom: short ones in the window's thread, longer ones in background jobs.
#include <QCheckBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "ui/rooms/context/context_room.h"
#include "ui/rooms/context/criteria_list.h"
#include "ui/rooms/context/tuning_panel.h"

namespace ropelab::ui {
namespace {

// The first batch of bases takes no longer than a frame, so that a drag shows a result; later batches are larger.
constexpr double kFirstScanMs = 8;
constexpr double kScanMs = 60;
constexpr int kMaxDoublings = 15;
constexpr std::size_t kScreenshotBases = 513;
constexpr double kScreenshotScanMs = 600;
constexpr std::int64_t kScreenshotSamples = 4096;

}  // namespace

void ContextRoom::refreshNow() {
    m_isSynchronous = true;
    RotaryRoom::refreshNow();
    m_isSynchronous = false;
}

void ContextRoom::hideEvent(QHideEvent* event) {
    RotaryRoom::hideEvent(event);
    m_boundJob.cancel();
    m_otherBoundJob.cancel();
    m_basesJob.cancel();
    m_samplesJob.cancel();
    m_nextRound.stop();
    schedule();  // resumes the computation when the room is shown again
}

std::optional<RotarySetup> ContextRoom::otherSetup() const {
    return model().other() ? std::optional(model().other()->setup) : std::nullopt;
}

std::int64_t ContextRoom::end() const {
    if (m_dragAxisEnd > 0) return m_dragAxisEnd;
    const auto other = otherSetup();
    return distanceAxisEnd(std::max(model().setup().context, other ? other->context : 0));
}

void ContextRoom::renew() {
    const RotarySetup& setup = model().setup();
    renewBound();
    renewOtherBound();
    m_tuning->renew(setup, otherSetup(), model().editsB());
    renewCriteria();
    switch (m_part) {
        case Part::bound:
            showFigure(m_view, boundFigure(m_bound, m_logarithmic->isChecked()),
                       [this](const ShapedSetup&) { return boundFigure(m_otherBound, m_logarithmic->isChecked()); });
            renewWords(boundSentence(m_bound), boundSentence(m_otherBound));
            break;
        case Part::bases:
            renewBases();
            break;
        case Part::decay:
            showFigure(m_view, decayFigure(setup, end(), otherSetup().has_value()),
                       [this](const ShapedSetup& other) { return decayFigure(other.setup, end(), true); });
            renewWords(decaySentence(), decaySentence());
            break;
        case Part::random:
            renewSamples();
            break;
    }
    showBusy();
}

void ContextRoom::renewWords(const QString& mine, const QString& theirs) {
    if (!otherSetup()) return m_words->setText(mine);
    const QString quotient = supportedQuotient();
    m_words->setText(bothSentences(mine, theirs) + (quotient.isEmpty() ? QString() : QLatin1Char('\n') + quotient));
}

QString ContextRoom::supportedQuotient() const {
    if (!m_bound.firstNegative || !m_otherBound.firstNegative) return {};
    return bothQuotient(tr("supported context"), static_cast<double>(*m_bound.firstNegative),
                        static_cast<double>(*m_otherBound.firstNegative));
}

void ContextRoom::renewCriteria() {
    std::vector<Criterion> criteria = contextCriteria(m_bound, m_tuning->tuning());
    if (otherSetup()) {
        const std::vector<Criterion> theirs = contextCriteria(m_otherBound, m_tuning->tuning());
        for (std::size_t i = 0; i < criteria.size(); ++i) {
            criteria[i].isComputing = criteria[i].isComputing || theirs[i].isComputing;
            criteria[i].text = bothSentences(criteria[i].text, theirs[i].text);
            criteria[i].why = bothSentences(criteria[i].why, theirs[i].why);
        }
    }
    m_criteria->setCriteria(criteria);
}

void ContextRoom::renewBound() {
    const RotarySetup& setup = model().setup();
    const bool showsBound = m_part == Part::bound || m_part == Part::random;
    const std::optional<std::int64_t> fixedEnd =
        showsBound && m_dragAxisEnd > 0 ? std::optional(m_dragAxisEnd) : std::nullopt;
    const bool isCurrent = m_bound.setup == setup && !m_bound.bound.empty() && (!fixedEnd || m_bound.end == *fixedEnd);
    const bool isEndCurrent =
        fixedEnd || m_bound.end == distanceAxisEnd(std::max(setup.context, m_bound.firstNegative.value_or(0)));
    if (isCurrent && isEndCurrent && (m_bound.isComplete || m_boundJob.isRunning())) {
        return;
    }
    m_bound = boundData(setup, positionsPerFrame(setup), fixedEnd);
    if (m_bound.isComplete) {
        m_boundJob.cancel();
        return;
    }
    computeBound(m_boundJob, setup, fixedEnd, [this](BoundData bound) { m_bound = std::move(bound); });
}

void ContextRoom::renewOtherBound() {
    const auto setup = otherSetup();
    if (!setup) {
        m_otherBoundJob.cancel();
        m_otherBound = {};
        m_otherProfile = {};
        m_otherSamples = {};
        return;
    }
    const bool isCurrent = m_otherBound.setup == *setup && !m_otherBound.bound.empty();
    if (isCurrent && (m_otherBound.isComplete || m_otherBoundJob.isRunning())) return;
    m_otherBound = boundData(*setup, positionsPerFrame(*setup));
    if (m_otherBound.isComplete) return m_otherBoundJob.cancel();
    computeBound(m_otherBoundJob, *setup, {}, [this](BoundData bound) { m_otherBound = std::move(bound); });
}

void ContextRoom::computeBound(LatestJob& job, const RotarySetup& setup, std::optional<std::int64_t> fixedEnd,
                               std::function<void(BoundData)> done) {
    job.start([this, setup, fixedEnd, done = std::move(done)](const Cancelled& cancelled) -> std::function<void()> {
        return [this, done, bound = boundData(setup, kMaxPositions, fixedEnd, cancelled)] {
            done(bound);
            schedule();
        };
    });
}

void ContextRoom::renewProfile(BaseProfile& profile, const RotarySetup& setup, const BaseProfile::Range& range) {
    if (!profile.matches(setup, range)) {
        BaseProfile::Range initial = range;
        initial.doublings = BaseProfile::Range{}.doublings;
        profile = BaseProfile(setup, initial);
        m_basesJob.cancel();
    }
    if (m_isSynchronous && canBeNegative(setup) && profile.done() < kScreenshotBases) {
        profile.extend(kScreenshotScanMs);
    }
}

void ContextRoom::renewBases() {
    const RotarySetup& setup = model().setup();
    const auto other = otherSetup();
    BaseProfile::Range range = m_dragRange.value_or(baseRange(setup, m_near->isChecked()));
    if (other && !m_dragRange) {
        // Both scans cover the same bases, so that their curves can be compared.
        const BaseProfile::Range theirs = baseRange(*other, m_near->isChecked());
        range.low = std::min(range.low, theirs.low);
        range.high = std::max(range.high, theirs.high);
        range.limit = std::max(range.limit, theirs.limit);
    }
    renewProfile(m_profile, setup, range);
    if (other) renewProfile(m_otherProfile, *other, range);
    showFigure(m_view, basesFigure(m_profile, m_bound),
               [this](const ShapedSetup&) { return basesFigure(m_otherProfile, m_otherBound); });
    renewWords(basesSentence(m_profile, m_bound), other ? basesSentence(m_otherProfile, m_otherBound) : QString());
    const bool isOpen = isScanOpen();
    m_finer->setEnabled(canBeNegative(setup) && !isOpen && m_profile.range().doublings < kMaxDoublings);
    if (isOpen && !m_basesJob.isRunning() && isVisible()) {
        continueScan(m_profile.done() == 0 ? kFirstScanMs : kScanMs);
    }
}

bool ContextRoom::isScanOpen() const {
    const auto other = otherSetup();
    return (canBeNegative(model().setup()) && !m_profile.isComplete()) ||
           (other && canBeNegative(*other) && !m_otherProfile.isComplete());
}

void ContextRoom::continueScan(double milliseconds) {
    const auto other = otherSetup();
    // The scan with fewer computed bases continues, so that both curves become finer together.
    const bool isMineOpen = canBeNegative(model().setup()) && !m_profile.isComplete();
    const bool isTheirsOpen = other && canBeNegative(*other) && !m_otherProfile.isComplete();
    const bool scansOther = isTheirsOpen && (!isMineOpen || m_otherProfile.done() < m_profile.done());
    BaseProfile& target = scansOther ? m_otherProfile : m_profile;
    m_basesJob.start(
        [this, profile = target, scansOther, milliseconds](const Cancelled& cancelled) -> std::function<void()> {
            BaseProfile more = profile;
            more.extend(milliseconds, cancelled);
            return [this, scansOther, more = std::move(more)] {
                (scansOther ? m_otherProfile : m_profile) = more;
                schedule();
            };
        });
}

void ContextRoom::renewSamplesOf(LogitSamples& samples, const RotarySetup& setup, std::int64_t shown) {
    const RandomVectors vectors = m_random->vectors();
    const bool isSame = samples.setup == setup && samples.seed == m_seed && samples.vectors == vectors &&
                        !samples.distances.empty() && samples.distances.back() == static_cast<double>(shown);
    if (!isSame) {
        m_samplesJob.cancel();
        m_nextRound.stop();
        samples = startSampling(setup, m_seed, shown, vectors);
    }
    while (m_isSynchronous && samples.count < kScreenshotSamples) {
        samples = withMoreSamples(samples, nextRound(samples));
    }
}

void ContextRoom::renewSamples() {
    const std::int64_t shown = end();
    renewSamplesOf(m_samples, model().setup(), shown);
    const auto other = otherSetup();
    if (other) renewSamplesOf(m_otherSamples, *other, shown);
    showFigure(m_view, randomFigure(m_samples, m_bound.bound, shown),
               [this, shown](const ShapedSetup&) { return randomFigure(m_otherSamples, m_otherBound.bound, shown); });
    renewWords(randomSentence(m_samples), other ? randomSentence(m_otherSamples) : QString());
    if (!m_nextRound.isActive()) {
        continueSampling();
    }
}

void ContextRoom::continueSampling() {
    if (!isVisible() || m_part != Part::random || m_samplesJob.isRunning() || !isSampling()) {
        return;
    }
    m_samplesJob.start([this, mine = m_samples, theirs = m_otherSamples,
                        hasOther = otherSetup().has_value()](const Cancelled& cancelled) -> std::function<void()> {
        const auto more = [&cancelled](const LogitSamples& samples) {
            return samples.count < kMaxSamples ? withMoreSamples(samples, nextRound(samples), cancelled) : samples;
        };
        return [this, samples = more(mine), others = hasOther ? more(theirs) : LogitSamples{}] {
            m_samples = samples;
            m_otherSamples = others;
            schedule();
            m_nextRound.start();
        };
    });
}

bool ContextRoom::isScanning() const {
    return m_part == Part::bases && isScanOpen();
}

bool ContextRoom::isSampling() const {
    return m_part == Part::random &&
           (m_samples.count < kMaxSamples || (otherSetup() && m_otherSamples.count < kMaxSamples));
}

bool ContextRoom::isBusy() const {
    // Until the figure of a changed setup is renewed, it is unknown whether its computation takes long.
    return isScheduled() || isScanning() || isSampling() || m_boundJob.isRunning() || m_otherBoundJob.isRunning();
}

void ContextRoom::showBusy() {
    if (isScanning()) {
        m_progress->setRange(0, static_cast<int>(m_profile.count()));
        m_progress->setValue(static_cast<int>(m_profile.done()));
    } else if (isSampling()) {
        m_progress->setRange(0, static_cast<int>(kMaxSamples));
        m_progress->setValue(static_cast<int>(m_samples.count));
    } else {
        m_progress->setRange(0, 0);
    }
    m_progress->setVisible(isBusy());
}

}  // namespace ropelab::ui
