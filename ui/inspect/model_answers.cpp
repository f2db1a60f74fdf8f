#include "ui/inspect/model_answers.h"

#include <chrono>

#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

QString trainingWords() {
    return QObject::tr(
        "Training has the processor and the engine to itself. This is read as soon as no run trains any more.");
}

QString keyOf(const InsideRun& run, const QString& rest) {
    return QStringLiteral("%1|%2|%3").arg(QString::fromStdString(run.checkpoint.string())).arg(run.id).arg(rest);
}

}  // namespace

ModelAnswers::ModelAnswers(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
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
        question.problem = trainingWords();
        return;
    }
    EngineTurn& turn = m_workspace.engineTurn();
    turn.released();
    question.job.start([this, &question, &turn, work](const Cancelled& cancelled) -> std::function<void()> {
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
            problem = trainingWords();
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
                               std::optional<int> pair, const QString& key) {
    SweepSession& session = m_workspace.session();
    if (!session.isActive() || !session.isTraining(run->id)) return false;
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
        const std::int64_t iteration = run->snapshots.empty() ? 0 : run->snapshots.back().iteration;
        m_text.job.start([this, waiting, cancel, iteration](const Cancelled& cancelled) -> std::function<void()> {
            using namespace std::chrono_literals;
            while (waiting->wait_for(20ms) != std::future_status::ready) {
                if (!cancelled()) continue;
                *cancel = true;
                return {};
            }
            std::optional<TextAnswer> answer;
            QString problem;
            try {
                answer = TextAnswer{iteration, std::make_shared<const ProbeResult>(waiting->get())};
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
    const std::int64_t seen = run->snapshots.empty() ? -1 : run->snapshots.back().iteration;
    const QString key = keyOf(*run, QStringLiteral("%1|%2|%3").arg(seen).arg(pair.value_or(-1)).arg(text));
    if (askTraining(run, text, pair, key)) return;
    ask<TextAnswer>(m_text, run, key, [run, text, pair](Engine& engine, const Cancelled& cancelled) {
        return askText(engine, *run, text, pair, cancelled);
    });
}

void ModelAnswers::wantKnockOut(const std::shared_ptr<const InsideRun>& run, const KnockOut& knockOut) {
    const QString what =
        QStringLiteral("%1 %2 %3").arg(static_cast<int>(knockOut.kind)).arg(knockOut.first).arg(knockOut.last);
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
    }
    put(m_knockOut, data.knockOut);
    put(m_curve, data.knockOutCurve);
    put(m_beyond, data.beyond);
    using Reads = InspectFigure::Reads;
    data.problem = reads == Reads::knockOut        ? m_knockOut.problem
                   : reads == Reads::knockOutCurve ? m_curve.problem
                   : reads == Reads::beyond        ? m_beyond.problem
                                                   : m_text.problem;
}

bool ModelAnswers::isBusy() const {
    return m_text.job.isRunning() || m_knockOut.job.isRunning() || m_curve.job.isRunning() || m_beyond.job.isRunning();
}

}  // namespace ropelab::ui
