#include "ui/inspect/inspect_source.h"

#include "ui/window/paths.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

InspectSource::InspectSource(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
    connect(&workspace.session(), &SweepSession::delivered, this, &InspectSource::take);
    // What was recorded last may have come while this slept or read.
    connect(&workspace.session(), &SweepSession::ended, this, &InspectSource::forget);
    connect(&workspace.lab(), &LabDocument::opened, this, &InspectSource::forget);
}

void InspectSource::want(RunId run, RunId ghost) {
    std::set<RunId> wanted;
    for (const RunId id : {run, ghost}) {
        if (id != 0) wanted.insert(id);
    }
    if (wanted == m_wanted) return;
    m_wanted = wanted;
    read();
}

std::shared_ptr<const InsideRun> InspectSource::run(RunId id) const {
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : found->second;
}

void InspectSource::setAwake(bool awake) {
    if (awake == m_awake) return;
    m_awake = awake;
    if (awake) read();
}

void InspectSource::forget() {
    m_runs.clear();
    m_problem.clear();
    if (m_wanted.empty() || !m_awake) {
        emit changed();
    } else {
        read();
    }
}

void InspectSource::read() {
    std::erase_if(m_runs, [this](const auto& entry) { return !m_wanted.contains(entry.first); });
    std::vector<RunId> missing;
    for (const RunId id : m_wanted) {
        if (!m_runs.contains(id)) missing.push_back(id);
    }
    if (missing.empty() || !m_awake || !m_workspace.lab().hasFile()) {
        m_job.cancel();
        emit changed();
        return;
    }
    m_meanwhile.clear();
    const std::filesystem::path path = toPath(m_workspace.lab().path());
    m_job.start([this, path, missing](const Cancelled& cancelled) -> std::function<void()> {
        auto runs = std::make_shared<std::vector<std::shared_ptr<const InsideRun>>>();
        QString problem;
        try {
            const auto lab = LabFile::open(path, LabFile::Mode::read);
            for (const RunId id : missing) {
                if (!cancelled()) runs->push_back(std::make_shared<const InsideRun>(readInsideRun(*lab, id)));
            }
        } catch (const std::exception& error) {
            problem = QString::fromUtf8(error.what());
        }
        return [this, runs, problem] {
            m_problem = problem;
            for (const auto& run : *runs) m_runs[run->id] = run;
            for (const Delivery& delivery : std::exchange(m_meanwhile, {})) apply(delivery);
            emit changed();
        };
    });
}

void InspectSource::take(const std::vector<Delivery>& deliveries) {
    if (!m_awake) {
        m_runs.clear();  // they are read anew when it wakes
        return;
    }
    bool any = false;
    for (const Delivery& delivery : deliveries) {
        const auto* event = std::get_if<Event>(&delivery);
        if (event && !std::holds_alternative<event::Probed>(*event) &&
            !std::holds_alternative<event::Evaluated>(*event))
            continue;
        any = true;
        if (m_job.isRunning()) {
            m_meanwhile.push_back(delivery);
        } else {
            apply(delivery);
        }
    }
    if (any && !m_job.isRunning()) emit changed();
}

void InspectSource::apply(const Delivery& delivery) {
    const auto change = [this](RunId id, const auto& how) {
        const auto found = m_runs.find(id);
        if (found == m_runs.end()) return;
        auto copy = std::make_shared<InsideRun>(*found->second);  // snapshots are shared
        how(*copy);
        found->second = std::move(copy);
    };
    if (const auto* cut = std::get_if<CutBack>(&delivery)) {
        change(cut->run, [cut](InsideRun& run) { run.cutBack(cut->iteration); });
        return;
    }
    const Event& event = std::get<Event>(delivery);
    const auto learnSymbols = [this](InsideRun& run) {
        if (!run.vocabulary.empty() || !m_workspace.lab().file()) return;
        try {
            run.vocabulary = m_workspace.lab().file()->run(run.id).vocabulary;
        } catch (const std::exception&) {
            // It was deleted meanwhile, or the file is locked: the next delivery tries again.
        }
    };
    if (const auto* probed = std::get_if<event::Probed>(&event)) {
        change(probed->run, [&](InsideRun& run) {
            learnSymbols(run);
            run.take({probed->iteration, std::make_shared<const ProbeResult>(compacted(*probed->result))});
        });
    }
    if (const auto* evaluated = std::get_if<event::Evaluated>(&event)) {
        change(evaluated->run, [evaluated, learnSymbols](InsideRun& run) {
            learnSymbols(run);
            const auto at = static_cast<double>(evaluated->iteration);
            if (!run.iterations.isEmpty() && run.iterations.last() >= at) return;
            run.iterations.append(at);
            run.validationLoss.append(evaluated->validation_loss);
        });
    }
}

}  // namespace ropelab::ui
