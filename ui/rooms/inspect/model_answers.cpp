#include "ui/rooms/inspect/model_answers.h"

#include <algorithm>
#include <chrono>

#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

InspectSource::InspectSource(const RunAccess& access, QObject* parent)
    : QObject(parent),
      m_lab(access.lab),
      m_runStore(access.runs),
      m_session(access.session),
      m_dataDir(access.dataDir) {
    connect(&m_session, &SweepSession::delivered, this, &InspectSource::handleDeliveries);
    // The last events may have been missed while this source was inactive or loading.
    connect(&m_session, &SweepSession::ended, this, &InspectSource::reload);
    connect(&m_lab, &LabDocument::opened, this, &InspectSource::reload);
    connect(&m_lab, &LabDocument::runsChanged, this, &InspectSource::renewColors);
    connect(&m_lab, &LabDocument::lookChanged, this, &InspectSource::renewColors);
}

void InspectSource::renewColors() {
    if (!m_lab.file()) return;
    const SettingColors& colors = m_runStore.colors();
    bool any = false;
    for (auto& [id, run] : m_runs) {
        if (run->isOpened()) continue;
        const std::string setting = settingKey(run->spec);
        const Ink ink = colors.inkOf(setting, run->spec.seed);
        if (ink == run->ink) continue;
        auto copy = std::make_shared<InsideRun>(*run);  // copies share the snapshots
        copy->ink = ink;
        for (OtherSeed& other : copy->otherSeeds) other.ink = colors.inkOf(setting, other.seed);
        run = std::move(copy);
        any = true;
    }
    if (any) emit changed();
}

void InspectSource::setRuns(RunId run, RunId ghost, const QString& modelText) {
    std::set<RunId> wanted;
    for (const RunId id : {run, ghost}) {
        if (id != 0) wanted.insert(id);
    }
    const bool isOtherText = modelText != m_modelText && !wanted.empty() && *wanted.begin() < 0;
    if (wanted == m_wanted && !isOtherText) return;
    if (isOtherText) std::erase_if(m_runs, [](const auto& entry) { return entry.first < 0; });
    m_modelText = modelText;
    m_wanted = wanted;
    load();
}

std::shared_ptr<const InsideRun> InspectSource::run(RunId id) const {
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : found->second;
}

void InspectSource::setActive(bool active) {
    if (active == m_active) return;
    m_active = active;
    if (active) load();
}

void InspectSource::reload() {
    m_runs.clear();
    m_problem.clear();
    if (m_wanted.empty() || !m_active) {
        emit changed();
    } else {
        load();
    }
}

void InspectSource::load() {
    std::erase_if(m_runs, [this](const auto& entry) { return !m_wanted.contains(entry.first); });
    std::vector<RunId> missing;
    for (const RunId id : m_wanted) {
        if (!m_runs.contains(id)) missing.push_back(id);
    }
    std::map<RunId, ModelMark> models;
    for (const RunId id : missing) {
        if (const ModelMark* model = m_lab.model(id)) models[id] = *model;
    }
    if (missing.empty() || !m_active || (!m_lab.hasFile() && models.empty())) {
        m_job.cancel();
        emit changed();
        return;
    }
    m_pending.clear();
    const std::filesystem::path path = toPath(m_lab.path());
    m_job.start([this, path, missing, models, text = m_modelText,
                 dataDir = m_dataDir](const Cancelled& cancelled) -> std::function<void()> {
        auto runs = std::make_shared<std::vector<std::shared_ptr<const InsideRun>>>();
        const QString problem = problemOf([&] {
            std::unique_ptr<LabFile> lab;
            for (const RunId id : missing) {
                if (cancelled()) return;
                if (const auto model = models.find(id); model != models.end()) {
                    require_same_model(model->second);
                    InsideRun opened = openModel(QString::fromStdString(model->second.path), text, dataDir);
                    opened.id = id;
                    runs->push_back(std::make_shared<const InsideRun>(std::move(opened)));
                } else {
                    if (!lab) lab = LabFile::open(path, LabFile::Mode::read);
                    runs->push_back(std::make_shared<const InsideRun>(readInsideRun(*lab, id)));
                }
            }
        });
        return [this, runs, problem] {
            m_problem = problem;
            for (const auto& run : *runs) m_runs[run->id] = run;
            for (const Delivery& delivery : std::exchange(m_pending, {})) apply(delivery);
            emit changed();
        };
    });
}

