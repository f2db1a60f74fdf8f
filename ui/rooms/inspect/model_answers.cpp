#include "ui/rooms/inspect/model_answers.h"

#include <algorithm>
#include <chrono>

#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

InspectSource::InspectSource(LabDocument& lab, SweepSession& session, QObject* parent)
    : QObject(parent), m_lab(lab), m_session(session) {
    connect(&m_session, &SweepSession::delivered, this, &InspectSource::handleDeliveries);
    // The last events may have been missed while this source was inactive or loading.
    connect(&m_session, &SweepSession::ended, this, &InspectSource::reload);
    connect(&m_lab, &LabDocument::opened, this, &InspectSource::reload);
    connect(&m_lab, &LabDocument::runsChanged, this, &InspectSource::renewColors);
}

void InspectSource::renewColors() {
    if (m_runs.empty() || !m_lab.file()) return;
    const SettingColors colors = SettingColors::of(*m_lab.file());
    bool any = false;
    for (auto& [id, run] : m_runs) {
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

void InspectSource::setRuns(RunId run, RunId ghost) {
    std::set<RunId> wanted;
    for (const RunId id : {run, ghost}) {
        if (id != 0) wanted.insert(id);
    }
    if (wanted == m_wanted) return;
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
    if (missing.empty() || !m_active || !m_lab.hasFile()) {
        m_job.cancel();
        emit changed();
        return;
    }
    m_pending.clear();
    const std::filesystem::path path = toPath(m_lab.path());
    m_job.start([this, path, missing](const Cancelled& cancelled) -> std::function<void()> {
        auto runs = std::make_shared<std::vector<std::shared_ptr<const InsideRun>>>();
        const QString problem = problemOf([&] {
            const auto lab = LabFile::open(path, LabFile::Mode::read);
            for (const RunId id : missing) {
                if (!cancelled()) runs->push_back(std::make_shared<const InsideRun>(readInsideRun(*lab, id)));
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

QString keyOf(const InsideRun& run, const QString& rest) {
    return QStringLiteral("%1|%2|%3").arg(QString::fromStdString(run.checkpoint.string())).arg(run.id).arg(rest);
}

/// −1 if the run has neither a snapshot nor an evaluation.
std::int64_t lastKnownStep(const InsideRun& run) {
    const std::int64_t snapshot = run.snapshots.empty() ? -1 : run.snapshots.back().iteration;
    const std::int64_t evaluation = run.iterations.isEmpty() ? -1 : static_cast<std::int64_t>(run.iterations.last());
    return std::max(snapshot, evaluation);
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

template <typename Visit>
void ModelAnswers::each(const Visit& visit) {
    visit(m_text);
    visit(m_ablation);
    visit(m_curve);
    visit(m_extrapolation);
    visit(m_statistics);
    visit(m_bits);
}

void ModelAnswers::retry(bool onlyWaiting) {
    each([onlyWaiting](auto& question) {
        if (onlyWaiting && !question.waits) return;
        question.key.clear();
        question.problem.clear();
        question.waits = false;
    });
    if (!onlyWaiting || m_tuning.waits) m_tuning.problem.clear();
    m_tuning.waits = false;
    emit changed();
}

void ModelAnswers::discard() {
    each([](auto& question) {
        question.job.cancel();
        question.key.clear();
        question.run = 0;
        question.answer.reset();
        question.problem.clear();
        question.waits = false;
    });
    m_tuning.job.cancel();
    m_tuning.run.reset();
    m_tuning.problem.clear();
    m_tuning.waits = false;
    m_tuning.results.clear();
    emit changed();
}

void ModelAnswers::pause() {
    each([](auto& question) {
        if (!question.job.isRunning()) return;
        question.job.cancel();
        question.key.clear();
    });
}

QString ModelAnswers::engineUser() const {
    if (m_access.session.isActive()) return tr("Training uses the engine exclusively.");
    if (m_access.meter.isActive()) {
        return tr("The cost of a sweep is being measured, which uses the engine exclusively.");
    }
    return {};
}

QString ModelAnswers::waitingReason() const {
    if (const QString user = engineUser(); !user.isEmpty()) {
        return m_access.session.isActive() ? tr("%1 This figure is computed when no run trains any more.").arg(user)
                                           : tr("%1 This figure is computed after the measurement.").arg(user);
    }
    if (!isFineTuning()) return {};
    return tr("A copy of %1 is being fine-tuned; this figure is computed when that has ended.").arg(m_tuning.run->name);
}

template <typename Answer>
void ModelAnswers::begin(Question<Answer>& question, const InsideRun& run, const QString& key) {
    question.key = key;
    question.problem.clear();
    question.waits = false;
    if (question.run != run.id) question.answer.reset();
    question.run = run.id;
}

template <typename Answer>
void ModelAnswers::ask(Question<Answer>& question, const std::shared_ptr<const InsideRun>& run, const QString& key,
                       std::function<Answer(Engine&, const Cancelled&)> work) {
    if (question.key == key) return;
    begin(question, *run, key);
    if (const QString words = waitingReason(); !words.isEmpty()) {
        question.job.cancel();
        question.problem = words;
        question.waits = true;
        return;
    }
    startWithEngine<Answer>(
        question.job, m_access.engineLock, std::move(work), [this, &question](const Outcome<Answer>& outcome) {
            if (outcome.answer) question.answer = outcome.answer;
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

bool ModelAnswers::requestFromTraining(const std::shared_ptr<const InsideRun>& run, const QString& text,
                                       std::optional<int> pair, const QString& question) {
    if (!isTraining(run->id)) return false;
    const QString key =
        QStringLiteral("training|") + question;  // differs from the key of the same request to the checkpoint
    if (m_text.key == key) return true;
    begin(m_text, *run, key);
    m_text.problem = problemOf([&] {
        auto cancel = std::make_shared<std::atomic<bool>>(false);
        ProbeRequest request = textRequest(*run, text, pair);
        request.cancelled = [cancel] { return cancel->load(); };
        auto future = m_access.session.probe(run->id, std::move(request));
        auto waiting = std::make_shared<std::future<ProbeResult>>(std::move(future));
        const std::int64_t iteration = std::max<std::int64_t>(0, lastKnownStep(*run));
        m_text.job.start([this, waiting, cancel, iteration, pair](const Cancelled& cancelled) -> std::function<void()> {
            using namespace std::chrono_literals;
            while (waiting->wait_for(20ms) != std::future_status::ready) {
                if (!cancelled()) continue;
                *cancel = true;
                return {};
            }
            std::optional<TextAnswer> answer;
            const QString problem = problemOf([&] {
                answer = TextAnswer{iteration, std::make_shared<const ProbeResult>(waiting->get()), pair, true};
            });
            return [this, answer, problem] {
                if (answer && answer->result->sequences > 0) m_text.answer = answer;
                m_text.problem = problem;
                emit changed();
            };
        });
    });
    return true;
}

void ModelAnswers::requestText(const std::shared_ptr<const InsideRun>& run, const QString& text,
                               std::optional<int> pair) {
    if (text.isEmpty()) {
        m_text.job.cancel();
        m_text.key.clear();
        m_text.problem.clear();
        m_text.answer.reset();
        m_text.waits = false;
        return;
    }
    m_pair = pair;
    const QString key =
        keyOf(*run, QStringLiteral("%1|%2|%3").arg(lastKnownStep(*run)).arg(pair.value_or(-1)).arg(text));
    if (requestFromTraining(run, text, pair, key)) return;
    ask<TextAnswer>(m_text, run, key, [run, text, pair](Engine& engine, const Cancelled& cancelled) {
        return probeText(engine, *run, text, pair, cancelled);
    });
}

void ModelAnswers::requestAblation(const std::shared_ptr<const InsideRun>& run, const Ablation& ablation) {
    QString what = QString::number(static_cast<int>(ablation.kind));
    for (const std::int64_t pair : ablation.pairs) what += QStringLiteral(" %1").arg(pair);
    ask<AblationResult>(m_ablation, run, keyOf(*run, what),
                        [run, ablation, dir = m_access.dataDir](Engine& engine, const Cancelled& cancelled) {
                            return probeAblation(engine, *run, ablation, dir, cancelled);
                        });
}

void ModelAnswers::requestAblationCurve(const std::shared_ptr<const InsideRun>& run, Ablation::Kind kind) {
    ask<AblationCurve>(m_curve, run, keyOf(*run, QString::number(static_cast<int>(kind))),
                       [run, kind, dir = m_access.dataDir](Engine& engine, const Cancelled& cancelled) {
                           return probeAblationCurve(engine, *run, kind, dir, cancelled);
                       });
}

void ModelAnswers::requestExtrapolation(const std::shared_ptr<const InsideRun>& run, std::int64_t factor) {
    ask<ExtrapolationResult>(m_extrapolation, run, keyOf(*run, QString::number(factor)),
                             [run, factor, dir = m_access.dataDir](Engine& engine, const Cancelled& cancelled) {
                                 return probeExtrapolation(engine, *run, factor, dir, cancelled);
                             });
}

void ModelAnswers::requestStatistics(const std::shared_ptr<const InsideRun>& run) {
    const QString key = keyOf(*run, {});
    if (m_statistics.key == key) return;
    begin(m_statistics, *run, key);
    m_statistics.job.start([this, run, dir = m_access.dataDir](const Cancelled& cancelled) -> std::function<void()> {
        std::shared_ptr<const TextStatistics> answer;
        const QString problem =
            problemOf([&] { answer = std::make_shared<const TextStatistics>(textStatistics(*run, dir, cancelled)); });
        return [this, answer, problem] {
            if (answer) m_statistics.answer = answer;
            m_statistics.problem = problem;
            emit changed();
        };
    });
    emit changed();
}

void ModelAnswers::requestBits(const std::shared_ptr<const InsideRun>& run, const QString& text) {
    using Answer = std::shared_ptr<const PaintedText>;
    ask<Answer>(m_bits, run, keyOf(*run, QStringLiteral("%1|%2").arg(lastKnownStep(*run)).arg(text)),
                [run, text, dir = m_access.dataDir](Engine& engine, const Cancelled& cancelled) {
                    return std::make_shared<const PaintedText>(paintedText(engine, *run, text, dir, cancelled));
                });
}

QString ModelAnswers::whyNoFineTuning(const InsideRun& run, const FineTuning& how) const {
    const QString why = ui::whyNoFineTuning(run, how);
    const QString user = engineUser();
    if (!why.isEmpty() || user.isEmpty()) return why;
    return m_access.session.isActive() ? tr("%1 Fine-tune after training has ended.").arg(user)
                                       : tr("%1 Fine-tune after the measurement.").arg(user);
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
        return fineTuneCopy(
            engine, *run, how, dir, [&, limiter = ProgressLimiter(how.steps)](std::int64_t done) mutable {
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
                        : tr("Fine-tuning was interrupted because other work needed the engine. Start it again.");
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

void ModelAnswers::fill(InspectData& data, InspectFigure::Input input) const {
    if (!data.run) return;
    const RunId run = data.run->id;
    const auto put = [run](const auto& question, auto& into) {
        // If the request has failed, the stored answer belongs to an earlier request.
        if (question.run == run && question.problem.isEmpty()) into = question.answer;
    };
    std::optional<TextAnswer> text;
    put(m_text, text);
    if (text) {
        data.text = text->result;
        data.textIteration = text->iteration;
        data.textWhileTraining = text->whileTraining;
        data.textPair = text->pair;
    }
    data.textRequested = m_text.run == run && !m_text.key.isEmpty();
    if (data.textRequested) data.requestedPair = m_pair;
    put(m_ablation, data.ablation);
    put(m_curve, data.ablationCurve);
    put(m_extrapolation, data.beyond);
    std::optional<std::shared_ptr<const TextStatistics>> statistics;
    put(m_statistics, statistics);
    if (statistics) data.statistics = *statistics;
    std::optional<std::shared_ptr<const PaintedText>> painted;
    put(m_bits, painted);
    if (painted) data.painted = *painted;
    // Results of fine-tuning contain their own settings.
    if (const auto found = m_tuning.results.find(run); found != m_tuning.results.end())
        data.fineTunings = found->second;
    const auto problemOf = [run](const auto& question) { return question.run == run ? question.problem : QString(); };
    using Input = InspectFigure::Input;
    data.problem = input == Input::ablation        ? problemOf(m_ablation)
                   : input == Input::ablationCurve ? problemOf(m_curve)
                   : input == Input::beyond        ? problemOf(m_extrapolation)
                   : input == Input::fineTuning    ? fineTuningProblem(run)
                   : input == Input::dataSet       ? problemOf(m_statistics)
                   : input == Input::bits          ? problemOf(m_bits)
                                                   : problemOf(m_text);
}

bool ModelAnswers::isBusy() const {
    return m_text.job.isRunning() || m_ablation.job.isRunning() || m_curve.job.isRunning() ||
           m_extrapolation.job.isRunning() || m_statistics.job.isRunning() || m_bits.job.isRunning() || isFineTuning();
}

}  // namespace ropelab::ui
