#include "ui/rooms/anatomy/activation_figure.h"

#include <QComboBox>
#include <QLineEdit>
#include <QObject>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/run/checkpoint.h"
#include "core/sweep/stored_run.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/session/lab_origin.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Fits a small figure; until then training uses the engine, which computes activations.
const QString kAfterTraining = u"The activation is computed after the training."_s;

bool isAttention(const std::string& stage) {
    return stage == "attention.scores" || stage == "attention.weights";
}

QString columnsOf(const std::string& stage) {
    if (isAttention(stage)) return u"key"_s;
    if (stage == "attention.relative_keys") return u"distance or position"_s;
    if (stage == "head") return u"token of the vocabulary"_s;
    if (stage == "mlp.router") return u"expert"_s;
    return u"channel"_s;
}

bool hasTokenRows(const std::string& stage) {
    return stage != "attention.state" && stage != "attention.relative" && stage != "distances";
}

}  // namespace

bool isMatrixPerHead(const QString& stage) {
    return stage == "attention.scores"_L1 || stage == "attention.weights"_L1 || stage == "attention.relative_keys"_L1 ||
           stage == "attention.state"_L1;
}

Figure activationFigure(const StageActivation& activation, const QString& stage, const QStringList& tokens, int head) {
    const std::string& id = activation.place.id;
    const std::vector<std::int64_t>& shape = activation.numbers.shape;
    const bool hasHeads = shape.size() == 3;
    const std::int64_t rows = shape[shape.size() - 2];
    const std::int64_t columns = shape.back();
    const std::int64_t matrices = hasHeads ? shape.front() : 1;
    const std::int64_t shown = std::clamp<std::int64_t>(head, 0, matrices - 1);
    const std::span<const float> numbers =
        std::span(activation.numbers.values)
            .subspan(static_cast<std::size_t>(shown * rows * columns), static_cast<std::size_t>(rows * columns));
    Figure figure;
    figure.name = QLatin1String(kActivationFigure);
    FigureMap map =
        numberMap(numbers, rows, columns, id == "attention.weights" ? u"attention weight"_s : u"activation"_s);
    if (id == "attention.weights") {
        map.scale = FigureMap::Scale::magnitude;
        map.minimum = 0;
        map.maximum = 1;
    }
    if (isAttention(id) && map.rows == rows && map.columns == rows) {
        for (int key = 1; key < map.columns; ++key) {  // masked: not a weight of 0
            for (int query = 0; query < key; ++query) map.values[query * map.columns + key] = std::nanf("");
        }
    }
    setMatrixAxes(figure, rows, columns);
    figure.x.label = columnsOf(id);
    figure.y.label = hasTokenRows(id) ? u"token"_s : u"row"_s;
    if (hasTokenRows(id) && tokens.size() == rows) figure.y.categories = tokens;
    if (isAttention(id) && tokens.size() == columns) figure.x.categories = tokens;
    QString where = activation.place.layer < 0 ? stage : u"%1, layer %2"_s.arg(stage).arg(activation.place.layer);
    if (hasHeads) where = u"%1, head %2"_s.arg(where).arg(shown);
    figure.note = where;
    if (rows > map.rows || columns > map.columns) figure.note += u"; each cell: mean of neighbouring values"_s;
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -smallest;
    for (const float number : numbers) {
        if (!std::isfinite(number)) continue;
        smallest = std::min(smallest, static_cast<double>(number));
        largest = std::max(largest, static_cast<double>(number));
    }
    figure.summary = u"Output of the stage %1 for %2 tokens, %3 × %4 numbers: values from %5 to %6."_s.arg(where)
                         .arg(activation.tokens.size())
                         .arg(rows)
                         .arg(columns)
                         .arg(smallest)
                         .arg(largest);
    figure.settings[u"stage"_s] = text(id);
    if (activation.place.layer >= 0) figure.settings[u"layer"_s] = qint64{activation.place.layer};
    if (hasHeads) figure.settings[u"head"_s] = qint64{shown};
    figure.settings[u"step"_s] = qint64{activation.iteration};
    figure.settings[u"tokens"_s] = tokens.join(QLatin1Char(' '));
    figure.map = std::move(map);
    return figure;
}