void InspectSource::handleDeliveries(const std::vector<Delivery>& deliveries) {
    if (!m_active) {
        m_runs.clear();  // setActive(true) reloads them
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
            m_pending.push_back(delivery);
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
        auto copy = std::make_shared<InsideRun>(*found->second);  // copies share the snapshots
        how(*copy);
        found->second = std::move(copy);
    };
    if (const auto* cut = std::get_if<DiscardAfter>(&delivery)) {
        change(cut->run, [cut](InsideRun& run) { run.truncateAfter(cut->iteration); });
        return;
    }
    const Event& event = std::get<Event>(delivery);
    const auto loadVocabulary = [this](InsideRun& run) {
        if (!run.vocabulary.empty() || !m_lab.file()) return;
        try {
            run.vocabulary = m_lab.file()->run(run.id).vocabulary;
        } catch (const std::exception&) {
            // The run was deleted, or the file is locked: the next event tries again.
        }
    };
    if (const auto* probed = std::get_if<event::Probed>(&event)) {
        change(probed->run, [&](InsideRun& run) {
            loadVocabulary(run);
            run.addSnapshot({probed->iteration, std::make_shared<const ProbeResult>(compacted(*probed->result))});
        });
    }
    if (const auto* evaluated = std::get_if<event::Evaluated>(&event)) {
        change(evaluated->run, [evaluated, loadVocabulary](InsideRun& run) {
            loadVocabulary(run);
            const auto at = static_cast<double>(evaluated->iteration);
            if (!run.iterations.isEmpty() && run.iterations.last() >= at) return;
            run.iterations.append(at);
            run.validationLoss.append(evaluated->validation_loss);
        });
    }
}

namespace {

QString keyOf(const InspectNeed& need, const InsideRun& run, const ModelInputs& inputs) {
    const QString text = run.isOpened() ? QString::fromStdString(run.spec.data) : QString();
    return u"%1|%2|%3|%4"_s.arg(QString::fromStdString(run.checkpoint.path.string()), text)
        .arg(run.id)
        .arg(need.key ? need.key(run, inputs) : QString());
}

}  // namespace

ModelAnswers::ModelAnswers(RunAccess access, QObject* parent) : QObject(parent), m_access(std::move(access)) {
    connect(&m_access.lab, &LabDocument::opened, this, &ModelAnswers::discard);
    connect(&m_access.session, &SweepSession::stateChanged, this, [this] {
        if (m_access.session.isActive()) {
            emit changed();
        } else {
            retry(false);  // training has written new checkpoints
        }
    });
    connect(&m_access.meter, &SweepMeter::started, this, &ModelAnswers::changed);
    connect(&m_access.meter, &SweepMeter::ended, this, [this] { retry(true); });
}

void ModelAnswers::retry(bool onlyWaiting) {
    for (auto& [need, question] : m_questions) {
        if (onlyWaiting && !question.waits) continue;
        question.key.clear();
        question.problem.clear();
        question.waits = false;
    }
    if (!onlyWaiting || m_tuning.waits) m_tuning.problem.clear();
    m_tuning.waits = false;
    emit changed();
}

void ModelAnswers::Question::clear() {
    job.cancel();
    key.clear();
    run = 0;
    answer = nullptr;
    problem.clear();
    waits = false;
}

void ModelAnswers::discard() {
    for (auto& [need, question] : m_questions) question.clear();
    m_tuning.job.cancel();
    m_tuning.run.reset();
    m_tuning.problem.clear();
    m_tuning.waits = false;
    m_tuning.results.clear();
    emit changed();
}

void ModelAnswers::pause() {
    for (auto& [need, question] : m_questions) {
        if (!question.job.isRunning()) continue;
        question.job.cancel();
        question.key.clear();
    }
}

QString ModelAnswers::engineUser() const {
    if (m_access.session.isActive()) return u"While a sweep trains, the program cannot evaluate a model."_s;
    if (m_access.meter.isActive()) {
        return u"While the cost of a sweep is measured, the program cannot evaluate a model."_s;
    }
    return {};
}

QString ModelAnswers::waitingReason() const {
    if (const QString user = engineUser(); !user.isEmpty()) {
        return m_access.session.isActive() ? u"%1 This figure is computed after training has ended."_s.arg(user)
                                           : u"%1 This figure is computed after the measurement has ended."_s.arg(user);
    }
    if (!isFineTuning()) return {};
    return u"A copy of the run %1 is being fine-tuned; this figure is computed after the fine-tuning has ended."_s.arg(
        m_tuning.run->name);
}

