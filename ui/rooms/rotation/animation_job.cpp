#include "ui/rooms/rotation/animation_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/data/json_text.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::ui {
namespace {

using AnimationJson = nlohmann::json;

constexpr double kAnimationAspect = 0.56;  // height divided by width
constexpr double kLargestTheta = 1e15;
constexpr std::array<const char*, 3> kOverNames = {"positions", "theta", "pairs"};
constexpr std::array<const char*, 5> kSourceNames = {"random", "equal", "edited", "aimed", "trained"};

/// end() rejects keys that were not read.
class AnimationReader {
 public:
    explicit AnimationReader(const AnimationJson& json) : m_json(json) {}

    std::string text(const char* key, const std::string& usual) {
        const AnimationJson* found = find(key);
        if (!found) return usual;
        if (!found->is_string()) refuse(key, "a string");
        return found->get<std::string>();
    }
    double number(const char* key, double usual, double least, double most) {
        const AnimationJson* found = find(key);
        if (!found) return usual;
        const double value = found->is_number() ? found->get<double>() : std::nan("");
        if (!(value >= least && value <= most)) {
            refuse(key, "a number from " + number_text(least) + " to " + number_text(most));
        }
        return value;
    }
    std::int64_t whole(const char* key, std::int64_t usual, double least, double most) {
        const double value = number(key, static_cast<double>(usual), least, most);
        if (value != std::floor(value)) refuse(key, "a whole number");
        return static_cast<std::int64_t>(value);
    }
    template <std::size_t n>
    int choice(const char* key, const std::array<const char*, n>& names) {
        const std::string value = text(key, names[0]);
        std::string known;
        for (std::size_t i = 0; i < n; ++i) {
            if (value == names[i]) return static_cast<int>(i);
            known += (i == 0 ? "" : i + 1 < n ? ", " : " or ") + std::string(names[i]);
        }
        refuse(key, known);
    }
    std::vector<double> numbers(const char* key) {
        const AnimationJson* found = find(key);
        if (!found) return {};
        const bool fits = found->is_array() &&
                          std::all_of(found->begin(), found->end(), [](const auto& each) { return each.is_number(); });
        if (!fits) refuse(key, "a list of numbers");
        return found->get<std::vector<double>>();
    }
    void end() const {
        for (const auto& [key, value] : m_json.items()) {
            if (m_known.contains(key)) continue;
            std::string known;
            for (const std::string& each : m_known) known += (known.empty() ? "" : ", ") + each;
            throw BadInput("An animation has no key \"" + key + "\"; the keys are " + known + ".");
        }
    }

 private:
    const AnimationJson* find(const char* key) {
        m_known.insert(key);
        const auto found = m_json.find(key);
        return found == m_json.end() ? nullptr : &*found;
    }
    [[noreturn]] void refuse(const char* key, const std::string& right) const {
        const auto given = m_json.find(key);
        throw BadInput("An animation's " + std::string(key) + " is " + (given == m_json.end() ? "" : given->dump()) +
                       ", but it must be " + right + ".");
    }

    const AnimationJson& m_json;
    std::set<std::string> m_known;
};

void readState(AnimationReader& reader, AnimationJob& job) {
    RotationState& state = job.state;
    const auto last = static_cast<double>(std::int64_t{1} << 31);
    state.m = reader.whole("m", state.m, 0, last);
    state.n = reader.whole("n", state.n, 0, last);
    state.source = static_cast<VectorSource>(reader.choice("vectors", kSourceNames));
    state.seed = reader.whole("seed", state.seed, 0, 1e15);
    state.distance = reader.whole("distance", state.distance, 0, last);
    state.yaw = reader.number("yaw", state.yaw, -1e6, 1e6);
    state.pitch = reader.number("pitch", state.pitch, -1e6, 1e6);
    state.origin = reader.text("origin", {});
    state.text = reader.text("text", state.text);
    state.query = reader.numbers("q");
    state.key = reader.numbers("k");
    state.queryEdited = reader.whole("query_edited", 0, 0, 1) == 1;
    const auto pair = reader.whole("pair", -1, -1, 1e6);
    if (pair >= 0) state.highlighted = static_cast<int>(pair);
}

void readRange(AnimationReader& reader, AnimationJob& job) {
    const RotationScene scene = standardScene(job.setup);
    const auto pairs = static_cast<double>(scene.pairs.size());
    if (job.over == AnimationJob::Over::pairs && pairs < 1) {
        throw BadInput("An animation over pairs needs a setup with at least one pair.");
    }
    const bool isTheta = job.over == AnimationJob::Over::theta;
    const double least = isTheta ? 1.000001 : 0;
    const double most = isTheta                                     ? kLargestTheta
                        : job.over == AnimationJob::Over::positions ? static_cast<double>(job.setup.context - 1)
                                                                    : pairs - 1;
    job.first = reader.number("from", isTheta ? 100 : 0, least, most);
    job.last = reader.number("to", isTheta ? 1e6 : most, least, most);
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
    AnimationJson json{{"output", job.output.toStdString()},
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
    return json.dump(-1, ' ', false, AnimationJson::error_handler_t::replace);
}

AnimationJob parseAnimationJob(const std::string& text) {
    const AnimationJson json = parse_bounded(text, nullptr, false);
    if (!json.is_object()) throw BadInput("An animation must be a JSON object, but it is \"" + text + "\".");
    AnimationReader reader(json);
    AnimationJob job;
    job.output = QString::fromStdString(reader.text("output", {}));
    job.figure = QString::fromStdString(reader.text("figure", job.figure.toStdString()));
    job.setup = parse_setup(reader.text("setup", {}));
    job.over = static_cast<AnimationJob::Over>(reader.choice("over", kOverNames));
    readRange(reader, job);
    const auto count = static_cast<std::int64_t>(std::abs(job.last - job.first)) + 1;
    const bool isPairs = job.over == AnimationJob::Over::pairs;
    job.frames =
        static_cast<int>(reader.whole("frames", isPairs ? std::max<std::int64_t>(2, count) : job.frames, 2, 10'000));
    job.framesPerSecond = reader.number("frames_per_second", isPairs ? 4 : job.framesPerSecond, 0.1, 50);
    job.width = static_cast<int>(reader.whole("width", job.width, 320, 3840));
    constexpr std::array<const char*, 2> themes = {"light", "dark"};
    job.appearance = reader.choice("theme", themes) == 1 ? Appearance::dark : Appearance::light;
    readState(reader, job);
    reader.end();
    checkFrameSuffix(job.output, "an animation");
    return job;
}

}  // namespace ropelab::ui
