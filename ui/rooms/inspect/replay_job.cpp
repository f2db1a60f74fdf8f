#include "ui/rooms/inspect/replay_job.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPicture>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "ui/common/format.h"
#include "ui/figure/paint/figure_painter.h"
#include "ui/figures/job_reader.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/probe_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

using Json = nlohmann::json;

constexpr double kAspectRatio = 0.56;  // height divided by width

constexpr double kLargestNumber = 1e15;

constexpr std::array kRows = {"layers", "heads"};
constexpr std::array kAlong = {"pair", "wavelength"};
constexpr std::array kThemes = {"light", "dark"};

void readFigures(JobReader& reader, ReplayJob& job) {
    const Json* names = reader.find("figures");
    if (!names || !names->is_array() || names->empty() || names->size() > 2) {
        throw BadInput(
            "A replay (animation of a run's training) shows one or two figures: give a list of one or two "
            "figure names.");
    }
    for (const Json& name : *names) {
        const QString figure =
            name.is_string() ? currentFigureName(QString::fromStdString(name.get<std::string>())) : QString();
        const bool second = !job.figures.isEmpty() && figure == QLatin1String(ReplayJob::kSecondRun);
        if (!second && !findInspectFigure(figure)) {
            throw BadInput("There is no figure \"" + figure.toStdString() + "\" to replay; the figures are " +
                           inspectFigureNames().join(u", "_s).toStdString() + ".");
        }
        job.figures << figure;
    }
}

}  // namespace

bool ReplayJob::isAnimated() const {
    return isAnimation(output);
}

int ReplayJob::height() const {
    return static_cast<int>(std::lround(kAspectRatio * width));
}

