#include "ui/inspect/model_answers.h"

#include <algorithm>
#include <chrono>

#include "ui/inspect/engine_work.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

QString keyOf(const InsideRun& run, const QString& rest) {
    return QStringLiteral("%1|%2|%3").arg(QString::fromStdString(run.checkpoint.string())).arg(run.id).arg(rest);
}

/// The newest iteration that a run told something about; −1 before the first.
std::int64_t lastSeen(const InsideRun& run) {
    const std::int64_t snapshot = run.snapshots.empty() ? -1 : run.snapshots.back().iteration;
    const std::int64_t evaluation = run.iterations.isEmpty() ? -1 : static_cast<std::int64_t>(run.iterations.last());
    return std::max(snapshot, evaluation);
}

}  // namespace

ModelAnswers::ModelAnswers(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
    connect(&workspace.lab(), &LabDocument::opened, this, &ModelAnswers::forget);
    connect(&workspace.session(), &SweepSession::stateChanged, this, [this] {
        if (m_workspace.session().isActive()) {
            emit changed();
        } else {
            again(false);  // checkpoints are newer
        }
    });
    connect(&workspace.meter(), &SweepMeter::started, this, &ModelAnswers::changed);
    connect(&workspace.meter(), &SweepMeter::ended, this, [this] { again(true); });
}

template <typename Visit>
void ModelAnswers::each(const Visit& visit) {
    visit(m_text);
    visit(m_knockOut);
    visit(m_curve);
    visit(m_beyond);
}

