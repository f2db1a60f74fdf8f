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
#include "ui/figures/job_fields.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

using Json = nlohmann::json;

void visitFigures(JobFields& fields, ReplayJob& job) {
    if (fields.isWriting()) return fields.put("figures", std::vector(job.figures.begin(), job.figures.end()));
    const Json* names = fields.find("figures");
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

void visitFields(JobFields& fields, ReplayJob& job) {
    fields.text("lab", job.lab);
    visitFigures(fields, job);
    visitFields(fields, static_cast<InspectRequest&>(job));
    visitFields(fields, static_cast<FrameFiles&>(job));
    fields.whole("frames", job.most, 0, 1e6);
}

ReplayJob parseReplayJob(const std::string& text) {
    auto job = readJob<ReplayJob>(text, "A replay");
    if (const QString why = whyNotReplayable(job); !why.isEmpty()) throw BadInput(why.toStdString());
    checkFrameSuffix(job.output, "a replay");
    if (job.lab.isEmpty() && job.model.isEmpty())
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
    if (!job.model.isEmpty()) return true;
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
        upper.push_back(inspectPicture(*picture.figure, picture.data).figure);
    }
    const InspectData& data = pictures.front().data;
    Figure loss = lossCourse(data).figure;
    for (FigureLine& line : loss.verticalLines) line.handle.clear();  // each frame shows its step, the last one too
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
    const auto lab =
        job.model.isEmpty() ? LabFile::open(job.lab.toStdString(), LabFile::Mode::read) : std::unique_ptr<LabFile>();
    const std::string what = "A replay's ";
    InspectData data = dataOf(lab.get(), job, dataDir, what);
    computeNeed(data, nullptr, {}, engine, dataDir, cancelled);
    if (data.run->snapshots.empty()) throw BadInput(whyNoSnapshots(data).toStdString());
    checkExists(what, "pair", job.choices.pair.value_or(-1), data.run->pairs());
    for (const QString& why : {whyNotReplayable(job), whyFramesExist(job.output)}) {
        if (!why.isEmpty()) throw BadInput(why.toStdString());
    }
    const std::vector<std::int64_t> iterations = replayIterations(*data.run, job.most);
    const int count = static_cast<int>(iterations.size());
    const auto pictures = picturesOf(job, data, engine, dataDir, cancelled);
    const auto figureOf = [&](int frame) { return replayFrame(pictures, iterations[static_cast<std::size_t>(frame)]); };
    return writeFrames(job, count, figureOf, progress, cancelled);
}

}  // namespace ropelab::ui
