#include "ui/rooms/rotation/animation_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "ui/figures/job_reader.h"

namespace ropelab::ui {
namespace {

constexpr double kAnimationAspect = 0.56;  // height divided by width
constexpr double kLargestTheta = 1e15;
constexpr std::array<const char*, 3> kOverNames = {"positions", "theta", "pairs"};
constexpr std::array<const char*, 5> kSourceNames = {"random", "equal", "edited", "aimed", "trained"};

void readState(JobReader& reader, RotationState& state) {
    const auto last = static_cast<double>(std::int64_t{1} << 31);
    reader.whole("m", state.m, 0, last);
    reader.whole("n", state.n, 0, last);
    state.source = static_cast<VectorSource>(reader.choice("vectors", kSourceNames));
    reader.whole("seed", state.seed, 0, 1e15);
    reader.whole("distance", state.distance, 0, last);
    reader.number("yaw", state.yaw, -1e6, 1e6);
    reader.number("pitch", state.pitch, -1e6, 1e6);
    reader.text("origin", state.origin);
    reader.text("text", state.text);
    state.query = reader.numbers("q");
    state.key = reader.numbers("k");
    int isEdited = 0;
    reader.whole("query_edited", isEdited, 0, 1);
    state.queryEdited = isEdited == 1;
    int pair = -1;
    reader.whole("pair", pair, -1, 1e6);
    if (pair >= 0) state.highlighted = pair;
}

void readRange(JobReader& reader, AnimationJob& job) {
    const RotationScene scene = standardScene(job.setup);
    const auto pairs = static_cast<double>(scene.pairs.size());
    if (job.over == AnimationJob::Over::pairs && pairs < 1) {
        throw BadInput(
            "An animation over pairs needs a rotary setup that rotates at least one pair, but this setup rotates no "
            "pair; choose a larger fraction.");
    }
    const bool isTheta = job.over == AnimationJob::Over::theta;
    const double least = isTheta ? 1.000001 : 0;
    const double most = isTheta                                     ? kLargestTheta
                        : job.over == AnimationJob::Over::positions ? static_cast<double>(job.setup.context - 1)
                                                                    : pairs - 1;
    job.first = isTheta ? 100 : 0;
    job.last = isTheta ? 1e6 : most;
    reader.number("from", job.first, least, most);
    reader.number("to", job.last, least, most);
}

}  // namespace

int AnimationJob::height() const {
    return static_cast<int>(std::lround(kAnimationAspect * width));
}

double AnimationJob::valueOf(int frame) const {
    const double part = frames > 1 ? static_cast<double>(frame) / (frames - 1) : 0;
    return over == Over::theta ? first * std::pow(last / first, part) : std::round(first + (last - first) * part);
}

RotarySetup AnimationJob::setupOf(int frame) const {
    RotarySetup result = setup;
    if (over == Over::theta) result.theta = valueOf(frame);
    return result;
}

RotationScene AnimationJob::sceneOf(int frame) const {
    RotationScene scene;
    scene.state = state;
    scene.state.shiftedFrom.reset();
    if (over == Over::positions) scene.state.m = static_cast<std::int64_t>(valueOf(frame));
    if (over == Over::pairs) scene.state.highlighted = static_cast<int>(valueOf(frame));
    const RotarySetup now = setupOf(frame);
    scene.setSetup(now, frequencies(frequency_settings(now)));
    return scene;
}

std::string animationJobText(const AnimationJob& job) {
    const RotationState& state = job.state;
    nlohmann::json json{{"output", job.output.toStdString()},
                        {"figure", job.figure.toStdString()},
                        {"over", kOverNames[static_cast<std::size_t>(job.over)]},
                        {"from", job.first},
                        {"to", job.last},
                        {"frames", job.frames},
                        {"frames_per_second", job.framesPerSecond},
                        {"width", job.width},
                        {"theme", job.appearance == Appearance::dark ? "dark" : "light"},
                        {"setup", text_of(job.setup)},
                        {"m", state.m},
                        {"n", state.n},
                        {"vectors", kSourceNames[static_cast<std::size_t>(state.source)]},
                        {"seed", state.seed},
                        {"distance", state.distance},
                        {"yaw", state.yaw},
                        {"pitch", state.pitch}};
    // Other vectors follow from the seed.
    const bool isEdited = state.source == VectorSource::handEdited || state.source == VectorSource::trained;
    if (isEdited || state.queryEdited) {
        json["q"] = state.query;
        json["k"] = state.key;
        json["query_edited"] = state.queryEdited ? 1 : 0;
    }
    if (state.text != RotationState().text) json["text"] = state.text;
    if (!state.origin.empty()) json["origin"] = state.origin;
    if (state.highlighted) json["pair"] = *state.highlighted;
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

AnimationJob parseAnimationJob(const std::string& text) {
    JobReader reader(text, "An animation");
    AnimationJob job;
    reader.text("output", job.output);
    reader.text("figure", job.figure);
    std::string setup;
    reader.text("setup", setup);
    job.setup = parse_setup(setup);
    job.over = static_cast<AnimationJob::Over>(reader.choice("over", kOverNames));
    readRange(reader, job);
    if (job.over == AnimationJob::Over::pairs) {
        job.frames = std::max(2, static_cast<int>(std::abs(job.last - job.first)) + 1);
        job.framesPerSecond = 4;
    }
    reader.whole("frames", job.frames, 2, 10'000);
    reader.number("frames_per_second", job.framesPerSecond, 0.1, 50);
    reader.whole("width", job.width, 320, 3840);
    constexpr std::array themes = {"light", "dark"};
    job.appearance = reader.choice("theme", themes) == 1 ? Appearance::dark : Appearance::light;
    readState(reader, job.state);
    reader.end();
    checkFrameSuffix(job.output, "an animation");
    return job;
}

}  // namespace ropelab::ui