std::string replayJobText(const ReplayJob& job) {
    const ReplayJob standard;
    const InspectChoices& choices = job.choices;
    Json json{{"lab", job.lab.toStdString()}, {"output", job.output.toStdString()}};
    for (const QString& figure : job.figures) json["figures"].push_back(figure.toStdString());
    const auto put = [&json](const char* key, const auto& value, const auto& usual) {
        if (value != usual) json[key] = value;
    };
    put("run", job.run, standard.run);
    put("beside", job.beside, standard.beside);
    put("layer", choices.layer, standard.choices.layer);
    put("head", choices.head, standard.choices.head);
    put("rows", std::string(kRows[choices.headsAsRows ? 1 : 0]), kRows[0]);
    put("difference", choices.difference, false);
    put("along", std::string(kAlong[choices.byWavelength ? 1 : 0]), kAlong[0]);
    put("pair", choices.pair.value_or(-1), -1);
    put("query", choices.query, -1);
    put("lag", choices.lag, standard.choices.lag);
    put("text", job.modelInputs.text.toStdString(), std::string());
    if (job.modelInputs.ablation != standard.modelInputs.ablation) {
        json["ablation"] = {{"how", std::string(word_of(job.modelInputs.ablation.kind))},
                            {"pairs", job.modelInputs.ablation.pairs}};
    }
    for (const QString& flag : job.flags.keys()) {
        json["options"][flag.toStdString()] = job.flags[flag].toString().toStdString();
    }
    put("factor", job.modelInputs.factor, standard.modelInputs.factor);
    put("width", job.width, standard.width);
    put("frames_per_second", job.framesPerSecond, standard.framesPerSecond);
    put("frames", job.most, standard.most);
    put("theme", std::string(kThemes[job.appearance == Appearance::dark ? 1 : 0]), kThemes[0]);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ReplayJob parseReplayJob(const std::string& text) {
    ReplayJob job;
    JobReader reader(text, "A replay");
    reader.text("lab", job.lab);
    reader.text("output", job.output);
    readFigures(reader, job);
    reader.whole("run", job.run, 0, kLargestNumber);
    reader.whole("beside", job.beside, 0, kLargestNumber);
    InspectChoices& choices = job.choices;
    reader.whole("layer", choices.layer, -1, kLargestNumber);
    reader.whole("head", choices.head, kAutomaticHead, kLargestNumber);
    choices.headsAsRows = reader.choice("rows", kRows) == 1;
    reader.flag("difference", choices.difference);
    choices.byWavelength = reader.choice("along", kAlong) == 1;
    int pair = -1;
    reader.whole("pair", pair, -1, 1e6);
    if (pair >= 0) choices.pair = pair;
    reader.whole("query", choices.query, -1, 1e6);
    reader.whole("lag", choices.lag, 0, 1e6);
    reader.text("text", job.modelInputs.text);
    if (const Json* ablation = reader.find("ablation")) {
        if (!ablation->is_object()) reader.refuse("ablation", "an object with the members \"how\" and \"pairs\"");
        JobReader inner(*ablation, "A replay's ablation");
        QString how = u"freeze"_s;
        inner.text("how", how);
        job.modelInputs.ablation.kind = parse_ablation_kind(how.toStdString(), "A replay's how");
        for (const double pair : inner.numbers("pairs")) {
            if (!(pair >= 0 && pair < 1e6 && pair == std::floor(pair)))
                inner.refuse("pairs", "a list of whole numbers");
            job.modelInputs.ablation.pairs.push_back(static_cast<std::int64_t>(pair));
        }
        inner.end();
    }
    if (const Json* options = reader.find("options")) {
        if (!options->is_object()) reader.refuse("options", "an object");
        for (const auto& [flag, value] : options->items()) {
            if (!value.is_string()) reader.refuse("options", "an object of texts");
            job.flags[QString::fromStdString(flag)] = QString::fromStdString(value.get<std::string>());
        }
    }
    reader.whole("factor", job.modelInputs.factor, 1, 64);
    reader.whole("width", job.width, 320, 3840);
    reader.number("frames_per_second", job.framesPerSecond, 0.1, 50);
    reader.whole("frames", job.most, 0, 1e6);
    job.appearance = reader.choice("theme", kThemes) == 1 ? Appearance::dark : Appearance::light;
    reader.end();
    if (const QString why = whyNotReplayable(job); !why.isEmpty()) throw BadInput(why.toStdString());
    checkFrameSuffix(job.output, "a replay");
    if (job.lab.isEmpty())
        throw BadInput(
            "A replay (animation of a run's training) shows the snapshots of a run, so it needs a lab file, but no "
            "lab file is given.");
    return job;
}

QString whyNotReplayable(const ReplayJob& job) {
    for (const QString& name : job.figures) {
        const InspectFigure* figure = findInspectFigure(name);
        if (figure && figure->need && !figure->need->isOfTraining) {
            return u"“%1” cannot be replayed, because fine-tuning is not a part of the run’s training; replay "
                   "another figure."_s.arg(figure->title);
        }
        if (name == "pair-logits"_L1 && (job.modelInputs.text.isEmpty() || !job.choices.pair)) {
            return u"“%1” needs a text and a selected rotary pair; type a text and select a pair, or replay another "
                   "figure."_s.arg(figure->title);
        }
    }
    return {};
}

bool needsModel(const ReplayJob& job) {
    return std::any_of(job.figures.begin(), job.figures.end(), [&job](const QString& name) {
        const InspectFigure* figure = findInspectFigure(name);
        return figure && figure->need && figure->need->usesEngine && figure->need->isAsked(job.modelInputs);
    });
}

namespace {

constexpr double kLossFraction = 0.28;  // of a frame's height

/// Raster devices get an image, because vector graphics would leave seams between the cells of heat maps.
void paintPart(QPainter& painter, const Figure& figure, const QRectF& where, const FigureStyle& style) {
    const QSize size = where.size().toSize();
    if (painter.paintEngine()->type() == QPaintEngine::Raster) {
        QImage image(size, QImage::Format_ARGB32_Premultiplied);
        image.fill(style.theme.paper);
        paintFigure(figure, image, size, style, false);
        painter.drawImage(where.topLeft(), image);
        return;
    }
    QPicture picture;
    paintFigure(figure, picture, size, style, true);
    painter.save();
    painter.translate(where.topLeft());
    // Qt scales a QPicture by the ratio of the resolutions; the figure already uses the painter's units.
    painter.scale(static_cast<double>(picture.logicalDpiX()) / painter.device()->logicalDpiX(),
                  static_cast<double>(picture.logicalDpiY()) / painter.device()->logicalDpiY());
    painter.drawPicture(0, 0, picture);
    painter.restore();
}

}  // namespace

Figure replayFrame(std::vector<ReplayPicture> pictures, std::int64_t iteration) {
    std::vector<Figure> upper;
    for (ReplayPicture& picture : pictures) {
        picture.data.iteration = iteration;
        upper.push_back(picture.figure->make(picture.data).figure);
    }
    const InspectData& data = pictures.front().data;
    const Figure loss = lossCourse(data).figure;
    Figure frame = inspectFigure(data, "inspect-frame");
    frame.summary = u"%1 after %2 steps."_s.arg(data.run ? data.run->name : QString(), groupedText(iteration));
    frame.drawing = [upper, loss](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        const double below = kLossFraction * all.height();
        const double width = all.width() / static_cast<double>(upper.size());
        for (std::size_t i = 0; i < upper.size(); ++i) {
            paintPart(painter, upper[i],
                      {all.left() + static_cast<double>(i) * width, all.top(), width, all.height() - below}, style);
        }
        paintPart(painter, loss, {all.left(), all.bottom() - below, all.width(), below}, style);
    };
    return frame;
}

std::vector<std::int64_t> replayIterations(const InsideRun& run, int most) {
    std::vector<std::int64_t> iterations;
    const auto all = run.snapshots.size();
    const std::size_t count = most > 0 ? std::min(all, static_cast<std::size_t>(most)) : all;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = count > 1 ? (i * (all - 1) + (count - 1) / 2) / (count - 1) : all - 1;
        iterations.push_back(run.snapshots[place].iteration);
    }
    return iterations;
}