void ModelAnswers::again(bool onlyWaiting) {
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

void ModelAnswers::forget() {
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

QString ModelAnswers::whoHasTheEngine() const {
    if (m_workspace.session().isActive()) return tr("Training has the processor and the engine to itself.");
    if (m_workspace.meter().isActive()) {
        return tr("The cost of a sweep is being measured, which has the processor and the engine to itself.");
    }
    return {};
}

QString ModelAnswers::waitingWords() const {
    if (const QString who = whoHasTheEngine(); !who.isEmpty()) {
        return m_workspace.session().isActive() ? tr("%1 This is read as soon as no run trains any more.").arg(who)
                                                : tr("%1 This is read when that ends.").arg(who);
    }
    if (!isFineTuning()) return {};
    return tr("A copy of %1 is being fine-tuned; this is read when that ends or is cancelled.").arg(m_tuning.run->name);
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
    if (const QString words = waitingWords(); !words.isEmpty()) {
        question.job.cancel();
        question.problem = words;
        question.waits = true;
        return;
    }
    EngineTurn& turn = m_workspace.engineTurn();
    turn.released();
    question.job.start([this, &question, &turn, work](const Cancelled& cancelled) -> std::function<void()> {
        auto outcome = withEngine<Answer>(turn, cancelled, work);
        return [this, &question, outcome = std::move(outcome)] {
            if (outcome.answer) question.answer = outcome.answer;
            question.problem = outcome.problem;
            if (outcome.dropped) {
                question.problem = waitingWords();
                question.waits = !question.problem.isEmpty();
                if (!question.waits) question.key.clear();  // that is over already
            }
            emit changed();
        };
    });
    emit changed();
}

bool ModelAnswers::isTraining(RunId run) const {
    const SweepSession& session = m_workspace.session();
    if (!session.isActive() || !session.isTraining(run)) return false;
    for (const WaitingCohort& cohort : session.waiting()) {
        if (std::find(cohort.runs.begin(), cohort.runs.end(), run) != cohort.runs.end()) return false;
    }
    return true;
}

bool ModelAnswers::askTraining(const std::shared_ptr<const InsideRun>& run, const QString& text,
                               std::optional<int> pair, const QString& question) {
    if (!isTraining(run->id)) return false;
    const QString key = QStringLiteral("training|") + question;  // its checkpoint may have been asked the same
    if (m_text.key == key) return true;
    begin(m_text, *run, key);
    try {
        auto cancel = std::make_shared<std::atomic<bool>>(false);
        ProbeRequest request = textRequest(*run, text, pair);
        request.cancelled = [cancel] { return cancel->load(); };
        auto future = m_workspace.session().probe(run->id, std::move(request));
        auto waiting = std::make_shared<std::future<ProbeResult>>(std::move(future));
        const std::int64_t iteration = std::max<std::int64_t>(0, lastSeen(*run));
        m_text.job.start([this, waiting, cancel, iteration, pair](const Cancelled& cancelled) -> std::function<void()> {
            using namespace std::chrono_literals;
            while (waiting->wait_for(20ms) != std::future_status::ready) {
                if (!cancelled()) continue;
                *cancel = true;
                return {};
            }
            std::optional<TextAnswer> answer;
            QString problem;
            try {
                answer = TextAnswer{iteration, std::make_shared<const ProbeResult>(waiting->get()), pair, true};
            } catch (const std::exception& error) {
                problem = QString::fromUtf8(error.what());
            }
            return [this, answer, problem] {
                if (answer && answer->result->windows > 0) m_text.answer = answer;
                m_text.problem = problem;
                emit changed();
            };
        });
    } catch (const std::exception& error) {
        m_text.problem = QString::fromUtf8(error.what());
    }
    return true;
}

void ModelAnswers::wantText(const std::shared_ptr<const InsideRun>& run, const QString& text, std::optional<int> pair) {
    if (text.isEmpty()) {
        m_text.job.cancel();
        m_text.key.clear();
        m_text.problem.clear();
        m_text.answer.reset();
        m_text.waits = false;
        return;
    }
    m_pair = pair;
    const QString key = keyOf(*run, QStringLiteral("%1|%2|%3").arg(lastSeen(*run)).arg(pair.value_or(-1)).arg(text));
    if (askTraining(run, text, pair, key)) return;
    ask<TextAnswer>(m_text, run, key, [run, text, pair](Engine& engine, const Cancelled& cancelled) {
        return askText(engine, *run, text, pair, cancelled);
    });
}

void ModelAnswers::wantKnockOut(const std::shared_ptr<const InsideRun>& run, const KnockOut& knockOut) {
    QString what = QString::number(static_cast<int>(knockOut.kind));
    for (const std::int64_t pair : knockOut.pairs) what += QStringLiteral(" %1").arg(pair);
    ask<KnockOutResult>(m_knockOut, run, keyOf(*run, what),
                        [run, knockOut, dir = m_workspace.dataDir()](Engine& engine, const Cancelled& cancelled) {
                            return askKnockOut(engine, *run, knockOut, dir, cancelled);
                        });
}

void ModelAnswers::wantKnockOutCurve(const std::shared_ptr<const InsideRun>& run, KnockOut::Kind kind) {
    ask<KnockOutCurve>(m_curve, run, keyOf(*run, QString::number(static_cast<int>(kind))),
                       [run, kind, dir = m_workspace.dataDir()](Engine& engine, const Cancelled& cancelled) {
                           return askKnockOutCurve(engine, *run, kind, dir, cancelled);
                       });
}

void ModelAnswers::wantBeyond(const std::shared_ptr<const InsideRun>& run, std::int64_t factor) {
    ask<BeyondResult>(m_beyond, run, keyOf(*run, QString::number(factor)),
                      [run, factor, dir = m_workspace.dataDir()](Engine& engine, const Cancelled& cancelled) {
                          return askBeyond(engine, *run, factor, dir, cancelled);
                      });
}

QString ModelAnswers::whyNoFineTuning(const InsideRun& run, const FineTuning& how) const {
    const QString why = ui::whyNoFineTuning(run, how);
    const QString who = whoHasTheEngine();
    if (!why.isEmpty() || who.isEmpty()) return why;
    return m_workspace.session().isActive() ? tr("%1 Fine-tune when no run trains any more.").arg(who)
                                            : tr("%1 Fine-tune when that has ended.").arg(who);
}

void ModelAnswers::startFineTuning(const std::shared_ptr<const InsideRun>& run, const FineTuning& how) {
    if (isFineTuning()) return;
    m_tuning.run = run;
    m_tuning.problem = whyNoFineTuning(*run, how);
    if (!m_tuning.problem.isEmpty()) {
        m_tuning.waits = !whoHasTheEngine().isEmpty();
        emit changed();
        return;
    }
    const auto train = [this, run, how, dir = m_workspace.dataDir()](Engine& engine, const Cancelled& ends) {
        return askFineTuning(engine, *run, how, dir, [&, teller = StepTeller(how.steps)](std::int64_t done) mutable {
            if (ends()) return false;
            const auto tell = [this, done, steps = how.steps] { emit fineTuned(done, steps); };
            if (teller.isDue(done)) QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
            return true;
        });
    };
    EngineTurn& turn = m_workspace.engineTurn();
    turn.released();
    m_tuning.job.start([this, run, &turn, how, train](const Cancelled& cancelled) -> std::function<void()> {
        auto outcome = withEngine<BeyondResult>(turn, cancelled, train);
        return [this, run, how, outcome = std::move(outcome)] {
            if (outcome.answer) keep(run->id, *outcome.answer);
            again(true);
            m_tuning.problem = outcome.problem;
            if (outcome.dropped) {
                m_tuning.waits = !whoHasTheEngine().isEmpty();
                m_tuning.problem = m_tuning.waits ? whyNoFineTuning(*run, how)
                                                  : tr("Something else had the processor meanwhile. Fine-tune again.");
            }
            emit changed();
        };
    });
    emit changed();
}

void ModelAnswers::keep(RunId run, const BeyondResult& result) {
    std::vector<BeyondResult>& results = m_tuning.results[run];
    std::erase_if(results, [&result](const BeyondResult& old) {
        const bool same = old.factor == result.factor && old.readings.back().method == result.readings.back().method;
        return same || old.iteration != result.iteration;  // one picture is of one checkpoint
    });
    results.push_back(result);
}

void ModelAnswers::cancelFineTuning() {
    if (!isFineTuning()) return;
    m_tuning.job.cancel();
    m_tuning.problem.clear();
    again(true);
}

QString ModelAnswers::fineTuningProblem(RunId run) const {
    return m_tuning.run && m_tuning.run->id == run ? m_tuning.problem : QString();
}

void ModelAnswers::fill(InspectData& data, InspectFigure::Reads reads) const {
    if (!data.run) return;
    const RunId run = data.run->id;
    const auto put = [run](const auto& question, auto& into) {
        // An old answer under a question that has none would be another one's.
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
    data.textAsked = m_text.run == run && !m_text.key.isEmpty();
    if (data.textAsked) data.askedPair = m_pair;
    put(m_knockOut, data.knockOut);
    put(m_curve, data.knockOutCurve);
    put(m_beyond, data.beyond);
    // Earlier ones say themselves what they are of.
    if (const auto found = m_tuning.results.find(run); found != m_tuning.results.end())
        data.fineTunings = found->second;
    const auto problemOf = [run](const auto& question) { return question.run == run ? question.problem : QString(); };
    using Reads = InspectFigure::Reads;
    data.problem = reads == Reads::knockOut        ? problemOf(m_knockOut)
                   : reads == Reads::knockOutCurve ? problemOf(m_curve)
                   : reads == Reads::beyond        ? problemOf(m_beyond)
                   : reads == Reads::fineTuning    ? fineTuningProblem(run)
                                                   : problemOf(m_text);
}

bool ModelAnswers::isBusy() const {
    return m_text.job.isRunning() || m_knockOut.job.isRunning() || m_curve.job.isRunning() ||
           m_beyond.job.isRunning() || isFineTuning();
}

}  // namespace ropelab::ui