Figure activationFigureOf(Engine& engine, const LabFile& lab, RunId run, const QString& stage, const QString& text,
                          const std::filesystem::path& dataDir) {
    const auto checkpoint = read_checkpoint(run_checkpoint(lab, lab.run(run)));
    if (!checkpoint) {
        throw BadInput("Run " + std::to_string(run) + " has no checkpoint, so its model cannot be evaluated.");
    }
    const AnatomyModel model = model_of_run(lab, run);
    const QStringList parts = stage.split(QLatin1Char('/'));
    std::vector<std::int64_t> numbers;
    bool isRead = parts.size() <= 3;
    for (qsizetype i = 1; i < parts.size() && isRead; ++i) {
        numbers.push_back(parts[i].toLongLong(&isRead));
        isRead = isRead && numbers.back() >= 0;
    }
    if (!isRead) {
        throw BadInput("\"" + stage.toStdString() +
                       "\" does not name a stage of a model; write stage, layer and head as in attention.weights/0/1.");
    }
    StagePlace place{parts.front().toStdString(), numbers.empty() ? -1 : numbers.front()};
    QString name;
    for (const AnatomySection& section : model.anatomy.sections) {
        for (const AnatomyStage& each : section.stages) {
            if (each.id != place.id || !name.isEmpty()) continue;
            name = ropelab::ui::text(each.name);
            if (numbers.empty() && !section.layers.empty()) place.layer = section.layers.front();
        }
    }
    if (name.isEmpty()) {
        throw BadInput("The model of run " + std::to_string(run) + " has no stage \"" + place.id +
                       "\"; the command anatomy --json lists the ids of its stages.");
    }
    const bool isTyped = !text.isEmpty();
    const std::string shown = isTyped ? text.toStdString() : activation_excerpt(*checkpoint, dataDir);
    const StageActivation activation = stage_activation(engine, *checkpoint, shown, place);
    const std::int64_t heads = activation.numbers.shape.size() == 3 ? activation.numbers.shape.front() : 0;
    if (numbers.size() > 1 && numbers[1] >= heads) {
        throw BadInput("The stage \"" + place.id + "\" has " +
                       (heads == 0 ? "one output" : "the heads 0 to " + std::to_string(heads - 1)) + ", so \"" +
                       stage.toStdString() + "\" names no part of its output.");
    }
    Figure figure = activationFigure(activation, name, visibleTokens(checkpoint->vocabulary, activation.tokens),
                                     numbers.size() > 1 ? static_cast<int>(numbers[1]) : 0);
    if (isTyped) figure.settings[u"text"_s] = text;
    figure.origin = activationOrigin(figure, lab, run);
    return figure;
}

FigureOrigin activationOrigin(const Figure& figure, const LabFile& lab, RunId run) {
    QString stage = figure.settings[u"stage"_s].toString();
    for (const QString& part : {u"layer"_s, u"head"_s}) {
        if (!figure.settings.contains(part)) break;
        stage += QLatin1Char('/') + QString::number(figure.settings[part].toInteger());
    }
    QJsonObject flags{
        {u"figure"_s, QLatin1String(kActivationFigure)}, {u"run"_s, QString::number(run)}, {u"stage"_s, stage}};
    const QString typed = figure.settings[u"text"_s].toString();
    if (!typed.isEmpty()) flags[u"text"_s] = typed;
    return {.flags = flags, .lab = labOrigin(lab, {run})};
}

Figure missingActivation(const QString& why) {
    Figure figure;
    figure.name = QLatin1String(kActivationFigure);
    figure.emptyText = figure.summary = why;
    return figure;
}

namespace {

struct LoadedActivation {
    StageActivation activation;
    QStringList tokens;
    std::string excerpt;  // "" if it was known, or if the text was typed
};

}  // namespace

