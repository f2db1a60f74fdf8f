#include "ui/rooms/rotation/animation_job.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "ui/figures/job_fields.h"

namespace ropelab::ui {
namespace {

constexpr double kLargestTheta = 1e15;
constexpr std::array kOverNames = {"positions", "theta", "pairs"};
constexpr std::array kSourceNames = {"random", "equal", "edited", "aimed", "trained"};

void visitState(JobFields& fields, RotationState& state) {
    const auto last = static_cast<double>(std::int64_t{1} << 31);
    fields.whole("m", state.m, 0, last);
    fields.whole("n", state.n, 0, last);
    fields.choice("vectors", state.source, kSourceNames);
    fields.whole("seed", state.seed, 0, 1e15);
    fields.whole("distance", state.distance, 0, last);
    fields.number("yaw", state.yaw, -1e6, 1e6);
    fields.number("pitch", state.pitch, -1e6, 1e6);
    fields.text("origin", state.origin);
    fields.text("text", state.text);
    fields.number("error", state.accuracy, 0, 180);
    fields.whole("hands", state.hands, 0, kMostHands);
    auto rotates = static_cast<int>(state.rotatesValues);
    fields.whole("rotate_values", rotates, 0, 1);
    state.rotatesValues = rotates == 1;
    fields.index("pair", state.highlighted, 1e6);
    // Other vectors follow from the seed.
    const bool isEdited = state.source == VectorSource::handEdited || state.source == VectorSource::trained;
    if (fields.isWriting() && !isEdited && !state.queryEdited) return;
    fields.numbers("q", state.query);
    fields.numbers("k", state.key);
    auto edited = static_cast<int>(state.queryEdited);
    fields.whole("query_edited", edited, 0, 1);
    state.queryEdited = edited == 1;
}

/// A range that is not given is that of the quantity.
void visitRange(JobFields& fields, AnimationJob& job) {
    const RotationScene scene = standardScene(job.setup);
    const auto pairs = static_cast<double>(scene.pairs.size());
    if (!fields.isWriting() && job.over == AnimationJob::Over::pairs && pairs < 1) {
        throw BadInput(
            "An animation over pairs needs a rotary setup that rotates at least one pair, but this setup rotates no "
            "pair; choose a larger fraction.");
    }
    const bool isTheta = job.over == AnimationJob::Over::theta;
    const double least = isTheta ? 1.000001 : 0;
    const double most = isTheta                                     ? kLargestTheta
                        : job.over == AnimationJob::Over::positions ? static_cast<double>(job.setup.context - 1)
                                                                    : pairs - 1;
    if (!fields.isWriting()) {
        job.first = isTheta ? 100 : 0;
        job.last = isTheta ? 1e6 : most;
    }
    fields.number("from", job.first, least, most);
    fields.number("to", job.last, least, most);
    if (!fields.isWriting() && job.over == AnimationJob::Over::pairs) {
        job.frames = std::max(2, static_cast<int>(std::abs(job.last - job.first)) + 1);
        job.framesPerSecond = 4;
    }
}

}  // namespace

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

void visitFields(JobFields& fields, AnimationJob& job) {
    fields.text("figure", job.figure);
    std::string setup = text_of(job.setup);
    fields.text("setup", setup);
    job.setup = parse_setup(setup);
    fields.choice("over", job.over, kOverNames);
    visitRange(fields, job);
    fields.whole("frames", job.frames, 2, 10'000);
    visitFields(fields, static_cast<FrameFiles&>(job));
    visitState(fields, job.state);
}

AnimationJob parseAnimationJob(const std::string& text) {
    const auto job = readJob<AnimationJob>(text, "An animation");
    checkFrameSuffix(job.output, "an animation");
    return job;
}

}  // namespace ropelab::ui