void ModelAnswers::request(const InspectNeed& need, const std::shared_ptr<const InsideRun>& run,
                           const ModelInputs& inputs) {
    if (!need.isAsked(inputs)) return m_questions[&need].clear();
    const bool asksTraining = need.probe && isTraining(run->id);
    // The key differs from that of the same request to the checkpoint.
    const QString key = (asksTraining ? u"training|"_s : QString()) + keyOf(need, *run, inputs);
    Question& question = m_questions[&need];
    if (question.key == key) return;
    question.key = key;
    question.inputs = inputs;
    question.problem.clear();
    question.waits = false;
    if (question.run != run->id) question.answer = nullptr;
    question.run = run->id;
    if (asksTraining) return askTraining(question, need, run);
    if (!need.usesEngine) return computeWithoutEngine(question, need, run);
    if (const QString words = waitingReason(); !words.isEmpty()) {
        question.job.cancel();
        question.problem = words;
        question.waits = true;
        return;
    }
    computeWithEngine(question, need, run);
}

void ModelAnswers::take(Question& question, const InspectFill& answer, const QString& problem) {
    if (answer) question.answer = answer;
    question.problem = problem;
    emit changed();
}

void ModelAnswers::computeWithoutEngine(Question& question, const InspectNeed& need,
                                        const std::shared_ptr<const InsideRun>& run) {
    question.job.start([this, &question, &need, run, inputs = question.inputs,
                        dir = m_access.dataDir](const Cancelled& cancelled) -> std::function<void()> {
        InspectFill answer;
        const QString problem = ui::problemOf([&] { answer = need.compute({nullptr, dir, cancelled}, *run, inputs); });
        return [this, &question, answer, problem] { take(question, answer, problem); };
    });
    emit changed();
}

void ModelAnswers::computeWithEngine(Question& question, const InspectNeed& need,
                                     const std::shared_ptr<const InsideRun>& run) {
    const auto report = [this, &question, key = question.key](const InspectFill& part) {
        const auto show = [this, &question, key, part] {
            if (question.key == key) take(question, part, {});
        };
        QMetaObject::invokeMethod(this, show, Qt::QueuedConnection);
    };
    const auto work = [&need, run, report, inputs = question.inputs, dir = m_access.dataDir](Engine& engine,
                                                                                             const Cancelled& ends) {
        return need.compute({&engine, dir, ends, report}, *run, inputs);
    };
    startWithEngine<InspectFill>(
        question.job, m_access.engineLock, work, [this, &question](const Outcome<InspectFill>& outcome) {
            if (outcome.answer) question.answer = *outcome.answer;
            question.problem = outcome.problem;
            if (outcome.interrupted) {
                question.problem = waitingReason();
                question.waits = !question.problem.isEmpty();
                if (!question.waits)
                    question.key.clear();  // the other work has already ended, so the request can be repeated
            }
            emit changed();
        });
    emit changed();
}

bool ModelAnswers::isTraining(RunId run) const {
    const SweepSession& session = m_access.session;
    if (!session.isActive() || !session.isTraining(run)) return false;
    for (const WaitingCohort& cohort : session.waiting()) {
        if (std::find(cohort.runs.begin(), cohort.runs.end(), run) != cohort.runs.end()) return false;
    }
    return true;
}

void ModelAnswers::askTraining(Question& question, const InspectNeed& need,
                               const std::shared_ptr<const InsideRun>& run) {
    question.problem = ui::problemOf([&] {
        auto cancel = std::make_shared<std::atomic<bool>>(false);
        ProbeRequest request = need.probe(*run, question.inputs);
        request.cancelled = [cancel] { return cancel->load(); };
        auto future = m_access.session.probe(run->id, std::move(request));
        auto waiting = std::make_shared<std::future<ProbeResult>>(std::move(future));
        const std::int64_t iteration = std::max<std::int64_t>(0, run->lastKnownStep());
        question.job.start([this, &question, &need, run, inputs = question.inputs, waiting, cancel,
                            iteration](const Cancelled& cancelled) -> std::function<void()> {
            using namespace std::chrono_literals;
            while (waiting->wait_for(20ms) != std::future_status::ready) {
                if (!cancelled()) continue;
                *cancel = true;
                return {};
            }
            InspectFill answer;
            const QString problem = ui::problemOf([&] {
                ProbeResult result = waiting->get();
                if (result.sequences > 0) answer = need.fillProbe(*run, inputs, std::move(result), iteration);
            });
            return [this, &question, answer, problem] { take(question, answer, problem); };
        });
    });
}