namespace {

/// −1 (all, or none) is valid.
void checkChoice(const char* what, std::int64_t choice, std::int64_t count) {
    if (choice < count) return;
    throw BadInput("A replay's " + std::string(what) + " is " + std::to_string(choice) + ", but this run's " + what +
                   "s are 0 to " + std::to_string(count - 1) + ".");
}

std::vector<ReplayPicture> picturesOf(const ReplayJob& job, const InspectData& data, const Runner::EngineSource& engine,
                                      const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    ModelInputs inputs = job.modelInputs;
    inputs.pair = job.choices.pair;
    std::vector<ReplayPicture> pictures;
    for (const QString& name : job.figures) {
        if (name == QLatin1String(ReplayJob::kSecondRun)) {
            if (!data.ghost)
                throw BadInput("The figure of the second run needs a second run; set \"beside\" to its number.");
            pictures.push_back({pictures.front().figure, secondRunData(data)});
            continue;
        }
        const InspectFigure* figure = findInspectFigure(name);
        ReplayPicture picture{figure, data};
        computeNeed(picture.data, figure->need, inputs, engine, dataDir, cancelled);
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

}  // namespace

int writeReplay(const ReplayJob& job, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                const std::function<void(int done, int all)>& progress, const Cancelled& cancelled) {
    const auto lab = LabFile::open(job.lab.toStdString(), LabFile::Mode::read);
    InspectData data;
    data.run = std::make_shared<const InsideRun>(readInsideRunOrFirst(*lab, job.run));
    if (job.beside != 0) data.ghost = std::make_shared<const InsideRun>(readInsideRun(*lab, job.beside));
    data.choices = job.choices;
    data.flags = job.flags;
    if (data.run->snapshots.empty()) throw BadInput(whyNoSnapshots(data).toStdString());
    checkChoice("layer", job.choices.layer, data.run->spec.layers);
    checkChoice("head", job.choices.head, data.run->spec.heads);
    checkChoice("pair", job.choices.pair.value_or(-1), data.run->pairs());
    for (const QString& why : {whyNotReplayable(job), whyFramesExist(job.output)}) {
        if (!why.isEmpty()) throw BadInput(why.toStdString());
    }
    const std::vector<std::int64_t> iterations = replayIterations(*data.run, job.most);
    const int count = static_cast<int>(iterations.size());
    const auto pictures = picturesOf(job, data, engine, dataDir, cancelled);
    const auto figureOf = [&](int frame) { return replayFrame(pictures, iterations[static_cast<std::size_t>(frame)]); };
    return writeFrames({job.output, job.width, job.height(), job.appearance, "replay"}, count, job.framesPerSecond,
                       figureOf, progress, cancelled);
}

}  // namespace ropelab::ui
