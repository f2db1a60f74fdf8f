#include "ui/inspect/model_answers.h"

#include <algorithm>
#include <chrono>

#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

QString trainingWords(const QString& then) {
    return QObject::tr("Training has the processor and the engine to itself. %1").arg(then);
}

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
    const QString later = trainingWords(tr("This is read as soon as no run trains any more."));
    m_text.whileTraining = m_knockOut.whileTraining = m_curve.whileTraining = m_beyond.whileTraining = later;
    m_fineTuning.whileTraining = trainingWords(tr("Fine-tune when no run trains any more."));
    connect(&workspace.session(), &SweepSession::stateChanged, this, [this] {
        if (!m_workspace.session().isActive()) again();
    });
}

void ModelAnswers::again() {
    const auto drop = [](auto& question) {
        question.key.clear();
        question.problem.clear();
    };
    drop(m_text);
    drop(m_knockOut);
    drop(m_curve);
    drop(m_beyond);
    drop(m_fineTuning);
    emit changed();
}

void ModelAnswers::pause() {
    const auto end = [](auto& question) {
        if (!question.job.isRunning()) return;
        question.job.cancel();
        question.key.clear();
    };
    end(m_text);
    end(m_knockOut);
    end(m_curve);
    end(m_beyond);
}

template <typename Answer>
void ModelAnswers::ask(Question<Answer>& question, const std::shared_ptr<const InsideRun>& run, const QString& key,
                       std::function<Answer(Engine&, const Cancelled&)> work) {
    if (question.key == key) return;
    question.key = key;
    question.problem.clear();
    if (question.run != run->id) question.answer.reset();
    question.run = run->id;
    if (m_workspace.session().isActive() || m_workspace.meter().isActive()) {
        question.job.cancel();
        question.problem = question.whileTraining;
        return;
    }
    EngineTurn& turn = m_workspace.engineTurn();
    turn.released();
    question.job.start([this, &question, &turn, work,
                        words = question.whileTraining](const Cancelled& cancelled) -> std::function<void()> {
        std::optional<Answer> answer;
        QString problem;
        const Cancelled ends = [&] { return cancelled() || turn.isWanted(); };
        try {
            turn.hold([&](Engine& engine) { answer = work(engine, ends); });
        } catch (const std::exception& error) {
            problem = QString::fromUtf8(error.what());
        }
        if (turn.isWanted()) {
            answer.reset();
            problem = words;
        }
        return [this, &question, answer = std::move(answer), problem] {
            if (answer) question.answer = answer;
            question.problem = problem;
            emit changed();
        };
    });
    emit changed();
}

bool ModelAnswers::askTraining(const std::shared_ptr<const InsideRun>& run, const QString& text,
                               std::optional<int> pair, const QString& question) {
    SweepSession& session = m_workspace.session();
    if (!session.isActive() || !session.isTraining(run->id)) return false;
    const QString key = QStringLiteral("training|") + question;  // its checkpoint may have been asked the same
    if (m_text.key == key) return true;
    try {
        auto cancel = std::make_shared<std::atomic<bool>>(false);
        ProbeRequest request = textRequest(*run, text, pair);
        request.cancelled = [cancel] { return cancel->load(); };
        auto future = session.probe(run->id, std::move(request));
        m_text.key = key;
        m_text.problem.clear();
        if (m_text.run != run->id) m_text.answer.reset();
        m_text.run = run->id;
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
        m_text.key = key;
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
        return;
    }
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

void ModelAnswers::startFineTuning(const std::shared_ptr<const InsideRun>& run, const FineTuning& how) {
    if (isFineTuning()) return;
    m_fineTuning.key.clear();
    std::vector<BeyondResult> earlier;
    if (m_fineTuning.run == run->id && m_fineTuning.answer) earlier = *m_fineTuning.answer;
    std::erase_if(earlier, [&how](const BeyondResult& result) {
        return result.factor == how.factor && result.readings.back().method == how.method;
    });
    const auto work = [this, run, how, earlier, dir = m_workspace.dataDir()](Engine& engine,
                                                                             const Cancelled& cancelled) {
        std::vector<BeyondResult> all = earlier;
        all.push_back(askFineTuning(engine, *run, how, dir, [&](std::int64_t done) {
            const auto tell = [this, done, steps = how.steps] { emit fineTuned(done, steps); };
            if (!cancelled()) QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
            return !cancelled();
        }));
        return all;
    };
    ask<std::vector<BeyondResult>>(m_fineTuning, run, keyOf(*run, QStringLiteral("fine-tuning")), work);
    if (!isFineTuning()) emit changed();  // refused
}

void ModelAnswers::cancelFineTuning() {
    if (!isFineTuning()) return;
    m_fineTuning.job.cancel();
    m_fineTuning.problem.clear();
    emit changed();
}

void ModelAnswers::fill(InspectData& data, InspectFigure::Reads reads) const {
    if (!data.run) return;
    const auto put = [&](const auto& question, auto& into) {
        // An old answer under a question that has none would be another one's.
        if (question.run == data.run->id && question.problem.isEmpty()) into = question.answer;
    };
    std::optional<TextAnswer> text;
    put(m_text, text);
    if (text) {
        data.text = text->result;
        data.textIteration = text->iteration;
        data.textWhileTraining = text->whileTraining;
        data.textPair = text->pair;
    }
    put(m_knockOut, data.knockOut);
    put(m_curve, data.knockOutCurve);
    put(m_beyond, data.beyond);
    // Earlier ones say themselves what they are of.
    if (m_fineTuning.run == data.run->id && m_fineTuning.answer) data.fineTunings = *m_fineTuning.answer;
    using Reads = InspectFigure::Reads;
    data.problem = reads == Reads::knockOut        ? m_knockOut.problem
                   : reads == Reads::knockOutCurve ? m_curve.problem
                   : reads == Reads::beyond        ? m_beyond.problem
                   : reads == Reads::fineTuning    ? m_fineTuning.problem
                                                   : m_text.problem;
}

bool ModelAnswers::isBusy() const {
    return m_text.job.isRunning() || m_knockOut.job.isRunning() || m_curve.job.isRunning() ||
           m_beyond.job.isRunning() || isFineTuning();
}

}  // namespace ropelab::ui
