#include "ui/rooms/train/latest_snapshots.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "ui/common/paths.h"
#include "ui/session/lab_document.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

namespace {

struct LoadedSnapshots {
    Snapshot newest;  // without a result if there is none
    std::vector<ExpertPoint> experts;
};

/// The newest snapshot at or before the step `until` and, if `withExperts`, the numbers of experts of all snapshots.
/// The result is incomplete if `cancelled` returned true.
LoadedSnapshots loadSnapshots(const LabFile& lab, RunId run, std::int64_t until, bool withExperts,
                              const Cancelled& cancelled) {
    LoadedSnapshots loaded;
    const std::vector<std::int64_t> iterations = lab.snapshots(run);
    for (auto at = iterations.rbegin(); at != iterations.rend() && !cancelled(); ++at) {
        if (*at > until) continue;
        auto result = lab.snapshot(run, *at);
        if (!result) continue;
        const auto point = expertPoint(*at, *result);
        if (point) loaded.experts.push_back(*point);
        if (!loaded.newest.result) loaded.newest = {*at, std::make_shared<const ProbeResult>(std::move(*result))};
        if (!withExperts || !point) break;
    }
    return loaded;
}

}  // namespace

LatestSnapshots::LatestSnapshots(LabDocument& lab, SweepSession& session, QObject* parent)
    : QObject(parent), m_lab(lab) {
    connect(&session, &SweepSession::delivered, this, &LatestSnapshots::handleDeliveries);
    connect(&m_lab, &LabDocument::opened, this, &LatestSnapshots::reload);
}

const Snapshot* LatestSnapshots::find(RunId run) const {
    const auto found = m_latest.find(run);
    return found == m_latest.end() ? nullptr : &found->second;
}

void LatestSnapshots::setWithExperts(bool wanted) {
    if (wanted == m_withExperts) return;
    m_withExperts = wanted;
    if (!wanted) return;
    m_loaded.clear();
    load();
}

std::vector<ExpertPoint> LatestSnapshots::experts(RunId run) const {
    std::vector<ExpertPoint> points;
    const auto found = m_experts.find(run);
    if (found == m_experts.end()) return points;
    for (const auto& [step, point] : found->second) points.push_back(point);
    return points;
}

void LatestSnapshots::setRuns(const std::set<RunId>& runs) {
    if (runs == m_runs) return;
    m_runs = runs;
    const auto isGone = [this](RunId run) { return !m_runs.contains(run); };
    std::erase_if(m_latest, [&](const auto& entry) { return isGone(entry.first); });
    std::erase_if(m_discard, [&](const auto& entry) { return isGone(entry.first); });
    std::erase_if(m_loaded, isGone);
    std::erase_if(m_experts, [&](const auto& entry) { return isGone(entry.first); });
    load();
}

void LatestSnapshots::reload() {
    m_latest.clear();
    m_discard.clear();
    m_loaded.clear();
    m_experts.clear();
    m_problem.clear();
    m_job.cancel();
    load();
    emit changed();
}

void LatestSnapshots::load() {
    std::vector<std::pair<RunId, std::int64_t>> missing;  // with the last step that counts
    for (const RunId run : m_runs) {
        const auto cut = m_discard.find(run);
        const std::int64_t until = cut == m_discard.end() ? std::numeric_limits<std::int64_t>::max() : cut->second;
        if (!m_loaded.contains(run)) missing.emplace_back(run, until);
    }
    if (missing.empty() || !m_lab.hasFile()) return m_job.cancel();
    const std::filesystem::path path = toPath(m_lab.path());
    m_job.start(
        [this, path, missing, withExperts = m_withExperts](const Cancelled& cancelled) -> std::function<void()> {
            auto found = std::make_shared<std::map<RunId, LoadedSnapshots>>();
            QString problem;
            try {
                const auto lab = LabFile::open(path, LabFile::Mode::read);
                for (const auto& [run, until] : missing) {
                    if (!cancelled()) (*found)[run] = loadSnapshots(*lab, run, until, withExperts, cancelled);
                }
            } catch (const std::exception& error) {
                problem = QString::fromUtf8(error.what());
            }
            return [this, found, problem] {
                m_problem = problem;
                for (auto& [run, loaded] : *found) {
                    m_loaded.insert(run);
                    for (const ExpertPoint& point : loaded.experts) m_experts[run].emplace(point.iteration, point);
                    Snapshot& snapshot = loaded.newest;
                    const Snapshot* known = this->find(run);
                    // Events may have brought a newer snapshot while this one was being loaded.
                    if (snapshot.result && (!known || known->iteration < snapshot.iteration)) {
                        m_latest[run] = std::move(snapshot);
                    }
                }
                emit changed();
            };
        });
}

void LatestSnapshots::handleDeliveries(const std::vector<Delivery>& deliveries) {
    bool any = false;
    bool lost = false;
    for (const Delivery& delivery : deliveries) {
        if (const auto* cut = std::get_if<DiscardAfter>(&delivery)) {
            if (!m_runs.contains(cut->run)) continue;
            const Snapshot* known = find(cut->run);
            m_discard[cut->run] = cut->iteration;
            auto& points = m_experts[cut->run];
            points.erase(points.upper_bound(cut->iteration), points.end());
            if (known && known->iteration <= cut->iteration) continue;
            m_latest.erase(cut->run);
            m_loaded.erase(cut->run);
            lost = true;
        } else if (const auto* probed = std::get_if<event::Probed>(&std::get<Event>(delivery))) {
            if (!m_runs.contains(probed->run)) continue;
            m_latest[probed->run] = {probed->iteration, probed->result};  // the event shares its result
            if (const auto point = expertPoint(probed->iteration, *probed->result)) {
                m_experts[probed->run][probed->iteration] = *point;
            }
            any = true;
        }
    }
    if (lost) load();
    if (any || lost) emit changed();
}

}  // namespace ropelab::ui
