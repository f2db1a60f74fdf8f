#include "ui/rooms/anatomy/activation_figure.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/anatomy_report.h"
#include "core/run/checkpoint.h"
#include "core/spec/error.h"
#include "ui/common/text.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/anatomy/number_map.h"
#include "ui/session/lab_origin.h"

namespace ropelab::ui {
namespace {

QString words(const char* text) {
    return QObject::tr(text);
}

bool isAttention(const std::string& stage) {
    return stage == "attention.scores" || stage == "attention.weights";
}

QString columnsOf(const std::string& stage) {
    if (isAttention(stage)) return words("key");
    if (stage == "attention.relative_keys") return words("distance or position");
    if (stage == "head") return words("token of the vocabulary");
    if (stage == "mlp.router") return words("expert");
    return words("channel");
}

bool hasTokenRows(const std::string& stage) {
    return stage != "attention.state" && stage != "attention.relative" && stage != "distances";
}

}  // namespace

bool isMatrixPerHead(const QString& stage) {
    return stage == QLatin1String("attention.scores") || stage == QLatin1String("attention.weights") ||
           stage == QLatin1String("attention.relative_keys") || stage == QLatin1String("attention.state");
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
        numberMap(numbers, rows, columns, id == "attention.weights" ? words("attention weight") : words("activation"));
    if (id == "attention.weights") {
        map.scale = FigureMap::Scale::magnitude;
        map.minimum = 0;
        map.maximum = 1;
    }
    setMatrixAxes(figure, rows, columns);
    figure.x.label = columnsOf(id);
    figure.y.label = hasTokenRows(id) ? words("token") : words("row");
    if (hasTokenRows(id) && tokens.size() == rows) figure.y.categories = tokens;
    if (isAttention(id) && tokens.size() == columns) figure.x.categories = tokens;
    if (rows > map.rows || columns > map.columns) figure.note = words("means of neighbouring numbers");
    QString where = activation.place.layer < 0 ? stage : words("%1, layer %2").arg(stage).arg(activation.place.layer);
    if (hasHeads) where = words("%1, head %2").arg(where).arg(shown);
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -smallest;
    for (const float number : numbers) {
        if (!std::isfinite(number)) continue;
        smallest = std::min(smallest, static_cast<double>(number));
        largest = std::max(largest, static_cast<double>(number));
    }
    figure.summary = words("Output of %1 for %2 tokens, %3 × %4: from %5 to %6.")
                         .arg(where)
                         .arg(activation.tokens.size())
                         .arg(rows)
                         .arg(columns)
                         .arg(smallest)
                         .arg(largest);
    figure.settings[QStringLiteral("stage")] = text(id);
    if (activation.place.layer >= 0) figure.settings[QStringLiteral("layer")] = qint64{activation.place.layer};
    if (hasHeads) figure.settings[QStringLiteral("head")] = qint64{shown};
    figure.settings[QStringLiteral("step")] = qint64{activation.iteration};
    figure.settings[QStringLiteral("tokens")] = tokens.join(QLatin1Char(' '));
    figure.map = std::move(map);
    return figure;
}

Figure activationFigureOf(Engine& engine, const LabFile& lab, RunId run, const QString& stage, const QString& text,
                          const std::filesystem::path& dataDir) {
    const auto checkpoint = read_checkpoint(lab.checkpoint_path(run));
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
                       "\" is not a stage with its layer and head; write it as attention.weights/0/1.");
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
    const StageActivation activation = activation_of(engine, *checkpoint, shown, place);
    const std::int64_t heads = activation.numbers.shape.size() == 3 ? activation.numbers.shape.front() : 0;
    if (numbers.size() > 1 && numbers[1] >= heads) {
        throw BadInput("The stage \"" + place.id + "\" has " +
                       (heads == 0 ? "one output" : "the heads 0 to " + std::to_string(heads - 1)) + ", so that \"" +
                       stage.toStdString() + "\" has no output.");
    }
    Figure figure = activationFigure(activation, name, visibleTokens(checkpoint->vocabulary, activation.tokens),
                                     numbers.size() > 1 ? static_cast<int>(numbers[1]) : 0);
    if (isTyped) figure.settings[QStringLiteral("text")] = text;
    figure.origin.flags = activationFlags(figure, run);
    figure.origin.lab = labOrigin(lab, {run});
    return figure;
}

QJsonObject activationFlags(const Figure& figure, RunId run) {
    QString stage = figure.settings[QStringLiteral("stage")].toString();
    for (const QString& part : {QStringLiteral("layer"), QStringLiteral("head")}) {
        if (!figure.settings.contains(part)) break;
        stage += QLatin1Char('/') + QString::number(figure.settings[part].toInteger());
    }
    QJsonObject flags{{QStringLiteral("figure"), QLatin1String(kActivationFigure)},
                      {QStringLiteral("run"), QString::number(run)},
                      {QStringLiteral("stage"), stage}};
    const QString typed = figure.settings[QStringLiteral("text")].toString();
    if (!typed.isEmpty()) flags[QStringLiteral("text")] = typed;
    return flags;
}

Figure missingActivation(const QString& why) {
    Figure figure;
    figure.name = QLatin1String(kActivationFigure);
    figure.emptyText = figure.summary = why;
    return figure;
}

}  // namespace ropelab::ui