QString ModelAnswers::whyNoFineTuning(const InsideRun& run, const FineTuning& how) const {
    const QString why = ui::whyNoFineTuning(run, how);
    const QString user = engineUser();
    if (!why.isEmpty() || user.isEmpty()) return why;
    return m_access.session.isActive() ? u"%1 Fine-tune after training has ended."_s.arg(user)
                                       : u"%1 Fine-tune after the measurement has ended."_s.arg(user);
}

void ModelAnswers::startFineTuning(const std::shared_ptr<const InsideRun>& run, const FineTuning& how) {
    if (isFineTuning()) return;
    m_tuning.run = run;
    m_tuning.problem = whyNoFineTuning(*run, how);
    if (!m_tuning.problem.isEmpty()) {
        m_tuning.waits = !engineUser().isEmpty();
        emit changed();
        return;
    }
    const auto train = [this, run, how, dir = m_access.dataDir](Engine& engine, const Cancelled& ends) {
        return fine_tune_extrapolation(
            engine, checkpointOf(*run), how, dir, [&, limiter = ProgressLimiter(how.steps)](std::int64_t done) mutable {
                if (ends()) return false;
                const auto report = [this, done, steps = how.steps] { emit fineTuningProgressed(done, steps); };
                if (limiter.isDue(done)) QMetaObject::invokeMethod(this, report, Qt::QueuedConnection);
                return true;
            });
    };
    startWithEngine<ExtrapolationResult>(
        m_tuning.job, m_access.engineLock, train, [this, run, how](const Outcome<ExtrapolationResult>& outcome) {
            if (outcome.answer) storeResult(run->id, *outcome.answer);
            retry(true);
            m_tuning.problem = outcome.problem;
            if (outcome.interrupted) {
                m_tuning.waits = !engineUser().isEmpty();
                m_tuning.problem =
                    m_tuning.waits
                        ? whyNoFineTuning(*run, how)
                        : u"Fine-tuning was interrupted because the program needed the engine (which trains models) "
                          "for other work. Start the fine-tuning again."_s;
            }
            emit changed();
        });
    emit changed();
}

void ModelAnswers::storeResult(RunId run, const ExtrapolationResult& result) {
    std::vector<ExtrapolationResult>& results = m_tuning.results[run];
    std::erase_if(results, [&result](const ExtrapolationResult& old) {
        const bool same =
            old.factor == result.factor && old.evaluations.back().method == result.evaluations.back().method;
        return same || old.iteration != result.iteration;  // a figure must not mix results of different checkpoints
    });
    results.push_back(result);
}

void ModelAnswers::cancelFineTuning() {
    if (!isFineTuning()) return;
    m_tuning.job.cancel();
    m_tuning.problem.clear();
    retry(true);
}

QString ModelAnswers::fineTuningProblem(RunId run) const {
    return m_tuning.run && m_tuning.run->id == run ? m_tuning.problem : QString();
}

void ModelAnswers::fill(InspectData& data, const InspectNeed* need) const {
    if (!data.run) return;
    const RunId run = data.run->id;
    data.problem.clear();
    for (const auto& [each, question] : m_questions) {
        if (question.run != run) continue;
        if (each->asked && !question.key.isEmpty()) each->asked(data, question.inputs);
        // If the request has failed, the stored answer belongs to an earlier request.
        if (question.answer && question.problem.isEmpty()) question.answer(data);
        const bool isMeasured = each == &need::opened && data.problem.isEmpty();
        if (each == need || isMeasured) data.problem = question.problem;
    }
    // Results of fine-tuning contain their own settings.
    if (const auto found = m_tuning.results.find(run); found != m_tuning.results.end())
        data.fineTunings = found->second;
    if (need && !need->isOfTraining) data.problem = fineTuningProblem(run);
}

QString ModelAnswers::problemOf(const InspectNeed& need) const {
    const auto found = m_questions.find(&need);
    return found == m_questions.end() ? QString() : found->second.problem;
}

bool ModelAnswers::isBusy() const {
    return isFineTuning() || std::any_of(m_questions.begin(), m_questions.end(),
                                         [](const auto& each) { return each.second.job.isRunning(); });
}

}  // namespace ropelab::ui

#include "moc_model_answers.cpp"
