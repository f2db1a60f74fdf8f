#include "ui/rooms/inspect/replay_files.h"

#include "core/spec/error.h"
#include "ui/animation/frame_files.h"
#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rooms/inspect/replay_frame.h"

namespace ropelab::ui {
namespace {

/// −1 (all, or none) is valid.
void checkChoice(const char* what, std::int64_t choice, std::int64_t count) {
    if (choice < count) return;
    throw BadInput("A replay's " + std::string(what) + " is " + std::to_string(choice) + ", but this run's " + what +
                   "s are 0 to " + std::to_string(count - 1) + ".");
}

std::vector<ReplayPicture> picturesOf(const ReplayJob& job, const InspectData& data, const Runner::EngineSource& engine,
                                      const std::filesystem::path& dataDir, const Cancelled& cancelled) {
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
        computeInput(picture.data, figure->input, job.modelInputs, engine, dataDir, cancelled);
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