ActivationPane::ActivationPane(RunAccess access, QWidget* parent) : QWidget(parent), m_access(access) {
    auto* column = scaledColumn(this, 4);
    auto* row = scaledRow(nullptr, 4);
    m_outputs = makeChoice(u"Layer and head of the activation"_s, this, 7);
    m_outputs->setToolTip(u"Layer (and head, for attention) whose output the heat map shows."_s);
    row->addWidget(m_outputs, 1);
    m_text = new QLineEdit(this);
    m_text->setAccessibleName(u"Text that the model processes"_s);
    m_text->setToolTip(
        u"The model computes the output of the selected stage for the first %1 tokens of this text. If the field is "
        "empty, it processes the beginning of the run's validation split."_s.arg(most_activation_tokens));
    m_text->setPlaceholderText(u"validation split"_s);
    m_text->setClearButtonEnabled(true);
    row->addWidget(m_text, 1);
    column->addLayout(row);
    m_view = new FigureView(this);
    m_view->setAccessibleName(u"Activation of the selected stage"_s);
    column->addWidget(m_view, 1);
    connect(m_outputs, &QComboBox::currentIndexChanged, this, &ActivationPane::load);
    connect(m_outputs, &QComboBox::activated, this, [this] {
        const QStringList chosen = m_outputs->currentData().toString().split(QLatin1Char(':'));
        m_access.runs.pickHead({chosen.value(0).toLongLong(), chosen.value(1).toLongLong()});
    });
    connect(&m_access.runs, &RunStore::headPicked, this, &ActivationPane::takeHead);
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
                const QString name = layer < 0      ? u"activation"_s
                                     : matrices > 1 ? u"layer %1, head %2"_s.arg(layer).arg(head)
                                                    : u"layer %1"_s.arg(layer);
                entries.append({name, u"%1:%2"_s.arg(layer).arg(head)});
            }
        }
    }
    m_outputs->setEnabled(!entries.isEmpty());
    m_text->setEnabled(!entries.isEmpty());
    if (entries.isEmpty()) entries.append({u"no activation"_s, QString()});
    refillChoice(m_outputs, entries, m_outputs->currentData());
    if (m_stage != before) takeHead();
    if (m_stage.isEmpty()) {
        m_waits = false;
        m_job.cancel();
        say(why);
    } else {
        if (isOtherRun || m_stage != before) say(u"The activation is being computed."_s);
        load();
    }
}

void ActivationPane::takeHead() {
    const auto& picked = m_access.runs.pickedHead();
    if (!picked) return;
    const auto choose = [this, &picked](std::int64_t head) {
        const int place = m_outputs->findData(u"%1:%2"_s.arg(picked->layer).arg(head));
        if (place >= 0) m_outputs->setCurrentIndex(place);
        return place >= 0;
    };
    if (!choose(picked->head)) choose(0);  // a stage without heads has one output per layer
}

void ActivationPane::say(const QString& why) {
    m_view->setFigure(missingActivation(why));
}

void ActivationPane::load() {
    if (m_stage.isEmpty()) return;
    m_waits = m_access.session.isActive() || m_access.meter.isActive();
    if (m_waits) {
        m_job.cancel();
        say(kAfterTraining);
        return;
    }
    const QStringList chosen = m_outputs->currentData().toString().split(QLatin1Char(':'));
    const StagePlace place{m_stage.toStdString(), chosen.value(0).toLongLong()};
    const int head = chosen.value(1).toInt();
    std::string typed = m_text->text().toStdString();
    const auto known = m_excerpts.find(m_checkpoint.path);
    if (typed.empty() && known != m_excerpts.end()) typed = known->second;
    const auto work = [file = m_checkpoint, place, typed, dataDir = m_access.dataDir](Engine& engine,
                                                                                      const Cancelled&) {
        const auto checkpoint = read_checkpoint(file);
        if (!checkpoint) throw BadInput(whyNoCheckpoint(file));
        LoadedActivation loaded;
        if (typed.empty()) loaded.excerpt = activation_excerpt(*checkpoint, dataDir);
        loaded.activation = stage_activation(engine, *checkpoint, typed.empty() ? loaded.excerpt : typed, place);
        loaded.tokens = visibleTokens(checkpoint->vocabulary, loaded.activation.tokens);
        return loaded;
    };
    startWithEngine<LoadedActivation>(m_job, m_access.engineLock, work,
                                      [this, head, path = m_checkpoint.path, name = m_name,
                                       written = m_text->text()](const Outcome<LoadedActivation>& outcome) {
                                          if (outcome.answer) {
                                              const LoadedActivation& loaded = *outcome.answer;
                                              if (!loaded.excerpt.empty()) m_excerpts[path] = loaded.excerpt;
                                              Figure figure =
                                                  activationFigure(loaded.activation, name, loaded.tokens, head);
                                              if (!written.isEmpty()) figure.settings[u"text"_s] = written;
                                              m_view->setFigure(std::move(figure));
                                          } else if (outcome.interrupted) {
                                              m_waits = true;
                                              say(kAfterTraining);
                                          } else {
                                              say(outcome.problem);
                                          }
                                      });
}

}  // namespace ropelab::ui

#include "moc_activation_figure.cpp"
