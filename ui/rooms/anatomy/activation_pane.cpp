#include "ui/rooms/anatomy/activation_pane.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>
#include <optional>
#include <utility>

#include "core/spec/error.h"
#include "ui/common/fields.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/session/engine_work.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {
namespace {

struct LoadedActivation {
    StageActivation activation;
    QStringList tokens;
    std::string excerpt;  // "" if it was known, or if the text was typed
};

}  // namespace

ActivationPane::ActivationPane(RunAccess access, QWidget* parent) : QWidget(parent), m_access(access) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 4);
    m_outputs = makeChoice(tr("Layer and head of the activation"), this, 12);
    m_outputs->setToolTip(tr("The layer, and for attention the head, whose output the heat map shows."));
    column->addWidget(m_outputs);
    m_text = new QLineEdit(this);
    m_text->setAccessibleName(tr("Text of the activation"));
    m_text->setToolTip(tr("The text for which the model computes the output of the picked stage; its first %1 tokens "
                          "are used. An empty field stands for the beginning of the run's validation split.")
                           .arg(most_activation_tokens));
    m_text->setPlaceholderText(tr("beginning of the validation split"));
    m_text->setClearButtonEnabled(true);
    column->addWidget(m_text);
    m_view = new FigureView(this);
    m_view->setAccessibleName(tr("Activation of the picked stage"));
    column->addWidget(m_view, 1);
    connect(m_outputs, &QComboBox::currentIndexChanged, this, &ActivationPane::load);
    connect(m_text, &QLineEdit::editingFinished, this, [this] {
        if (!m_text->isModified()) return;
        m_text->setModified(false);
        load();
    });
    const auto again = [this] {
        if (m_waits) load();
    };
    connect(&m_access.session, &SweepSession::stateChanged, this, again);
    connect(&m_access.meter, &SweepMeter::ended, this, again);
}

void ActivationPane::showStage(const RunCheckpoint& checkpoint, const AnatomySection* section,
                               const AnatomyStage* stage, std::int64_t heads, const QString& why) {
    const bool isOtherRun = checkpoint.path != m_checkpoint.path;
    const QString before = m_stage;
    QList<QPair<QString, QVariant>> entries;
    m_checkpoint = checkpoint;
    m_stage = stage && section && !checkpoint.path.empty() ? text(stage->id) : QString();
    m_name = stage ? text(stage->name) : QString();
    if (!m_stage.isEmpty()) {
        const std::int64_t matrices = isMatrixPerHead(m_stage) ? heads : 1;
        const std::vector<std::int64_t> layers =
            section->layers.empty() ? std::vector<std::int64_t>{-1} : section->layers;
        for (const std::int64_t layer : layers) {
            for (std::int64_t head = 0; head < matrices; ++head) {
                const QString name = layer < 0      ? tr("activation")
                                     : matrices > 1 ? tr("layer %1, head %2").arg(layer).arg(head)
                                                    : tr("layer %1").arg(layer);
                entries.append({name, QStringLiteral("%1:%2").arg(layer).arg(head)});
            }
        }
    }
    m_outputs->setEnabled(!entries.isEmpty());
    m_text->setEnabled(!entries.isEmpty());
    if (entries.isEmpty()) entries.append({tr("no activation"), QString()});
    refillChoice(m_outputs, entries, m_outputs->currentData());
    if (m_stage.isEmpty()) {
        m_waits = false;
        m_job.cancel();
        say(why);
    } else {
        if (isOtherRun || m_stage != before) say(tr("The activation is being computed."));
        load();
    }
}

void ActivationPane::say(const QString& why) {
    m_view->setFigure(missingActivation(why));
}

void ActivationPane::load() {
    if (m_stage.isEmpty()) return;
    m_waits = m_access.session.isActive() || m_access.meter.isActive();
    if (m_waits) {
        m_job.cancel();
        say(tr("Training uses the engine; the activation is computed when it has ended."));
        return;
    }
    m_access.engineLock.released();
    const QStringList chosen = m_outputs->currentData().toString().split(QLatin1Char(':'));
    const StagePlace place{m_stage.toStdString(), chosen.value(0).toLongLong()};
    const int head = chosen.value(1).toInt();
    std::string typed = m_text->text().toStdString();
    const auto known = m_excerpts.find(m_checkpoint.path);
    if (typed.empty() && known != m_excerpts.end()) typed = known->second;
    const auto work = [file = m_checkpoint, place, typed, dataDir = m_access.dataDir](Engine& engine,
                                                                                      const Cancelled&) {
        const auto checkpoint = read_checkpoint(file.path);
        if (!checkpoint) throw BadInput(whyNoCheckpoint(file));
        LoadedActivation loaded;
        if (typed.empty()) loaded.excerpt = activation_excerpt(*checkpoint, dataDir);
        loaded.activation = activation_of(engine, *checkpoint, typed.empty() ? loaded.excerpt : typed, place);
        loaded.tokens = visibleTokens(checkpoint->vocabulary, loaded.activation.tokens);
        return loaded;
    };
    EngineLock& engineLock = m_access.engineLock;
    m_job.start([this, &engineLock, work, head, path = m_checkpoint.path, name = m_name,
                 written = m_text->text()](const Cancelled& cancelled) -> std::function<void()> {
        auto outcome =
            std::make_shared<Outcome<LoadedActivation>>(withEngine<LoadedActivation>(engineLock, cancelled, work));
        return [this, outcome, head, path, name, written] {
            if (outcome->answer) {
                const LoadedActivation& loaded = *outcome->answer;
                if (!loaded.excerpt.empty()) m_excerpts[path] = loaded.excerpt;
                Figure figure = activationFigure(loaded.activation, name, loaded.tokens, head);
                if (!written.isEmpty()) figure.settings[QStringLiteral("text")] = written;
                m_view->setFigure(std::move(figure));
            } else if (outcome->interrupted) {
                m_waits = true;
                say(tr("Training uses the engine; the activation is computed when it has ended."));
            } else {
                say(outcome->problem);
            }
        };
    });
}

}  // namespace ropelab::ui
